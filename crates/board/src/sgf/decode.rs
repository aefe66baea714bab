//! From bytes to text.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::{MAX_BYTES, Problem, SgfError};

/// A byte order mark decides, then the property `CA` of the first game if the bytes agree with it, then UTF-8 if they
/// are valid, then Latin-1 (in its Windows variant, which has a character for each byte).
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, SgfError> {
    if bytes.len() > MAX_BYTES {
        return Err(SgfError { place: None, problem: Problem::TooLarge });
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let declared = declared_charset(bytes)
        .and_then(Encoding::for_label)
        .filter(|encoding| ![REPLACEMENT, UTF_16BE, UTF_16LE].contains(encoding));
    if let Some(text) =
        declared.and_then(|encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes))
    {
        return Ok(text);
    }
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => declared.unwrap_or(WINDOWS_1252).decode_without_bom_handling(bytes).0,
    })
}

/// The value of `CA` in the first node.
fn declared_charset(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = bytes.windows(2).position(|pair| pair == b"(;")? + 2;
    let mut identifier = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'[' => {
                let name: Vec<u8> =
                    bytes[identifier..at].iter().copied().filter(u8::is_ascii_uppercase).collect();
                let start = at + 1;
                at = start;
                while *bytes.get(at)? != b']' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if name == b"CA" {
                    return Some(bytes[start..at].trim_ascii());
                }
                identifier = at + 1;
            }
            b';' | b'(' | b')' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        let cases: [(&[u8], &str); 7] = [
            (b"(;PB[\xe9])", "(;PB[\u{e9}])"),
            (b"(;PB[\xc3\xa9])", "(;PB[\u{e9}])"),
            (b"\xef\xbb\xbf(;PB[\xc3\xa9])", "(;PB[\u{e9}])"),
            (b"(;FF[4]CA[gb2312]PB[\xb9\xc5\xc1\xa6])", "(;FF[4]CA[gb2312]PB[\u{53e4}\u{529b}])"),
            (b"(;CA[Shift_JIS]PB[\x83\x5c])", "(;CA[Shift_JIS]PB[\u{30bd}])"),
            (b"(;CA[UTF-8]PB[\xe9])", "(;CA[UTF-8]PB[\u{fffd}])"),
            (b"\xff\xfe(\0;\0)\0", "(;)"),
        ];
        for (bytes, text) in cases {
            assert_eq!(decode(bytes).unwrap(), text);
        }
    }
}
