//! Arrays in `.npz` files, as numpy writes and reads them: a zip archive with an `.npy` file for each array.
//!
//! Written by hand because records need half precision and strings, and because a file from outside must not make us
//! allocate what its header claims: an array is read only if the archive holds as many bytes, and a file's arrays together
//! only up to a limit, which also holds for what is written.

use std::io::{Cursor, Read, Write};

use half::f16;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// Bytes of all arrays of a file, unpacked; a file that holds more is neither read nor written.
const MAX_BYTES: u64 = 1 << 28;
/// Headers longer than this are refused.
const MAX_HEADER: usize = 1 << 12;

/// What an array consists of.
pub(super) trait Element: Sized {
    /// numpy's name of the type.
    fn name() -> String;
    /// Bytes of one.
    const SIZE: usize;
    fn put(&self, bytes: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($type:ty, $name:literal) => {
        impl Element for $type {
            const SIZE: usize = size_of::<$type>();
            fn name() -> String {
                $name.to_owned()
            }
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> $type {
                <$type>::from_le_bytes(bytes.try_into().expect("an element's bytes"))
            }
        }
    };
}

number!(u8, "|u1");
number!(i8, "|i1");
number!(i16, "<i2");
number!(u32, "<u4");
number!(f32, "<f4");
number!(f16, "<f2");

/// A short text of ASCII letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl Element for Text {
    const SIZE: usize = 64;
    fn name() -> String {
        format!("|S{}", Self::SIZE)
    }
    fn put(&self, bytes: &mut Vec<u8>) {
        let text = self.0.bytes().filter(u8::is_ascii).chain(std::iter::repeat(0));
        bytes.extend(text.take(Self::SIZE));
    }
    fn get(bytes: &[u8]) -> Text {
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

/// Writes an `.npz` file.
pub(super) struct Writer {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    /// What is left of the file's bytes.
    left: u64,
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer { zip: ZipWriter::new(Cursor::new(Vec::new())), left: MAX_BYTES }
    }

    /// Adds an array.
    pub(super) fn array<T: Element>(
        &mut self,
        name: &str,
        shape: &[usize],
        elements: impl Iterator<Item = T>,
    ) -> std::io::Result<()> {
        let dimensions = shape.iter().fold(String::new(), |text, n| text + &n.to_string() + ", ");
        let mut header =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({dimensions}), }}", T::name());
        // The data begin at a multiple of 64 bytes, after a line break.
        let padding = 63 - (10 + header.len()) % 64;
        header.extend(std::iter::repeat_n(' ', padding));
        header.push('\n');
        let count = shape.iter().product::<usize>();
        let size = (10 + header.len() + count * T::SIZE) as u64;
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            let message =
                format!("the records hold more than {} MB: put fewer games into a file", MAX_BYTES >> 20);
            std::io::Error::new(std::io::ErrorKind::FileTooLarge, message)
        })?;
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        let begin = bytes.len();
        bytes.reserve(count * T::SIZE);
        elements.for_each(|element| element.put(&mut bytes));
        assert_eq!(bytes.len() - begin, count * T::SIZE, "{name} has its shape");
        // Without a time, so that equal records make equal files.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default());
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&bytes)
    }

    /// The file's bytes.
    pub(super) fn finish(self) -> std::io::Result<Vec<u8>> {
        Ok(self.zip.finish()?.into_inner())
    }
}

