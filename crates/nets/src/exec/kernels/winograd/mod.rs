//! 3x3 convolutions by Winograd's minimal filtering.
//!
//! **What.** An output tile of m x m points is computed from an input tile of n x n (n = m + 2, neighbours overlap by 2):
//! Y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ x B)] A. The products for all channels and tiles are n² matrix products; the rest are
//! additions. F(4x4, 3x3) needs 2.25 multiplications for an output instead of 9; F(3x3, 3x3) needs 2.8 but wastes nothing on
//! 9x9, where tiles of 4 reach over the edge.
//!
//! **How.** A few boards at a time, so that their transformed tiles stay in the second-level cache, and of the results only as
//! many channels as a product has columns: they are transformed back while they are in the first-level cache.
//!
//! **Source.** Lavin and Gray, "Fast algorithms for convolutional neural networks", 2016.
//!
//! **Backwards** the gradient of the input is the convolution of the result's gradient with filters that are turned round;
//! the gradient of the weights goes through the transposes of the transforms.

mod fixed;
mod transform;
mod weights;

use std::marker::PhantomData;

use pulp::Simd;

use super::{
    Kernel, LANES,
    activation::Activation,
    matmul::{Left, Product, Right, Size, Write},
    pairs, panels, panels_mut, run, run_within,
};
use transform::{EvenFour, EvenThree, Four, Three, Transform, both_ways};
pub(crate) use weights::{add_weight_gradient, transform_weights};

/// A point of a tile that is not on the board.
const OUTSIDE: u32 = u32::MAX;

/// Floats of transformed tiles that fit into the second-level cache.
const CACHE: usize = 1 << 17;

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
        let cost = |kind: TileKind| kind.products_on(width, height);
        if cost(TileKind::Three) < cost(TileKind::Four) { TileKind::Three } else { TileKind::Four }
    }

    /// Products of a number with a weight, for a board of this size and each pair of channels.
    pub(crate) fn products_on(self, width: usize, height: usize) -> usize {
        width.div_ceil(self.output()) * height.div_ceil(self.output()) * self.products()
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

/// The numbers that products are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Floats.
    Float,
    /// Whole numbers of 16 bits.
    Fixed,
}

impl Precision {
    /// The one that this processor is faster with.
    pub(crate) fn fast() -> Precision {
        if pairs::is_fast() { Precision::Fixed } else { Precision::Float }
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

    /// Boards that are worked on together: as many as keep the tiles in the second-level cache, or more where the weights
    /// do not fit there by far.
    fn group(&self, boards: usize, from: usize, to: usize) -> usize {
        let board = self.count * self.kind.products() * from;
        let weights = self.kind.products() * from * to;
        (CACHE.max(weights) / board).clamp(1, boards)
    }

    /// Floats of scratch memory for tiles of so many boards.
    pub(crate) fn scratch(&self, boards: usize, channels: usize) -> usize {
        self.kind.products() * (boards * self.count * channels + LANES)
    }
}

/// What happens to the result of a convolution before it is stored.
#[derive(Clone, Copy, Default)]
pub(crate) struct Finish<'a> {
    /// Added to each channel, padded.
    pub(crate) bias: Option<&'a [f32]>,
    /// Added to each point: the other branch of a residual block.
    pub(crate) add: Option<&'a [f32]>,
    /// What stands there already is added.
    pub(crate) accumulate: bool,
    pub(crate) activation: Activation,
}

/// Which boards, and how many channels there are.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) tiles: &'a Tiles,
    pub(crate) boards: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Boards that are worked on together.
#[derive(Clone, Copy)]
struct Group<'a> {
    tiles: &'a Tiles,
    first: usize,
    boards: usize,
}

impl Job<'_> {
    fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let size = self.tiles.group(self.boards, self.from, self.to);
        (0..self.boards).step_by(size).map(move |first| {
            let boards = size.min(self.boards - first);
            Group { tiles: self.tiles, first, boards }
        })
    }
}

impl<'a> Group<'a> {
    /// Tiles of all boards.
    fn rows(&self) -> usize {
        self.boards * self.tiles.count
    }

    /// Floats from one product's tiles to the next one's. Places at a power of two would compete for the same part of a cache.
    fn stride(&self, channels: usize) -> usize {
        self.rows() * channels + LANES
    }

    /// The tiles of all boards: a number, the first point of its board, and the points of the tile, counted from there.
    fn tiles(&self, points: &'a [u32], size: usize) -> impl Iterator<Item = (usize, usize, &'a [u32])> {
        let Group { tiles: Tiles { count, area, .. }, first, .. } = *self;
        (0..self.boards).flat_map(move |board| {
            let each = points.chunks_exact(size).enumerate();
            each.map(move |(tile, points)| (board * count + tile, (first + board) * area, points))
        })
    }
}

