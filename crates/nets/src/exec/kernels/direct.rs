//! Convolutions other than 3x3: 1x1, and the large kernels of first layers.
//!
//! 1x1 is a matrix product. Large kernels look at planes of a position, most of which are 0 at a point (five out of six of
//! S4.1's), so each point's other numbers are listed, and only they are multiplied: with the sums of an output point in
//! registers, and a row of weights for each number of its window.

use pulp::Simd;

use super::{
    Direction, Kernel, LANES,
    matmul::{Left, Right, Size, Write, multiply, panel_index},
    padded, panels, panels_mut, run,
};
use crate::exec::numbers::Numbers;

/// The shape of a convolution; channels are padded.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) boards: usize,
    pub(crate) kernel: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Shape {
    const fn points(&self) -> usize {
        self.width * self.height * self.boards
    }

    /// Calls `each` with the points of the kernel and the points that they fall on, as far as they are on the board, when its
    /// middle is on `point`.
    #[inline(always)]
    fn window(&self, point: usize, mut each: impl FnMut(usize, usize)) {
        let Shape { width, height, kernel, .. } = *self;
        let (x, y) = (point % width, point / width % height);
        let half = kernel / 2;
        for row in half.saturating_sub(y)..kernel.min(height + half - y) {
            for col in half.saturating_sub(x)..kernel.min(width + half - x) {
                each(row * kernel + col, point + row * width + col - half * width - half);
            }
        }
    }
}

/// Arranges weights, `to` x `from` x k x k: for each point of the kernel a matrix with a row for each channel before the
/// convolution, in panels if there is but one. Those of the [`Direction::Backward`] are for the convolution that carries
/// gradients back: it has the channels exchanged and the kernel turned round.
pub(crate) fn arrange_weights(
    weights: &[f32],
    kernel: usize,
    (to, from): (usize, usize),
    direction: Direction,
) -> Numbers {
    let taps = kernel * kernel;
    let (to_padded, from_padded) = (padded(to), padded(from));
    let mut out = Numbers::zeros(taps * from_padded * to_padded);
    for (o, filters) in weights.chunks_exact(from * taps).enumerate().take(to) {
        for (i, w) in filters.chunks_exact(taps).enumerate() {
            for (tap, value) in w.iter().enumerate() {
                let ((row, rows), (col, cols), tap) = match direction {
                    Direction::Forward => ((i, from_padded), (o, to_padded), tap),
                    Direction::Backward => ((o, to_padded), (i, from_padded), taps - 1 - tap),
                };
                let panels = kernel == 1;
                let at = if panels { panel_index(row, col, rows) } else { (tap * rows + row) * cols + col };
                out[at] = *value;
            }
        }
    }
    out
}

/// The transpose of [`arrange_weights`] (forwards, without panels), added to `gradient`.
pub(crate) fn add_weight_gradient(
    arranged: &[f32],
    kernel: usize,
    (to, from): (usize, usize),
    gradient: &mut [f32],
) {
    let (to_padded, from_padded) = (padded(to), padded(from));
    let taps = kernel * kernel;
    for (o, filters) in gradient.chunks_exact_mut(from * taps).enumerate().take(to) {
        for (i, w) in filters.chunks_exact_mut(taps).enumerate() {
            for (tap, value) in w.iter_mut().enumerate() {
                *value += arranged[(tap * from_padded + i) * to_padded + o];
            }
        }
    }
}

/// Convolves `x` into `y`, without bias.
pub(crate) fn convolve(shape: Shape, (x, weights, y): (&[f32], &[f32], &mut [f32]), write: Write) {
    let Shape { kernel, from, to, .. } = shape;
    if kernel == 1 {
        let size = Size { rows: shape.points(), cols: to, depth: from };
        multiply(size, y, Left::Rows(x, from), Right::Panels(weights), write);
    } else {
        run(Convolution { shape, x: &Sparse::new(shape, x), weights, y, write });
    }
}

