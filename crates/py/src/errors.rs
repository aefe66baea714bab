//! Errors as Python raises them.

use std::fmt::Display;

use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(tengen, IllegalMoveError, PyValueError, "The rules do not allow this move.");

/// A value that cannot be used, and why.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
