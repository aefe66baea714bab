//! Reading a position without playing it out: shapes, atari and capture, ladders, life and death.

mod capture;
pub mod ladder;
pub mod pattern3;
pub mod shapes;
pub mod status;
pub mod tactics;
