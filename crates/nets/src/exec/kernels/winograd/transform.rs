//! The transforms of Winograd's minimal filtering, in one dimension, and how they are applied in two.

use pulp::Simd;

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
pub(super) trait Transform<const N: usize, const M: usize> {
    /// G, for the weights.
    const G: [[f32; 3]; N];
    /// Bᵀ x
    fn bt<S: Simd>(simd: S, x: [S::f32s; N]) -> [S::f32s; N];
    /// Aᵀ x
    fn at<S: Simd>(simd: S, x: [S::f32s; N]) -> [S::f32s; M];
    /// A x
    fn a<S: Simd>(simd: S, x: [S::f32s; M]) -> [S::f32s; N];
}

/// F(4x4, 3x3), interpolated at 0, ±1, ±2 and infinity.
pub(super) struct Four;

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
pub(super) struct Three;

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

/// F(4x4, 3x3), interpolated at 0, ±2/3, ±3/2 and infinity: half as sensitive to rounding as [`Four`].
pub(super) struct EvenFour;

impl EvenFour {
    const A: f32 = 2.0 / 3.0;
    const B: f32 = 3.0 / 2.0;
    const A2: f32 = Self::A * Self::A;
    const B2: f32 = Self::B * Self::B;
    /// The products of the differences of ±a, and of ±b, from the other points.
    const F: [f32; 2] = [2.0 * Self::A2 * (Self::A2 - Self::B2), 2.0 * Self::B2 * (Self::B2 - Self::A2)];
}

impl Transform<6, 4> for EvenFour {
    const G: [[f32; 3]; 6] = [
        [1., 0., 0.],
        [1. / Self::F[0], Self::A / Self::F[0], Self::A2 / Self::F[0]],
        [1. / Self::F[0], -Self::A / Self::F[0], Self::A2 / Self::F[0]],
        [1. / Self::F[1], Self::B / Self::F[1], Self::B2 / Self::F[1]],
        [1. / Self::F[1], -Self::B / Self::F[1], Self::B2 / Self::F[1]],
        [0., 0., 1.],
    ];

    /// With s = a² + b², and ab = 1:
    /// ```text
    ///  1  0 -s  0  1  0
    ///  0 -b -b² a  1  0
    ///  0  b -b²-a  1  0
    ///  0 -a -a² b  1  0
    ///  0  a -a²-b  1  0
    ///  0  1  0 -s  0  1
    /// ```
    #[inline(always)]
    fn bt<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 6] {
        let s = Vectors(simd);
        let sum = -(Self::A2 + Self::B2);
        let (even_a, odd_a) = (s.mul_add(-Self::B2, c, e), s.mul_add(-Self::B, b, s.mul(Self::A, d)));
        let (even_b, odd_b) = (s.mul_add(-Self::A2, c, e), s.mul_add(-Self::A, b, s.mul(Self::B, d)));
        [
            s.mul_add(sum, c, s.add(a, e)),
            s.add(even_a, odd_a),
            s.sub(even_a, odd_a),
            s.add(even_b, odd_b),
            s.sub(even_b, odd_b),
            s.mul_add(sum, d, s.add(b, f)),
        ]
    }

    /// The powers of 0, a, −a, b, −b and infinity.
    #[inline(always)]
    fn at<S: Simd>(simd: S, [a, b, c, d, e, f]: [S::f32s; 6]) -> [S::f32s; 4] {
        let s = Vectors(simd);
        let (sum1, difference1, sum2, difference2) = (s.add(b, c), s.sub(b, c), s.add(d, e), s.sub(d, e));
        [
            s.add(a, s.add(sum1, sum2)),
            s.mul_add(Self::A, difference1, s.mul(Self::B, difference2)),
            s.mul_add(Self::A2, sum1, s.mul(Self::B2, sum2)),
            s.mul_add(Self::A2 * Self::A, difference1, s.mul_add(Self::B2 * Self::B, difference2, f)),
        ]
    }

    #[inline(always)]
    fn a<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; 4]) -> [S::f32s; 6] {
        let s = Vectors(simd);
        let (even, odd) = (s.mul_add(Self::A2, c, a), s.mul_add(Self::A2 * Self::A, d, s.mul(Self::A, b)));
        let (even2, odd2) = (s.mul_add(Self::B2, c, a), s.mul_add(Self::B2 * Self::B, d, s.mul(Self::B, b)));
        [a, s.add(even, odd), s.sub(even, odd), s.add(even2, odd2), s.sub(even2, odd2), d]
    }
}

