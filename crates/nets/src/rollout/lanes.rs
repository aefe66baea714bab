//! Sixteen numbers at a time: sums of products, with the instructions of the machine or without.

use bytemuck::{Pod, Zeroable};

/// Numbers that are worked on together.
pub(super) const LANES: usize = 16;

/// That many numbers, which are not spread over two lines of the cache.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Lane(pub(super) [i16; LANES]);

impl Lane {
    /// The same number everywhere.
    pub(super) const fn filled(number: i16) -> Lane {
        Lane([number; LANES])
    }
}

/// So large that adding it rounds a number to a whole one, which then stands in the last bits.
pub(super) const ROUNDS: f32 = 12_582_912.0;

/// Pairs of neighbours among them.
pub(super) const PAIRS: usize = LANES / 2;

/// Sums that are kept apart until the end.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Total(pub(super) [i32; PAIRS]);

/// A way to multiply. All give the same results.
pub(super) trait Multiply: Copy {
    /// Adds the products of pairs.
    fn add_products(self, total: &mut Total, numbers: &Lane, weights: &Lane);

    /// The same with 0 for negative numbers.
    fn add_positive(self, total: &mut Total, numbers: &Lane, weights: &Lane);

    /// What each adds up to.
    fn sums(self, totals: [Total; 4]) -> [i32; 4];
}

/// As the definition says.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Multiply for Plain {
    #[inline(always)]
    fn add_products(self, total: &mut Total, numbers: &Lane, weights: &Lane) {
        let product = |i: usize| i32::from(numbers.0[i]) * i32::from(weights.0[i]);
        for (i, sum) in total.0.iter_mut().enumerate() {
            *sum += product(2 * i) + product(2 * i + 1);
        }
    }

    #[inline(always)]
    fn add_positive(self, total: &mut Total, numbers: &Lane, weights: &Lane) {
        self.add_products(total, &Lane(numbers.0.map(|n| n.max(0))), weights);
    }

    #[inline(always)]
    fn sums(self, totals: [Total; 4]) -> [i32; 4] {
        totals.map(|total| total.0.iter().sum())
    }
}

#[cfg(target_arch = "x86_64")]
impl Multiply for pulp::x86::V3 {
    #[inline(always)]
    fn add_products(self, total: &mut Total, numbers: &Lane, weights: &Lane) {
        let products = self.avx2._mm256_madd_epi16(pulp::cast(*numbers), pulp::cast(*weights));
        *total = pulp::cast(self.avx2._mm256_add_epi32(pulp::cast(*total), products));
    }

    #[inline(always)]
    fn add_positive(self, total: &mut Total, numbers: &Lane, weights: &Lane) {
        let positive = self.avx2._mm256_max_epi16(pulp::cast(*numbers), self.avx._mm256_setzero_si256());
        self.add_products(total, &pulp::cast(positive), weights);
    }

    #[inline(always)]
    fn sums(self, [a, b, c, d]: [Total; 4]) -> [i32; 4] {
        let pairs = |a, b| self.avx2._mm256_hadd_epi32(a, b);
        let halves = pairs(pairs(pulp::cast(a), pulp::cast(b)), pairs(pulp::cast(c), pulp::cast(d)));
        let upper = self.avx2._mm256_extracti128_si256::<1>(halves);
        pulp::cast(self.sse2._mm_add_epi32(self.avx._mm256_castsi256_si128(halves), upper))
    }
}

/// Numbers in groups of [`LANES`].
pub(super) fn to_lanes(numbers: &[i16]) -> Vec<Lane> {
    numbers.as_chunks().0.iter().copied().map(Lane).collect()
}
