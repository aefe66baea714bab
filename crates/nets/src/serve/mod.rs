//! Networks of both families at the service of searches: evaluators, and what they remember.

pub(crate) mod any;
mod cache;
pub(crate) mod evaluator;
pub(crate) mod shelf;
