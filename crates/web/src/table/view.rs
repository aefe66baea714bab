//! What pages are shown of a table.

use tengen_board::{Color, Game, Outcome, sgf::NodeId};
use tengen_engine::search::{RootMove, SearchReport, value_for};
use tengen_lab::{loss::Evaluation, notes, review::Class};

use super::Table;
use crate::protocol::{Analysis, Message, MoveView, Searcher, State, TreeNode, rows, sign};

/// Candidate moves that are shown.
const MOVES: usize = 12;
/// Winning chances below which a game is decided, for either side.
const DECIDED: f32 = 0.05;
/// A move with at least one of so many of the visits of the most visited one is known well enough to be compared.
const KNOWN: u32 = 20;
/// Longest line that is shown.
pub(super) const LINE: usize = 12;
/// Longest comment that is shown, in letters: it is sent with every state.
const COMMENT: usize = 20_000;
/// Longest name of a player, in letters.
const NAME: usize = 100;

impl Table {
    pub(super) fn state(&mut self) -> Message {
        let game = &self.game;
        let board = game.board();
        let info = self.record.info();
        let name = |color: Color, told: Option<String>| {
            let seat = self.seats.of(color);
            told.filter(|name| !name.is_empty() && !seat.is_engine())
                .map_or_else(|| seat.name().into_owned(), |name| name.chars().take(NAME).collect())
        };
        let result = self.outcome_here();
        let told = info.result.filter(|_| self.is_studied()).map(|outcome: Outcome| outcome.to_string());
        Message::State(Box::new(State {
            game: self.id.clone(),
            width: board.width(),
            height: board.height(),
            stones: rows(board, |v| sign(board.color_at(v))),
            to_play: game.to_play(),
            last: game.last_move().map(|played| played.mv),
            number: game.moves().len(),
            captures: Color::ALL.map(|color| board.prisoners(color)),
            rules: game.rules().name().map_or_else(|| game.rules().to_compact(), str::to_owned),
            komi: game.rules().komi,
            handicap: game.handicap(),
            seats: self.seats.clone(),
            names: [name(Color::Black, info.black), name(Color::White, info.white)],
            time: self.clocks.settings().to_string(),
            clocks: self.clocks.view(game.to_play()),
            phase: self.phase(),
            paused: self.paused,
            thinking: self.is_engine_thinking(),
            analysing: self.analysing,
            study: self.is_studied(),
            teach: self.teach,
            auto: self.auto,
            checking: self.thinking.check.is_some(),
            node: self.node.number(),
            line: self.line().into_iter().map(NodeId::number).collect(),
            count: self.count_view(),
            result: result.map(|outcome| outcome.to_string()).or(told),
            comment: self.record.node(self.node).text("C").map(|text| text.chars().take(COMMENT).collect()),
            marks: self.marks(),
            info: self.info(),
            problem: self.problem_view(),
            notice: self.notice.take(),
        }))
    }

    pub(super) fn tree(&self) -> Message {
        let mut todo = vec![self.record.root()];
        let mut nodes = Vec::new();
        while let Some(node) = todo.pop() {
            nodes.push(self.tree_node(node));
            todo.extend(self.record.children(node));
        }
        Message::Tree { nodes }
    }

    pub(super) fn send_tree(&mut self) {
        let tree = self.tree();
        self.send(&tree);
    }

    fn tree_node(&self, node: NodeId) -> TreeNode {
        let parent = self.record.parent(node);
        let played = notes::move_of(&self.record, node);
        let worth = notes::evaluation(&self.record, node);
        let lost = notes::points_lost(&self.record, node);
        TreeNode {
            id: node.number(),
            parent: parent.map(NodeId::number),
            color: played.map(|(color, _)| color),
            at: played.map(|(_, mv)| mv),
            value: worth.map(|worth| worth.value),
            score: worth.map(|worth| worth.score),
            lost,
            class: lost.map(|points| Class::of(points.into())),
            expected: notes::expected(&self.record, node),
            comment: self.record.node(node).value("C").is_some(),
            main: parent.is_none_or(|parent| self.record.children(parent).next() == Some(node)),
        }
    }

    pub(super) fn send_node(&mut self, node: NodeId) {
        let node = self.tree_node(node);
        self.send(&Message::Node { node });
    }

    /// After a node got another evaluation: it changes what its move has lost, and what those after it have.
    pub(super) fn send_evaluated(&mut self, node: NodeId) {
        self.send_node(node);
        for child in self.record.children(node).collect::<Vec<_>>() {
            self.send_node(child);
        }
    }

    pub(super) fn analysis(
        report: &SearchReport,
        by: Searcher,
        player: String,
        node: NodeId,
        game: &Game,
        done: bool,
    ) -> Analysis {
        let board = game.board();
        let candidates = candidates(report);
        let best = candidates[0];
        let worth = |m: &RootMove| Evaluation { value: m.black_value, score: m.score };
        let likeliest = report.moves.iter().map(|m| m.prior).fold(f32::MIN_POSITIVE, f32::max);
        let prior = |v| report.moves.iter().find(|m| m.mv.vertex() == Some(v)).map_or(0.0, |m| m.prior);
        let move_view = |m: &&RootMove| MoveView {
            at: m.mv,
            visits: m.visits,
            value: m.black_value,
            score: m.score,
            lost: worth(best).lost(worth(m), report.to_play).points,
            line: m.line.iter().copied().take(LINE).collect(),
        };
        Analysis {
            by,
            player,
            node: node.number(),
            done,
            to_play: report.to_play,
            visits: report.visits,
            playouts: report.playouts,
            seconds: report.elapsed.as_secs_f64(),
            value: report.black_value,
            score: report.score,
            moves: candidates.iter().take(MOVES).map(move_view).collect(),
            ownership: rows(board, |v| (report.ownership[v] * 100.0) as i8),
            policy: rows(board, |v| (prior(v) / likeliest * 1000.0) as u16),
        }
    }

    /// The record as a file, and a name for it.
    pub(super) fn sgf(&self) -> Message {
        let info = self.record.info();
        let word = |name: Option<String>| {
            let name = name.unwrap_or_else(|| "unknown".to_owned());
            name.chars().filter(|c| c.is_alphanumeric() || *c == '-').take(30).collect::<String>()
        };
        let players = format!("{}-{}", word(info.black), word(info.white));
        let result = info.result.map(|result| result.to_string());
        let parts = [info.date.map(|date| word(Some(date))), Some(players), result];
        let name = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        Message::Sgf { name: format!("{name}.sgf"), text: self.record.to_sgf() }
    }
}

/// The moves that were searched, best first. Once a game is decided every move has the same winning chances, and points
/// tell the better ones.
fn candidates(report: &SearchReport) -> Vec<&RootMove> {
    let mut moves: Vec<_> = report.moves.iter().filter(|m| m.visits > 0).collect();
    if moves.is_empty() {
        moves.push(report.best());
    }
    let chances = value_for(moves[0].black_value, report.to_play);
    if !(DECIDED..=1.0 - DECIDED).contains(&chances) {
        let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
        let sign = report.to_play.sign() as f32;
        let key = |m: &RootMove| if m.visits * KNOWN >= most { m.score * sign } else { f32::NEG_INFINITY };
        moves.sort_by(|a, b| key(b).total_cmp(&key(a)));
    }
    moves
}