/// Reads an `.npz` file.
pub(super) struct Reader<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// What is left of the file's bytes.
    left: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Reader<'a>, String> {
        let zip =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("not an .npz file ({error})"))?;
        Ok(Reader { zip, left: MAX_BYTES })
    }

    /// Whether there is such an array.
    pub(super) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// An array and its shape.
    pub(super) fn array<T: Element>(&mut self, name: &str) -> Result<(Vec<usize>, Vec<T>), String> {
        let fail = |what: &str| format!("the array {name} {what}");
        let Ok(mut entry) = self.zip.by_name(&format!("{name}.npy")) else { return Err(fail("is missing")) };
        let size = entry.size();
        self.left = self.left.checked_sub(size).ok_or_else(|| {
            fail(&format!("is too large: a file is read up to {} MB unpacked", MAX_BYTES >> 20))
        })?;
        let mut start = [0; 10];
        entry.read_exact(&mut start).map_err(|_| fail("is cut off"))?;
        let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
        if start[..8] != *b"\x93NUMPY\x01\x00" || length > MAX_HEADER {
            return Err(fail("is not in numpy's format, version 1"));
        }
        let mut header = vec![0; length];
        entry.read_exact(&mut header).map_err(|_| fail("is cut off"))?;
        let header = String::from_utf8_lossy(&header).into_owned();
        let expected = T::name();
        if !header.contains(&format!("'descr': '{expected}'")) || !header.contains("'fortran_order': False") {
            return Err(fail(&format!("is not of type {expected}, row by row: {}", header.trim())));
        }
        let shape = shape(&header).ok_or_else(|| fail(&format!("has no shape: {}", header.trim())))?;
        let count = shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
        let bytes = count.and_then(|count| count.checked_mul(T::SIZE));
        let Some(bytes) = bytes.filter(|bytes| *bytes as u64 + (10 + length) as u64 == size) else {
            return Err(fail(&format!("has the shape {shape:?}, which is not what the file holds")));
        };
        // What a compressed entry holds is known when it is unpacked, whatever it claims.
        let (mut data, mut left, mut buffer) = (Vec::new(), bytes, [0; 1 << 13]);
        while left > 0 {
            let part = &mut buffer[..left.min(1 << 13)];
            entry.read_exact(part).map_err(|error| fail(&format!("is cut off or damaged ({error})")))?;
            data.extend(part.chunks_exact(T::SIZE).map(T::get));
            left -= part.len();
        }
        Ok((shape, data))
    }
}

/// The shape that a header tells.
fn shape(header: &str) -> Option<Vec<usize>> {
    let (_, rest) = header.split_once("'shape': (")?;
    let (inside, _) = rest.split_once(')')?;
    inside.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_survive_a_round_trip() {
        let mut writer = Writer::new();
        let half = |x: &f32| f16::from_f32(*x);
        writer.array("shares", &[2, 3], [0.0, 0.25, 0.5, 1.0, -1.0, 2.0].iter().map(half)).unwrap();
        writer.array("names", &[2], ["one", "two"].iter().map(|s| Text((*s).to_owned()))).unwrap();
        writer.array("format", &[], std::iter::once(1u8)).unwrap();
        let bytes = writer.finish().unwrap();
        let mut reader = Reader::new(&bytes).unwrap();
        let (shape, shares) = reader.array::<f16>("shares").unwrap();
        assert_eq!((shape, shares[1].to_f32(), shares[5].to_f32()), (vec![2, 3], 0.25, 2.0));
        assert_eq!(reader.array::<Text>("names").unwrap().1[1], Text("two".to_owned()));
        assert_eq!(reader.array::<u8>("format").unwrap(), (vec![], vec![1]));
        assert!(reader.has("names") && !reader.has("ownership"));
        assert!(reader.array::<f32>("shares").unwrap_err().contains("not of type <f4"));
        assert!(reader.array::<u8>("nothing").unwrap_err().contains("missing"));
    }

    #[test]
    fn false_claims_are_refused() {
        let mut writer = Writer::new();
        writer.array("format", &[1], std::iter::once(1u8)).unwrap();
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("boards.npy", SimpleFileOptions::default()).unwrap();
        let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999, 19, 19), }";
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        let bytes = archive.finish().unwrap().into_inner();
        let error = Reader::new(&bytes).unwrap().array::<u8>("boards").unwrap_err();
        assert!(error.contains("not what the file holds"), "{error}");
        assert!(Reader::new(b"nothing").is_err());
    }

    #[test]
    fn the_arrays_of_a_file_share_a_budget() {
        // Half the budget each, which pack into some hundred kB.
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let length = MAX_BYTES / 2 - 128;
        for name in ["one", "two", "three"] {
            archive.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
            let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({length},), }}");
            archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
            archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
            archive.write_all(header.as_bytes()).unwrap();
            std::io::copy(&mut std::io::repeat(0).take(length), &mut archive).unwrap();
        }
        let bytes = archive.finish().unwrap().into_inner();
        assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
        let mut reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.array::<u8>("one").unwrap().1.len() as u64, length);
        reader.array::<u8>("two").unwrap();
        assert!(reader.array::<u8>("three").unwrap_err().contains("up to 256 MB"));
        let mut writer = Writer::new();
        writer.array("one", &[1 << 20], std::iter::repeat_n(0u8, 1 << 20)).unwrap();
        let count = (MAX_BYTES as usize) - (1 << 20);
        let error = writer.array("two", &[count], std::iter::repeat_n(0u8, count)).unwrap_err();
        assert!(error.to_string().contains("fewer games"), "{error}");
    }
}
