//! From a record to a game.

use std::ops::RangeInclusive;

use super::{Node, NodeId, Problem, Record, SgfError, info::invalid};
use crate::{
    board::{Board, IllegalMove},
    color::Color,
    game::Game,
    moves::Move,
    rules::Rules,
    vertex::{MAX_SIZE, Vertex, VertexMap},
};

impl Record {
    /// The game of the main line, to its end. Superko is not enforced, since servers differ. Where the record does not
    /// name known rules, a suicide is accepted and shows that they allow it. The result is in [`Record::info`], not in
    /// the game.
    pub fn main_line(&self) -> Result<Game, SgfError> {
        self.replay(self.main_nodes())
    }

    /// The game up to a node. Stones set up after moves begin it anew, as [`Game::set_up`] says.
    pub fn game_at(&self, id: NodeId) -> Result<Game, SgfError> {
        self.replay(self.path(id).into_iter())
    }

    /// Plays every line of the record, each move once, so that [`Record::game_at`] cannot fail afterwards. Returns how many moves
    /// that took. Ends early, with what was played so far, when `go_on` says no; it is asked at every node.
    pub fn play_all_lines(&self, mut go_on: impl FnMut() -> bool) -> Result<usize, SgfError> {
        let mut sizes = vec![1u32; self.len()];
        for number in (1..self.len() as u32).rev() {
            let Some(parent) = self.find(number).and_then(|id| self.parent(id)) else { continue };
            sizes[parent.number() as usize] += sizes[number as usize];
        }
        let beginning = self.beginning()?;
        let (rules_unknown, handicap) = (self.info().rules.is_none(), self.info().handicap);
        let mut moves = 0;
        // Positions with the continuations that are still to be played from them. The largest is played last, and takes the
        // position with it, so that there are never more than a few, however deep the record is.
        let line =
            Line { board: beginning.board().clone(), given_away: None, suicide: beginning.rules().suicide };
        let mut open = vec![(line, vec![self.root()])];
        while let Some((line, continuations)) = open.last_mut() {
            let Some(id) = continuations.pop() else {
                open.pop();
                continue;
            };
            if !go_on() {
                break;
            }
            let is_last = continuations.is_empty();
            let mut line = if is_last { open.pop().expect("it was looked at").0 } else { line.clone() };
            let node = self.node(id);
            moves += line
                .follow(self, id, handicap, rules_unknown)
                .map_err(|problem| SgfError { place: node.place(), problem })?;
            let mut next: Vec<_> = self.children(id).collect();
            if let Some(largest) = (0..next.len()).max_by_key(|&i| sizes[next[i].number() as usize]) {
                next.swap(0, largest);
                open.push((line, next));
            }
        }
        Ok(moves)
    }

    /// The empty board of the record, by its rules.
    fn beginning(&self) -> Result<Game, SgfError> {
        let root = self.node(self.root());
        if let Some(kind) = root.value("GM").map(str::trim).filter(|kind| *kind != "1") {
            let problem = Problem::NotGo(kind.chars().take(20).collect());
            return Err(SgfError { place: root.place(), problem });
        }
        let (width, height) = self.size()?;
        Game::new(width, height, self.info().rules_and_komi())
            .map_err(|why| SgfError { place: root.place(), problem: Problem::Size(why) })
    }

    fn replay(&self, nodes: impl Iterator<Item = NodeId>) -> Result<Game, SgfError> {
        let mut game = self.beginning()?;
        let info = self.info();
        for id in nodes {
            let node = self.node(id);
            self.set_up(id, info.handicap, &mut game)
                .and_then(|()| play(node, info.rules.is_none(), &mut game))
                .map_err(|problem| SgfError { place: node.place(), problem })?;
        }
        game.set_handicap(info.handicap);
        Ok(game)
    }

    /// Applies `AB`, `AW`, `AE` and `PL`.
    fn set_up(&self, id: NodeId, handicap: usize, game: &mut Game) -> Result<(), Problem> {
        let edits = edits(self.node(id), game.board())?;
        if !edits.is_empty() {
            game.set_up(&edits).map_err(Problem::SetUp)?;
        }
        if let Some(color) = self.player(id, handicap, !edits.is_empty())? {
            game.set_to_play(color);
        }
        Ok(())
    }

    /// Whose turn a node says it is.
    fn player(&self, id: NodeId, handicap: usize, has_edits: bool) -> Result<Option<Color>, Problem> {
        let node = self.node(id);
        match node.value("PL").map(str::trim) {
            Some("B" | "b" | "black" | "Black" | "1") => Ok(Some(Color::Black)),
            Some("W" | "w" | "white" | "White" | "2") => Ok(Some(Color::White)),
            Some(_) => Err(invalid(node, "PL")),
            None if !has_edits => Ok(None),
            // Not told: the colour of the next move, and White after handicap stones.
            None => Ok(self
                .children(id)
                .next()
                .and_then(|next| self.node(next).properties().iter().find_map(|p| color_of(&p.identifier)))
                .or((id == self.root() && handicap >= 2).then_some(Color::White))),
        }
    }

    /// The value of a move property.
    pub fn move_value(&self, mv: Move) -> String {
        let height = self.size().map_or(19, |(_, height)| height);
        mv.vertex().map_or_else(String::new, |v| point_value(v, height))
    }
}

/// The letters of a point on a board of this height; off it, nothing sensible.
pub(super) fn point_value(v: Vertex, height: usize) -> String {
    let letter = |n: usize| (b'a' + (n % 26) as u8) as char;
    [letter(v.col()), letter((height + 25 - v.row()) % 26)].iter().collect()
}

