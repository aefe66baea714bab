//! Plain memory of ours as numpy arrays.

use numpy::{Element, IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

/// A new array of this shape, its numbers in rows as C has them.
pub(crate) fn array<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(numbers.into_pyarray(py).reshape(shape)?.into_any())
}
