//! KataGo's model files: words and numbers separated by white space, and arrays of floats, either as words or, after the
//! mark `@BIN@`, as little-endian bytes.
//!
//! Arrays are read piece by piece, so that a file that promises a large one and ends early costs no memory.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The longest name or number.
const MAX_WORD: usize = 200;
/// The largest array: more than any known network has in one layer.
const MAX_ARRAY: usize = 1 << 24;
/// The most numbers of a whole network.
const MAX_NUMBERS: usize = 1 << 28;
/// The most numbers for each byte of the file: weights can hardly be compressed, so more would be a trap.
const MAX_RATIO: usize = 16;
const MARK: &[u8] = b"@BIN@";

pub(crate) struct Reader<'a> {
    input: Box<dyn BufRead + 'a>,
    /// How many numbers may still come.
    left: usize,
}

fn broken(error: &io::Error) -> String {
    format!("the file is damaged ({error}); get it again")
}

impl<'a> Reader<'a> {
    /// Reads `bytes`, unpacked if they are compressed.
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        let input: Box<dyn BufRead + 'a> = if bytes.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::new(MultiGzDecoder::new(bytes)))
        } else {
            Box::new(bytes)
        };
        Reader { input, left: MAX_NUMBERS.min(bytes.len().saturating_mul(MAX_RATIO)) }
    }

    fn peek(&mut self) -> Result<Option<u8>, String> {
        self.input.fill_buf().map(|buffer| buffer.first().copied()).map_err(|error| broken(&error))
    }

    fn skip_space(&mut self) -> Result<(), String> {
        while self.peek()?.is_some_and(|b| b.is_ascii_whitespace()) {
            self.input.consume(1);
        }
        Ok(())
    }

    /// The next word.
    pub(crate) fn word(&mut self, what: &str) -> Result<String, String> {
        self.skip_space()?;
        let mut word = Vec::new();
        while let Some(byte) = self.peek()?.filter(|b| !b.is_ascii_whitespace()) {
            if word.len() == MAX_WORD || !byte.is_ascii_graphic() {
                return Err(format!("{what} is not text: this is not a KataGo network, or it is damaged"));
            }
            word.push(byte);
            self.input.consume(1);
        }
        if word.is_empty() {
            return Err(format!("it ends before {what}: the file is not complete, get it again"));
        }
        Ok(word.into_iter().map(char::from).collect())
    }

    /// The next word as a number within limits.
    pub(crate) fn number(&mut self, what: &str, least: usize, most: usize) -> Result<usize, String> {
        let word = self.word(what)?;
        let number = word.parse().ok().filter(|n| (least..=most).contains(n));
        number.ok_or_else(|| format!("{what} is {word:?}: expected a number from {least} to {most}"))
    }

    /// The next word as a finite float.
    pub(crate) fn float(&mut self, what: &str) -> Result<f32, String> {
        let word = self.word(what)?;
        word.parse()
            .ok()
            .filter(|x: &f32| x.is_finite())
            .ok_or_else(|| format!("{what} is {word:?}, which is not a number"))
    }

    /// An array of finite floats.
    pub(crate) fn floats(&mut self, what: &str, count: usize) -> Result<Vec<f32>, String> {
        if count > MAX_ARRAY {
            return Err(format!("{what} would have {count} numbers: more than in any known network"));
        }
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            format!("{what} would have {count} numbers: more than the file holds; download it again")
        })?;
        self.skip_space()?;
        let mut floats = Vec::new();
        if self.peek()? == Some(MARK[0]) {
            let mut mark = [0; MARK.len()];
            self.input.read_exact(&mut mark).map_err(|error| broken(&error))?;
            if mark != MARK {
                return Err(format!("{what} does not begin with @BIN@: the file is damaged, get it again"));
            }
            let mut bytes = Vec::new();
            let wanted = count as u64 * 4;
            self.input.by_ref().take(wanted).read_to_end(&mut bytes).map_err(|error| broken(&error))?;
            if bytes.len() as u64 != wanted {
                return Err(format!("it ends within {what}: the file is not complete, get it again"));
            }
            floats.extend(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        } else {
            for _ in 0..count {
                floats.push(self.float(what)?);
            }
        }
        match floats.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(format!("{what} contains {x}, which is not a weight; get the file again")),
            None => Ok(floats),
        }
    }
}
