//! Global pooling: the mean and the largest value of each channel over the board.

/// What pooling collects of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// Mean; mean scaled by the board's size; maximum.
    MeanScaledMax,
    /// Mean; mean scaled by the board's size; mean scaled by the square of the size.
    MeanScaledSquare,
}

/// How much wider than 14 a board is, in tens: KataGo's way to tell a network the size.
fn size_scale(area: usize) -> f32 {
    ((area as f32).sqrt() - 14.0) * 0.1
}

impl Pooling {
    /// Numbers for each channel.
    pub(crate) const PARTS: usize = 3;

    /// The factors of the mean in the second and third part; none where the third is the maximum.
    fn factors(self, area: usize) -> (f32, Option<f32>) {
        let scale = size_scale(area);
        match self {
            Pooling::MeanScaledMax => (scale, None),
            // KataGo subtracts 0.1 so that the mean over board sizes is near 0.
            Pooling::MeanScaledSquare => (scale, Some(scale * scale - 0.1)),
        }
    }

    /// Pools one board of `padded` channels into `out`, [`Pooling::PARTS`] times as many as there are real channels.
    pub(crate) fn forward(self, board: &[f32], padded: usize, out: &mut [f32]) {
        let area = board.len() / padded;
        let channels = out.len() / Self::PARTS;
        let (second, third) = self.factors(area);
        let (mean, rest) = out.split_at_mut(channels);
        let (scaled, last) = rest.split_at_mut(channels);
        mean.fill(0.0);
        last.fill(f32::NEG_INFINITY);
        for point in board.chunks_exact(padded) {
            for ((sum, most), value) in mean.iter_mut().zip(last.iter_mut()).zip(point) {
                *sum += value;
                *most = most.max(*value);
            }
        }
        for c in 0..channels {
            mean[c] /= area as f32;
            scaled[c] = mean[c] * second;
            if let Some(third) = third {
                last[c] = mean[c] * third;
            }
        }
    }

    /// Adds the gradient of a board's points. The maximum's goes to the first point that has it.
    pub(crate) fn backward(self, board: &[f32], padded: usize, dout: &[f32], dboard: &mut [f32]) {
        let area = board.len() / padded;
        let channels = dout.len() / Self::PARTS;
        let (second, third) = self.factors(area);
        let mut best = vec![0; channels];
        if third.is_none() {
            for (p, point) in board.chunks_exact(padded).enumerate() {
                for (c, best) in best.iter_mut().enumerate() {
                    if point[c] > board[*best * padded + c] {
                        *best = p;
                    }
                }
            }
        }
        let of_mean: Vec<f32> = (0..channels)
            .map(|c| {
                let square = third.map_or(0.0, |third| third * dout[2 * channels + c]);
                (dout[c] + second * dout[channels + c] + square) / area as f32
            })
            .collect();
        for point in dboard.chunks_exact_mut(padded) {
            for (d, of_mean) in point.iter_mut().zip(&of_mean) {
                *d += of_mean;
            }
        }
        if third.is_none() {
            for (c, best) in best.into_iter().enumerate() {
                dboard[best * padded + c] += dout[2 * channels + c];
            }
        }
    }
}
