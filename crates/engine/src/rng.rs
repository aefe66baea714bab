//! The random generator that is passed to everything that plays at random.

/// A small fast generator (wyrand). The same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Rng(fastrand::Rng);

impl Rng {
    /// The generator that belongs to a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(fastrand::Rng::with_seed(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// A number below `end`, each equally likely (to one part in 2³² / `end`).
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        (((self.bits() >> 32) * end as u64) >> 32) as usize
    }

    /// A number from 0 up to 1, 1 excluded.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 * (1.0 / (1u64 << 24) as f32)
    }

    /// `true` with the given probability.
    #[inline]
    pub fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// A new generator that is independent of this one.
    #[must_use]
    pub fn split(&mut self) -> Rng {
        Rng::new(self.bits())
    }
}

/// A generator that has its next number ready: for a loop that has to wait for each number before it knows what to do. The numbers
/// are those of the generator that it was made from.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// The generator before `next` was drawn.
    before: Rng,
    rng: Rng,
    next: u64,
}

impl Ahead {
    pub(crate) fn new(rng: &Rng) -> Ahead {
        let (before, mut rng) = (rng.clone(), rng.clone());
        let next = rng.bits();
        Ahead { before, rng, next }
    }

    /// See [`Rng::bits`].
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.before = self.rng.clone();
        std::mem::replace(&mut self.next, self.rng.bits())
    }

    /// The generator as it is after the numbers that were asked for.
    pub(crate) fn into_inner(self) -> Rng {
        self.before
    }
}

impl rand_core::TryRng for Rng {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok((self.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.fill(bytes);
        Ok(())
    }
}
