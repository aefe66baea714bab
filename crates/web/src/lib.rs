//! The board in the browser: a server for pages, and the page itself.
//!
//! The page (in `web/`, TypeScript) draws and asks; it knows no rules and keeps no game. Each game is a table
//! (`table/`), a thread that owns the record, the clocks and the players; pages are connected to it by WebSockets
//! (`socket.rs`) and see every change. `protocol.rs` lists all that is said.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let app = tengen_web::App::new(tengen_web::Config::default())?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8019").await?;
//! app.serve(listener, tengen_web::stop_signal()).await;
//! # Ok(())
//! # }
//! ```

mod access;
mod auto_level;
mod collection;
mod config;
mod error;
mod export;
mod id;
mod lobby;
mod outbox;
mod page;
mod private;
pub mod protocol;
mod roster;
mod server;
mod settings;
mod socket;
mod store;
mod table;
mod thinker;

use std::sync::Arc;

use axum::{Router, middleware, routing::get};
pub use tokio;
use tower_http::compression::CompressionLayer;

pub use {
    access::Token,
    auto_level::AutoLevel,
    config::Config,
    error::WebError,
    page::is_built,
    roster::{Group, Listed, Roster, title},
    server::{App, stop_signal},
    settings::{HUMAN, Seat, Seats, Settings},
    store::{Store, StoreError, StoreHealth, today},
};

fn routes(lobby: &Arc<lobby::Lobby>, access: access::Access) -> Router {
    Router::new()
        .route("/ws", get(socket::connect))
        .route("/games.sgf", get(export::send))
        .with_state(Arc::clone(lobby))
        .layer(middleware::from_fn_with_state(access.clone(), access::ask_for_token))
        .fallback(get(page::serve))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(access, access::check_origin))
}
