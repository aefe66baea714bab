//! 3x3 convolutions by Winograd's minimal filtering.
//!
//! **What.** An output tile of m x m points is computed from an input tile of n x n (n = m + 2, neighbours overlap by 2):
//! Y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ x B)] A. The products for all channels and tiles are n² matrix products; the rest are
//! additions. F(4x4, 3x3) needs 2.25 multiplications for an output instead of 9; F(3x3, 3x3) needs 2.8 but wastes nothing on
//! 9x9, where tiles of 4 reach over the edge.
//!
//! **Source.** Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016.
//!
//! **Backwards** every step is replaced by its transpose, so that the gradients are exactly those of the forward pass.

use pulp::{Arch, Simd, WithSimd};

use super::{
    Direction,
    matmul::{Left, Right, Size, Write, multiply, panel_index},
    padded,
};

/// A point of a tile that is not on the board.
const OUTSIDE: u32 = u32::MAX;

/// The size of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum TileKind {
    /// F(3x3, 3x3)
    Three,
    /// F(4x4, 3x3)
    Four,
}

impl TileKind {
    pub(crate) const ALL: [TileKind; 2] = [TileKind::Three, TileKind::Four];

    /// The kind that needs fewer multiplications on a board of this size.
    pub(crate) fn best(width: usize, height: usize) -> TileKind {
        let cost =
            |kind: TileKind| width.div_ceil(kind.output()) * height.div_ceil(kind.output()) * kind.products();
        if cost(TileKind::Three) < cost(TileKind::Four) { TileKind::Three } else { TileKind::Four }
    }

    /// Width of an output tile.
    const fn output(self) -> usize {
        match self {
            TileKind::Three => 3,
            TileKind::Four => 4,
        }
    }

    /// Width of an input tile.
    const fn input(self) -> usize {
        self.output() + 2
    }

    /// Matrix products for a convolution.
    pub(crate) const fn products(self) -> usize {
        self.input() * self.input()
    }
}

/// Which points the tiles of a board consist of.
#[derive(Debug)]
pub(crate) struct Tiles {
    pub(crate) kind: TileKind,
    /// Tiles of one board.
    count: usize,
    area: usize,
    /// The points of each input tile, by rows.
    inputs: Vec<u32>,
    /// The points of each output tile, by rows.
    outputs: Vec<u32>,
}

impl Tiles {
    pub(crate) fn new(width: usize, height: usize, kind: TileKind) -> Tiles {
        let m = kind.output();
        let point = |x: isize, y: isize| {
            let on_board = (0..width as isize).contains(&x) && (0..height as isize).contains(&y);
            if on_board { (y * width as isize + x) as u32 } else { OUTSIDE }
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for top in (0..height as isize).step_by(m) {
            for left in (0..width as isize).step_by(m) {
                let square = |from: isize, n: usize| {
                    let range = from..from + n as isize;
                    range.clone().flat_map(move |y| range.clone().map(move |x| point(left + x, top + y)))
                };
                inputs.extend(square(-1, m + 2));
                outputs.extend(square(0, m));
            }
        }
        let count = width.div_ceil(m) * height.div_ceil(m);
        Tiles { kind, count, area: width * height, inputs, outputs }
    }

    /// Floats of scratch memory for one side of the products.
    pub(crate) fn scratch(&self, boards: usize, channels: usize) -> usize {
        self.kind.products() * boards * self.count * channels
    }
}

/// Arithmetic on vectors, short enough for formulas.
#[derive(Clone, Copy)]
struct Vectors<S>(S);

impl<S: Simd> Vectors<S> {
    #[inline(always)]
    fn add(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.add_f32s(a, b)
    }

    #[inline(always)]
    fn sub(self, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.sub_f32s(a, b)
    }

    #[inline(always)]
    fn mul(self, c: f32, a: S::f32s) -> S::f32s {
        self.0.mul_f32s(self.0.splat_f32s(c), a)
    }

