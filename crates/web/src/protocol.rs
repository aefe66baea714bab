//! What the page and the server say to each other: JSON texts, and SGF files as binary messages from the page.
//!
//! Points are written as `D4`, a pass as `pass`. Lists over the board go from the top left corner along the rows, with 1
//! or a positive number for Black. Values are Black's.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Move, Vertex};
use tengen_lab::review::{Class, KeyMoment, Players};

use crate::{
    roster::Listed,
    settings::{Seats, Settings},
};

/// What a page can ask for. The first seven concern the lobby, the others the game at which the page sits.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Begin another game, and sit down there.
    New {
        /// What it is played with.
        settings: Settings,
    },
    /// Sit down at a stored game.
    Join {
        /// Its id.
        game: String,
    },
    /// Which games are stored.
    List {
        /// Which of them.
        #[serde(default)]
        search: Search,
        /// How many of those found are passed over.
        #[serde(default)]
        from: u32,
    },
    /// Which game of the next file is to be opened; of a file with several games the page gets the list first.
    Choose {
        /// Its number, from 0.
        game: usize,
        /// Whether it is to be solved, not studied.
        #[serde(default)]
        solve: bool,
    },
    /// A set of problems as a file, which the page opens as any other.
    Problems {
        /// Which one.
        set: ProblemSet,
    },
    /// Gives a stored game a name.
    Rename {
        /// Its id.
        game: String,
        /// The name; none if it is empty.
        name: String,
    },
    /// Deletes a stored game.
    Delete {
        /// Its id.
        game: String,
    },
    /// A stone or a pass for the player to move.
    Play {
        /// Where.
        at: Move,
        /// Even if it loses many points, in a game with warnings.
        #[serde(default)]
        anyway: bool,
    },
    /// The human gives up.
    Resign,
    /// Takes back one move.
    Undo,
    /// Takes back moves until it is the human's turn again.
    TakeBack,
    /// Shows another position of the record; the game stands still there.
    Goto {
        /// The number of its node.
        node: u32,
    },
    /// Clocks and engines stand still.
    Pause,
    /// Clocks and engines go on.
    Continue,
    /// Other players take over.
    Seats {
        /// Who plays.
        seats: Seats,
    },
    /// Marks a chain as dead, or as alive again.
    ToggleDead {
        /// A stone of it.
        at: Vertex,
    },
    /// Ends the game with the count as it stands.
    Accept {
        /// Even if the engine holds other stones for dead.
        #[serde(default)]
        anyway: bool,
    },
    /// Takes the engine's opinion about dead stones.
    TakeProposal,
    /// Goes on playing after two passes.
    Resume,
    /// Whether positions are analysed while nobody else thinks.
    Analyse {
        /// Whether they are.
        on: bool,
    },
    /// What could be played here, for the player to move.
    Hint,
    /// What another move than the one of the record would cost here.
    Try {
        /// The move.
        at: Move,
    },
    /// Analyses every position of the line in the background.
    Review {
        /// Playouts for each.
        playouts: u64,
    },
    /// Ends that.
    StopReview,
    /// Begins a problem again.
    TryAgain,
    /// Shows the solution of a problem.
    Solution,
    /// Writes the comment of the position shown; none if it is empty.
    Comment {
        /// The comment.
        text: String,
    },
    /// Draws a mark, or takes away the same one.
    Mark {
        /// Where.
        at: Vertex,
        /// What it looks like.
        kind: Mark,
        /// The text of a label.
        #[serde(default)]
        label: String,
    },
    /// Writes what is told about the game.
    Info {
        /// Properties of the root, such as `PB`; those that are empty are taken away.
        info: BTreeMap<String, String>,
    },
    /// Puts a stone on a point, or takes it away.
    SetUp {
        /// Where.
        at: Vertex,
        /// Which stone; none to take it away.
        color: Option<Color>,
    },
    /// Says who is to move.
    ToPlay {
        /// Whose turn it is.
        color: Color,
    },
    /// Adds a line of play after the position shown, as a variation.
    AddLine {
        /// The moves.
        moves: Vec<Move>,
    },
    /// Makes the line to the position shown the main one.
    Promote,
    /// Deletes the position shown and all that follows it.
    DeleteLine,
    /// The record as an SGF file.
    Save,
}

