//! The board in the browser: a server for pages, and the page itself.
//!
//! The page (in `web/`, TypeScript) draws and asks; it knows no rules and keeps no game. Each game is a table
//! (`table/`), a thread that owns the record, the clocks and the players; pages are connected to it by WebSockets
//! (`socket.rs`) and see every change. `protocol.rs` lists all that is said.
//!
//! ```no_run
//! # async fn run() -> std::io::Result<()> {
//! let app = tengen_web::app(tengen_web::Config::default());
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8019").await?;
//! tengen_web::serve(listener, app).await
//! # }
//! ```

mod access;
mod config;
mod error;
mod id;
mod lobby;
mod page;
pub mod protocol;
mod roster;
mod settings;
mod socket;
mod store;
mod table;
mod thinker;

use axum::{Router, middleware, routing::get};
pub use tokio;
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;

pub use {
    config::Config,
    error::WebError,
    page::is_built,
    roster::{Listed, Roster},
    settings::{Seat, Seats, Settings},
};

/// The server for pages.
pub fn app(config: Config) -> Router {
    let access = access::Access(config.token.clone().map(Into::into));
    let sockets = socket::Sockets::new(lobby::Lobby::new(config));
    Router::new()
        .route("/ws", get(socket::connect))
        .with_state(sockets)
        .fallback(get(page::serve))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(access, access::check))
}

/// Serves until the process ends.
pub async fn serve(listener: TcpListener, app: Router) -> std::io::Result<()> {
    axum::serve(listener, app).await
}
