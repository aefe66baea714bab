//! Accepts connections, with a deadline for each step, until it is told to stop.

use std::{io, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

use crate::{access::Access, config::Config, error::WebError, lobby::Lobby, routes};

/// Connections at once, pages apart: less than the files that a process may usually have open.
const MAX_CONNECTIONS: usize = 512;
/// How long a request may take to arrive, and how long a connection may wait for the next one.
const REQUEST: Duration = Duration::from_secs(5);
/// How long a connection may last that has not become a page's.
const CONNECTION: Duration = Duration::from_mins(5);
/// How long games and players may take to end.
const STOPPING: Duration = Duration::from_secs(5);

/// The server for pages, before it listens.
pub struct App {
    lobby: Arc<Lobby>,
    router: Router,
}

impl App {
    /// Opens the store, and takes over the games of earlier versions.
    pub fn new(config: Config) -> Result<App, WebError> {
        let access = Access::new(config.token.clone());
        let lobby = Lobby::new(config)?;
        Ok(App { router: routes(&lobby, access), lobby })
    }

    /// What is served, for other servers than ours.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Serves until `stop` returns. Then pages are told, games are stored, and players end.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        tokio::select! {
            () = accept(&listener, &self.router) => {}
            () = stop => {}
        }
        drop(listener);
        drop(self.router);
        self.lobby.stop(STOPPING).await;
    }
}

async fn accept(listener: &TcpListener, router: &Router) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        // Whoever comes when there is no room waits until a deadline has passed for someone else.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    // What goes wrong with a connection is its own affair.
                    let _ = timeout(CONNECTION, connection(stream, router)).await;
                    drop(place);
                });
            }
            // Too many open files, as a rule; or a connection that has ended already.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, router: Router) -> Result<(), io::Error> {
    // Small messages in both directions: waiting for more would only delay them.
    stream.set_nodelay(true)?;
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades()
        .await
        .map_err(io::Error::other)
}

/// Returns when the user or the system wants the program to end: Ctrl-C, or `SIGTERM`. From then on Ctrl-C ends it at once.
pub async fn stop_signal() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = terminated() => {}
    }
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(130);
        }
    });
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending::<()>().await;
}