    /// c · a + b
    #[inline(always)]
    fn mul_add(self, c: f32, a: S::f32s, b: S::f32s) -> S::f32s {
        self.0.mul_add_e_f32s(self.0.splat_f32s(c), a, b)
    }
}

/// The matrices of F(M x M, 3x3) with input tiles of N x N.
trait Transform<const N: usize, const M: usize> {
    /// G, for the weights.
    const G: [[f32; 3]; N];
    /// Bᵀ x
    fn bt<S: Simd>(simd: S, x: [S::f32s; N]) -> [S::f32s; N];
    /// B x
    fn b<S: Simd>(simd: S, x: [S::f32s; N]) -> [S::f32s; N];
    /// Aᵀ x
    fn at<S: Simd>(simd: S, x: [S::f32s; N]) -> [S::f32s; M];
    /// A x
    fn a<S: Simd>(simd: S, x: [S::f32s; M]) -> [S::f32s; N];
}

/// F(4x4, 3x3), interpolated at 0, ±1, ±2 and infinity.
struct Four;

impl Transform<6, 4> for Four {
    const G: [[f32; 3]; 6] = [
        [1. / 4., 0., 0.],
        [-1. / 6., -1. / 6., -1. / 6.],
        [-1. / 6., 1. / 6., -1. / 6.],
        [1. / 24., 1. / 12., 1. / 6.],
        [1. / 24., -1. / 12., 1. / 6.],
        [0., 0., 1.],
    ];

    /// ```text
    ///  4  0 -5  0  1  0
    ///  0 -4 -4  1  1  0
    ///  0  4 -4 -1  1  0
    ///  0 -2 -1  2  1  0
    ///  0  2 -1 -2  1  0
    ///  0  4  0 -5  0  1
    /// ```
    #[inline(always)]
    fn bt<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 6] {
        let s = Vectors(simd);
        let (ec4, db4) = (s.mul_add(-4.0, c, e), s.mul_add(-4.0, b, d));
        let (ec, db) = (s.sub(e, c), s.sub(d, b));
        [
            s.mul_add(4.0, a, s.mul_add(-5.0, c, e)),
            s.add(ec4, db4),
            s.sub(ec4, db4),
            s.mul_add(2.0, db, ec),
            s.mul_add(-2.0, db, ec),
            s.mul_add(4.0, b, s.mul_add(-5.0, d, f)),
        ]
    }

    #[inline(always)]
    fn b<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 6] {
        let s = Vectors(simd);
        let (sum1, difference1, sum2, difference2) = (s.add(b, c), s.sub(b, c), s.add(d, e), s.sub(d, e));
        [
            s.mul(4.0, a),
            s.mul_add(-4.0, s.sub(difference1, f), s.mul(-2.0, difference2)),
            s.mul_add(-5.0, a, s.mul_add(-4.0, sum1, s.mul(-1.0, sum2))),
            s.mul_add(-5.0, f, s.mul_add(2.0, difference2, difference1)),
            s.add(a, s.add(sum1, sum2)),
            f,
        ]
    }

    /// ```text
    ///  1  1  1  1  1  0
    ///  0  1 -1  2 -2  0
    ///  0  1  1  4  4  0
    ///  0  1 -1  8 -8  1
    /// ```
    #[inline(always)]
    fn at<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 4] {
        let s = Vectors(simd);
        let (sum1, difference1, sum2, difference2) = (s.add(b, c), s.sub(b, c), s.add(d, e), s.sub(d, e));
        [
            s.add(a, s.add(sum1, sum2)),
            s.mul_add(2.0, difference2, difference1),
            s.mul_add(4.0, sum2, sum1),
            s.add(f, s.mul_add(8.0, difference2, difference1)),
        ]
    }

    #[inline(always)]
    fn a<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 6] {
        let s = Vectors(simd);
        let (even, odd) = (s.add(a, c), s.add(b, d));
        let (even2, odd2) = (s.mul_add(4.0, c, a), s.mul_add(8.0, d, s.add(b, b)));
        [a, s.add(even, odd), s.sub(even, odd), s.add(even2, odd2), s.sub(even2, odd2), d]
    }
}

