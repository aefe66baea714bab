//! A convolution as its definition says, point by point: what the fast ones are tested against.

/// Convolves one board: `x` has `area` points of `from` padded channels, weights are `to` x `from` x k x k.
pub(crate) fn convolve(
    (x, from_padded): (&[f32], usize),
    (width, height): (usize, usize),
    (weights, kernel): (&[f32], usize),
    (y, to_padded): (&mut [f32], usize),
    (from, to): (usize, usize),
) {
    let half = kernel as isize / 2;
    for py in 0..height as isize {
        for px in 0..width as isize {
            for o in 0..to {
                let mut sum = 0.0f64;
                for tap in 0..kernel * kernel {
                    let (sx, sy) = (px + (tap % kernel) as isize - half, py + (tap / kernel) as isize - half);
                    if !(0..width as isize).contains(&sx) || !(0..height as isize).contains(&sy) {
                        continue;
                    }
                    let at = (sy as usize * width + sx as usize) * from_padded;
                    for i in 0..from {
                        let w = weights[(o * from + i) * kernel * kernel + tap];
                        sum += f64::from(w) * f64::from(x[at + i]);
                    }
                }
                y[(py as usize * width + px as usize) * to_padded + o] = sum as f32;
            }
        }
    }
}
