//! What a core can do at most, which is what the speed of networks is compared with.

use std::hint::black_box;

use cpu_time::ThreadTime;
use pulp::Simd;

use super::{Kernel, run};

/// Multiply-adds that do not wait for each other: as many as keep all units busy, in few enough registers.
const CHAINS: usize = 12;
/// Multiply-adds of each chain in a measurement.
const STEPS: u64 = 2_000_000;
/// Measurements, of which the best counts: others may share the core.
const MEASUREMENTS: usize = 5;

/// Operations (a multiplication or an addition of 32 bits) in a second of this thread's CPU time, with vectors that never leave the
/// registers.
pub fn peak_operations() -> f64 {
    let mut best = 0.0f64;
    for _ in 0..MEASUREMENTS {
        let begin = ThreadTime::now();
        let mut operations = 0;
        run(Chains { operations: &mut operations });
        best = best.max(operations as f64 / begin.elapsed().as_secs_f64());
    }
    best
}

struct Chains<'a> {
    operations: &'a mut u64,
}

impl Kernel for Chains<'_> {
    #[inline(always)]
    fn run<S: Simd, const W: usize>(self, simd: S) {
        let [a, b] = [1.0, 1e-3].map(|x: f32| simd.splat_f32s(black_box(x)));
        let mut sums = [simd.splat_f32s(0.0); CHAINS];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(a, b, *sum);
            }
        }
        black_box(sums);
        *self.operations = STEPS * (CHAINS * S::F32_LANES * 2) as u64;
    }
}
