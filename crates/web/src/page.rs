//! The page: the files of `web/dist`, embedded when the program was built.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};
use rust_embed::RustEmbed;

use crate::id::hex;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Files;

/// What is served where the page was not built before the program.
const NOT_BUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>tengen</title>\
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}</style>\
<h1>The board is missing</h1><p>This program was built without its page. With Node.js installed, run\
<pre>make play</pre><p>which builds both, or play in the terminal with <code>tengen play --terminal</code>.";

/// Nothing from anywhere else, and nobody may put the page into a frame.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Whether the page was built.
pub fn is_built() -> bool {
    Files::get("index.html").is_some()
}

pub(crate) async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    let name = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let mut response = match Files::get(name) {
        Some(file) => {
            let etag = format!("\"{}\"", hex(&file.metadata.sha256_hash()[..12]));
            if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                let mime = file.metadata.mimetype().to_owned();
                let headers = [
                    (header::CONTENT_TYPE, mime),
                    (header::ETAG, etag),
                    (header::CACHE_CONTROL, "no-cache".to_owned()),
                ];
                (headers, file.data.into_owned()).into_response()
            }
        }
        None if name == "index.html" => Html(NOT_BUILT).into_response(),
        None => (StatusCode::NOT_FOUND, "There is nothing here.").into_response(),
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
