//! Convolutional rollouts (S4.4): a small network plays games to their end, evaluated move by move.
//!
//! **What.** Each move is drawn from the softmax of the network's logits over the legal moves that fill no own eye.
//!
//! **How.** A move changes few planes at few points. So the sums of the first layer are kept (in [`side`]), and a change adds
//! and removes *stamps*: what one point contributes to the sums around it. Only logits that a change reaches are
//! computed again. Planes are the player's own view, so each colour has sums of its own, which are brought up to date when it is
//! its turn. Everything up to the logits is done in whole numbers: no error builds up over a game.
//!
//! **Source.** Jin and Keutzer 2015; accumulators that are updated rather than computed are Nasu's (2018, "NNUE"), from
//! shogi and chess.

// Vector instructions are only generated inside functions that are inlined into one with the right target features.
#![allow(clippy::inline_always)]
// Formulas with rows, cells and lanes are clearest as such, and compile to what is meant.
#![allow(clippy::needless_range_loop)]

mod codes;
mod lanes;
mod marks;
mod middle;
mod policy;
mod quantized;
mod side;
mod stepper;
#[cfg(test)]
mod tests;

pub use policy::RolloutPolicy;
pub use quantized::RolloutNetwork;
pub(crate) use side::is_playable;