/// Adds the gradient of the weights of a convolution of `x` to `dw`, where `dy` is the gradient of its result.
pub(crate) fn add_gradient(shape: Shape, (x, dy, dw): (&[f32], &[f32], &mut [f32])) {
    let Shape { kernel, from, to, .. } = shape;
    if kernel == 1 {
        let size = Size { rows: from, cols: to, depth: shape.points() };
        multiply(size, dw, Left::Columns(x, from), Right::Rows(dy), Write::Add);
    } else {
        run(WeightGradient { shape, x: &Sparse::new(shape, x), dy, dw });
    }
}

/// The numbers of each point that are not 0, with their channels.
struct Sparse {
    numbers: Vec<(usize, f32)>,
    /// Where each point's begin.
    starts: Vec<usize>,
}

impl Sparse {
    fn new(shape: Shape, x: &[f32]) -> Sparse {
        let (mut numbers, mut starts) = (Vec::new(), vec![0]);
        for point in x.chunks_exact(shape.from).take(shape.points()) {
            let others = point.iter().copied().enumerate().filter(|(_, number)| *number != 0.0);
            numbers.extend(others);
            starts.push(numbers.len());
        }
        Sparse { numbers, starts }
    }

    fn at(&self, point: usize) -> &[(usize, f32)] {
        &self.numbers[self.starts[point]..self.starts[point + 1]]
    }
}

struct Convolution<'a> {
    shape: Shape,
    x: &'a Sparse,
    weights: &'a [f32],
    y: &'a mut [f32],
    write: Write,
}

impl Kernel for Convolution<'_> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(mut self, simd: S) {
        let width = self.shape.to / LANES;
        let mut first = 0;
        while first < width {
            match width - first {
                6.. => self.channels::<S, W, 6>(simd, &mut first),
                5 => self.channels::<S, W, 5>(simd, &mut first),
                4 => self.channels::<S, W, 4>(simd, &mut first),
                3 => self.channels::<S, W, 3>(simd, &mut first),
                2 => self.channels::<S, W, 2>(simd, &mut first),
                _ => self.channels::<S, W, 1>(simd, &mut first),
            }
        }
    }
}

impl Convolution<'_> {
    /// `P` panels of the result, from `first` on, which is moved past them.
    #[inline(always)]
    fn channels<S: Simd, const W: usize, const P: usize>(&mut self, simd: S, first: &mut usize) {
        let Convolution { shape, x, write, .. } = *self;
        let (weights, y) = (panels::<S, W>(self.weights), panels_mut::<S, W>(self.y));
        let width = shape.to / LANES;
        for point in 0..shape.points() {
            let mut sums = [[simd.splat_f32s(0.0); W]; P];
            let out = y[point * width + *first..].first_chunk_mut::<P>().expect("`P` panels");
            if write == Write::Add {
                sums = *out;
            }
            shape.window(
                point,
                #[inline(always)]
                |tap, from| {
                    for &(channel, number) in x.at(from) {
                        let weights = &weights[(tap * shape.from + channel) * width + *first..];
                        let weights = weights.first_chunk::<P>().expect("`P` panels");
                        let number = simd.splat_f32s(number);
                        for p in 0..P {
                            for w in 0..W {
                                sums[p][w] = simd.mul_add_e_f32s(number, weights[p][w], sums[p][w]);
                            }
                        }
                    }
                },
            );
            *out = sums;
        }
        *first += P;
    }
}

struct WeightGradient<'a> {
    shape: Shape,
    x: &'a Sparse,
    dy: &'a [f32],
    dw: &'a mut [f32],
}

impl Kernel for WeightGradient<'_> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let WeightGradient { shape, x, .. } = self;
        let (dy, dw) = (panels::<S, W>(self.dy), panels_mut::<S, W>(self.dw));
        let width = shape.to / LANES;
        for (point, dy) in dy.chunks_exact(width).enumerate().take(shape.points()) {
            shape.window(
                point,
                #[inline(always)]
                |tap, from| {
                    for &(channel, number) in x.at(from) {
                        let dw = &mut dw[(tap * shape.from + channel) * width..][..width];
                        let number = simd.splat_f32s(number);
                        for (dw, dy) in dw.iter_mut().zip(dy) {
                            for w in 0..W {
                                dw[w] = simd.mul_add_e_f32s(number, dy[w], dw[w]);
                            }
                        }
                    }
                },
            );
        }
    }
}