/// F(3x3, 3x3), interpolated at 0, ±1, 2 and infinity.
struct Three;

impl Transform<5, 3> for Three {
    const G: [[f32; 3]; 5] = [
        [1. / 2., 0., 0.],
        [-1. / 2., -1. / 2., -1. / 2.],
        [-1. / 6., 1. / 6., -1. / 6.],
        [1. / 6., 1. / 3., 2. / 3.],
        [0., 0., 1.],
    ];

    /// ```text
    ///  2 -1 -2  1  0
    ///  0 -2 -1  1  0
    ///  0  2 -3  1  0
    ///  0 -1  0  1  0
    ///  0  2 -1 -2  1
    /// ```
    #[inline(always)]
    fn bt<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 5] {
        let s = Vectors(simd);
        let db = s.sub(d, b);
        [
            s.mul_add(2.0, s.sub(a, c), db),
            s.mul_add(-2.0, b, s.sub(d, c)),
            s.mul_add(2.0, b, s.mul_add(-3.0, c, d)),
            db,
            s.mul_add(-2.0, db, s.sub(e, c)),
        ]
    }

    #[inline(always)]
    fn b<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 5] {
        let s = Vectors(simd);
        [
            s.mul(2.0, a),
            s.sub(s.mul_add(2.0, s.sub(s.add(c, e), b), s.mul(-1.0, a)), d),
            s.sub(s.mul_add(-2.0, a, s.mul(-3.0, c)), s.add(b, e)),
            s.mul_add(-2.0, e, s.add(s.add(a, b), s.add(c, d))),
            e,
        ]
    }

    /// ```text
    ///  1  1  1  1  0
    ///  0  1 -1  2  0
    ///  0  1  1  4  1
    /// ```
    #[inline(always)]
    fn at<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 3] {
        let s = Vectors(simd);
        let sum = s.add(b, c);
        [s.add(s.add(a, d), sum), s.mul_add(2.0, d, s.sub(b, c)), s.add(e, s.mul_add(4.0, d, sum))]
    }

    #[inline(always)]
    fn a<S: Simd>(simd: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 5] {
        let s = Vectors(simd);
        let even = s.add(a, c);
        [a, s.add(even, b), s.sub(even, b), s.mul_add(2.0, b, s.mul_add(4.0, c, a)), c]
    }
}

/// What happens to the result of a convolution before it is stored.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Added to each channel, padded.
    pub(crate) bias: Option<&'a [f32]>,
    /// Added to each point: the other branch of a residual block.
    pub(crate) add: Option<&'a [f32]>,
    /// Negative results become 0.
    pub(crate) relu: bool,
}

/// Which boards, and how many channels there are.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) tiles: &'a Tiles,
    pub(crate) boards: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Job<'_> {
    fn tile_count(&self) -> usize {
        self.boards * self.tiles.count
    }
}

/// Transforms weights, `to` x `from` x 3 x 3, for [`forward`]: n² matrices of padded `from` x `to`, in panels; or for
/// [`backward`]: each of them transposed.
pub(crate) fn transform_weights(
    kind: TileKind,
    weights: &[f32],
    (to, from): (usize, usize),
    direction: Direction,
    out: &mut Vec<f32>,
) {
    let (to_padded, from_padded) = (padded(to), padded(from));
    out.clear();
    out.resize(kind.products() * from_padded * to_padded, 0.0);
    for (o, filters) in weights.chunks_exact(from * 9).enumerate().take(to) {
        for (i, w) in filters.chunks_exact(9).enumerate() {
            let at = match direction {
                Direction::Forward => panel_index(i, o, from_padded),
                Direction::Backward => panel_index(o, i, to_padded),
            };
            let put = |t: usize, value: f32| out[t * from_padded * to_padded + at] = value;
            match kind {
                TileKind::Three => transform_filter::<Three, 5, 3>(w, put),
                TileKind::Four => transform_filter::<Four, 6, 4>(w, put),
            }
        }
    }
}

