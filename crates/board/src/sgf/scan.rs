//! From text to a game tree. Nothing here recurses, so that no nesting can exhaust the stack.

use super::{
    MAX_NODES, Place, Problem, SgfError, decode,
    tree::{NodeId, Record, intern},
};

impl Record {
    /// Reads the first game of a file.
    pub fn parse(bytes: &[u8]) -> Result<Record, SgfError> {
        let text = decode::decode(bytes)?;
        games(&text).next().unwrap_or(Err(SgfError { place: None, problem: Problem::NoGame }))
    }
}

/// The games of a collection, one by one: for large files. Text before, between and after them is skipped. Nothing
/// follows an error.
pub fn games(text: &str) -> Games<'_> {
    Games { text, at: 0, mark: 0, place: Place { line: 1, column: 1 }, state: State::First }
}

/// See [`games`].
pub struct Games<'a> {
    text: &'a str,
    at: usize,
    /// Where `place` was last brought up to date.
    mark: usize,
    place: Place,
    state: State,
}

#[derive(PartialEq)]
enum State {
    First,
    Later,
    Over,
}

impl Iterator for Games<'_> {
    type Item = Result<Record, SgfError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Over {
            return None;
        }
        let first = std::mem::replace(&mut self.state, State::Later) == State::First;
        let game = match self.find_game() {
            true => self.game(),
            false if first => {
                self.at = 0;
                Err(self.error(Problem::NoGame))
            }
            false => {
                self.state = State::Over;
                return None;
            }
        };
        if game.is_err() {
            self.state = State::Over;
        }
        Some(game)
    }
}

impl Games<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace() || b == 0x0b) {
            self.at += 1;
        }
    }

    /// The line and column of the current character.
    fn here(&mut self) -> Place {
        for &byte in &self.text.as_bytes()[self.mark..self.at] {
            if byte == b'\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else if byte & 0xc0 != 0x80 {
                self.place.column += 1;
            }
        }
        self.mark = self.at;
        self.place
    }

    fn error(&mut self, problem: Problem) -> SgfError {
        if self.at < self.mark {
            (self.mark, self.place) = (0, Place { line: 1, column: 1 });
        }
        SgfError { place: Some(self.here()), problem }
    }

    /// What is wrong with the current character.
    fn unexpected(&mut self) -> SgfError {
        match self.text[self.at..].chars().next() {
            Some(c) => self.error(Problem::Unexpected(c)),
            None => self.error(Problem::UnclosedTree),
        }
    }

    /// Goes to the next `(` that a `;` follows.
    fn find_game(&mut self) -> bool {
        while let Some(found) = self.text[self.at..].find('(') {
            let start = self.at + found;
            self.at = start + 1;
            self.skip_space();
            if self.peek() == Some(b';') {
                self.at = start;
                return true;
            }
        }
        false
    }

    fn game(&mut self) -> Result<Record, SgfError> {
        let mut record = Record::without_nodes();
        let mut current: Option<NodeId> = None;
        let mut open = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'(') => {
                    open.push(current);
                    self.at += 1;
                    self.skip_space();
                    match self.peek() {
                        Some(b';') => {}
                        Some(_) => return Err(self.error(Problem::EmptyTree)),
                        None => return Err(self.error(Problem::UnclosedTree)),
                    }
                }
                Some(b';') => {
                    if record.len() == MAX_NODES {
                        return Err(self.error(Problem::TooLarge));
                    }
                    let place = self.here();
                    self.at += 1;
                    let id = record.push_node(current, Some(place));
                    self.properties(&mut record, id)?;
                    current = Some(id);
                }
                Some(b')') => {
                    self.at += 1;
                    current = open.pop().flatten();
                    if open.is_empty() {
                        return Ok(record);
                    }
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn properties(&mut self, record: &mut Record, id: NodeId) -> Result<(), SgfError> {
        loop {
            self.skip_space();
            if !self.peek().is_some_and(|b| b.is_ascii_alphabetic()) {
                return Ok(());
            }
            let start = self.at;
            while self.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
                self.at += 1;
            }
            let written = &self.text[start..self.at];
            // FF[3] allows small letters, which do not count: `White` is `W`.
            let identifier = if written.bytes().any(|b| b.is_ascii_lowercase()) {
                let capitals: String = written.chars().filter(|c| !c.is_ascii_lowercase()).collect();
                if !capitals.starts_with(|c: char| c.is_ascii_uppercase()) {
                    self.at = start;
                    return Err(self.unexpected());
                }
                intern(&capitals)
            } else {
                intern(written)
            };
            self.skip_space();
            if self.peek() != Some(b'[') {
                return Err(self.error(Problem::NoValue(identifier.chars().take(20).collect())));
            }
            let mut values = Vec::with_capacity(1);
            while self.peek() == Some(b'[') {
                values.push(self.value(&identifier)?);
                self.skip_space();
            }
            record.node_mut(id).push(identifier, values);
        }
    }

    /// What stands between `[` and `]`, as it is.
    fn value(&mut self, identifier: &str) -> Result<String, SgfError> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut end = start;
        loop {
            match bytes.get(end) {
                Some(b']') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return Err(self.error(Problem::UnclosedValue(identifier.chars().take(20).collect()))),
            }
        }
        self.at = end + 1;
        Ok(self.text[start..end].to_owned())
    }
}
