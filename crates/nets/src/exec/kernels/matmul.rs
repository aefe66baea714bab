//! Matrix products.
//!
//! **How.** Six rows and two vectors of columns of the result stay in registers (12 of AVX2's 16; with AVX-512 nine rows and
//! three vectors, 27 of 32) while the depth is walked through; each step loads two vectors of the right matrix and six numbers of the
//! left one, which the multiply-adds hide. The matrices here are small enough to lie in the caches, so nothing is packed or split; those of
//! weights lie in the last one, which is far away, so a product asks for its successor's a little at a time.

use std::hint::black_box;

use pulp::Simd;

use super::{Kernel, LANES, panels, panels_mut, run};

/// Rows that stay in registers.
const ROWS: usize = 6;
/// The same with AVX-512.
const MANY_ROWS: usize = 9;

/// Steps of the depth whose places are known without looking: a part of the loop that needs no checks.
const STEP: usize = 8;

/// A loop over the rows of a tile that is none. Left as loops, those with checks in them may stay loops until it is too late for the
/// sums to be kept in registers.
macro_rules! unrolled {
    ($i:ident in 0..$n:ident $body:block) => {
        unrolled!(@ $i $n $body 0 1 2 3 4 5 6 7 8)
    };
    (@ $i:ident $n:ident $body:block $($k:literal)*) => {
        $(if $k < $n {
            let $i = $k;
            $body
        })*
    };
}

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
    /// [`LANES`] columns of all rows, then the next: see [`panel_index`].
    Panels(&'a [f32]),
    /// The same, each panel beginning so many numbers after the one before.
    Apart(&'a [f32], usize),
}

/// `out` = (or +=) `left` · `right`. `out` consists of contiguous rows of `cols` numbers.
///
/// # Panics
/// If a matrix does not fit into its slice.
pub(crate) fn multiply(size: Size, out: &mut [f32], left: Left<'_>, right: Right<'_>, write: Write) {
    if size.cols.is_multiple_of(LANES) {
        run(Product { size, out, left, right, write, ahead: &[] });
    } else {
        plain(size, out, left, right, write);
    }
}

/// A product whose columns are a multiple of [`LANES`].
pub(crate) struct Product<'a> {
    pub(crate) size: Size,
    pub(crate) out: &'a mut [f32],
    pub(crate) left: Left<'a>,
    pub(crate) right: Right<'a>,
    pub(crate) write: Write,
    /// Begins where the right matrix of the next product does, if that is known, which is arranged as this one's.
    pub(crate) ahead: &'a [f32],
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(mut self, simd: S) {
        let count = self.size.cols / LANES;
        let mut first = 0;
        while first < count {
            match count - first {
                // With 32 registers there is room for more panels; two and two are better than three and one.
                3 | 5.. if W == 1 => self.panels::<S, W, 3>(simd, &mut first),
                2 | 4 if W == 1 => self.panels::<S, W, 2>(simd, &mut first),
                _ => self.panels::<S, W, 1>(simd, &mut first),
            }
        }
    }
}

impl Product<'_> {
    /// `P` panels of the result, from `first` on, which is moved past them.
    #[inline(always)]
    fn panels<S: Simd, const W: usize, const P: usize>(&mut self, simd: S, first: &mut usize) {
        let Product { size: Size { rows, cols, depth }, left, right, write, ahead, .. } = *self;
        let count = cols / LANES;
        let out = panels_mut::<S, W>(&mut self.out[..rows * cols]);
        let mut rights = [&[][..]; P];
        let mut nexts = [&[][..]; P];
        let (stride, apart) = match right {
            Right::Rows(_) => (count, LANES),
            Right::Panels(_) => (1, LANES * depth),
            Right::Apart(_, apart) => (1, apart),
        };
        for p in 0..P {
            let begin = (*first + p) * apart;
            rights[p] = panels::<S, W>(match right {
                Right::Rows(right) => &right[begin..depth * cols],
                Right::Panels(right) | Right::Apart(right, _) => &right[begin..][..LANES * depth],
            });
            nexts[p] = ahead.get(begin..begin + LANES * depth).unwrap_or_default();
        }
        let most = if W == 1 { MANY_ROWS } else { ROWS };
        let sizes = groups(rows, most);
        // Each group asks for an equal part of the next product's panels.
        let part = depth.div_ceil(sizes.len()) * LANES;
        let mut strip = Strip { left, rights, stride, out: (*first, count), depth, write, ahead: nexts };
        let mut row = 0;
        for (group, size) in sizes.enumerate() {
            for p in 0..P {
                strip.ahead[p] = nexts[p].get(group * part..(group + 1) * part).unwrap_or_default();
            }
            match size {
                9.. if W == 1 => strip.tile::<S, 9>(simd, out, &mut row),
                8 if W == 1 => strip.tile::<S, 8>(simd, out, &mut row),
                7 if W == 1 => strip.tile::<S, 7>(simd, out, &mut row),
                6.. => strip.tile::<S, 6>(simd, out, &mut row),
                5 => strip.tile::<S, 5>(simd, out, &mut row),
                4 => strip.tile::<S, 4>(simd, out, &mut row),
                3 => strip.tile::<S, 3>(simd, out, &mut row),
                2 => strip.tile::<S, 2>(simd, out, &mut row),
                1 => strip.tile::<S, 1>(simd, out, &mut row),
                _ => {}
            }
        }
        *first += P;
    }
}