fn color_of(identifier: &str) -> Option<Color> {
    match identifier {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// The stones that a node puts on the board or takes off, in the order of the points; each point once.
fn edits(node: &Node, board: &Board) -> Result<Vec<(Vertex, Option<Color>)>, Problem> {
    if !node.properties().iter().any(|property| matches!(&*property.identifier, "AB" | "AW" | "AE")) {
        return Ok(Vec::new());
    }
    let mut changes = VertexMap::filled(None);
    for property in node.properties() {
        let color = match &*property.identifier {
            "AB" => Some(Color::Black),
            "AW" => Some(Color::White),
            "AE" => None,
            _ => continue,
        };
        // Columns by rows: a list may name the same rectangle thousands of times.
        let mut rows = [0u32; MAX_SIZE];
        for value in property.values.iter().map(|value| value.trim()).filter(|value| !value.is_empty()) {
            let (x, y) = rectangle(value, board).ok_or_else(|| invalid(node, &property.identifier))?;
            let columns = (1 << (x.end() + 1)) - (1 << x.start());
            rows[y].iter_mut().for_each(|row| *row |= columns);
        }
        for (y, row) in rows.into_iter().enumerate().filter(|(_, row)| *row != 0) {
            for x in (0..board.width()).filter(|x| row & (1 << x) != 0) {
                changes[Vertex::new(x, board.height() - 1 - y)] = Some(color);
            }
        }
    }
    Ok(board.points().filter_map(|v| Some((v, changes[v]?))).collect())
}

/// The columns and rows of `dd`, or of `dd:ff`, which names the corners of a rectangle.
fn rectangle(value: &str, board: &Board) -> Option<(RangeInclusive<usize>, RangeInclusive<usize>)> {
    let point = |text: &str| match *text.as_bytes() {
        [x @ b'a'..=b's', y @ b'a'..=b's'] => {
            let (x, y) = ((x - b'a') as usize, (y - b'a') as usize);
            (x < board.width() && y < board.height()).then_some((x, y))
        }
        _ => None,
    };
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let ((left, top), (right, bottom)) = (point(first)?, point(last)?);
    (left <= right && top <= bottom).then_some((left..=right, top..=bottom))
}

/// The moves of a node, normally one.
fn moves(
    node: &Node,
    (width, height): (usize, usize),
) -> impl Iterator<Item = Result<(Color, Move), Problem>> + '_ {
    node.properties().iter().filter_map(move |property| {
        let color = color_of(&property.identifier)?;
        let value = property.values.first().map_or("", |value| value.trim());
        let mv = match *value.as_bytes() {
            // `tt` is a pass on all boards that are not larger than 19x19.
            [] | [b't', b't'] => Some(Move::PASS),
            [x @ b'a'..=b's', y @ b'a'..=b's'] => {
                let (x, y) = ((x - b'a') as usize, (y - b'a') as usize);
                (x < width && y < height).then(|| Vertex::new(x, height - 1 - y).into())
            }
            _ => None,
        };
        Some(mv.map(|mv| (color, mv)).ok_or_else(|| invalid(node, &property.identifier)))
    })
}

/// Plays the moves of a node.
fn play(node: &Node, rules_unknown: bool, game: &mut Game) -> Result<(), Problem> {
    for played in moves(node, (game.board().width(), game.board().height())) {
        let (color, mv) = played?;
        game.set_to_play(color);
        if is_legal(game.board(), color, mv, game.rules().suicide, rules_unknown)? == Legal::ShowsSuicide {
            game.set_rules(Rules { suicide: true, ..*game.rules() });
        }
        game.play_unchecked(mv);
    }
    Ok(())
}

/// What is learned from a legal move.
#[derive(PartialEq, Eq)]
enum Legal {
    /// Nothing.
    Plain,
    /// That the rules allow suicide.
    ShowsSuicide,
}

/// Whether a record may play this move; by unknown rules a suicide is legal.
fn is_legal(
    board: &Board,
    color: Color,
    mv: Move,
    suicide: bool,
    rules_unknown: bool,
) -> Result<Legal, Problem> {
    match board.check(mv, suicide) {
        Ok(()) => Ok(Legal::Plain),
        Err(IllegalMove::Suicide) if rules_unknown => Ok(Legal::ShowsSuicide),
        Err(why) => Err(Problem::Move(color, mv, why)),
    }
}

/// A position on the way through all lines of a record: what of a [`Game`] decides which moves are legal.
#[derive(Clone)]
struct Line {
    board: Board,
    /// The board before the turn was given away: giving it back restores a ko.
    given_away: Option<Box<Board>>,
    suicide: bool,
}

impl Line {
    /// Goes on to a node; how many moves it has.
    fn follow(
        &mut self,
        record: &Record,
        id: NodeId,
        handicap: usize,
        rules_unknown: bool,
    ) -> Result<usize, Problem> {
        let node = record.node(id);
        let edits = edits(node, &self.board)?;
        if !edits.is_empty() {
            self.board = self.board.edited(&edits).map_err(Problem::SetUp)?;
            self.given_away = None;
        }
        if let Some(color) = record.player(id, handicap, !edits.is_empty())? {
            self.set_to_play(color);
        }
        let mut count = 0;
        for played in moves(node, (self.board.width(), self.board.height())) {
            let (color, mv) = played?;
            self.set_to_play(color);
            let legal = is_legal(&self.board, color, mv, self.suicide, rules_unknown)?;
            self.suicide |= legal == Legal::ShowsSuicide;
            self.board.play_unchecked(mv);
            self.given_away = None;
            count += 1;
        }
        Ok(count)
    }

    fn set_to_play(&mut self, color: Color) {
        if color == self.board.to_play() {
            return;
        }
        if let Some(board) = self.given_away.take() {
            self.board = *board;
        } else {
            self.given_away = Some(Box::new(self.board.clone()));
            self.board.set_to_play(color);
        }
    }
}
