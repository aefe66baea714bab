//! The stored games as one SGF collection, sent while it is read.

use std::{io, sync::Arc};

use axum::{
    body::Body,
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use tokio::{sync::mpsc, task::spawn_blocking};

use crate::{lobby::Lobby, protocol::Search};

#[derive(Deserialize)]
pub(crate) struct Wanted {
    /// A [`Search`] as JSON; all games without it.
    #[serde(default)]
    search: Option<String>,
}

/// Sends the games that a search finds.
pub(crate) async fn send(State(lobby): State<Arc<Lobby>>, Query(wanted): Query<Wanted>) -> Response {
    let search: Search = match wanted.search.as_deref().map(serde_json::from_str).transpose() {
        Ok(search) => search.unwrap_or_default(),
        Err(error) => return (StatusCode::BAD_REQUEST, format!("search: {error}")).into_response(),
    };
    // A few games at a time: whoever reads slowly holds up only this.
    let (sender, mut games) = mpsc::channel::<io::Result<String>>(4);
    spawn_blocking(move || {
        let exported = lobby.store().export(&search, |sgf| sender.blocking_send(Ok(sgf)).is_ok());
        if let Err(error) = exported {
            // The download fails instead of being short.
            let _ = sender.blocking_send(Err(io::Error::other(error.to_string())));
        }
    });
    let stream = futures_util::stream::poll_fn(move |context| games.poll_recv(context));
    let headers = [
        (header::CONTENT_TYPE, "application/x-go-sgf; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"games.sgf\""),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Body::from_stream(stream)).into_response()
}