/// F(3x3, 3x3), interpolated at 0, ±2/3, 2 and infinity: half as sensitive to rounding as [`Three`].
pub(super) struct EvenThree;

impl EvenThree {
    const A: f32 = 2.0 / 3.0;
    const A2: f32 = Self::A * Self::A;
    /// The product of each point's differences from the others.
    const F: [f32; 4] = [
        2.0 * Self::A2,
        2.0 * Self::A2 * (Self::A - 2.0),
        -2.0 * Self::A2 * (Self::A + 2.0),
        2.0 * (4.0 - Self::A2),
    ];
}

impl Transform<5, 3> for EvenThree {
    const G: [[f32; 3]; 5] = [
        [1. / Self::F[0], 0., 0.],
        [1. / Self::F[1], Self::A / Self::F[1], Self::A2 / Self::F[1]],
        [1. / Self::F[2], -Self::A / Self::F[2], Self::A2 / Self::F[2]],
        [1. / Self::F[3], 2. / Self::F[3], 4. / Self::F[3]],
        [0., 0., 1.],
    ];

    /// ```text
    ///  2a² -a²  -2   1  0
    ///  0  -2a  a-2   1  0
    ///  0   2a -a-2   1  0
    ///  0  -a²   0    1  0
    ///  0  2a² -a²   -2  1
    /// ```
    #[inline(always)]
    fn bt<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 5] {
        let s = Vectors(simd);
        let db = s.mul_add(-Self::A2, b, d);
        [
            s.mul_add(2.0 * Self::A2, a, s.mul_add(-2.0, c, db)),
            s.mul_add(-2.0 * Self::A, b, s.mul_add(Self::A - 2.0, c, d)),
            s.mul_add(2.0 * Self::A, b, s.mul_add(-Self::A - 2.0, c, d)),
            db,
            s.mul_add(-2.0, db, s.mul_add(-Self::A2, c, e)),
        ]
    }

    /// The powers of 0, a, −a, 2 and infinity.
    #[inline(always)]
    fn at<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; 5]) -> [S::f32s; 3] {
        let s = Vectors(simd);
        let (sum, difference) = (s.add(b, c), s.sub(b, c));
        [
            s.add(s.add(a, d), sum),
            s.mul_add(Self::A, difference, s.add(d, d)),
            s.mul_add(Self::A2, sum, s.mul_add(4.0, d, e)),
        ]
    }

    #[inline(always)]
    fn a<S: Simd>(simd: S, [a, b, c]: [S::f32s; 3]) -> [S::f32s; 5] {
        let s = Vectors(simd);
        let (even, odd) = (s.mul_add(Self::A2, c, a), s.mul(Self::A, b));
        [a, s.add(even, odd), s.sub(even, odd), s.mul_add(2.0, b, s.mul_add(4.0, c, a)), c]
    }
}

/// Applies a one-dimensional transform to the columns, then to the rows of a square of panels: calls `store` with each
/// panel's row and column. `columns` is scratch memory.
#[inline(always)]
pub(super) fn both_ways<V: Copy, const W: usize, const FROM: usize, const TO: usize>(
    columns: &mut [[[V; FROM]; W]; TO],
    load: impl Fn(usize, usize) -> [V; W],
    transform: impl Fn([V; FROM]) -> [V; TO],
    mut store: impl FnMut(usize, usize, [V; W]),
) {
    for j in 0..FROM {
        let mut column = [[load(0, j)[0]; FROM]; W];
        for i in 0..FROM {
            let panel = load(i, j);
            for w in 0..W {
                column[w][i] = panel[w];
            }
        }
        for (w, column) in column.into_iter().enumerate() {
            let column = transform(column);
            for i in 0..TO {
                columns[i][w][j] = column[i];
            }
        }
    }
    for (i, rows) in columns.iter().enumerate() {
        let mut panels = [[rows[0][0]; W]; TO];
        for (w, row) in rows.iter().enumerate() {
            let row = transform(*row);
            for j in 0..TO {
                panels[j][w] = row[j];
            }
        }
        for (j, panel) in panels.into_iter().enumerate() {
            store(i, j, panel);
        }
    }
}