/// G w Gᵀ
fn transform_filter<T: Transform<N, M>, const N: usize, const M: usize>(
    w: &[f32],
    mut put: impl FnMut(usize, f32),
) {
    let mut gw = [[0.0; 3]; N];
    for (row, g) in gw.iter_mut().zip(T::G) {
        *row = std::array::from_fn(|j| g[0] * w[j] + g[1] * w[3 + j] + g[2] * w[6 + j]);
    }
    for (i, row) in gw.iter().enumerate() {
        for (j, g) in T::G.iter().enumerate() {
            put(i * N + j, g[0] * row[0] + g[1] * row[1] + g[2] * row[2]);
        }
    }
}

/// The transpose of [`transform_weights`], added to `gradient`; `transformed` are matrices of contiguous rows.
pub(crate) fn add_weight_gradient(
    kind: TileKind,
    transformed: &[f32],
    (to, from): (usize, usize),
    gradient: &mut [f32],
) {
    let (to_padded, from_padded) = (padded(to), padded(from));
    for (o, filters) in gradient.chunks_exact_mut(from * 9).enumerate().take(to) {
        for (i, w) in filters.chunks_exact_mut(9).enumerate() {
            let at = i * to_padded + o;
            let get = |t: usize| transformed[t * from_padded * to_padded + at];
            match kind {
                TileKind::Three => add_filter_gradient::<Three, 5, 3>(w, get),
                TileKind::Four => add_filter_gradient::<Four, 6, 4>(w, get),
            }
        }
    }
}

/// Gᵀ u G
fn add_filter_gradient<T: Transform<N, M>, const N: usize, const M: usize>(
    w: &mut [f32],
    get: impl Fn(usize) -> f32,
) {
    for i in 0..N {
        let mut ug = [0.0; 3];
        for j in 0..N {
            let u = get(i * N + j);
            for (sum, g) in ug.iter_mut().zip(T::G[j]) {
                *sum += u * g;
            }
        }
        for a in 0..3 {
            for b in 0..3 {
                w[a * 3 + b] += T::G[i][a] * ug[b];
            }
        }
    }
}

/// Convolves `x` into `y`. `u` are transformed weights; `v` and `m` scratch memory.
pub(crate) fn forward(
    job: Job<'_>,
    (x, u, y): (&[f32], &[f32], &mut [f32]),
    (v, m): (&mut [f32], &mut [f32]),
    finish: Finish<'_>,
) {
    match job.tiles.kind {
        TileKind::Three => run_forward::<Three, 5, 3>(job, (x, u, y), (v, m), finish),
        TileKind::Four => run_forward::<Four, 6, 4>(job, (x, u, y), (v, m), finish),
    }
}

fn run_forward<T: Transform<N, M>, const N: usize, const M: usize>(
    job: Job<'_>,
    (x, u, y): (&[f32], &[f32], &mut [f32]),
    (v, m): (&mut [f32], &mut [f32]),
    finish: Finish<'_>,
) {
    let Job { from, to, .. } = job;
    let rows = job.tile_count();
    let arch = Arch::new();
    arch.dispatch(Inputs::<T, N, M> { job, x, v, transform: std::marker::PhantomData });
    for t in 0..N * N {
        multiply(
            Size { rows, cols: to, depth: from },
            &mut m[t * rows * to..][..rows * to],
            Left::Rows(&v[t * rows * from..][..rows * from], from),
            Right::Panels(&u[t * from * to..][..from * to]),
            Write::Replace,
        );
    }
    arch.dispatch(Outputs::<T, N, M> { job, m, y, finish, transform: std::marker::PhantomData });
}

/// Gradients of [`forward`]: `dy` is that of the result (before `Finish`'s part), `du` that of the transformed weights and
/// is added to, and so is `dx`, that of the input, where it is asked for. `u_transposed` has each matrix of the transformed
/// weights transposed.
pub(crate) fn backward(
    job: Job<'_>,
    (x, u_transposed, dy): (&[f32], &[f32], &[f32]),
    (du, dx): (&mut [f32], Option<&mut [f32]>),
    (v, m): (&mut [f32], &mut [f32]),
) {
    match job.tiles.kind {
        TileKind::Three => run_backward::<Three, 5, 3>(job, (x, u_transposed, dy), (du, dx), (v, m)),
        TileKind::Four => run_backward::<Four, 6, 4>(job, (x, u_transposed, dy), (du, dx), (v, m)),
    }
}

