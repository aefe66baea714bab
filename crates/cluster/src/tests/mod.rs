//! What needs a server and the inside of this crate.

mod logins;
mod trust;
