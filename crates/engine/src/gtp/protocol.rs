//! The text of the Go Text Protocol, version 2 (draft 2): requests in, responses out, no meaning.
//!
//! Input may be anything: a line is read as bytes, never held beyond [`MAX_LINE`], and whatever it contains becomes
//! either a [`Request`] or a response that says what is wrong with it. Output is always well formed: a [`Response`]
//! contains no control characters and no empty line, because an empty line ends it.

use std::{
    fmt,
    io::{self, BufRead, ErrorKind},
};

/// Bytes of a line that are kept. The longest sensible line, a set-up of every point, needs about 3,000.
pub const MAX_LINE: usize = 1 << 16;
/// Digits that an id may have. GTP asks for 31 bits; any number is sent back as it came.
pub const MAX_ID_DIGITS: usize = 40;

/// A command as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number that the response repeats, digit by digit.
    pub id: Option<String>,
    /// The command.
    pub name: String,
    /// Everything after the command, spaces at both ends removed.
    pub arguments: String,
}

/// What a line of input turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing to answer: an empty line or a comment.
    Blank,
    /// GoGui's comment `# interrupt`: ends the running search, and is not answered.
    Interrupt,
    /// A command.
    Request(Request),
    /// Not a command; the response says why.
    Malformed(Response),
}

/// The bytes of a line, without its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawLine {
    /// As many bytes as are kept, usually [`MAX_LINE`].
    pub bytes: Vec<u8>,
    /// Whether the line was longer than that.
    pub is_cut: bool,
}

/// Reads a line, however long, in bounded memory; `None` at the end of the input.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<RawLine>> {
    read_line_up_to(input, MAX_LINE)
}

/// [`read_line`] that keeps `most` bytes.
pub(crate) fn read_line_up_to(input: &mut impl BufRead, most: usize) -> io::Result<Option<RawLine>> {
    let mut line = RawLine::default();
    let mut is_empty = true;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok((!is_empty).then_some(line));
        }
        is_empty = false;
        let end = available.iter().position(|&byte| byte == b'\n');
        let content = &available[..end.unwrap_or(available.len())];
        let kept = content.len().min(most - line.bytes.len());
        line.bytes.extend_from_slice(&content[..kept]);
        line.is_cut |= kept < content.len();
        let used = content.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

/// Reads a line as sections 2.4 and 2.5 of the specification say: control characters are dropped, tabs become spaces,
/// comments go, an optional number and a command remain.
pub fn parse_line(line: &RawLine) -> Line {
    let text = String::from_utf8_lossy(&line.bytes);
    let text: String =
        text.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    let (text, comment) = match text.split_once('#') {
        Some((text, comment)) => (text.trim(), Some(comment)),
        None => (text.trim(), None),
    };
    if text.is_empty() {
        return match comment {
            Some(comment) if comment.trim() == "interrupt" => Line::Interrupt,
            None if line.is_cut => Line::Malformed(Response::failure(None, too_long())),
            _ => Line::Blank,
        };
    }
    let (first, rest) = split_word(text);
    let is_number = first.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && first.len() > MAX_ID_DIGITS {
        let message = format!("syntax error: an id of {} digits; {MAX_ID_DIGITS} are allowed", first.len());
        return Line::Malformed(Response::failure(None, message));
    }
    let (id, (name, arguments)) =
        if is_number { (Some(first.to_owned()), split_word(rest)) } else { (None, (first, rest)) };
    if line.is_cut && comment.is_none() {
        return Line::Malformed(Response::failure(id, too_long()));
    }
    if name.is_empty() {
        return Line::Malformed(Response::failure(id, "syntax error: an id without a command"));
    }
    Line::Request(Request { id, name: name.to_owned(), arguments: arguments.to_owned() })
}

fn too_long() -> String {
    format!("syntax error: the line is longer than {MAX_LINE} characters")
}

/// The first word and what follows the spaces after it.
fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(' ') {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// The answer to one request: `=id text` or `?id text`, and an empty line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    id: Option<String>,
    is_success: bool,
    text: String,
    /// Whether `=`, the id and some lines have been written already.
    is_begun: bool,
}

impl Response {
    /// The command was carried out. A text that begins with a line end starts below the `=`, as a board should.
    pub fn success(id: Option<String>, text: impl AsRef<str>) -> Response {
        Response { id, is_success: true, text: well_formed(text.as_ref()), is_begun: false }
    }

    /// The command was refused.
    pub fn failure(id: Option<String>, message: impl AsRef<str>) -> Response {
        Response { id, is_success: false, text: well_formed(message.as_ref()), is_begun: false }
    }

    /// What a response begins with whose lines are written one by one; [`Response::end`] ends it.
    pub(super) fn beginning(id: Option<&str>) -> String {
        format!("={}\n", id.unwrap_or(""))
    }