/// Which stored games are meant: those for which all of this holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// A part of a player's name or of the game's.
    pub text: String,
    /// How they ended.
    pub result: Option<Ended>,
    /// Lines of the board.
    pub size: Option<u32>,
    /// Not changed before this time, in seconds since 1970.
    pub since: Option<i64>,
    /// Changed before this time, in seconds since 1970.
    pub until: Option<i64>,
}

/// How games ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// Black has won.
    Black,
    /// White has won.
    White,
    /// Nobody has won.
    Draw,
    /// There is no result yet.
    None,
}

/// What the server tells a page.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Message {
    /// The first message.
    Hello(Box<Hello>),
    /// The position and all around it.
    State(Box<State>),
    /// The record's tree from the beginning.
    Tree {
        /// Its nodes, parents first.
        nodes: Vec<TreeNode>,
    },
    /// A node that is new or has changed.
    Node {
        /// The node.
        node: TreeNode,
    },
    /// What a search has found out so far.
    Analysis(Box<Analysis>),
    /// A move would lose many points, and was not played.
    Warning(Judgement),
    /// What a move that was tried would cost.
    Tried(Judgement),
    /// How far a review is, and what it has found out.
    Review(Box<Review>),
    /// A part of the stored games, the latest first.
    Games {
        /// The games.
        games: Vec<StoredGame>,
        /// How many were passed over.
        from: u32,
        /// How many there are in all.
        total: u32,
    },
    /// The games of a file that has several, or its problems: the page has to choose one and send the file again.
    Collection {
        /// The games, in the order of the file.
        games: Vec<StoredGame>,
    },
    /// A set of problems.
    Problems {
        /// The file.
        text: String,
    },
    /// The record.
    Sgf {
        /// A name for the file.
        name: String,
        /// Its text.
        text: String,
    },
    /// Why a request was refused.
    Error {
        /// A sentence for people.
        message: String,
    },
}

/// What a page has to know before the first game.
#[derive(Clone, Debug, Serialize)]
pub struct Hello {
    /// The version of the program.
    pub version: &'static str,
    /// The players to choose from.
    pub players: Vec<Listed>,
    /// The rules to choose from.
    pub rules: Vec<RuleSet>,
    /// What a game is played with unless the page asks for something else.
    pub defaults: Settings,
    /// Whether problems were named on the command line: they are opened first.
    pub has_problems: bool,
    /// What the page has to show when it connects again.
    pub token: Option<String>,
}

/// Rules to choose from.
#[derive(Clone, Debug, Serialize)]
pub struct RuleSet {
    /// Their name.
    pub name: &'static str,
    /// Their customary komi.
    pub komi: f32,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Moves are played.
    Play,
    /// Both have passed; dead stones are marked.
    Count,
    /// There is a result.
    Over,
}

