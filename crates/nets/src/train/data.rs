//! Game records, and labels, as training positions.
//!
//! Games are kept as their moves, two bytes each, and replayed up to the position that is asked for: that takes
//! microseconds, and millions of positions fit in memory.

use std::path::{Path, PathBuf};

use tengen_board::{
    Board, Color, Game, Move, Outcome, PlayedMove, Reason, Symmetry, Vertex,
    sgf::{self, Record},
};

use super::example::{Example, MoveTarget};
use crate::{
    error::NetError,
    model::planes::Rank,
    records::{Opinion, RecordedPosition, Records},
};

/// One game.
#[derive(Debug)]
struct StoredGame {
    /// The position before the first move, if it is not an empty board with Black to play.
    start: Option<Box<Board>>,
    /// Vertex indices, [`WHITE`] added for White's moves.
    moves: Box<[u16]>,
    komi: f32,
    outcome: Option<Outcome>,
    /// Black's and White's.
    ranks: [Option<Rank>; 2],
    /// What was thought of positions, if it was written down: those are learned from, and no others.
    thoughts: Box<[Thought]>,
}

/// What was thought of a position.
#[derive(Debug)]
struct Thought {
    /// Moves before it.
    at: u16,
    weight: f32,
    opinion: Opinion,
}

impl StoredGame {
    /// Number of positions to learn from.
    fn len(&self) -> usize {
        if self.thoughts.is_empty() { self.moves.len() } else { self.thoughts.len() }
    }
}

const WHITE: u16 = 1 << 15;

fn color(code: u16) -> Color {
    if code & WHITE == 0 { Color::Black } else { Color::White }
}

/// Games of one file on boards of one size.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// How often its positions are drawn, relative to those of other groups.
    pub(crate) weight: f64,
    games: Vec<StoredGame>,
    /// Positions before each game, and in all.
    ends: Vec<u64>,
}

/// A file of game records, and how often its positions are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// `.sgf`, `.sgf.gz`, or `.npz` with labels.
    pub path: PathBuf,
    /// 1 unless told otherwise.
    pub weight: f64,
}

impl std::str::FromStr for DataFile {
    type Err = String;

    /// `FILE` or `FILE:WEIGHT`.
    fn from_str(text: &str) -> Result<DataFile, String> {
        let plain = |text: &str| DataFile { path: PathBuf::from(text), weight: 1.0 };
        match text.rsplit_once(':').map(|(path, weight)| (path, weight.parse::<f64>())) {
            Some((path, Ok(weight))) if weight > 0.0 && weight.is_finite() => {
                Ok(DataFile { path: PathBuf::from(path), weight })
            }
            Some((_, Ok(weight))) => {
                Err(format!("the weight {weight} is not a positive number: write FILE:WEIGHT"))
            }
            _ => Ok(plain(text)),
        }
    }
}

/// A position of a game with the moves that led to it.
pub(crate) struct Opening {
    /// The position before those moves.
    pub(crate) start: Board,
    pub(crate) moves: Vec<PlayedMove>,
    pub(crate) komi: f32,
}

impl Group {
    /// The position of this number, as the last `history` moves led to it, after a symmetry.
    pub(crate) fn opening(&self, index: u64, history: usize, symmetry: Symmetry) -> Opening {
        let (stored, number) = self.find(index);
        let at = stored.thoughts.get(number).map_or(number, |thought| thought.at as usize);
        let mut start = self.start(stored, symmetry);
        let played = |&code: &u16| PlayedMove { color: color(code), mv: self.turn(code, symmetry) };
        let (before, moves) = stored.moves[..at].split_at(at.saturating_sub(history));
        for m in before.iter().map(played) {
            start.set_to_play(m.color);
            start.play_unchecked(m.mv);
        }
        Opening { start, moves: moves.iter().map(played).collect(), komi: stored.komi }
    }

    /// The game of a position, and which of its positions it is.
    fn find(&self, index: u64) -> (&StoredGame, usize) {
        let game = self.ends.partition_point(|end| *end <= index);
        let first = if game == 0 { 0 } else { self.ends[game - 1] };
        (&self.games[game], (index - first) as usize)
    }

    fn turn(&self, code: u16, symmetry: Symmetry) -> Move {
        let v = Vertex::from_index((code & !WHITE) as usize);
        if v == Vertex::NONE { Move::PASS } else { symmetry.vertex(v, self.width, self.height).into() }
    }

