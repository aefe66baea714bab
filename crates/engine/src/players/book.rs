//! Opening books: what was played in game records, and how often it won.
//!
//! **What.** A position and its mirror images and rotations are one entry, named by the smallest of their hashes. Its moves are
//! kept as that image sees them, with the number of games and of wins for who played them.
//!
//! **Format.** Text, so that it can be read, searched and edited. The first lines tell the version, the board and
//! where it comes from; then follows a position a line: its hash, and `MOVE:GAMES:WINS` for each move, most played first. The
//! last line tells that nothing was cut off.
//!
//! ```text
//! tengen book 2
//! size 9
//! hashes 4ae5d1b3a9c90e2d
//! games 5496
//! 0000000000000000 E5:2210:1190 F6:801:402
//! end
//! ```

use std::{collections::BTreeMap, path::Path, sync::Arc};

use tengen_board::{Board, Color, Game, Move, Symmetry, Vertex, bounded, zobrist};
use thiserror::Error;

use crate::{
    gtp::Killer,
    players::{Decision, Player, PlayerError, ReplyTable, Request, StopSignal},
    playout::LearnedReply,
    rng::Rng,
    search::{RawEvaluation, SearchReport},
};

/// Larger files are refused.
const MAX_BYTES: u64 = 1 << 28;

/// The first line of a book.
const HEADER: &str = "tengen book 2";

/// The last line.
const END: &str = "end";

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// Games in which it was played.
    pub games: u32,
    /// How many of them who played it won.
    pub wins: u32,
}

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("cannot read the book {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is not as it should be.
    #[error("{path}, line {line}: {message}; build the book again with `tengen book build`")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// An opening book for one board size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The board is square with this side.
    pub size: usize,
    /// Game records that it was made of.
    pub games: usize,
    positions: BTreeMap<u64, Vec<BookMove>>,
}

