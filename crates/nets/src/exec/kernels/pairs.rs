//! Products of matrices of whole numbers, two of 16 bits in each word.
//!
//! **What.** A word of the left and a word of the right matrix give the sum of two products, which is added up in 32 bits: processors with
//! AVX-512 VNNI do that for 16 words in the time of 16 multiply-adds of floats, so there are twice as many products, from half of
//! the memory. Sums are exact; whoever makes the matrices sees to it that none needs more than 32 bits.
//!
//! **How.** As in [`super::matmul`]: nine rows and three panels of the result stay in registers.

use super::{LANES, matmul::groups};

/// Rows that stay in registers.
const ROWS: usize = 9;

/// Steps of the depth whose places are known without looking; divides the depth.
const STEP: usize = 8;

/// Whether this processor has the instructions.
pub(crate) fn is_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    let found = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    let found = false;
    found
}

/// A product: rows of `depth` words times as many rows of panels.
pub(crate) struct Product<'a> {
    /// What the sums of each row are multiplied by.
    pub(crate) factors: &'a [f32],
    pub(crate) depth: usize,
    /// Panels of the right matrix, up to three.
    pub(crate) panels: usize,
    /// Contiguous rows.
    pub(crate) left: &'a [u32],
    /// Panels: a row of factors (floats) that the sums are multiplied by, then `depth` rows of [`LANES`] words.
    pub(crate) right: &'a [u32],
    /// From one panel to the next.
    pub(crate) apart: usize,
    /// Rows of the panels.
    pub(crate) out: &'a mut [f32],
    /// Begins where the right matrix of the next product does.
    pub(crate) ahead: &'a [u32],
}

impl<'a> Product<'a> {
    /// Computes it.
    #[allow(unsafe_code, reason = "instructions that not every processor has")]
    pub(crate) fn run(mut self) {
        #[cfg(target_arch = "x86_64")]
        if is_fast() {
            // SAFETY: the processor has these instructions.
            unsafe { self.run_vnni() };
            return;
        }
        self.run_plain();
    }

    /// A panel's factors and its rows.
    #[inline(always)]
    fn panel(&self, panel: usize) -> (&'a [u32; LANES], &'a [[u32; LANES]]) {
        let rows = self.right[panel * self.apart..][..(self.depth + 1) * LANES].as_chunks().0;
        rows.split_first().expect("factors")
    }

