//! Game records as training positions.
//!
//! Games are kept as their moves, two bytes each, and replayed up to the position that is asked for: that takes
//! microseconds, and millions of positions fit in memory.

use std::path::{Path, PathBuf};

use tengen_board::{
    Board, Color, Game, Move, Outcome, Reason, Symmetry, Vertex,
    sgf::{self, Record},
};

use crate::{error::NetError, planes::Rank};

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
}

const WHITE: u16 = 1 << 15;

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
    /// `.sgf` or `.sgf.gz`.
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
            Some((_, Ok(weight))) => Err(format!("a weight of {weight} makes no sense: write FILE:WEIGHT")),
            _ => Ok(plain(text)),
        }
    }
}

/// A position to learn from, after a symmetry.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) board: Board,
    /// The moves before.
    pub(crate) history: Vec<Move>,
    /// The moves that follow: up to three.
    pub(crate) next: Vec<Move>,
    pub(crate) komi: f32,
    /// The opponent's.
    pub(crate) rank: Option<Rank>,
    /// Whether the player to move won: 1, 0, or ½.
    pub(crate) win: Option<f32>,
    /// The points by which the player to move won.
    pub(crate) score: Option<f32>,
    /// Each point's owner in the end, from −1 (the opponent's) to 1, for games that were counted.
    pub(crate) owners: Option<Vec<f32>>,
}

impl Group {
    /// Number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn push(&mut self, game: StoredGame) {
        self.ends.push(self.len() + game.moves.len() as u64);
        self.games.push(game);
    }

    /// Every game of so many, beginning with the one of this number.
    pub(crate) fn part(mut self, number: usize, of: usize) -> Group {
        let games = std::mem::take(&mut self.games);
        self.ends.clear();
        games.into_iter().skip(number).step_by(of).for_each(|game| self.push(game));
        self
    }

    /// The position of this number.
    pub(crate) fn sample(&self, index: u64, symmetry: Symmetry, ownership: bool) -> Sample {
        let game = self.ends.partition_point(|end| *end <= index);
        let first = if game == 0 { 0 } else { self.ends[game - 1] };
        let (stored, at) = (&self.games[game], (index - first) as usize);
        let turn = |code: u16| {
            let v = Vertex::from_index((code & !WHITE) as usize);
            if v == Vertex::NONE { Move::PASS } else { symmetry.vertex(v, self.width, self.height).into() }
        };
        let color = |code: u16| if code & WHITE == 0 { Color::Black } else { Color::White };
        let mut board = self.start(stored, symmetry);
        let mut history = Vec::with_capacity(at + 1);
        let play = |board: &mut Board, code: u16| {
            board.set_to_play(color(code));
            board.play_unchecked(turn(code));
        };
        for &code in &stored.moves[..at] {
            play(&mut board, code);
            history.push(turn(code));
        }
        let me = color(stored.moves[at]);
        board.set_to_play(me);
        // A lookahead target is only one if the colours alternate.
        let alternating = |i: &usize| {
            let code = stored.moves[at + i];
            color(code) == if i.is_multiple_of(2) { me } else { !me }
        };
        let follow = (0..3.min(stored.moves.len() - at)).take_while(alternating);
        let next = follow.map(|i| turn(stored.moves[at + i])).collect();
        let sign = me.sign() as f32;
        let win = stored.outcome.map(|outcome| match outcome.winner() {
            Some(winner) => f32::from(winner == me),
            None => 0.5,
        });
        let score = match stored.outcome {
            Some(Outcome::Draw) => Some(0.0),
            Some(Outcome::Win { winner, by: Reason::Points(points) }) => {
                Some(points * sign * winner.sign() as f32)
            }
            _ => None,
        };
        let owners = score.filter(|_| ownership).and_then(|score| {
            let mut last = board.clone();
            stored.moves[at..].iter().for_each(|&code| play(&mut last, code));
            let owners = super::ownership::final_owners(&last, stored.komi, score * sign)?;
            Some(last.points().map(|v| owners[v] * sign).collect())
        });
        let rank = stored.ranks[(!me).index()];
        Sample { board, history, next, komi: stored.komi, rank, win, score, owners }
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

/// Reads files of game records. `progress` is told the number of games so far.
pub(crate) fn load(files: &[DataFile], mut progress: impl FnMut(usize)) -> Result<Vec<Group>, NetError> {
    let (mut groups, mut count) = (Vec::new(), 0);
    for file in files {
        groups.extend(parse(&read_text(&file.path)?, file, || {
            count += 1;
            if count % 1000 == 0 {
                progress(count);
            }
        })?);
    }
    Ok(groups)
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
    let moves: Box<[u16]> = game
        .moves()
        .iter()
        .map(|m| m.mv.vertex_or_none().index() as u16 | if m.color == Color::White { WHITE } else { 0 })
        .collect();
    let start = game.start();
    let is_plain = start.empties().len() == start.area() && start.to_play() == Color::Black;
    let rank = |text: &Option<String>| text.as_deref().and_then(Rank::parse);
    let stored = StoredGame {
        start: (!is_plain).then(|| Box::new(start.clone())),
        komi: game.rules().komi,
        outcome: info.result,
        ranks: [rank(&info.black_rank), rank(&info.white_rank)],
        moves,
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
