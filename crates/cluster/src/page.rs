//! The status as a page with graphs. It can be read and nothing else: there is no request that changes anything.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use tokio::{net::TcpListener, sync::RwLock};

use crate::{
    error::ClusterError,
    link::Server,
    status::{Observer, Status},
};

const PAGE: &str = include_str!("page.html");
/// Nothing from anywhere else, and nobody may put the page into a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action \
                      'none'; frame-ancestors 'none'";

/// What the server says, asked once a second however many look on.
type Shared = Arc<RwLock<Result<Status, String>>>;

/// Shows the status at an address until the program ends; `ready` is told where.
pub async fn show(
    server: &Server,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ClusterError> {
    let observer = Observer::connect(server).await?;
    let shared: Shared = Arc::new(RwLock::new(observer.status().await.map_err(|error| error.to_string())));
    let failed = |error: std::io::Error| {
        ClusterError::Message(format!("--listen {address}: {error}; choose another address"))
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    ready(listener.local_addr().map_err(failed)?);
    let seen = Arc::clone(&shared);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let status = observer.status().await.map_err(|error| error.to_string());
            *seen.write().await = status;
        }
    });
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let routes = Router::new()
        .route("/", get(|| async { guarded(Html(PAGE).into_response()) }))
        .route("/page.js", file("text/javascript", include_str!("page.js")))
        .route("/page.css", file("text/css", include_str!("page.css")))
        .route("/status.json", get(status))
        .with_state(shared);
    axum::serve(listener, routes).await.map_err(failed)
}

fn guarded(mut response: Response) -> Response {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn status(State(shared): State<Shared>) -> Response {
    match &*shared.read().await {
        Ok(status) => Json(status).into_response(),
        Err(message) => (StatusCode::BAD_GATEWAY, message.clone()).into_response(),
    }
}
