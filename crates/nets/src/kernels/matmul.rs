//! Matrix products.
//!
//! **How.** Six rows and two vectors of columns of the result stay in registers (12 of AVX2's 16) while the depth is
//! walked through; each step loads two vectors of the right matrix and six numbers of the left one, which the
//! multiply-adds hide. The matrices here are small enough to lie in the caches, so nothing is packed or split.

use pulp::{Arch, Simd, WithSimd};

/// Rows that stay in registers.
const ROWS: usize = 6;

/// The size of a product: `rows` x `depth` times `depth` x `cols`.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) depth: usize,
}

/// Whether a product replaces what is in its place or is added to it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Write {
    Replace,
    Add,
}

/// The left matrix.
#[derive(Clone, Copy)]
pub(crate) enum Left<'a> {
    /// Contiguous rows, each beginning so many numbers after the one before: they may overlap.
    Rows(&'a [f32], usize),
    /// The transpose of a matrix of contiguous rows.
    Columns(&'a [f32], usize),
}

/// The right matrix.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// Contiguous rows.
    Rows(&'a [f32]),
    /// [`PANEL`] columns of all rows, then the next [`PANEL`]: see [`panel_index`].
    Panels(&'a [f32]),
}

/// Columns that are worked on at a time.
pub(crate) const PANEL: usize = super::LANES;

/// `out` = (or +=) `left` · `right`. `out` consists of contiguous rows of `cols` numbers.
///
/// # Panics
/// If a matrix does not fit into its slice.
pub(crate) fn multiply(size: Size, out: &mut [f32], left: Left<'_>, right: Right<'_>, write: Write) {
    if !size.cols.is_multiple_of(PANEL) {
        return plain(size, out, left, right, write);
    }
    Arch::new().dispatch(Product { size, out, left, right, write });
}

struct Product<'a> {
    size: Size,
    out: &'a mut [f32],
    left: Left<'a>,
    right: Right<'a>,
    write: Write,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.panels::<S, 1>(simd),
            8 => self.panels::<S, 2>(simd),
            4 => self.panels::<S, 4>(simd),
            _ => plain(self.size, self.out, self.left, self.right, self.write),
        }
    }
}

impl Product<'_> {
    /// Works through the panels, each `W` vectors wide.
    #[inline(always)]
    fn panels<S: Simd, const W: usize>(self, simd: S) {
        let Product { size: Size { rows, cols, depth }, out, left, right, write } = self;
        let (out, _) = S::as_mut_simd_f32s(&mut out[..rows * cols]);
        for col in (0..cols).step_by(PANEL) {
            let (right, stride) = match right {
                Right::Rows(right) => (&right[col..(depth - 1) * cols + col + PANEL], cols),
                Right::Panels(right) => (&right[col * depth..][..PANEL * depth], PANEL),
            };
            let (right, _) = S::as_simd_f32s(right);
            let panel = Panel {
                right,
                right_stride: stride / S::F32_LANES,
                out_stride: cols / S::F32_LANES,
                col: col / S::F32_LANES,
                depth,
                left,
                write,
            };
            for row in (0..rows).step_by(ROWS) {
                match rows - row {
                    6.. => panel.tile::<S, 6, W>(simd, out, row),
                    5 => panel.tile::<S, 5, W>(simd, out, row),
                    4 => panel.tile::<S, 4, W>(simd, out, row),
                    3 => panel.tile::<S, 3, W>(simd, out, row),
                    2 => panel.tile::<S, 2, W>(simd, out, row),
                    _ => panel.tile::<S, 1, W>(simd, out, row),
                }
            }
        }
    }
}

/// One panel of a product; strides count vectors.
#[derive(Clone, Copy)]
struct Panel<'a, V> {
    right: &'a [V],
    right_stride: usize,
    out_stride: usize,
    col: usize,
    depth: usize,
    left: Left<'a>,
    write: Write,
}