impl Book {
    /// A book without positions.
    pub fn new(size: usize) -> Book {
        Book { size, games: 0, positions: BTreeMap::new() }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds the first `moves` moves of a game that `winner` won.
    pub fn add(&mut self, game: &Game, winner: Option<Color>, moves: usize) {
        let mut replay = Game::from_board(game.start().clone(), *game.rules());
        self.games += 1;
        for played in game.moves().iter().take(moves) {
            replay.set_to_play(played.color);
            let Some(v) = played.mv.vertex() else { return };
            let (key, images) = canonical(replay.board());
            let mv = images.iter().map(|image| image.vertex(v, self.size, self.size)).min();
            let mv = Move::from(mv.expect("there is always one image"));
            let known = self.positions.entry(key).or_default();
            let index = known.iter().position(|m| m.mv == mv).unwrap_or_else(|| {
                known.push(BookMove { mv, games: 0, wins: 0 });
                known.len() - 1
            });
            known[index].games += 1;
            known[index].wins += u32::from(winner == Some(played.color));
            if replay.try_play(played.mv).is_err() {
                return;
            }
        }
    }

    /// Leaves out moves that were played in fewer games than this, and sorts the others.
    pub fn prune(&mut self, min_games: u32) {
        self.positions.retain(|_, moves| {
            moves.retain(|m| m.games >= min_games);
            moves.sort_by_key(|m| (std::cmp::Reverse(m.games), m.mv.vertex()));
            !moves.is_empty()
        });
    }

    /// The moves for a position, most played first. Symmetric moves of a symmetric position are one.
    pub fn moves(&self, board: &Board) -> Vec<BookMove> {
        if (board.width(), board.height()) != (self.size, self.size) {
            return Vec::new();
        }
        let (key, images) = canonical(board);
        let back = images[0].inverse();
        let known = self.positions.get(&key).map_or(&[][..], Vec::as_slice);
        known.iter().map(|m| BookMove { mv: back.apply(m.mv, self.size, self.size), ..*m }).collect()
    }

    /// The book as text.
    pub fn to_text(&self) -> String {
        let Book { size, games, positions } = self;
        let hashes = fingerprint();
        let mut text = format!("{HEADER}\nsize {size}\nhashes {hashes:016x}\ngames {games}\n");
        for (key, moves) in positions {
            text += &format!("{key:016x}");
            for m in moves {
                text += &format!(" {}:{}:{}", m.mv, m.games, m.wins);
            }
            text.push('\n');
        }
        text + END + "\n"
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Book, BookError> {
        let name = path.display().to_string();
        let bytes = bounded::read_file(path, MAX_BYTES)
            .map_err(|source| BookError::Read { path: name.clone(), source })?;
        Book::parse(&String::from_utf8_lossy(&bytes), &name)
    }

    /// Reads a text; `name` is for messages.
    pub fn parse(text: &str, name: &str) -> Result<Book, BookError> {
        let wrong = |line: usize, message: String| BookError::Line { path: name.to_owned(), line, message };
        let mut lines = text.lines().zip(1..);
        if lines.next().is_none_or(|(line, _)| line != HEADER) {
            return Err(wrong(1, format!("this is not an opening book: it does not begin with {HEADER:?}")));
        }
        let mut field = |name: &str| {
            let (line, number) = lines.next().unwrap_or(("", 2));
            let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            value
                .map(|value| (value.to_owned(), number))
                .ok_or_else(|| wrong(number, format!("{name} is missing")))
        };
        let (size, line) = field("size")?;
        let size = size.parse().ok().filter(|size| (2..=19).contains(size));
        let size = size.ok_or_else(|| wrong(line, "the size must be from 2 to 19".to_owned()))?;
        let (hashes, line) = field("hashes")?;
        if u64::from_str_radix(&hashes, 16) != Ok(fingerprint()) {
            return Err(wrong(
                line,
                "it was built by a program that names positions in another way".to_owned(),
            ));
        }
        let (games, line) = field("games")?;
        let games = games.parse().map_err(|_| wrong(line, format!("{games:?} is not a number of games")))?;
        let mut book = Book { size, games, positions: BTreeMap::new() };
        let mut last = line;
        for (line, number) in lines {
            if line == END {
                return Ok(book);
            }
            last = number;
            let (key, moves) = parse_position(line, size).map_err(|message| wrong(number, message))?;
            if book.positions.insert(key, moves).is_some() {
                return Err(wrong(number, "this position was named before".to_owned()));
            }
        }
        Err(wrong(last, format!("the rest of the book is missing: it does not end with {END:?}")))
    }
}

fn parse_position(line: &str, size: usize) -> Result<(u64, Vec<BookMove>), String> {
    let mut words = line.split(' ');
    let key = words.next().unwrap_or_default();
    let key = u64::from_str_radix(key, 16).map_err(|_| format!("{key:?} is not the hash of a position"))?;
    let board = Board::new(size, size);
    let moves = words.map(|word| {
        let mut parts = word.split(':');
        let mv: Option<Vertex> = parts.next().and_then(|v| v.parse().ok()).filter(|&v| board.contains(v));
        let mut number = || parts.next().and_then(|n| n.parse::<u32>().ok());
        match (mv, number(), number(), parts.next()) {
            (Some(v), Some(games), Some(wins), None) if wins <= games && games > 0 => {
                Ok(BookMove { mv: v.into(), games, wins })
            }
            _ => Err(format!("{word:?} is not MOVE:GAMES:WINS on {size}x{size}")),
        }
    });
    let moves: Vec<_> = moves.collect::<Result<_, _>>()?;
    if moves.is_empty() { Err("a position without moves".to_owned()) } else { Ok((key, moves)) }
}

/// The smallest hash among the images of a position, and the symmetries that lead to it.
fn canonical(board: &Board) -> (u64, Vec<Symmetry>) {
    let turn = if board.to_play() == Color::White { zobrist::WHITE_TO_PLAY } else { 0 };
    let (width, height) = (board.width(), board.height());
    let hash = |image: Symmetry| {
        let stones = board.points().filter_map(|v| Some((v, board.color_at(v)?)));
        stones.fold(turn, |hash, (v, color)| hash ^ zobrist::stone(color, image.vertex(v, width, height)))
    };
    let hashes = Symmetry::ALL.map(hash);
    let least = hashes.iter().copied().min().unwrap_or_default();
    (least, Symmetry::ALL.into_iter().zip(hashes).filter(|(_, h)| *h == least).map(|(s, _)| s).collect())
}

/// A number that tells whether positions are named as they were when a book was built.
fn fingerprint() -> u64 {
    let v = |col, row| Vertex::new(col, row);
    zobrist::stone(Color::Black, v(2, 3)) ^ zobrist::stone(Color::White, v(16, 15)) ^ zobrist::WHITE_TO_PLAY
}

/// A player that plays from a book as long as it can.
pub struct BookPlayer {
    book: Arc<Book>,
    player: Box<dyn Player>,
    rng: Rng,
    /// Whether the last move came from the book.
    used: bool,
}

impl BookPlayer {
    /// `player`, with a book. Moves are drawn from it as often as they were played.
    pub fn new(book: Arc<Book>, player: Box<dyn Player>, seed: u64) -> BookPlayer {
        BookPlayer { book, player, rng: Rng::new(seed), used: false }
    }

    fn draw(&mut self, game: &Game) -> Option<Move> {
        let moves: Vec<_> =
            self.book.moves(game.board()).into_iter().filter(|m| game.check(m.mv).is_ok()).collect();
        let total: usize = moves.iter().map(|m| m.games as usize).sum();
        let mut drawn = self.rng.below(total.max(1));
        moves.iter().find_map(|m| match drawn.checked_sub(m.games as usize) {
            Some(rest) => {
                drawn = rest;
                None
            }
            None => Some(m.mv),
        })
    }
}

impl Player for BookPlayer {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        let is_free = !request.query.cleanup && request.query.restrictions.is_empty();
        let drawn = if is_free { self.draw(game) } else { None };
        self.used = drawn.is_some();
        drawn.map_or_else(|| self.player.decide(game, request), |mv| Ok(Decision::Play(mv)))
    }

    fn analyse(&mut self, game: &Game, request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        self.used = false;
        self.player.analyse(game, request)
    }

    fn searches(&self) -> bool {
        self.player.searches()
    }

    fn ponder(&mut self, game: &Game, stop: &StopSignal) {
        self.player.ponder(game, stop);
    }

    fn raw_evaluation(&mut self, game: &Game, symmetry: usize) -> Option<RawEvaluation> {
        self.player.raw_evaluation(game, symmetry)
    }

    fn replies(&self, table: ReplyTable, color: Color, previous: Move) -> Vec<LearnedReply> {
        self.player.replies(table, color, previous)
    }

    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
        self.player.set_seed(seed);
    }

