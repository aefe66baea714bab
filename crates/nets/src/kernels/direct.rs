//! Convolutions of any odd size by plain matrix products: 1x1, and the large kernels of first layers.
//!
//! The boards are copied into rows with a border of k/2 points on each side. There, the k points of a row that an output
//! needs are contiguous, and those for the next output begin one point later, so the whole convolution is k matrix
//! products without any further copying (results in the border are computed too, and dropped).

use super::{
    Direction,
    matmul::{Left, Right, Size, Write, multiply, panel_index},
    padded,
};

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

    const fn row(&self) -> usize {
        self.width + self.kernel - 1
    }

    /// Points of all boards with their borders.
    const fn bordered(&self) -> usize {
        self.row() * (self.height + self.kernel - 1) * self.boards
    }

    /// Outputs computed, counted along the bordered rows: the last window ends with the last point.
    const fn outputs(&self) -> usize {
        self.bordered() - self.row() * (self.kernel - 1) - (self.kernel - 1)
    }

    /// Floats of scratch memory for the inputs and for the outputs.
    pub(crate) const fn scratch(&self) -> (usize, usize) {
        if self.kernel == 1 { (0, 0) } else { (self.bordered() * self.from, self.bordered() * self.to) }
    }

    /// How far behind the first point of its window a point of the kernel is.
    const fn shift(&self, tap: usize) -> usize {
        tap / self.kernel * self.row() + tap % self.kernel
    }

    /// Calls `each` with each row of the boards: its first point there, and in the bordered rows without the upper and left
    /// border.
    fn rows(&self, mut each: impl FnMut(usize, usize)) {
        for board in 0..self.boards {
            for y in 0..self.height {
                let inner = (board * (self.height + self.kernel - 1) + y) * self.row();
                each((board * self.height + y) * self.width, inner);
            }
        }
    }

    /// Copies the boards into their borders.
    fn border(&self, x: &[f32], bordered: &mut [f32], channels: usize) {
        bordered[..self.bordered() * channels].fill(0.0);
        let half = self.kernel / 2;
        self.rows(|point, inner| {
            let to = (inner + half * self.row() + half) * channels;
            let len = self.width * channels;
            bordered[to..][..len].copy_from_slice(&x[point * channels..][..len]);
        });
    }
}

/// Arranges weights, `to` x `from` x k x k, for [`forward`]: k matrices, for each row of the kernel, of k·`from` x `to`, in
/// panels; or for [`backward`]: k² matrices of `to` x `from`.
pub(crate) fn arrange_weights(
    weights: &[f32],
    kernel: usize,
    (to, from): (usize, usize),
    direction: Direction,
    out: &mut Vec<f32>,
) {
    let taps = kernel * kernel;
    let (to_padded, from_padded) = (padded(to), padded(from));
    out.clear();
    out.resize(taps * from_padded * to_padded, 0.0);
    for (o, filters) in weights.chunks_exact(from * taps).enumerate().take(to) {
        for (i, w) in filters.chunks_exact(taps).enumerate() {
            for (tap, value) in w.iter().enumerate() {
                let (row, col) = (tap / kernel, tap % kernel);
                let at = match direction {
                    Direction::Forward => {
                        let depth = kernel * from_padded;
                        row * depth * to_padded + panel_index(col * from_padded + i, o, depth)
                    }
                    Direction::Backward => tap * from_padded * to_padded + panel_index(o, i, to_padded),
                };
                out[at] = *value;
            }
        }
    }
}

/// The transpose of [`arrange_weights`], added to `gradient`; `arranged` are k² matrices of contiguous rows.
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

/// Convolves `x` into `y`, without bias. `inputs` and `outputs` are scratch memory.
pub(crate) fn forward(
    shape: Shape,
    (x, weights, y): (&[f32], &[f32], &mut [f32]),
    (inputs, outputs): (&mut [f32], &mut [f32]),
) {
    let Shape { kernel, from, to, .. } = shape;
    if kernel == 1 {
        let size = Size { rows: shape.points(), cols: to, depth: from };
        multiply(size, y, Left::Rows(x, from), Right::Panels(weights), Write::Replace);
        return;
    }
    shape.border(x, inputs, from);
    let depth = kernel * from;
    for k in 0..kernel {
        multiply(
            Size { rows: shape.outputs(), cols: to, depth },
            outputs,
            Left::Rows(&inputs[k * shape.row() * from..], from),
            Right::Panels(&weights[k * depth * to..][..depth * to]),
            if k == 0 { Write::Replace } else { Write::Add },
        );
    }
    shape.rows(|point, inner| {
        let len = shape.width * to;
        y[point * to..][..len].copy_from_slice(&outputs[inner * to..][..len]);
    });
}

/// Gradients of [`forward`], added to `dw` (arranged) and, where it is asked for, to `dx`. `transposed` has the `from` x
/// `to` matrix of each of the kernel's points transposed.
pub(crate) fn backward(
    shape: Shape,
    (x, transposed, dy): (&[f32], &[f32], &[f32]),
    (dw, dx): (&mut [f32], Option<&mut [f32]>),
    (inputs, outputs): (&mut [f32], &mut [f32]),
) {
    let Shape { kernel, from, to, .. } = shape;
    if kernel == 1 {
        let rows = shape.points();
        let size = Size { rows: from, cols: to, depth: rows };
        multiply(size, dw, Left::Columns(x, from), Right::Rows(dy), Write::Add);
        if let Some(dx) = dx {
            let size = Size { rows, cols: from, depth: to };
            multiply(size, dx, Left::Rows(dy, to), Right::Panels(transposed), Write::Add);
        }
        return;
    }
    let rows = shape.outputs();
    shape.border(x, inputs, from);
    outputs[..shape.bordered() * to].fill(0.0);
    shape.rows(|point, inner| {
        let len = shape.width * to;
        outputs[inner * to..][..len].copy_from_slice(&dy[point * to..][..len]);
    });
    for tap in 0..kernel * kernel {
        multiply(
            Size { rows: from, cols: to, depth: rows },
            &mut dw[tap * from * to..][..from * to],
            Left::Columns(&inputs[shape.shift(tap) * from..], from),
            Right::Rows(outputs),
            Write::Add,
        );
    }
    let Some(dx) = dx else { return };
    // The windows overlap, so each point of the kernel is a product of its own here.
    inputs[..shape.bordered() * from].fill(0.0);
    for tap in 0..kernel * kernel {
        multiply(
            Size { rows, cols: from, depth: to },
            &mut inputs[shape.shift(tap) * from..],
            Left::Rows(outputs, to),
            Right::Panels(&transposed[tap * from * to..][..from * to]),
            Write::Add,
        );
    }
    let half = kernel / 2;
    shape.rows(|point, inner| {
        let at = (inner + half * shape.row() + half) * from;
        let len = shape.width * from;
        super::pointwise::add(&mut dx[point * from..][..len], &inputs[at..][..len]);
    });
}