/// Rows in groups of up to `most`, as equal as possible: a group of one row would wait for each of its multiply-adds.
pub(super) fn groups(rows: usize, most: usize) -> impl ExactSizeIterator<Item = usize> {
    let groups = rows.div_ceil(most).max(1);
    (0..groups).map(move |group| rows / groups + usize::from(group < rows % groups))
}

/// `P` times [`LANES`] columns of a product. `V` is a vector, `W` of them are as wide as a panel.
#[derive(Clone, Copy)]
struct Strip<'a, V, const W: usize, const P: usize> {
    left: Left<'a>,
    /// The panels of the right matrix, and how far their rows are apart.
    rights: [&'a [[V; W]]; P],
    stride: usize,
    /// The first panel's number in a row of the result, and how many there are.
    out: (usize, usize),
    depth: usize,
    write: Write,
    /// What to ask for meanwhile.
    ahead: [&'a [f32]; P],
}

impl<V: Copy, const W: usize, const P: usize> Strip<'_, V, W, P> {
    /// `R` rows of the result, from `row` on, which is moved past them.
    #[inline(always)]
    fn tile<S: Simd<f32s = V>, const R: usize>(&self, simd: S, out: &mut [[V; W]], row: &mut usize) {
        let Strip { left, rights, stride, out: (first, count), depth, write, ahead } = *self;
        let mut sums = [[[simd.splat_f32s(0.0); W]; P]; R];
        if write == Write::Add {
            let mut rows = out[*row * count..].chunks_exact(count);
            unrolled!(r in 0..R {
                let out = rows.next().and_then(|row| row[first..].first_chunk());
                sums[r] = *out.expect("`P` panels from `first` on");
            });
        }
        match left {
            Left::Rows(left, step) => {
                let mut rows = [&[][..]; R];
                for r in 0..R {
                    // Unknown to be related, so that each gets a register of its own instead of being computed from another.
                    rows[r] = black_box(&left[(*row + r) * step..][..depth]);
                }
                add_rows(simd, &mut sums, rows, (rights, stride), ahead);
            }
            Left::Columns(left, step) => {
                let mut steps = rights;
                for left in left.chunks_exact(step).take(depth) {
                    let left = left[*row..].first_chunk().expect("`R` columns from `row` on");
                    let mut right = [[simd.splat_f32s(0.0); W]; P];
                    next_row(&mut steps, stride, &mut right);
                    add_outer(simd, &mut sums, left, &right);
                }
            }
        }
        let mut rows = out[*row * count..].chunks_exact_mut(count);
        unrolled!(r in 0..R {
            let out = rows.next().and_then(|row| row[first..].first_chunk_mut());
            *out.expect("`P` panels from `first` on") = sums[r];
        });
        *row += R;
    }
}

/// Adds the product of the rows of the left and the panels of the right matrix, whose rows are `stride` apart.
#[inline(always)]
fn add_rows<S: Simd, const R: usize, const P: usize, const W: usize>(
    simd: S,
    sums: &mut [[[S::f32s; W]; P]; R],
    left: [&[f32]; R],
    (rights, stride): ([&[[S::f32s; W]]; P], usize),
    ahead: [&[f32]; P],
) {
    // Loops rather than `map`, which is not always inlined.
    let mut column = [0.0; R];
    let mut right = [[simd.splat_f32s(0.0); W]; P];
    let mut done = 0;
    if stride == 1 {
        let mut steps = [&[][..]; R];
        for r in 0..R {
            steps[r] = left[r].as_chunks::<STEP>().0;
        }
        let mut right_steps = [&[][..]; P];
        for p in 0..P {
            right_steps[p] = rights[p].as_chunks::<STEP>().0;
        }
        let count = right_steps[0].len();
        let asking = ahead[0].len().div_ceil(LANES * count.max(1)) * LANES;
        for i in 0..count {
            for p in 0..P {
                prefetch(ahead[p].get(i * asking..(i + 1) * asking).unwrap_or_default());
            }
            let mut step = [&[0.0; STEP]; R];
            for r in 0..R {
                step[r] = &steps[r][i];
            }
            let mut right_step = [&right_steps[0][i]; P];
            for p in 1..P {
                right_step[p] = &right_steps[p][i];
            }
            for k in 0..STEP {
                for r in 0..R {
                    column[r] = step[r][k];
                }
                for p in 0..P {
                    right[p] = right_step[p][k];
                }
                add_outer(simd, sums, &column, &right);
            }
            done += STEP;
        }
    }
    let mut rights = rights;
    for p in 0..P {
        rights[p] = &rights[p][done..];
    }
    for k in done..left[0].len() {
        for r in 0..R {
            column[r] = left[r][k];
        }
        next_row(&mut rights, stride, &mut right);
        add_outer(simd, sums, &column, &right);
    }
}