/// Convolves `x` into `y`. Behind the boards of `x` stands a point of zeros. `u` are transformed weights; `v` and `m` scratch
/// memory.
pub(crate) fn convolve(
    job: Job<'_>,
    precision: Precision,
    (x, u, y): (&[f32], &[f32], &mut [f32]),
    (v, m): (&mut [f32], &mut [f32]),
    finish: Finish<'_>,
) {
    match (job.tiles.kind, precision) {
        (TileKind::Three, Precision::Float) => {
            run(Convolution::<Three, 5, 3> { job, x, u, y, v, m, finish, transform: PhantomData });
        }
        (TileKind::Four, Precision::Float) => {
            run(Convolution::<Four, 6, 4> { job, x, u, y, v, m, finish, transform: PhantomData });
        }
        (TileKind::Three, Precision::Fixed) => {
            let transform = PhantomData;
            run(fixed::Convolution::<EvenThree, 5, 3> { job, x, u, y, v, m, finish, transform });
        }
        (TileKind::Four, Precision::Fixed) => {
            let transform = PhantomData;
            run(fixed::Convolution::<EvenFour, 6, 4> { job, x, u, y, v, m, finish, transform });
        }
    }
}

struct Convolution<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    x: &'a [f32],
    u: &'a [f32],
    y: &'a mut [f32],
    v: &'a mut [f32],
    m: &'a mut [f32],
    finish: Finish<'a>,
    transform: PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> Kernel for Convolution<'_, T, N, M> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let Convolution { job, x, u, y, v, m, finish, .. } = self;
        let Job { from, to, .. } = job;
        for group in job.groups() {
            let rows = group.rows();
            transform_inputs::<S, T, N, M, W>(simd, group, (x, v, from));
            let (size, count) = (from * LANES, to / LANES);
            let mut first = 0;
            while first < count {
                let panels = panels_together::<W>(count - first);
                let (v_stride, m_stride) = (group.stride(from), group.stride(panels * LANES));
                for t in 0..N * N {
                    let place = |panel, t| (panel * N * N + t) * size;
                    let next = if t + 1 < N * N { place(first, t + 1) } else { place(first + panels, 0) };
                    let product = Product {
                        size: Size { rows, cols: panels * LANES, depth: from },
                        out: &mut m[t * m_stride..][..rows * panels * LANES],
                        left: Left::Rows(&v[t * v_stride..][..rows * from], from),
                        right: Right::Apart(&u[place(first, t)..], N * N * size),
                        write: Write::Replace,
                        ahead: &u[next..],
                    };
                    run_within(simd, product);
                }
                for panel in 0..panels {
                    let m = (&m[panel * LANES..], m_stride, panels);
                    let y = (&mut *y, count, first + panel);
                    transform_outputs::<S, T, N, M, W>(simd, group, m, y, finish);
                }
                first += panels;
            }
        }
    }
}

/// Of so many panels of a result those that are computed together: as many as keep a product's sums in registers.
#[inline(always)]
fn panels_together<const W: usize>(panels: usize) -> usize {
    match panels {
        _ if W > 1 => 1,
        // Two and two are better than three and one.
        3 | 5.. => 3,
        2 | 4 => 2,
        _ => 1,
    }
}

/// Transforms the tiles of a convolution's input.
#[inline(always)]
fn transform_inputs<S: Simd, T: Transform<N, M>, const N: usize, const M: usize, const W: usize>(
    simd: S,
    group: Group<'_>,
    (x, v, from): (&[f32], &mut [f32], usize),
) {
    transform_tiles::<S, N, N, W>(
        simd,
        (group, &group.tiles.inputs),
        (x, v, from),
        #[inline(always)]
        |x| T::bt(simd, x),
    );
}

/// Adds the gradient of the transformed weights of a convolution of `x` to `du`, where `dy` is the gradient of its result.
pub(crate) fn add_gradient(
    job: Job<'_>,
    (x, dy, du): (&[f32], &[f32], &mut [f32]),
    (v, m): (&mut [f32], &mut [f32]),
) {
    match job.tiles.kind {
        TileKind::Three => {
            run(WeightGradient::<Three, 5, 3> { job, x, dy, du, v, m, transform: PhantomData });
        }
        TileKind::Four => run(WeightGradient::<Four, 6, 4> { job, x, dy, du, v, m, transform: PhantomData }),
    }
}

struct WeightGradient<'a, T, const N: usize, const M: usize> {
    job: Job<'a>,
    x: &'a [f32],
    dy: &'a [f32],
    du: &'a mut [f32],
    v: &'a mut [f32],
    m: &'a mut [f32],
    transform: PhantomData<T>,
}