impl<V: Copy> Panel<'_, V> {
    /// `R` rows of the result.
    #[inline(always)]
    fn tile<S: Simd<f32s = V>, const R: usize, const W: usize>(&self, simd: S, out: &mut [V], row: usize) {
        let Panel { right, right_stride, out_stride, col, depth, left, write } = *self;
        let mut sums = [[simd.splat_f32s(0.0); W]; R];
        if write == Write::Add {
            for (r, sums) in sums.iter_mut().enumerate() {
                sums.copy_from_slice(&out[(row + r) * out_stride + col..][..W]);
            }
        }
        // A row of the right matrix may be the panel's last and short, so chunks are not exact.
        let right = right.chunks(right_stride).map(|right| &right[..W]);
        match left {
            Left::Rows(left, stride) => {
                let left: [&[f32]; R] = std::array::from_fn(|r| &left[(row + r) * stride..][..depth]);
                for (k, right) in right.enumerate().take(depth) {
                    step(simd, &mut sums, right, std::array::from_fn(|r| left[r][k]));
                }
            }
            Left::Columns(left, stride) => {
                let left = left[row..].chunks(stride).map(|left| &left[..R]);
                for (left, right) in left.zip(right).take(depth) {
                    step(simd, &mut sums, right, std::array::from_fn(|r| left[r]));
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            out[(row + r) * out_stride + col..][..W].copy_from_slice(sums);
        }
    }
}

/// Adds the product of one column of the left and one row of the right matrix.
#[inline(always)]
fn step<S: Simd, const R: usize, const W: usize>(
    simd: S,
    sums: &mut [[S::f32s; W]; R],
    right: &[S::f32s],
    left: [f32; R],
) {
    for r in 0..R {
        let a = simd.splat_f32s(left[r]);
        for w in 0..W {
            sums[r][w] = simd.mul_add_e_f32s(a, right[w], sums[r][w]);
        }
    }
}

/// Where a number of a right matrix in panels is.
pub(crate) const fn panel_index(row: usize, col: usize, depth: usize) -> usize {
    (col / PANEL * depth + row) * PANEL + col % PANEL
}

/// Any width, for the few small products of the heads.
fn plain(size: Size, out: &mut [f32], left: Left<'_>, right: Right<'_>, write: Write) {
    let Size { rows, cols, depth } = size;
    for r in 0..rows {
        let out = &mut out[r * cols..][..cols];
        if write == Write::Replace {
            out.fill(0.0);
        }
        for k in 0..depth {
            let a = match left {
                Left::Rows(left, stride) => left[r * stride + k],
                Left::Columns(left, stride) => left[k * stride + r],
            };
            for (c, sum) in out.iter_mut().enumerate() {
                *sum += a * match right {
                    Right::Rows(right) => right[k * cols + c],
                    Right::Panels(right) => right[panel_index(k, c, depth)],
                };
            }
        }
    }
}

/// Writes the transpose of a matrix of `cols` columns.
pub(crate) fn transpose(matrix: &[f32], cols: usize, out: &mut [f32]) {
    let rows = matrix.len() / cols;
    for (r, row) in matrix.chunks_exact(cols).enumerate() {
        for (c, value) in row.iter().enumerate() {
            out[c * rows + r] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_all_sizes() {
        for (rows, cols, depth) in [(1, 1, 1), (2, 3, 4), (7, 16, 5), (13, 32, 9), (25, 48, 16), (6, 80, 33)]
        {
            let number = |i: usize| ((i * 7919 + 13) % 17) as f32 - 8.0;
            let a: Vec<f32> = (0..rows * depth).map(number).collect();
            let b: Vec<f32> = (0..depth * cols).map(|i| number(i + 5)).collect();
            let expected: Vec<f32> = (0..rows * cols)
                .map(|i| (0..depth).map(|k| a[i / cols * depth + k] * b[k * cols + i % cols]).sum())
                .collect();
            let size = Size { rows, cols, depth };
            let mut out = vec![1.0; rows * cols];
            multiply(size, &mut out, Left::Rows(&a, depth), Right::Rows(&b), Write::Replace);
            assert_eq!(out, expected);
            let mut columns = vec![0.0; a.len()];
            transpose(&a, depth, &mut columns);
            let mut panels = vec![0.0; b.len()];
            let right = if cols % PANEL == 0 {
                (0..b.len()).for_each(|i| panels[panel_index(i / cols, i % cols, depth)] = b[i]);
                Right::Panels(&panels)
            } else {
                Right::Rows(&b)
            };
            multiply(size, &mut out, Left::Columns(&columns, rows), right, Write::Add);
            assert!(out.iter().zip(&expected).all(|(o, e)| *o == 2.0 * e));
        }
    }
}
