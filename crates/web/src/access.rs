//! Who may connect.
//!
//! Without a token only this machine is served: the name in `Host` must be one of its own, so that a foreign page cannot
//! reach us under a name of its own choosing (DNS rebinding). With a token each visitor shows it once, in the address, and
//! then as a cookie. Either way a page of another origin is refused.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};

const COOKIE: &str = "tengen_token";

/// The token, if one is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Access(pub(crate) Option<Arc<str>>);

pub(crate) async fn check(State(access): State<Access>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let Some(host) = header_text(headers, header::HOST.as_str()) else {
        return refuse(StatusCode::BAD_REQUEST, "The request names no host.");
    };
    if header_text(headers, "origin").is_some_and(|origin| !is_same_origin(origin, host)) {
        return refuse(StatusCode::FORBIDDEN, "Pages of other sites may not connect.");
    }
    match &access.0 {
        None if !is_this_machine(host) => refuse(
            StatusCode::FORBIDDEN,
            "This server is for its own machine: open http://localhost instead.",
        ),
        Some(token) if !has_cookie(headers, token) => {
            let shown = request.uri().query().and_then(|query| parameter(query, "token"));
            if shown.is_some_and(|shown| is_equal(shown, token)) {
                let mut response = Redirect::to("/").into_response();
                let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
                if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                    response.headers_mut().insert(header::SET_COOKIE, cookie);
                }
                return response;
            }
            let help = "This board asks for a token: open the whole address that tengen play has printed.";
            refuse(StatusCode::UNAUTHORIZED, help)
        }
        _ => next.run(request).await,
    }
}

fn refuse(status: StatusCode, message: &'static str) -> Response {
    (status, message).into_response()
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Whether a page's origin is the server it connects to.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    name.is_some_and(|name| name.eq_ignore_ascii_case(host))
}

/// Whether a host is a name of this machine, with or without a port.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn has_cookie(headers: &HeaderMap, token: &str) -> bool {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .any(|(name, value)| name == COOKIE && is_equal(value, token))
}

/// Compares in a time that does not depend on where the texts differ.
fn is_equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// A parameter of a query; tokens need no decoding.
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
        for host in ["example.org", "localhost.example.org:8019", "10.0.0.1", "[2001:db8::1]:8019", ""] {
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
}
