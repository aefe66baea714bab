//! Who may connect.
//!
//! The page itself is the same for everybody and is served to everybody; what it shows, the games, is for those who know
//! the token. The token comes with the address that `tengen play` prints, and the page keeps it for its tab (a cookie would
//! be sent to every other port of this machine, too). Command lines can be read by other users, so the address that the
//! browser is started with has a ticket in its place, which is good for one connection.
//!
//! Without a token only this machine is served: the name in `Host` must be one of its own, so that a foreign page cannot
//! reach us under a name of its own choosing (DNS rebinding). Either way a page of another origin is refused.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{id::new_id, private};

/// The fewest letters that a token must have to be believed one of ours.
const MIN_TOKEN: usize = 16;

/// What visitors have to show.
#[derive(Clone)]
pub struct Token {
    secret: Arc<str>,
    /// Good for one connection.
    ticket: Arc<Mutex<Option<String>>>,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl From<&str> for Token {
    fn from(secret: &str) -> Token {
        Token { secret: secret.into(), ticket: Arc::default() }
    }
}

impl Token {
    /// The token of this user, the same each time, so that a page can be reloaded after a restart. It is kept in a file that nobody
    /// else can read.
    pub fn of_user() -> io::Result<Token> {
        Token::kept_in(&private::state_folder().join("token"))
    }

    fn kept_in(path: &Path) -> io::Result<Token> {
        if let Some(folder) = path.parent() {
            private::create_folder(folder)?;
        }
        // What others could read they may have read.
        if path.exists() && private::is_private(path)? {
            let secret = tengen_board::bounded::read_text(path)?;
            if secret.len() >= MIN_TOKEN && secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Ok(secret.as_str().into());
            }
        }
        let secret = new_id();
        // A name of its own, then the right one: another server may be starting, too.
        let draft = path.with_extension(new_id());
        let mut file = private::create_file(&draft)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path)?;
        Ok(secret.as_str().into())
    }

    /// What visitors have to show.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// What can be shown once in its place.
    pub fn new_ticket(&self) -> String {
        let ticket = new_id();
        *self.ticket.lock().unwrap_or_else(PoisonError::into_inner) = Some(ticket.clone());
        ticket
    }

    fn admits(&self, shown: &str) -> bool {
        is_equal(shown, &self.secret)
            || self
                .ticket
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take_if(|ticket| is_equal(shown, ticket))
                .is_some()
    }
}

/// The token, if one is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Access(Option<Token>);

impl Access {
    pub(crate) fn new(token: Option<Token>) -> Access {
        Access(token)
    }
}

/// Asks for the token: for everything behind which there are games.
pub(crate) async fn ask_for_token(State(access): State<Access>, request: Request, next: Next) -> Response {
    let shown = request.uri().query().and_then(|query| parameter(query, "token")).unwrap_or_default();
    if access.0.is_none_or(|token| token.admits(shown)) {
        return next.run(request).await;
    }
    let help = "This board asks for a token: open the whole address that tengen play has printed.";
    refuse(StatusCode::UNAUTHORIZED, help)
}

/// Refuses other sites, and whoever does not say clearly where it comes from: for everything.
pub(crate) async fn check_origin(State(access): State<Access>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let (host, origin) = match (only(headers, &header::HOST), only(headers, &header::ORIGIN)) {
        (Ok(Some(host)), Ok(origin)) => (host, origin),
        (Ok(None), _) => return refuse(StatusCode::BAD_REQUEST, "The request names no host."),
        _ => return refuse(StatusCode::BAD_REQUEST, "The request does not say clearly where it comes from."),
    };
    if origin.is_some_and(|origin| !is_same_origin(origin, host)) {
        return refuse(StatusCode::FORBIDDEN, "Pages of other sites may not connect.");
    }
    if access.0.is_none() && !is_this_machine(host) {
        let help = "This server is for its own machine: open http://localhost instead.";
        return refuse(StatusCode::FORBIDDEN, help);
    }
    next.run(request).await
}

fn refuse(status: StatusCode, message: &'static str) -> Response {
    (status, message).into_response()
}

/// The text of a header that may be there once only, in plain letters.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

/// Whether a page's origin is the server it connects to.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    name.is_some_and(|name| name.eq_ignore_ascii_case(host))
}

/// Whether a host is a name of this machine, with or without a port.
fn is_this_machine(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => (address, rest),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = |text: &str| {
        text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (port.is_empty() || is_port(port))
        && (name.eq_ignore_ascii_case("localhost")
            || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback()))
}

/// Compares in a time that does not depend on where the texts differ.
fn is_equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// A parameter of a query; tokens and ids need no decoding.
pub(crate) fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|pair| pair.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        for host in ["localhost", "LocalHost:8019", "127.0.0.1:8019", "127.1.2.3", "[::1]:8019", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org:8019",
            "10.0.0.1",
            "[2001:db8::1]:8019",
            "",
            "[::1].evil.com",
            "[::1]evil.com:8019",
            "[::1]:8019.evil.com",
            "localhost:8019@evil.com",
            "localhost:evil.com",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn origins() {
        assert!(is_same_origin("http://localhost:8019", "localhost:8019"));
        assert!(!is_same_origin("http://localhost:8020", "localhost:8019"));
        assert!(!is_same_origin("https://example.org", "localhost:8019"));
        assert!(!is_same_origin("null", "localhost:8019"));
    }

    #[test]
    fn a_token_is_kept_for_its_user_only() {
        let folder = std::env::temp_dir().join(format!("tengen-token-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let path = folder.join("deep").join("token");
        let token = Token::kept_in(&path).unwrap();
        assert!(token.secret().len() >= MIN_TOKEN && private::is_private(&path).unwrap());
        assert_eq!(Token::kept_in(&path).unwrap().secret(), token.secret());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            let other = Token::kept_in(&path).unwrap();
            assert_ne!(other.secret(), token.secret(), "others could have read it");
            assert!(private::is_private(&path).unwrap());
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_ticket_is_good_once() {
        let token = Token::from("0123456789abcdef");
        let ticket = token.new_ticket();
        assert!(token.admits("0123456789abcdef"));
        assert!(!token.admits("0123456789abcdeg") && !token.admits(""));
        assert!(token.admits(&ticket));
        assert!(!token.admits(&ticket));
    }
}