/// The position and all around it.
#[derive(Clone, Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is told apart")]
pub struct State {
    /// The id of the game.
    pub game: String,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The stones, row by row from the top.
    pub stones: Vec<Vec<i8>>,
    /// Who is to move.
    pub to_play: Color,
    /// The last move.
    pub last: Option<Move>,
    /// How many moves were played.
    pub number: usize,
    /// Stones captured by Black and by White.
    pub captures: [usize; 2],
    /// The name of the rules.
    pub rules: String,
    /// White's komi.
    pub komi: f32,
    /// Black's handicap stones.
    pub handicap: usize,
    /// Who plays.
    pub seats: Seats,
    /// The players' names, Black's first.
    pub names: [String; 2],
    /// The time control.
    pub time: String,
    /// The clocks, Black's first; none without a limit.
    pub clocks: Option<[ClockView; 2]>,
    /// Where the game stands.
    pub phase: Phase,
    /// Whether engines and clocks stand still.
    pub paused: bool,
    /// Whether an engine is choosing a move.
    pub thinking: bool,
    /// Whether positions are analysed.
    pub analysing: bool,
    /// Whether moves are only tried, as variations: in a record from a file, and in a game that has ended.
    pub study: bool,
    /// Points that a move of the human's may lose without a warning.
    pub teach: Option<f32>,
    /// Whether the opponent's level follows the player's results.
    pub auto: bool,
    /// Whether a move is looked at before it is played.
    pub checking: bool,
    /// The number of the node.
    pub node: u32,
    /// The nodes of the line from the beginning over this node to its end.
    pub line: Vec<u32>,
    /// The count, after both have passed.
    pub count: Option<CountView>,
    /// The result, such as `B+3.5`.
    pub result: Option<String>,
    /// The comment of the record here.
    pub comment: Option<String>,
    /// The marks of the record here.
    pub marks: Vec<MarkView>,
    /// What the record tells about the game, by property.
    pub info: BTreeMap<&'static str, String>,
    /// The problem that is being solved.
    pub problem: Option<ProblemView>,
    /// Something that has just happened and needs words.
    pub notice: Option<String>,
}

/// Where the problems of a set come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemSet {
    /// Those that ship with the program.
    Starter,
    /// Mistakes in games that were reviewed.
    Mistakes,
    /// The file that was named on the command line.
    Given,
}

/// A problem that is being solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProblemView {
    /// How far the solver is.
    pub state: ProblemState,
    /// Whose moves are asked for.
    pub to_play: Color,
}

/// How far the solver of a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemState {
    /// A move is asked for.
    Open,
    /// The last move was wrong.
    Wrong,
    /// It is solved.
    Solved,
    /// The solution was shown.
    Shown,
}

/// A mark on a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MarkView {
    /// Where.
    pub at: Vertex,
    /// What it looks like.
    pub kind: Mark,
    /// The text of a label.
    pub label: String,
}

/// What a mark looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// A triangle.
    Triangle,
    /// A square.
    Square,
    /// A circle.
    Circle,
    /// A cross.
    Cross,
    /// A text.
    Label,
}

impl Mark {
    /// All of them.
    pub const ALL: [Mark; 5] = [Mark::Triangle, Mark::Square, Mark::Circle, Mark::Cross, Mark::Label];

    /// Its property in a record.
    pub fn identifier(self) -> &'static str {
        match self {
            Mark::Triangle => "TR",
            Mark::Square => "SQ",
            Mark::Circle => "CR",
            Mark::Cross => "MA",
            Mark::Label => "LB",
        }
    }
}

/// A clock.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClockView {
    /// Seconds left: of the main time if `stones` is 0, else of the current period.
    pub left: f64,
    /// Moves left in a Canadian period, or byo-yomi periods left.
    pub stones: u32,
    /// Whether it runs.
    pub running: bool,
}

/// A count, point by point.
#[derive(Clone, Debug, Serialize)]
pub struct CountView {
    /// Dead stones.
    pub dead: Vec<Vertex>,
    /// Whom each point counts for.
    pub owners: Vec<Vec<i8>>,
    /// Living stones that count, Black's first.
    pub stones: [usize; 2],
    /// Surrounded points.
    pub territory: [usize; 2],
    /// Prisoners that count.
    pub prisoners: [usize; 2],
    /// White's komi.
    pub komi: f32,
    /// White's compensation for the handicap.
    pub bonus: usize,
    /// The outcome, such as `B+3.5`.
    pub outcome: String,
    /// Stones about which the engine is of another opinion, if that stands in the way.
    pub disputed: Vec<Vertex>,
}