impl<T: Transform<N, M>, const N: usize, const M: usize> Kernel for WeightGradient<'_, T, N, M> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let WeightGradient { job, x, dy, du, v, m, .. } = self;
        let Job { from, to, .. } = job;
        for group in job.groups() {
            let rows = group.rows();
            transform_inputs::<S, T, N, M, W>(simd, group, (x, v, from));
            transform_tiles::<S, M, N, W>(
                simd,
                (group, &group.tiles.outputs),
                (dy, m, to),
                #[inline(always)]
                |dy| T::a(simd, dy),
            );
            for (t, du) in du.chunks_exact_mut(from * to).enumerate() {
                let product = Product {
                    size: Size { rows: from, cols: to, depth: rows },
                    out: du,
                    left: Left::Columns(&v[t * group.stride(from)..][..rows * from], from),
                    right: Right::Rows(&m[t * group.stride(to)..][..rows * to]),
                    write: Write::Add,
                    ahead: &[],
                };
                run_within(simd, product);
            }
        }
    }
}

/// Transforms the tiles of boards, which consist of F x F `points`, for n² products: Bᵀ x B or A dy Aᵀ.
#[allow(clippy::redundant_closure, reason = "the function itself, passed on by reference, is not inlined")]
#[allow(unsafe_code, reason = "checks of every place would take a third of the time")]
#[inline(always)]
fn transform_tiles<S: Simd, const F: usize, const N: usize, const W: usize>(
    simd: S,
    (group, points): (Group<'_>, &[u32]),
    (x, v, channels): (&[f32], &mut [f32], usize),
    transform: impl Fn([S::f32s; F]) -> [S::f32s; N],
) {
    let (x, v, width) = (panels::<S, W>(x), panels_mut::<S, W>(v), channels / LANES);
    let stride = group.stride(channels) / LANES;
    assert!((N * N - 1) * stride + group.rows() * width <= v.len(), "room for all products");
    let mut columns = [[[simd.splat_f32s(0.0); F]; W]; N];
    for (tile, board, points) in group.tiles(points, F * F) {
        let starts = starts::<F>(points, board, width, x.len());
        for panel in 0..width {
            both_ways(
                &mut columns,
                #[inline(always)]
                |i, j| {
                    // SAFETY: `starts` leave room for all panels.
                    unsafe { *x.get_unchecked(starts[i][j] + panel) }
                },
                #[inline(always)]
                |x| transform(x),
                #[inline(always)]
                |i, j, value| {
                    // SAFETY: there is room for N² products of all tiles, as was seen above.
                    unsafe { *v.get_unchecked_mut((i * N + j) * stride + tile * width + panel) = value };
                },
            );
        }
    }
}

/// Where the panels of a tile's points begin, of `len` ones, `width` for each point; those outside of the board are where the last ones are, which
/// are 0.
#[inline(always)]
fn starts<const F: usize>(points: &[u32], board: usize, width: usize, len: usize) -> [[usize; F]; F] {
    let border = len - width;
    let mut starts = [[border; F]; F];
    for (start, point) in starts.as_flattened_mut().iter_mut().zip(points) {
        if *point != OUTSIDE {
            *start = ((board + *point as usize) * width).min(border);
        }
    }
    starts
}

/// One panel of y = Aᵀ m A, finished.
#[allow(unsafe_code, reason = "as in `transform_tiles`")]
#[inline(always)]
fn transform_outputs<S: Simd, T: Transform<N, M>, const N: usize, const M: usize, const W: usize>(
    simd: S,
    group: Group<'_>,
    (m, m_stride, m_width): (&[f32], usize, usize),
    (y, width, panel): (&mut [f32], usize, usize),
    finish: Finish<'_>,
) {
    let (m, y) = (panels::<S, W>(m), panels_mut::<S, W>(y));
    let add = finish.add.map(|add| panels::<S, W>(add));
    let zero = simd.splat_f32s(0.0);
    let bias = finish.bias.map_or([zero; W], |bias| panels::<S, W>(bias)[panel]);
    let stride = m_stride / LANES;
    assert!((N * N - 1) * stride + (group.rows() - 1) * m_width < m.len(), "results of all products");
    let mut columns = [[[zero; N]; W]; M];
    for (tile, board, points) in group.tiles(&group.tiles.outputs, M * M) {
        both_ways(
            &mut columns,
            #[inline(always)]
            |i, j| {
                // SAFETY: there are N² results for all tiles, as was seen above.
                unsafe { *m.get_unchecked((i * N + j) * stride + tile * m_width) }
            },
            #[inline(always)]
            |x| T::at(simd, x),
            #[inline(always)]
            |i, j, mut value: [S::f32s; W]| {
                let point = points[i * M + j];
                if point == OUTSIDE {
                    return;
                }
                let at = (board + point as usize) * width + panel;
                let y = &mut y[at];
                for w in 0..W {
                    value[w] = simd.add_f32s(value[w], bias[w]);
                    if let Some(add) = add {
                        value[w] = simd.add_f32s(value[w], add[at][w]);
                    }
                    if finish.accumulate {
                        value[w] = simd.add_f32s(value[w], y[w]);
                    }
                    y[w] = finish.activation.apply(simd, value[w]);
                }
            },
        );
    }
}