fn run_backward<T: Transform<N, M>, const N: usize, const M: usize>(
    job: Job<'_>,
    (x, u_transposed, dy): (&[f32], &[f32], &[f32]),
    (du, dx): (&mut [f32], Option<&mut [f32]>),
    (v, m): (&mut [f32], &mut [f32]),
) {
    let Job { from, to, .. } = job;
    let rows = job.tile_count();
    let arch = Arch::new();
    arch.dispatch(Inputs::<T, N, M> { job, x, v, transform: std::marker::PhantomData });
    arch.dispatch(OutputGradients::<T, N, M> { job, dy, m, transform: std::marker::PhantomData });
    for t in 0..N * N {
        multiply(
            Size { rows: from, cols: to, depth: rows },
            &mut du[t * from * to..][..from * to],
            Left::Columns(&v[t * rows * from..][..rows * from], from),
            Right::Rows(&m[t * rows * to..][..rows * to]),
            Write::Add,
        );
    }
    let Some(dx) = dx else { return };
    for t in 0..N * N {
        multiply(
            Size { rows, cols: from, depth: to },
            &mut v[t * rows * from..][..rows * from],
            Left::Rows(&m[t * rows * to..][..rows * to], to),
            Right::Panels(&u_transposed[t * from * to..][..from * to]),
            Write::Replace,
        );
    }
    arch.dispatch(InputGradients::<T, N, M> { job, v, dx, transform: std::marker::PhantomData });
}

/// Applies a one-dimensional transform to the columns, then to the rows of a square: calls `store` with each number's row
/// and column.
#[inline(always)]
fn both_ways<V: Copy, const FROM: usize, const TO: usize>(
    zero: V,
    load: impl Fn(usize, usize) -> V,
    transform: impl Fn([V; FROM]) -> [V; TO],
    mut store: impl FnMut(usize, usize, V),
) {
    let mut columns = [[zero; FROM]; TO];
    for j in 0..FROM {
        let column = transform(std::array::from_fn(|i| load(i, j)));
        for i in 0..TO {
            columns[i][j] = column[i];
        }
    }
    for (i, row) in columns.into_iter().enumerate() {
        let row = transform(row);
        for (j, value) in row.into_iter().enumerate() {
            store(i, j, value);
        }
    }
}

/// v = Bᵀ x B
struct Inputs<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    x: &'a [f32],
    v: &'a mut [f32],
    transform: std::marker::PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> WithSimd for Inputs<'_, T, N, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Job { tiles, boards, from, .. } = self.job;
        let (x, _) = S::as_simd_f32s(self.x);
        let (v, _) = S::as_mut_simd_f32s(self.v);
        let vectors = from / S::F32_LANES;
        let zero = simd.splat_f32s(0.0);
        let border = boards * tiles.area;
        let stride = self.job.tile_count() * vectors;
        for board in 0..boards {
            for (tile, points) in tiles.inputs.chunks_exact(N * N).enumerate() {
                let starts: [[usize; N]; N] = std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        let point = points[i * N + j];
                        let at = if point == OUTSIDE { border } else { board * tiles.area + point as usize };
                        at * vectors
                    })
                });
                let to = (board * tiles.count + tile) * vectors;
                for c in 0..vectors {
                    both_ways(
                        zero,
                        #[inline(always)]
                        |i, j| x[starts[i][j] + c],
                        #[inline(always)]
                        |x| T::bt(simd, x),
                        #[inline(always)]
                        |i, j, value| v[(i * N + j) * stride + to + c] = value,
                    );
                }
            }
        }
    }
}