/// A node of the record.
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// Its number.
    pub id: u32,
    /// The number of the node before it.
    pub parent: Option<u32>,
    /// Whose move it is.
    pub color: Option<Color>,
    /// The move.
    pub at: Option<Move>,
    /// Black's winning chances here, 0 to 1.
    pub value: Option<f32>,
    /// Black's lead in points here.
    pub score: Option<f32>,
    /// Points that the move has lost, where that is known.
    pub lost: Option<f32>,
    /// How bad that is.
    pub class: Option<Class>,
    /// The line of play that the engine expected here.
    pub expected: Vec<Move>,
    /// Whether there is a comment.
    pub comment: bool,
    /// Whether it is the first of its parent's continuations.
    pub main: bool,
}

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Searcher {
    /// The black player.
    Black,
    /// The white player.
    White,
    /// Nobody's player: an analysis.
    Analyst,
}

/// What a search has found out so far.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// Who searches.
    pub by: Searcher,
    /// The name of the player.
    pub player: String,
    /// The node of the position.
    pub node: u32,
    /// Whether the search is over.
    pub done: bool,
    /// Who is to move.
    pub to_play: Color,
    /// Visits of the position.
    pub visits: u32,
    /// Playouts of this search.
    pub playouts: u64,
    /// Seconds of this search.
    pub seconds: f64,
    /// Black's winning chances.
    pub value: f32,
    /// Black's lead in points.
    pub score: f32,
    /// The best moves, best first.
    pub moves: Vec<MoveView>,
    /// Who will own each point: −100 White to 100 Black, row by row from the top.
    pub ownership: Vec<Vec<i8>>,
    /// How likely each move is before any search, in thousandths of the likeliest.
    pub policy: Vec<Vec<u16>>,
}

/// A candidate move.
#[derive(Clone, Debug, Serialize)]
pub struct MoveView {
    /// The move.
    pub at: Move,
    /// Visits.
    pub visits: u32,
    /// Black's winning chances.
    pub value: f32,
    /// Black's lead in points.
    pub score: f32,
    /// Points that the move loses beside the best one.
    pub lost: f32,
    /// The expected line, this move first.
    pub line: Vec<Move>,
}

/// What a move costs that is not played yet.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The node of the position.
    pub node: u32,
    /// The move.
    pub at: Move,
    /// Points that it loses.
    pub lost: f32,
    /// How bad that is.
    pub class: Class,
    /// How the opponent would answer.
    pub line: Vec<Move>,
}

/// How far a review is, and what it has found out.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// Positions done.
    pub done: usize,
    /// Positions in all.
    pub total: usize,
    /// Whether it is still going on.
    pub running: bool,
    /// The figures of the last one that was finished.
    pub report: Option<Report>,
}

/// What a review comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Who has analysed, and how.
    pub analyst: String,
    /// Both players' figures.
    pub players: Players,
    /// The moves that mattered most, the worst first.
    pub moments: Vec<KeyMoment>,
}

/// A stored game.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StoredGame {
    /// Its id.
    pub id: String,
    /// What it was named.
    #[serde(default)]
    pub name: String,
    /// The players' names, Black's first.
    pub names: [String; 2],
    /// Columns and rows.
    pub size: [u32; 2],
    /// Moves of the main line.
    pub moves: u32,
    /// The result, if there is one.
    pub result: Option<String>,
    /// When it was changed last, in seconds since 1970.
    #[serde(default)]
    pub time: i64,
    /// For a problem in a file, whether it was solved; none for a game.
    #[serde(default)]
    pub solved: Option<bool>,
}

/// Something for each point, row by row from the top.
pub(crate) fn rows<T>(board: &Board, value: impl Fn(Vertex) -> T) -> Vec<Vec<T>> {
    board.rows_from_top().map(|row| row.into_iter().map(&value).collect()).collect()
}

/// 1 for Black, −1 for White, 0 for nobody.
pub(crate) fn sign(color: Option<Color>) -> i8 {
    color.map_or(0, |color| color.sign() as i8)
}