    /// Number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// What each position with an opinion counts.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> {
        self.games.iter().flat_map(|game| game.thoughts.iter().map(|thought| thought.weight))
    }

    fn push(&mut self, game: StoredGame) {
        self.ends.push(self.len() + game.len() as u64);
        self.games.push(game);
    }

    /// Every game of so many, beginning with the one of this number.
    pub(crate) fn part(mut self, number: usize, of: usize) -> Group {
        let games = std::mem::take(&mut self.games);
        self.ends.clear();
        games.into_iter().skip(number).step_by(of).for_each(|game| self.push(game));
        self
    }

    /// The position of this number, after a symmetry, as an example.
    pub(crate) fn example(&self, index: u64, symmetry: Symmetry, ownership: bool) -> Example {
        let (stored, number) = self.find(index);
        let thought = stored.thoughts.get(number);
        let at = thought.map_or(number, |thought| thought.at as usize);
        let mut board = self.start(stored, symmetry);
        let mut history = Vec::with_capacity(at + 1);
        for &code in &stored.moves[..at] {
            self.play(&mut board, code, symmetry);
            history.push(self.turn(code, symmetry));
        }
        let me = color(stored.moves[at]);
        board.set_to_play(me);
        let mut example = Example {
            history,
            komi: stored.komi,
            rank: stored.ranks[(!me).index()],
            policy: Vec::new(),
            value: None,
            score: None,
            ownership: None,
            weight: thought.map_or(1.0, |thought| thought.weight),
            advantage: 1.0,
            board,
        };
        match thought {
            Some(thought) => self.set_opinion(&mut example, &thought.opinion, symmetry),
            None => self.set_outcome(&mut example, stored, at, symmetry, ownership),
        }
        example
    }

    fn play(&self, board: &mut Board, code: u16, symmetry: Symmetry) {
        board.set_to_play(color(code));
        board.play_unchecked(self.turn(code, symmetry));
    }

    /// Sets the targets that somebody's opinion tells.
    fn set_opinion(&self, example: &mut Example, opinion: &Opinion, symmetry: Symmetry) {
        let (width, height) = (self.width, self.height);
        let image = |index: usize| {
            if index == width * height {
                return index;
            }
            symmetry.vertex(Vertex::new(index % width, index / width), width, height).place(width)
        };
        let shares =
            opinion.policy.iter().map(|&(index, share)| (image(index as usize), share.to_f32())).collect();
        example.policy = vec![MoveTarget { shares, among: None }];
        example.value = Some(opinion.value.midpoint(1.0));
        example.score = Some(opinion.score);
        if !opinion.ownership.is_empty() {
            let mut owners = vec![0.0; width * height];
            for (index, &owner) in opinion.ownership.iter().enumerate() {
                owners[image(index)] = f32::from(owner) / 127.0;
            }
            example.ownership = Some(owners);
        }
    }

    /// Sets the targets that the rest of the game tells.
    fn set_outcome(
        &self,
        example: &mut Example,
        stored: &StoredGame,
        at: usize,
        symmetry: Symmetry,
        ownership: bool,
    ) {
        let me = example.board.to_play();
        // A lookahead target is only one if the colours alternate.
        let alternating = |i: &usize| {
            let code = stored.moves[at + i];
            color(code) == if i.is_multiple_of(2) { me } else { !me }
        };
        let follow = (0..3.min(stored.moves.len() - at)).take_while(alternating);
        let target = |i: usize| MoveTarget::one(&example.board, self.turn(stored.moves[at + i], symmetry));
        example.policy = follow.map(target).collect();
        example.value = stored.outcome.map(|outcome| match outcome.winner() {
            Some(winner) => f32::from(winner == Color::Black),
            None => 0.5,
        });
        example.score = match stored.outcome {
            Some(Outcome::Draw) => Some(0.0),
            Some(Outcome::Win { winner, by: Reason::Points(points) }) => Some(points * winner.sign() as f32),
            _ => None,
        };
        example.ownership = example.score.filter(|_| ownership).and_then(|score| {
            let mut last = example.board.clone();
            stored.moves[at..].iter().for_each(|&code| self.play(&mut last, code, symmetry));
            let owners = super::ownership::final_owners(&last, stored.komi, score)?;
            Some(last.points().map(|v| owners[v]).collect())
        });
    }

    fn start(&self, game: &StoredGame, symmetry: Symmetry) -> Board {
        let (width, height) = (self.width, self.height);
        let mut board = Board::new(width, height);
        if let Some(start) = &game.start {
            let stones: Vec<_> = start
                .points()
                .filter_map(|v| Some((symmetry.vertex(v, width, height), Some(start.color_at(v)?))))
                .collect();
            board = board.edited(&stones).unwrap_or(board);
            board.set_to_play(start.to_play());
        }
        board
    }
}

/// Reads files of game records and of labels. `progress` is told the number of games so far.
pub(crate) fn load(files: &[DataFile], mut progress: impl FnMut(usize)) -> Result<Vec<Group>, NetError> {
    let (mut groups, mut count) = (Vec::new(), 0);
    for file in files {
        if file.path.extension().is_some_and(|extension| extension == "npz") {
            count += add_records(&mut groups, Records::load(&file.path)?, file.weight);
            progress(count);
            continue;
        }
        groups.extend(parse(&read_text(&file.path)?, file, || {
            count += 1;
            if count % 1000 == 0 {
                progress(count);
            }
        })?);
    }
    Ok(groups)
}