    fn run_plain(&mut self) {
        let sum = |left: &[u32], panel: &[[u32; LANES]], lane: usize| {
            let words = left.iter().zip(panel).map(|(left, right)| (*left, right[lane]));
            let product = |a: u32, b: u32| i32::from(a as i16) * i32::from(b as i16);
            words.fold(0i32, |sum, (a, b)| {
                sum.wrapping_add(product(a, b)).wrapping_add(product(a >> 16, b >> 16))
            })
        };
        for (row, factor) in self.factors.iter().enumerate() {
            let left = &self.left[row * self.depth..][..self.depth];
            for panel in 0..self.panels {
                let (factors, words) = self.panel(panel);
                let out = &mut self.out[(row * self.panels + panel) * LANES..][..LANES];
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = sum(left, words, lane) as f32 * (factor * f32::from_bits(factors[lane]));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::{
        arch::x86_64::{
            __m512i, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cvtepi32_ps, _mm512_dpwssd_epi32,
            _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
        },
        hint::black_box,
    };

    use super::{super::matmul::prefetch, LANES, Product, ROWS, STEP, groups};

    impl Product<'_> {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
        pub(super) fn run_vnni(&mut self) {
            match self.panels {
                1 => self.panels::<1>(),
                2 => self.panels::<2>(),
                _ => self.panels::<3>(),
            }
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
        fn panels<const P: usize>(&mut self) {
            let mut row = 0;
            let sizes = groups(self.factors.len(), ROWS);
            let part = (self.depth + 1).div_ceil(sizes.len()) * LANES;
            for (group, rows) in sizes.enumerate() {
                let mut ahead = [&[][..]; P];
                for p in 0..P {
                    let begin = p * self.apart + group * part;
                    ahead[p] = self.ahead.get(begin..begin + part).unwrap_or_default();
                }
                match rows {
                    9.. => self.tile::<9, P>(row, ahead),
                    8 => self.tile::<8, P>(row, ahead),
                    7 => self.tile::<7, P>(row, ahead),
                    6 => self.tile::<6, P>(row, ahead),
                    5 => self.tile::<5, P>(row, ahead),
                    4 => self.tile::<4, P>(row, ahead),
                    3 => self.tile::<3, P>(row, ahead),
                    2 => self.tile::<2, P>(row, ahead),
                    _ => self.tile::<1, P>(row, ahead),
                }
                row += rows;
            }
        }

        /// `R` rows and `P` panels of the result.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
        #[inline]
        fn tile<const R: usize, const P: usize>(&mut self, row: usize, ahead: [&[u32]; P]) {
            let mut steps = [&[][..]; R];
            for r in 0..R {
                // Unknown to be related, so that each gets a register of its own instead of being computed from another.
                let left = black_box(&self.left[(row + r) * self.depth..][..self.depth]);
                steps[r] = left.as_chunks::<STEP>().0;
            }
            let mut factors = [&[0; LANES]; P];
            let mut right_steps = [&[][..]; P];
            for p in 0..P {
                let (first, rest) = self.panel(p);
                factors[p] = first;
                right_steps[p] = rest.as_chunks::<STEP>().0;
            }
            let count = right_steps[0].len();
            let asking = ahead[0].len().div_ceil(LANES * count) * LANES;
            let mut sums = [[_mm512_setzero_si512(); P]; R];
            for i in 0..count {
                for p in 0..P {
                    prefetch(ahead[p].get(i * asking..(i + 1) * asking).unwrap_or_default());
                }
                let mut step = [&[0; STEP]; R];
                for r in 0..R {
                    step[r] = &steps[r][i];
                }
                let mut right_step = [&right_steps[0][i]; P];
                for p in 1..P {
                    right_step[p] = &right_steps[p][i];
                }
                for k in 0..STEP {
                    let mut right = [_mm512_setzero_si512(); P];
                    for p in 0..P {
                        right[p] = vector(&right_step[p][k]);
                    }
                    for r in 0..R {
                        let left = _mm512_set1_epi32(step[r][k] as i32);
                        for p in 0..P {
                            sums[r][p] = _mm512_dpwssd_epi32(sums[r][p], left, right[p]);
                        }
                    }
                }
            }
            let out = self.out[row * P * LANES..][..R * P * LANES].as_chunks_mut::<LANES>().0;
            for r in 0..R {
                let factor = _mm512_set1_ps(self.factors[row + r]);
                for p in 0..P {
                    let factors = _mm512_mul_ps(factor, _mm512_castsi512_ps(vector(factors[p])));
                    let sum = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[r][p]), factors);
                    out[r * P + p] = pulp::cast(_mm512_castps_si512(sum));
                }
            }
        }
    }

    #[inline(always)]
    fn vector(words: &[u32; LANES]) -> __m512i {
        pulp::cast(*words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_products_are_exact() {
        let word = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 3 & 0x0fff_0fff;
        let negative = |i: usize| if i.is_multiple_of(3) { word(i) | 0xf000_f000 } else { word(i) };
        for (rows, depth, panels) in [(1, 8, 1), (9, 16, 3), (25, 48, 3), (20, 16, 2), (13, 64, 1)] {
            let left: Vec<u32> = (0..rows * depth).map(negative).collect();
            let apart = (depth + 3) * LANES;
            let mut right: Vec<u32> = (0..panels * apart).map(|i| negative(i + 7)).collect();
            for panel in 0..panels {
                right[panel * apart..][..LANES].fill(0.5f32.to_bits());
            }
            let factors: Vec<f32> = (0..rows).map(|row| 1.0 + row as f32).collect();
            let mut results = [vec![0.0; rows * panels * LANES], vec![0.0; rows * panels * LANES]];
            for (plain, out) in results.iter_mut().enumerate() {
                let (factors, left, right) = (&factors, &left, &right);
                let mut product = Product { factors, depth, panels, left, right, apart, out, ahead: right };
                if plain == 0 { product.run() } else { product.run_plain() }
            }
            assert_eq!(results[0], results[1]);
            assert!(results[0].iter().any(|x| *x != 0.0));
        }
    }
}
