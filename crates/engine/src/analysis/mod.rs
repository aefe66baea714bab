//! Analysis of positions for front ends.

mod figures;

pub(crate) use figures::{Figures, Standing};