/// Adds the games of a file of labels to the group of their size and weight; their number.
pub(crate) fn add_records(groups: &mut Vec<Group>, records: Records, weight: f64) -> usize {
    let Records { width, height, games } = records;
    let is_home = |g: &Group| {
        (g.width, g.height, g.weight) == (width, height, weight)
            && g.games.first().is_some_and(|game| !game.thoughts.is_empty())
    };
    let at = groups.iter().position(is_home).unwrap_or_else(|| {
        groups.push(Group { width, height, weight, games: Vec::new(), ends: Vec::new() });
        groups.len() - 1
    });
    let count = games.len();
    for game in games {
        let mut start = Board::new(width, height);
        let is_plain = game.setup.is_empty();
        if start.set_up(&game.setup).is_err() {
            continue;
        }
        let code = |p: &RecordedPosition| code(p.color, p.mv);
        let moves = game.positions.iter().map(code).collect();
        let thoughts: Box<[Thought]> = game
            .positions
            .into_iter()
            .enumerate()
            .filter_map(|(at, p)| Some(Thought { at: at as u16, weight: p.weight, opinion: p.opinion? }))
            .collect();
        if thoughts.is_empty() {
            continue;
        }
        groups[at].push(StoredGame {
            start: (!is_plain).then(|| Box::new(start)),
            moves,
            komi: game.rules.komi,
            outcome: None,
            ranks: [None; 2],
            thoughts,
        });
    }
    groups.retain(|group| !group.games.is_empty());
    count
}

fn code(color: Color, mv: Move) -> u16 {
    mv.vertex_or_none().index() as u16 | if color == Color::White { WHITE } else { 0 }
}

/// The games of a file, by the sizes of their boards. `on_game` is called for each.
pub(crate) fn parse(text: &str, file: &DataFile, mut on_game: impl FnMut()) -> Result<Vec<Group>, NetError> {
    let mut groups: Vec<Group> = Vec::new();
    let mut unusable = 0;
    for record in sgf::games(text) {
        // A broken record ends the collection: what follows cannot be told from it.
        let record = record.map_err(|error| NetError::Data {
            path: file.path.clone(),
            message: format!("not a game record: {error}"),
        })?;
        let Some((game, (width, height))) = store(&record) else {
            unusable += 1;
            continue;
        };
        let known = groups.iter().position(|g| (g.width, g.height) == (width, height));
        let at = known.unwrap_or(groups.len());
        if known.is_none() {
            groups.push(Group { width, height, weight: file.weight, games: Vec::new(), ends: Vec::new() });
        }
        groups[at].push(game);
        on_game();
    }
    if groups.is_empty() {
        let message = format!("no game to learn from ({unusable} could not be replayed)");
        return Err(NetError::Data { path: file.path.clone(), message });
    }
    Ok(groups)
}

/// A record's main line, if it can be replayed and has a move.
fn store(record: &Record) -> Option<(StoredGame, (usize, usize))> {
    let game: Game = record.main_line().ok()?;
    let info = record.info();
    let moves: Box<[u16]> = game.moves().iter().map(|m| code(m.color, m.mv)).collect();
    let start = game.start();
    let is_plain = start.empties().len() == start.area() && start.to_play() == Color::Black;
    let rank = |text: &Option<String>| text.as_deref().and_then(Rank::parse);
    let stored = StoredGame {
        start: (!is_plain).then(|| Box::new(start.clone())),
        komi: game.rules().komi,
        outcome: info.result,
        ranks: [rank(&info.black_rank), rank(&info.white_rank)],
        moves,
        thoughts: Box::default(),
    };
    (!stored.moves.is_empty()).then(|| (stored, (game.board().width(), game.board().height())))
}

/// The text of a file, unpacked if it is compressed.
fn read_text(path: &Path) -> Result<String, NetError> {
    let bytes = sgf::read_file(path).map_err(NetError::io("cannot read", path))?;
    let text = sgf::text_of(&bytes)
        .map_err(|error| NetError::Data { path: path.to_owned(), message: error.to_string() })?;
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Dataset;

    #[test]
    fn parts_share_the_games() {
        let game = |n: usize| ["(;SZ[9];B[aa];W[bb])", "(;SZ[9];B[aa];W[bb];B[cc])"][n % 2];
        let text: String = (0..7).map(game).collect();
        let all = Dataset::parse(&text).unwrap();
        assert_eq!(all.positions(), 7 * 2 + 3);
        let parts: Vec<u64> =
            (0..3).map(|number| Dataset::parse(&text).unwrap().part(number, 3).positions()).collect();
        assert_eq!(parts, [2 + 3 + 2, 3 + 2, 2 + 3]);
        assert!(Dataset::parse("(;SZ[9])").is_err_and(|error| error.to_string().contains("no game")));
    }

    #[test]
    fn files_may_have_weights() {
        let file: DataFile = "games.sgf.gz:3".parse().unwrap();
        assert_eq!(file, DataFile { path: "games.sgf.gz".into(), weight: 3.0 });
        assert!("games.sgf:0".parse::<DataFile>().is_err());
    }
}
