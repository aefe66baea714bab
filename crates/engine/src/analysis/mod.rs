//! Analysis of positions for front ends: KataGo's protocol of JSON lines, which KaTrain and many tools speak.
//!
//! [`Engine`] reads queries and answers them; `query.rs` and `answer.rs` know the JSON, `queue.rs` the order. The figures
//! themselves are the same that GTP's analysis commands tell.

mod answer;
mod engine;
mod figures;
mod query;
mod queue;

pub(crate) use answer::rounded;
pub use engine::{AtEnd, Engine};
pub(crate) use figures::{Figures, Standing};