/// Reads a row of panels whose next row is `stride` further on.
#[inline(always)]
fn next_row<V: Copy, const P: usize>(panels: &mut [&[V]; P], stride: usize, row: &mut [V; P]) {
    for p in 0..P {
        row[p] = panels[p][0];
        panels[p] = panels[p].get(stride..).unwrap_or_default();
    }
}

/// Asks for numbers that are needed soon, a line of the cache for each [`LANES`].
#[allow(unsafe_code, reason = "there is no safe way to say it")]
#[inline(always)]
pub(super) fn prefetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in numbers.chunks(LANES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing and is allowed for every address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
}

/// Adds the product of one column of the left and one row of the right matrix.
#[inline(always)]
fn add_outer<S: Simd, const R: usize, const P: usize, const W: usize>(
    simd: S,
    sums: &mut [[[S::f32s; W]; P]; R],
    left: &[f32; R],
    right: &[[S::f32s; W]; P],
) {
    for r in 0..R {
        let a = simd.splat_f32s(left[r]);
        for p in 0..P {
            for w in 0..W {
                sums[r][p][w] = simd.mul_add_e_f32s(a, right[p][w], sums[r][p][w]);
            }
        }
    }
}

/// Where a number of a right matrix in panels is.
pub(crate) const fn panel_index(row: usize, col: usize, depth: usize) -> usize {
    (col / LANES * depth + row) * LANES + col % LANES
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
                    Right::Apart(right, apart) => right[c / LANES * apart + k * LANES + c % LANES],
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
    use pulp::{Scalar, Scalar128b, Scalar256b, Scalar512b};

    use super::*;

    /// Whole numbers, so that sums are exact in any order.
    fn number(i: usize) -> f32 {
        ((i * 7919 + 13) % 17) as f32 - 8.0
    }

    #[test]
    fn products_of_all_sizes() {
        for (rows, cols, depth) in [(1, 1, 1), (2, 3, 4), (7, 16, 5), (13, 32, 9), (25, 48, 16), (6, 80, 33)]
        {
            let a: Vec<f32> = (0..rows * depth).map(number).collect();
            let b: Vec<f32> = (0..depth * cols).map(|i| number(i + 5)).collect();
            let expected: Vec<f32> = (0..rows * cols)
                .map(|i| (0..depth).map(|k| a[i / cols * depth + k] * b[k * cols + i % cols]).sum())
                .collect();
            let mut columns = vec![0.0; a.len()];
            transpose(&a, depth, &mut columns);
            let mut rights = vec![Right::Rows(&b)];
            let mut panels = vec![0.0; b.len()];
            if cols % LANES == 0 {
                (0..b.len()).for_each(|i| panels[panel_index(i / cols, i % cols, depth)] = b[i]);
                rights.push(Right::Panels(&panels));
            }
            let size = Size { rows, cols, depth };
            for left in [Left::Rows(&a, depth), Left::Columns(&columns, rows)] {
                for right in &rights {
                    let mut out = vec![1.0; rows * cols];
                    multiply(size, &mut out, left, *right, Write::Replace);
                    assert_eq!(out, expected);
                    multiply(size, &mut out, left, *right, Write::Add);
                    assert!(out.iter().zip(&expected).all(|(o, e)| *o == 2.0 * e));
                }
            }
        }
    }

    #[test]
    fn vectors_of_every_width_give_the_same_product() {
        let size = Size { rows: 11, cols: 32, depth: 21 };
        let a: Vec<f32> = (0..size.rows * size.depth).map(number).collect();
        let b: Vec<f32> = (0..size.depth * size.cols).map(|i| number(i + 5)).collect();
        let mut expected = vec![0.0; size.rows * size.cols];
        plain(size, &mut expected, Left::Rows(&a, size.depth), Right::Panels(&b), Write::Replace);
        let mut out = vec![0.0; expected.len()];
        for width in [1, 4, 8, 16] {
            out.fill(0.0);
            let (left, right) = (Left::Rows(&a, size.depth), Right::Panels(&b));
            let product = Product { size, out: &mut out, left, right, write: Write::Replace, ahead: &b };
            match width {
                1 => product.run::<_, 16>(Scalar),
                4 => product.run::<_, 4>(Scalar128b),
                8 => product.run::<_, 2>(Scalar256b),
                _ => product.run::<_, 1>(Scalar512b),
            }
            assert_eq!(out, expected, "{width} lanes");
        }
    }
}