    fn report(&self) -> Option<&SearchReport> {
        self.player.report().filter(|_| !self.used)
    }

    fn outside_cpu_seconds(&mut self) -> Option<f64> {
        self.player.outside_cpu_seconds()
    }

    fn killer(&self) -> Option<Killer> {
        self.player.killer()
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;
    use crate::{
        players::{Query, RandomPlayer},
        playout::UniformConfig,
        search::{Restriction, RestrictionKind},
    };

    fn game(moves: &str) -> Game {
        let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
        moves.split_whitespace().for_each(|mv| game.play(mv.parse().unwrap()));
        game
    }

    fn book() -> Book {
        let mut book = Book::new(9);
        book.add(&game("C3 G7 E5"), Some(Color::Black), 10);
        // The same, mirrored.
        book.add(&game("G3 C7 E5"), Some(Color::White), 10);
        book.add(&game("E5 C3"), None, 10);
        book.prune(1);
        book
    }

    #[test]
    fn images_of_a_position_are_one() {
        let book = book();
        let first = book.moves(game("").board());
        assert_eq!(first.len(), 2, "corner and centre: {first:?}");
        assert_eq!((first[0].games, first[0].wins), (2, 1));
        for corner in ["C3", "G3", "C7", "G7"] {
            let reply = book.moves(game(corner).board());
            let opposite = match corner {
                "C3" => "G7",
                "G3" => "C7",
                "C7" => "G3",
                _ => "C3",
            };
            assert_eq!(reply[0].mv, opposite.parse().unwrap(), "{corner}");
            assert_eq!((reply[0].games, reply[0].wins), (2, 1));
        }
        assert!(book.moves(game("A1").board()).is_empty());
        assert!(book.moves(&Board::new(13, 13)).is_empty());
    }

    #[test]
    fn a_book_is_written_and_read() {
        let mut book = book();
        assert_eq!(Book::parse(&book.to_text(), "book").unwrap(), book);
        book.prune(2);
        assert_eq!(book.len(), 3);
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let text = book().to_text();
        let error = |text: &str| Book::parse(text, "my.book").unwrap_err().to_string();
        assert!(error("").contains("not an opening book"));
        assert!(error("(;SZ[9])").contains("my.book, line 1"));
        assert!(error(&text.replace("size 9", "size 99")).contains("from 2 to 19"));
        assert!(error(&text.replace("hashes ", "hashes 1")).contains("build the book again"));
        assert!(error(&text.replace(":2:1", ":1:2")).contains("MOVE:GAMES:WINS"));
        assert!(error(&text.replace("games 3", "games many")).contains("not a number of games"));
        let text = text.strip_suffix("end\n").unwrap();
        assert!(error(text).contains("the rest of the book is missing"));
        assert!(error(&format!("{text}xyz C3:1:1\nend\n")).contains("not the hash"));
        assert!(error(&format!("{text}00 T19:1:1\nend\n")).contains("T19"));
        assert!(error(&format!("{text}0123\nend\n")).contains("without moves"));
        assert!(Book::read(Path::new("no/such/book")).unwrap_err().to_string().contains("no/such/book"));
    }

    #[test]
    fn a_player_leaves_the_book_when_it_ends() {
        let player = || Box::new(RandomPlayer::new(&UniformConfig::default(), 1));
        let mut player = BookPlayer::new(Arc::new(book()), player(), 5);
        let request = Request::default();
        assert_eq!(player.decide(&game("C7"), &request).unwrap(), Decision::Play("G3".parse().unwrap()));
        let Decision::Play(mv) = player.decide(&game("A1"), &request).unwrap() else { panic!("resigned") };
        assert!(game("A1").check(mv).is_ok());
        // A player that was told which moves to consider has to think.
        let kind = RestrictionKind::Avoid;
        let avoid = Restriction { kind, color: Color::White, moves: vec!["G3".parse().unwrap()], depth: 1 };
        let query = Query { restrictions: vec![avoid], ..Query::default() };
        player.decide(&game("C7"), &Request { query, ..request }).unwrap();
        assert!(!player.used);
    }
}
