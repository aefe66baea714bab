//! `SplitMix64` (Steele, Lea, Flood 2014): random numbers that are the same on every machine and for ever, for what is written to files.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number at place `index` of the sequence that starts at `seed`.
#[inline]
pub const fn splitmix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementation for seed 0.
    #[test]
    fn numbers_of_the_reference_implementation() {
        let first = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([0, 1, 2].map(|index| splitmix(0, index)), first);
        assert_eq!(splitmix(STEP, 0), first[1]);
    }
}
