//! Sixteen numbers at a time: sums of products, with the instructions of the machine or without.

/// Numbers that are worked on together.
pub(super) const LANES: usize = 16;

/// That many numbers.
pub(super) type Lane = [i16; LANES];

/// Sums that are kept apart until the end.
pub(super) type Total = [i32; LANES / 2];

/// A way to multiply. All give the same results.
pub(super) trait Multiply: Copy {
    /// Adds the products of neighbouring pairs, negative `sums` being 0.
    fn add_products(self, total: &mut Total, sums: &Lane, weights: &Lane);
}

/// As the definition says.
#[derive(Clone, Copy)]
pub(super) struct Plain;

impl Multiply for Plain {
    #[inline(always)]
    fn add_products(self, total: &mut Total, sums: &Lane, weights: &Lane) {
        let product = |i: usize| i32::from(sums[i].max(0)) * i32::from(weights[i]);
        for (i, sum) in total.iter_mut().enumerate() {
            *sum += product(2 * i) + product(2 * i + 1);
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Multiply for pulp::x86::V3 {
    #[inline(always)]
    fn add_products(self, total: &mut Total, sums: &Lane, weights: &Lane) {
        let positive = self.avx2._mm256_max_epi16(pulp::cast(*sums), self.avx._mm256_setzero_si256());
        let products = self.avx2._mm256_madd_epi16(positive, pulp::cast(*weights));
        *total = pulp::cast(self.avx2._mm256_add_epi32(pulp::cast(*total), products));
    }
}

/// Numbers in groups of [`LANES`].
pub(super) fn to_lanes(numbers: &[i16]) -> Vec<Lane> {
    numbers.as_chunks().0.to_vec()
}
