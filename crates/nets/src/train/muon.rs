//! Steps that are equally long in every direction (Jordan et al. 2024, "Muon").
//!
//! A gradient of a matrix has a few directions that are long, and many that are short but matter. Muon replaces the
//! momentum U Σ Vᵀ by U Vᵀ, nearly: five steps of a polynomial that pulls every singular value towards 1. All that is
//! iterated is the small square matrix M Mᵀ, so that the wide one is multiplied only twice.

use crate::exec::kernels::matmul::{Left, Right, Size, Write, multiply, transpose};

/// Of a·x + b·x³ + c·x⁵, which brings singular values from (0, 1] to about 0.7 to 1.2 in five steps: Jordan's figures.
const POLYNOMIAL: [f32; 3] = [3.4445, -4.7750, 2.0315];

const STEPS: usize = 5;

/// A matrix shorter than this has no direction worth a step.
const TINY: f64 = 1e-30;

/// Memory for the products.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    matrix: Vec<f32>,
    transposed: Vec<f32>,
    gram: Vec<f32>,
    square: Vec<f32>,
    step: Vec<f32>,
    product: Vec<f32>,
    other: Vec<f32>,
}

/// A matrix with the directions of the given one, of so many rows, and all singular values near 1.
pub(crate) fn orthogonal(numbers: impl Iterator<Item = f32>, rows: usize, scratch: &mut Scratch) -> &[f32] {
    let Scratch { matrix, transposed, gram, square, step, product, other } = scratch;
    matrix.clear();
    matrix.extend(numbers);
    let cols = matrix.len() / rows;
    // Squares of tiny numbers vanish in single precision, and the polynomial would run away with a wrong length.
    let length = matrix.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    if !(TINY..f64::INFINITY).contains(&length) {
        matrix.fill(0.0);
        return matrix;
    }
    let length = length as f32;
    for x in matrix.iter_mut() {
        *x /= length;
    }
    transposed.resize(matrix.len(), 0.0);
    transpose(matrix, cols, transposed);
    // The shorter side decides the size of the square matrices.
    let wide = rows <= cols;
    let (n, depth) = if wide { (rows, cols) } else { (cols, rows) };
    let (left, right) = if wide { (&matrix[..], &transposed[..]) } else { (&transposed[..], &matrix[..]) };
    for buffer in [&mut *gram, square, step, product, other] {
        buffer.clear();
        buffer.resize(n * n, 0.0);
    }
    let gram_size = Size { rows: n, cols: n, depth };
    multiply(gram_size, gram, Left::Rows(left, depth), Right::Rows(right), Write::Replace);
    product.iter_mut().step_by(n + 1).for_each(|x| *x = 1.0);
    let times = |out: &mut Vec<f32>, a: &[f32], b: &[f32]| {
        let size = Size { rows: n, cols: n, depth: n };
        multiply(size, out, Left::Rows(a, n), Right::Rows(b), Write::Replace);
    };
    let [a, b, c] = POLYNOMIAL;
    for number in 0..STEPS {
        times(square, gram, gram);
        for ((x, g), s) in step.iter_mut().zip(gram.iter()).zip(square.iter()) {
            *x = b * g + c * s;
        }
        step.iter_mut().step_by(n + 1).for_each(|x| *x += a);
        times(other, step, product);
        std::mem::swap(product, other);
        if number + 1 < STEPS {
            times(square, step, gram);
            times(gram, square, step);
        }
    }
    // The transpose has served: its place takes the result.
    let size = Size { rows, cols, depth: n };
    let (left, right) = if wide { (&product[..], &matrix[..]) } else { (&matrix[..], &product[..]) };
    multiply(size, transposed, Left::Rows(left, n), Right::Rows(right), Write::Replace);
    transposed
}

#[cfg(test)]
mod tests {
    use tengen_engine::rng::Rng;

    use super::*;

    #[test]
    fn singular_values_come_near_one_and_directions_stay() {
        let mut rng = Rng::new(1);
        for (rows, cols) in [(16, 48), (48, 16), (16, 16), (5, 7), (1, 9)] {
            let before: Vec<f32> = (0..rows * cols).map(|_| rng.unit() - 0.5).collect();
            let mut scratch = Scratch::default();
            let after = orthogonal(before.iter().copied(), rows, &mut scratch);
            // Along what was there before, every row (or column) keeps its side.
            let along: f32 = before.iter().zip(after).map(|(a, b)| a * b).sum();
            assert!(along > 0.0);
            // The squares of all singular values, together.
            let squares: f32 = after.iter().map(|x| x * x).sum();
            let mean = squares / rows.min(cols) as f32;
            assert!((0.4..1.6).contains(&mean), "{rows}x{cols}: {mean}");
            // A wide matrix times its transpose is nearly the identity.
            if rows < cols {
                for i in 0..rows {
                    for j in 0..i {
                        let dot: f32 = (0..cols).map(|k| after[i * cols + k] * after[j * cols + k]).sum();
                        assert!(dot.abs() < 0.35, "{rows}x{cols} {i} {j}: {dot}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_comes_of_nothing() {
        for bad in [0.0, f32::NAN, f32::INFINITY] {
            assert_eq!(orthogonal([bad; 8].into_iter(), 2, &mut Scratch::default()), [0.0; 8]);
        }
    }
}