/// y = Aᵀ m A, finished
struct Outputs<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    m: &'a [f32],
    y: &'a mut [f32],
    finish: Finish<'a>,
    transform: std::marker::PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> WithSimd for Outputs<'_, T, N, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Job { tiles, boards, to, .. } = self.job;
        let (m, _) = S::as_simd_f32s(self.m);
        let (y, _) = S::as_mut_simd_f32s(self.y);
        let bias = self.finish.bias.map(|bias| S::as_simd_f32s(bias).0);
        let add = self.finish.add.map(|add| S::as_simd_f32s(add).0);
        let vectors = to / S::F32_LANES;
        let zero = simd.splat_f32s(0.0);
        let stride = self.job.tile_count() * vectors;
        for board in 0..boards {
            for (tile, points) in tiles.outputs.chunks_exact(M * M).enumerate() {
                let from = (board * tiles.count + tile) * vectors;
                for c in 0..vectors {
                    let bias = bias.map_or(zero, |bias| bias[c]);
                    both_ways(
                        zero,
                        #[inline(always)]
                        |i, j| m[(i * N + j) * stride + from + c],
                        #[inline(always)]
                        |x| T::at(simd, x),
                        #[inline(always)]
                        |i, j, value| {
                            let point = points[i * M + j];
                            if point == OUTSIDE {
                                return;
                            }
                            let at = (board * tiles.area + point as usize) * vectors + c;
                            let mut value = simd.add_f32s(value, bias);
                            if let Some(add) = add {
                                value = simd.add_f32s(value, add[at]);
                            }
                            y[at] = if self.finish.relu { simd.max_f32s(value, zero) } else { value };
                        },
                    );
                }
            }
        }
    }
}

/// m = A dy Aᵀ
struct OutputGradients<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    dy: &'a [f32],
    m: &'a mut [f32],
    transform: std::marker::PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> WithSimd for OutputGradients<'_, T, N, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Job { tiles, boards, to, .. } = self.job;
        let (dy, _) = S::as_simd_f32s(self.dy);
        let (m, _) = S::as_mut_simd_f32s(self.m);
        let vectors = to / S::F32_LANES;
        let zero = simd.splat_f32s(0.0);
        let stride = self.job.tile_count() * vectors;
        for board in 0..boards {
            for (tile, points) in tiles.outputs.chunks_exact(M * M).enumerate() {
                let into = (board * tiles.count + tile) * vectors;
                for c in 0..vectors {
                    both_ways(
                        zero,
                        #[inline(always)]
                        |i, j| match points[i * M + j] {
                            OUTSIDE => zero,
                            point => dy[(board * tiles.area + point as usize) * vectors + c],
                        },
                        #[inline(always)]
                        |x| T::a(simd, x),
                        #[inline(always)]
                        |i, j, value| m[(i * N + j) * stride + into + c] = value,
                    );
                }
            }
        }
    }
}

/// dx += B v Bᵀ
struct InputGradients<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    v: &'a [f32],
    dx: &'a mut [f32],
    transform: std::marker::PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> WithSimd for InputGradients<'_, T, N, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Job { tiles, boards, from, .. } = self.job;
        let (v, _) = S::as_simd_f32s(self.v);
        let (dx, _) = S::as_mut_simd_f32s(self.dx);
        let vectors = from / S::F32_LANES;
        let zero = simd.splat_f32s(0.0);
        let stride = self.job.tile_count() * vectors;
        for board in 0..boards {
            for (tile, points) in tiles.inputs.chunks_exact(N * N).enumerate() {
                let at = (board * tiles.count + tile) * vectors;
                for c in 0..vectors {
                    both_ways(
                        zero,
                        #[inline(always)]
                        |i, j| v[(i * N + j) * stride + at + c],
                        #[inline(always)]
                        |x| T::b(simd, x),
                        #[inline(always)]
                        |i, j, value| {
                            let point = points[i * N + j];
                            if point != OUTSIDE {
                                let to = &mut dx[(board * tiles.area + point as usize) * vectors + c];
                                *to = simd.add_f32s(*to, value);
                            }
                        },
                    );
                }
            }
        }
    }
}
