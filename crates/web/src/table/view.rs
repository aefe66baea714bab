//! What pages are shown of a table.

use tengen_board::{Color, Outcome, sgf::NodeId};
use tengen_engine::report::SearchReport;

use super::{Table, record};
use crate::protocol::{Analysis, Message, MoveView, Searcher, State, TreeNode, rows, sign};

/// Candidate moves that are shown.
const MOVES: usize = 12;
/// Longest line that is shown.
const LINE: usize = 12;
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
                .map_or_else(|| seat.name().to_owned(), |name| name.chars().take(NAME).collect())
        };
        let result = self.ended.filter(|(node, _)| *node == self.node).map(|(_, outcome)| outcome);
        let told = info.result.filter(|_| self.is_study).map(|outcome: Outcome| outcome.to_string());
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
            node: self.node.number(),
            line: self.line().into_iter().map(NodeId::number).collect(),
            count: self.count_view(),
            result: result.map(|outcome| outcome.to_string()).or(told),
            comment: self.record.node(self.node).text("C").map(|text| text.chars().take(COMMENT).collect()),
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

    fn tree_node(&self, node: NodeId) -> TreeNode {
        let parent = self.record.parent(node);
        let played = record::move_of(&self.record, node);
        let worth = record::evaluation(&self.record, node);
        TreeNode {
            id: node.number(),
            parent: parent.map(NodeId::number),
            color: played.map(|(color, _)| color),
            at: played.map(|(_, mv)| mv),
            value: worth.map(|worth| worth.value),
            score: worth.map(|worth| worth.score),
            comment: self.record.node(node).value("C").is_some(),
            main: parent.is_none_or(|parent| self.record.children(parent).next() == Some(node)),
        }
    }

    pub(super) fn send_node(&mut self, node: NodeId) {
        let node = self.tree_node(node);
        self.send(&Message::Node { node });
    }

    pub(super) fn analysis(
        &self,
        report: &SearchReport,
        by: Searcher,
        player: String,
        node: NodeId,
        done: bool,
    ) -> Analysis {
        let board = self.game.board();
        let best = report.best();
        let likeliest = report.moves.iter().map(|m| m.prior).fold(f32::MIN_POSITIVE, f32::max);
        let prior = |v| report.moves.iter().find(|m| m.mv.vertex() == Some(v)).map_or(0.0, |m| m.prior);
        let move_view = |m: &tengen_engine::report::RootMove| MoveView {
            at: m.mv,
            visits: m.visits,
            value: m.black_value,
            score: m.score,
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
            value: best.black_value,
            score: best.score,
            moves: report.moves.iter().filter(|m| m.visits > 0).take(MOVES).map(move_view).collect(),
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
        let name = format!("{}-{}.sgf", word(info.black), word(info.white));
        Message::Sgf { name, text: self.record.to_sgf() }
    }
}