    /// The last lines of a response that was begun.
    pub(super) fn end(id: Option<String>, text: impl AsRef<str>) -> Response {
        Response { id, is_success: true, text: well_formed(text.as_ref()), is_begun: true }
    }

    /// Whether the command was carried out.
    pub fn is_success(&self) -> bool {
        self.is_success
    }

    /// What follows `=` or `?` and the id.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the request.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_begun {
            let line_end = if self.text.is_empty() { "" } else { "\n" };
            return writeln!(f, "{}{line_end}", self.text.trim_start());
        }
        f.write_str(if self.is_success { "=" } else { "?" })?;
        f.write_str(self.id.as_deref().unwrap_or(""))?;
        if !self.text.is_empty() && !self.text.starts_with('\n') {
            f.write_str(" ")?;
        }
        write!(f, "{}\n\n", self.text)
    }
}

/// Without control characters, empty lines and spaces at line ends; a line end at the beginning stays.
fn well_formed(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|&c| c == '\n' || !c.is_control())
        .collect();
    let lines: Vec<_> = clean.split('\n').map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let start = if clean.starts_with('\n') && !lines.is_empty() { "\n" } else { "" };
    format!("{start}{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Line {
        let mut input = bytes;
        let line = read_line(&mut input).unwrap().unwrap_or_default();
        parse_line(&line)
    }

    fn request(id: Option<&str>, name: &str, arguments: &str) -> Line {
        Line::Request(Request {
            id: id.map(str::to_owned),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        })
    }

    fn message(line: Line) -> String {
        match line {
            Line::Malformed(response) => response.to_string(),
            other => panic!("{other:?} is not malformed"),
        }
    }

    #[test]
    fn a_command_has_an_optional_number_and_arguments() {
        assert_eq!(parse(b"play b D4"), request(None, "play", "b D4"));
        assert_eq!(parse(b"  12   play  b  D4  \n"), request(Some("12"), "play", "b  D4"));
        assert_eq!(parse(b"007 name"), request(Some("007"), "name", ""));
        assert_eq!(parse(b"1e9 name"), request(None, "1e9", "name"));
    }

    #[test]
    fn comments_control_characters_and_line_ends_go() {
        assert_eq!(parse(b"play b D4 # a good move\r\n"), request(None, "play", "b D4"));
        assert_eq!(parse(b"\x01\x02na\x00me\x7f\r\n"), request(None, "name", ""));
        assert_eq!(parse(b"1\tplay\tb\tD4"), request(Some("1"), "play", "b D4"));
        for blank in [&b""[..], b"\n", b"   \t \r\n", b"# nothing", b"\x00\x01\n"] {
            assert_eq!(parse(blank), Line::Blank, "{blank:?}");
        }
        assert_eq!(parse(b"# interrupt\n"), Line::Interrupt);
    }

    #[test]
    fn bytes_that_are_not_utf8_become_a_command_nobody_knows() {
        assert_eq!(parse(b"\xff\xfe name\n"), request(None, "\u{fffd}\u{fffd}", "name"));
    }

    #[test]
    fn ids_of_any_sensible_length_come_back() {
        let id = "98765432109876543210987";
        assert_eq!(parse(format!("{id} name").as_bytes()), request(Some(id), "name", ""));
        assert!(
            message(parse("9".repeat(50_000).as_bytes()))
                .starts_with("? syntax error: an id of 50000 digits")
        );
        assert_eq!(message(parse(b"5\n")), "?5 syntax error: an id without a command\n\n");
    }

    #[test]
    fn long_lines_are_refused_and_the_next_one_is_read() {
        let text = format!("7 {}\nname\n{}#{}\n", "x".repeat(100_000), "", "y".repeat(100_000));
        let mut input = text.as_bytes();
        let mut lines = std::iter::from_fn(|| read_line(&mut input).unwrap());
        let first = lines.next().unwrap();
        assert_eq!(first.bytes.len(), MAX_LINE);
        assert!(message(parse_line(&first)).starts_with("?7 syntax error: the line is longer"));
        assert_eq!(parse_line(&lines.next().unwrap()), request(None, "name", ""));
        assert_eq!(parse_line(&lines.next().unwrap()), Line::Blank);
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn responses_end_with_one_empty_line_and_contain_none() {
        let show = |text: &str| Response::success(Some("3".into()), text).to_string();
        assert_eq!(show(""), "=3\n\n");
        assert_eq!(show("pass"), "=3 pass\n\n");
        assert_eq!(show("a\n\n\nb\r\n \n"), "=3 a\nb\n\n");
        assert_eq!(show("\n A B\n 1 ."), "=3\n A B\n 1 .\n\n");
        assert_eq!(show("\n\n"), "=3\n\n");
        assert_eq!(Response::failure(None, "cannot undo").to_string(), "? cannot undo\n\n");
    }
}
