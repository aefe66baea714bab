//! The weights of features, and the files they are kept in.

use std::{fmt, sync::Arc};

use crate::{
    prior::{
        features::{FACT, Fact, FeatureReader, Features},
        wide_shapes::KnownShapes,
    },
    reading::{
        pattern3::Patterns,
        shapes::{SHAPES, ShapeClasses},
    },
};

/// The logarithm of every feature's weight.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureWeights {
    logs: Vec<f32>,
    shapes: Arc<KnownShapes>,
}

/// Wide shapes are written in steps of one part in so many.
const STEPS: f32 = 24.0;

impl FeatureWeights {
    /// All features weigh the same.
    pub fn even(shapes: KnownShapes) -> FeatureWeights {
        FeatureWeights { logs: vec![0.0; Features::NAMED + shapes.names().len()], shapes: Arc::new(shapes) }
    }

    /// The weights that come with the program.
    pub fn standard() -> FeatureWeights {
        FeatureWeights::read(include_str!("knowledge.weights"), include_bytes!("knowledge.shapes"))
            .expect("a test reads the files")
    }

    /// Weights set by hand: a capture, the larger the better, a way out of atari that no ladder catches, a 3x3 shape of MoGo.
    pub fn hand_made() -> FeatureWeights {
        let mut weights = FeatureWeights::even(KnownShapes::default());
        for class in 0..SHAPES {
            if Patterns::standard().shape(ShapeClasses::get().smallest_code(class)).is_some() {
                weights.logs[class] = 4.0f32.ln();
            }
        }
        for (fact, factor) in [
            (Fact::CaptureOne, 10.0),
            (Fact::CaptureFew, 20.0),
            (Fact::CaptureMany, 30.0),
            (Fact::Escape, 10.0),
        ] {
            weights.logs[FACT + fact as usize] = f32::ln(factor);
        }
        weights
    }

    /// The logarithms, by feature.
    pub fn logs(&self) -> &[f32] {
        &self.logs
    }

    /// The logarithms, to be changed.
    pub fn logs_mut(&mut self) -> &mut [f32] {
        &mut self.logs
    }

    /// Finds the features that have weights.
    pub fn reader(&self) -> FeatureReader {
        FeatureReader::new(Arc::clone(&self.shapes))
    }

    /// Reads what [`FeatureWeights`] prints and what [`FeatureWeights::shape_bytes`] gives. Features that are not named weigh 1;
    /// lines that begin with `#` are skipped.
    pub fn read(text: &str, shapes: &[u8]) -> Result<FeatureWeights, String> {
        let (entries, rest) = shapes.as_chunks::<5>();
        if !rest.is_empty() {
            return Err("wide shapes have five bytes each: the file is cut off".to_owned());
        }
        let known = KnownShapes::new(entries.iter().copied().map(name_of).collect());
        if known.names().len() != entries.len()
            || !entries.iter().copied().map(name_of).eq(known.names().iter().copied())
        {
            return Err("wide shapes are not in order: the file is damaged".to_owned());
        }
        let names = Features::names();
        let mut weights = FeatureWeights::even(known);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let broken = |what: &str| format!("line {}: {what} in {line:?}", number + 1);
            let (name, log) = line.rsplit_once(' ').ok_or_else(|| broken("a name and a number expected"))?;
            let feature = names.iter().position(|n| n == name).ok_or_else(|| broken("unknown feature"))?;
            let log: f32 = log.parse().map_err(|_| broken("not a number"))?;
            if !log.is_finite() || log.abs() > 20.0 {
                return Err(broken("a logarithm beyond 20"));
            }
            weights.logs[feature] = log;
        }
        for (log, entry) in weights.logs[Features::NAMED..].iter_mut().zip(entries) {
            *log = shape_log(entry[4]);
        }
        Ok(weights)
    }

    /// The wide shapes, each by its name, the lowest byte first, and a byte with its weight.
    pub fn shape_bytes(&self) -> Vec<u8> {
        let logs = &self.logs[Features::NAMED..];
        self.shapes
            .names()
            .iter()
            .zip(logs)
            .flat_map(|(name, log)| {
                let [a, b, c, d] = name.to_le_bytes();
                [a, b, c, d, (log * STEPS).round().clamp(-127.0, 127.0) as i8 as u8]
            })
            .collect()
    }
}

/// The logarithm that a byte of a file stands for.
pub(super) fn shape_log(byte: u8) -> f32 {
    f32::from(byte as i8) / STEPS
}

/// The name of a wide shape in a file.
fn name_of([a, b, c, d, _]: [u8; 5]) -> u32 {
    u32::from_le_bytes([a, b, c, d])
}

impl fmt::Display for FeatureWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, log) in Features::names().iter().zip(&self.logs).filter(|(_, log)| **log != 0.0) {
            writeln!(f, "{name} {log:.3}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_that_come_with_the_program_are_complete() {
        let weights = FeatureWeights::standard();
        let known = weights.logs().iter().filter(|log| **log != 0.0).count();
        assert!(known > 900, "{known}");
        let log = |fact: Fact| weights.logs()[FACT + fact as usize];
        assert!(log(Fact::Escape) > log(Fact::EscapeInVain) && log(Fact::SelfAtari) < 0.0);
        assert!(weights.logs().len() - Features::NAMED > 100_000, "{}", weights.logs().len());
        let (printed, shapes) = (weights.to_string(), weights.shape_bytes());
        assert_eq!(FeatureWeights::read(&printed, &shapes).unwrap(), weights);
    }

    #[test]
    fn broken_weights_are_refused() {
        for (text, expected) in [
            ("shape 0 x", "not a number"),
            ("shape 65535000 1.0", "unknown feature"),
            ("line 1 1e9", "beyond 20"),
            ("line", "a name and a number"),
        ] {
            let error = FeatureWeights::read(text, &[]).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        for (shapes, expected) in [(&[1; 7][..], "cut off"), (&[1; 10][..], "damaged")] {
            let error = FeatureWeights::read("", shapes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
