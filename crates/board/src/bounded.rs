//! Input from outside, read within a bound: two megabytes can unpack to gigabytes, and a device never ends.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

/// Most bytes of a file that somebody wrote by hand, or could have: players, openings, problems.
pub const MAX_TEXT: u64 = 64 << 20;

/// Everything that `input` holds, unless that is more than `limit` bytes.
///
/// ```
/// use tengen_board::bounded;
/// assert_eq!(bounded::read(&b"tengen"[..], 6).unwrap(), b"tengen");
/// assert!(bounded::read(std::io::repeat(0), 1 << 20).unwrap_err().to_string().contains("1 MB"));
/// ```
pub fn read(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= limit {
        return Ok(bytes);
    }
    let limit = if limit >= 1 << 20 { format!("{} MB", limit >> 20) } else { format!("{limit} bytes") };
    let message =
        format!("it holds more than {limit}, the most that is read: split it, or name another file");
    Err(io::Error::new(ErrorKind::FileTooLarge, message))
}

/// The bytes of a file.
pub fn read_file(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    read(File::open(path)?, limit)
}

/// The text of a file of at most [`MAX_TEXT`] bytes.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_file(path, MAX_TEXT)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}
