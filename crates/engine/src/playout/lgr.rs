//! Last-good-reply: play what won the last time as a reply to the same move.
//!
//! **What.** For each colour and each previous move, the reply of the last playout that this colour won. A move beyond
//! the tree is that reply if it is legal and not an own eye, else a move of the default policy. With a context of two
//! moves the reply to the last two is tried first, then the reply to the last. A default policy with good tactics may keep
//! its urgent moves before the reply.
//!
//! **Formula.** After a playout, for each move mᵢ of the winner that is not a pass: reply(mᵢ₋₁) ← mᵢ, from the tree and
//! beyond it. With forgetting, for each move of the loser: if reply(mᵢ₋₁) = mᵢ it is erased. The root's move is a reply to the last
//! move of the game.
//!
//! **Source.** Drake 2009, section 4.2 (S1.5) and the variants of section 6 (S1.6); Baier and Drake 2010 for forgetting
//! and two moves (LGRF-1, LGRF-2).
//!
//! **Differences.** Playouts that nobody won (cut off or drawn) teach nothing. "Store a move only the first time that it
//! is encountered" is read as all-moves-as-first reads it: the first time its point is played in the playout.

use std::sync::{
    Arc,
    atomic::{AtomicU16, AtomicU64, Ordering},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, CELLS, Color, Move, Vertex, VertexMap};

use super::{FinishedPlayout, LearnedReply, MogoConfig, PlayoutConfig, PlayoutPolicy, ReplyHits};
use crate::{reading::tactics::is_playable, rng::Rng};

/// How many previous moves a reply belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
pub enum ReplyContext {
    /// The previous move.
    #[default]
    One,
    /// The previous two, and the previous one if they have no reply.
    Two,
}

impl TryFrom<u8> for ReplyContext {
    type Error = String;
    fn try_from(moves: u8) -> Result<Self, String> {
        match moves {
            1 => Ok(ReplyContext::One),
            2 => Ok(ReplyContext::Two),
            _ => Err(format!("a context of {moves} moves is not supported: 1 or 2")),
        }
    }
}

impl From<ReplyContext> for u8 {
    fn from(context: ReplyContext) -> u8 {
        match context {
            ReplyContext::One => 1,
            ReplyContext::Two => 2,
        }
    }
}

/// Parameters of [`Lgr`]. The default is LGR as Drake 2009 describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a variant that can be combined with the others")]
pub struct LgrConfig {
    /// Previous moves that a reply belongs to, 1 or 2. Drake 2009: 1; LGRF-2: 2.
    #[schemars(extend("x-peer" = true), range(min = 1, max = 2))]
    pub context: ReplyContext,
    /// Whether a reply is erased when it loses. Drake 2009: no; LGRF: yes.
    #[schemars(extend("x-peer" = true))]
    pub forget: bool,
    /// Whether only the first move on a point counts in each playout.
    #[schemars(extend("x-peer" = true))]
    pub first_occurrence_only: bool,
    /// Whether only moves in the tree are stored.
    #[schemars(extend("x-peer" = true))]
    pub tree_moves_only: bool,
    /// Whether the default policy's urgent moves, such as saving a chain in atari, come before the reply. Drake 2009: no.
    #[schemars(extend("x-peer" = true))]
    pub after_urgent: bool,
    /// The default policy. Orego: its static policy, like MoGo's.
    #[schemars(extend("x-peer" = true))]
    pub base: Box<PlayoutConfig>,
}

impl Default for LgrConfig {
    fn default() -> Self {
        LgrConfig {
            context: ReplyContext::One,
            forget: false,
            first_occurrence_only: false,
            tree_moves_only: false,
            after_urgent: false,
            base: Box::new(PlayoutConfig::Mogo(MogoConfig::default())),
        }
    }
}

/// The replies of both colours, shared by all threads without locks. 0 is no reply.
#[derive(Debug)]
struct Replies {
    to_one: Box<[AtomicU16]>,
    /// Empty unless the context is two moves.
    to_two: Box<[AtomicU16]>,
    moves: AtomicU64,
    hits: AtomicU64,
}

impl Replies {
    fn new(context: ReplyContext) -> Replies {
        let table = |entries| (0..entries).map(|_| AtomicU16::new(0)).collect();
        let pairs = if context == ReplyContext::Two { 2 * CELLS * CELLS } else { 0 };
        Replies {
            to_one: table(2 * CELLS),
            to_two: table(pairs),
            moves: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        }
    }

    /// The entry of `color`'s reply to `previous`.
    #[inline]
    fn one(&self, color: Color, previous: Move) -> Option<&AtomicU16> {
        let previous = previous.vertex()?;
        self.to_one.get(color.index() * CELLS + previous.index())
    }

    /// The entry of `color`'s reply to the last two moves, an own one and the previous one; an own pass counts.
    #[inline]
    fn two(&self, color: Color, own: Move, previous: Move) -> Option<&AtomicU16> {
        let previous = previous.vertex()?;
        let own = own.vertex_or_none();
        self.to_two.get((color.index() * CELLS + own.index()) * CELLS + previous.index())
    }
}

/// Replies that won the last time, over a default policy.
pub struct Lgr {
    config: LgrConfig,
    replies: Arc<Replies>,
    base: Box<dyn PlayoutPolicy>,
    /// Not yet in the shared counters.
    recent: ReplyHits,
}

impl Lgr {
    /// The policy with empty tables.
    pub fn new(config: &LgrConfig) -> Lgr {
        Lgr {
            config: config.clone(),
            replies: Arc::new(Replies::new(config.context)),
            base: config.base.build(),
            recent: ReplyHits::default(),
        }
    }

    /// The reply that `color` has to the end of `moves`, legal or not.
    #[inline]
    fn stored(&self, color: Color, moves: &[Move], context: ReplyContext) -> Option<Vertex> {
        let (&previous, before) = moves.split_last()?;
        let entry = match context {
            ReplyContext::One => self.replies.one(color, previous)?,
            ReplyContext::Two => self.replies.two(color, *before.last()?, previous)?,
        };
        let reply = Vertex::from_index(entry.load(Ordering::Relaxed) as usize);
        (reply != Vertex::NONE).then_some(reply)
    }

    #[inline]
    fn reply(&self, board: &Board, moves: &[Move]) -> Option<Vertex> {
        let me = board.to_play();
        if self.config.context == ReplyContext::Two
            && let Some(v) = self.stored(me, moves, ReplyContext::Two)
            && is_playable(board, v)
        {
            return Some(v);
        }
        self.stored(me, moves, ReplyContext::One).filter(|&v| is_playable(board, v))
    }

    fn learn(&self, playout: &FinishedPlayout<'_>, winner: Color) {
        let end = if self.config.tree_moves_only { playout.tree_moves } else { playout.moves.len() };
        let moves = &playout.moves[..end.min(playout.moves.len())];
        let mut played = VertexMap::filled(false);
        let mut color = playout.first;
        let mut before = playout.before;
        for &mv in moves {
            let mover = color;
            color = !color;
            let [own, previous] = before;
            before = [previous, mv];
            let Some(v) = mv.vertex() else { continue };
            if self.config.first_occurrence_only && std::mem::replace(&mut played[v], true) {
                continue;
            }
            self.update(self.replies.one(mover, previous), v, mover == winner);
            self.update(self.replies.two(mover, own, previous), v, mover == winner);
        }
    }

    #[inline]
    fn update(&self, entry: Option<&AtomicU16>, reply: Vertex, won: bool) {
        let Some(entry) = entry else { return };
        let reply = reply.index() as u16;
        if won {
            entry.store(reply, Ordering::Relaxed);
        } else if self.config.forget && entry.load(Ordering::Relaxed) == reply {
            entry.store(0, Ordering::Relaxed);
        }
    }
}

impl PlayoutPolicy for Lgr {
    #[inline]
    fn urgent(&mut self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        self.recent.moves += 1;
        if self.config.after_urgent { self.base.urgent(board, moves, rng) } else { None }
    }

    #[inline]
    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        if let Some(v) = self.reply(board, moves) {
            self.recent.hits += 1;
            return v.into();
        }
        if self.config.after_urgent {
            self.base.quiet(board, moves, rng)
        } else {
            self.base.choose(board, moves, rng)
        }
    }

    fn finish(&mut self, playout: &FinishedPlayout<'_>) {
        if let Some(winner) = playout.winner {
            self.learn(playout, winner);
        }
        let recent = std::mem::take(&mut self.recent);
        self.replies.moves.fetch_add(recent.moves, Ordering::Relaxed);
        self.replies.hits.fetch_add(recent.hits, Ordering::Relaxed);
        self.base.finish(playout);
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(Lgr {
            config: self.config.clone(),
            replies: Arc::clone(&self.replies),
            base: self.base.fork(),
            recent: ReplyHits::default(),
        })
    }

    fn clear(&mut self) {
        for table in [&self.replies.to_one, &self.replies.to_two] {
            for entry in table {
                entry.store(0, Ordering::Relaxed);
            }
        }
        self.replies.moves.store(0, Ordering::Relaxed);
        self.replies.hits.store(0, Ordering::Relaxed);
        self.recent = ReplyHits::default();
        self.base.clear();
    }

    fn learned_replies(&self, color: Color, previous: Move) -> Vec<LearnedReply> {
        let stored = self.stored(color, &[previous], ReplyContext::One);
        stored.map(|v| LearnedReply { reply: v.into(), weight: 1.0 }).into_iter().collect()
    }

    fn reply_hits(&self) -> Option<ReplyHits> {
        Some(ReplyHits {
            moves: self.replies.moves.load(Ordering::Relaxed),
            hits: self.replies.hits.load(Ordering::Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of figure 3, A to G, are the columns of the first line.
    fn moves(letters: &str) -> Vec<Move> {
        letters
            .chars()
            .map(|c| if c == '-' { Move::PASS } else { format!("{c}1").parse().unwrap() })
            .collect()
    }

    fn teach(policy: &mut Lgr, letters: &str, winner: Color) {
        teach_tree(policy, letters, winner, 0);
    }

    /// Black plays the first move, and the first `tree_moves` are in the tree.
    fn teach_tree(policy: &mut Lgr, letters: &str, winner: Color, tree_moves: usize) {
        let moves = moves(letters);
        policy.finish(&FinishedPlayout {
            before: [Move::PASS; 2],
            moves: &moves,
            first: Color::Black,
            tree_moves,
            winner: Some(winner),
        });
    }

    /// The whole table of replies to one move, as "AB" for reply B to move A.
    fn table(policy: &Lgr, color: Color) -> Vec<String> {
        ('A'..='G')
            .filter_map(|c| {
                let reply = policy.stored(color, &moves(&c.to_string()), ReplyContext::One)?;
                Some(format!("{c}{}", reply.to_string().trim_end_matches('1')))
            })
            .collect()
    }

    /// Likewise "ABC" for reply C to the moves A and B.
    fn table_of_two(policy: &Lgr, color: Color) -> Vec<String> {
        let pairs = ('A'..='G').flat_map(|a| ('A'..='G').map(move |b| format!("{a}{b}")));
        pairs
            .filter_map(|pair| {
                let reply = policy.stored(color, &moves(&pair), ReplyContext::Two)?;
                Some(format!("{pair}{}", reply.to_string().trim_end_matches('1')))
            })
            .collect()
    }

    #[test]
    fn the_example_of_figure_3() {
        let mut policy = Lgr::new(&LgrConfig::default());
        teach(&mut policy, "ABCDEFG", Color::Black);
        assert_eq!(table(&policy, Color::Black), ["BC", "DE", "FG"]);
        assert!(table(&policy, Color::White).is_empty());
        teach(&mut policy, "BADCFE", Color::White);
        assert_eq!(table(&policy, Color::White), ["BA", "DC", "FE"]);
        assert_eq!(table(&policy, Color::Black), ["BC", "DE", "FG"]);
        teach(&mut policy, "DBFAECG", Color::Black);
        assert_eq!(table(&policy, Color::Black), ["AE", "BF", "CG", "DE", "FG"]);
        assert_eq!(table(&policy, Color::White), ["BA", "DC", "FE"]);
        policy.clear();
        assert!(table(&policy, Color::Black).is_empty() && table(&policy, Color::White).is_empty());
    }

    #[test]
    fn a_pass_is_neither_stored_nor_replied_to() {
        let mut policy = Lgr::new(&LgrConfig::default());
        teach(&mut policy, "AB-C-DE", Color::White);
        // White's moves are B, C and D; C follows a pass, D follows a pass.
        assert_eq!(table(&policy, Color::White), ["AB"]);
        teach(&mut policy, "A-C", Color::White);
        assert_eq!(table(&policy, Color::White), ["AB"]);
    }

    #[test]
    fn the_move_of_the_root_is_a_reply_to_the_last_move_of_the_game() {
        let mut policy = Lgr::new(&LgrConfig { context: ReplyContext::Two, ..LgrConfig::default() });
        let (before, played) = (moves("FG"), moves("AB"));
        policy.finish(&FinishedPlayout {
            before: [before[0], before[1]],
            moves: &played,
            first: Color::Black,
            tree_moves: 1,
            winner: Some(Color::Black),
        });
        assert_eq!(
            (table(&policy, Color::Black), table_of_two(&policy, Color::Black)),
            (vec!["GA".to_owned()], vec!["FGA".to_owned()])
        );
    }

    #[test]
    fn forgetting_erases_replies_that_lose() {
        let mut policy = Lgr::new(&LgrConfig { forget: true, ..LgrConfig::default() });
        teach(&mut policy, "ABCDE", Color::Black);
        assert_eq!(table(&policy, Color::Black), ["BC", "DE"]);
        // Black loses with B-C, and with D-F, which is not what the table says.
        teach(&mut policy, "ABCDF", Color::White);
        assert_eq!(table(&policy, Color::Black), ["DE"]);
        assert_eq!(table(&policy, Color::White), ["AB", "CD"]);
    }

    #[test]
    fn two_moves_are_a_context_of_their_own() {
        let config = LgrConfig { context: ReplyContext::Two, forget: true, ..LgrConfig::default() };
        let mut policy = Lgr::new(&config);
        teach(&mut policy, "ABCDE", Color::Black);
        assert_eq!(table(&policy, Color::Black), ["BC", "DE"]);
        assert_eq!(table_of_two(&policy, Color::Black), ["ABC", "CDE"]);
        teach(&mut policy, "ABGDE", Color::White);
        // D-E lost, but not after C; B-G was never stored.
        assert_eq!(table(&policy, Color::Black), ["BC"]);
        assert_eq!(table_of_two(&policy, Color::Black), ["ABC", "CDE"]);
        assert_eq!(table_of_two(&policy, Color::White), ["BGD"]);
    }

    #[test]
    fn two_moves_fall_back_to_one() {
        let config = LgrConfig { context: ReplyContext::Two, ..LgrConfig::default() };
        let mut policy = Lgr::new(&config);
        teach(&mut policy, "ABC", Color::Black);
        teach(&mut policy, "DBE", Color::Black);
        let board = Board::new(9, 9);
        for (context, reply) in [("AB", "C1"), ("DB", "E1"), ("GB", "E1")] {
            assert_eq!(policy.reply(&board, &moves(context)), Some(reply.parse().unwrap()), "{context}");
        }
        // E1 is taken: the reply to one move takes over.
        let mut board = Board::new(9, 9);
        board.play("C1".parse().unwrap());
        board.set_to_play(Color::Black);
        assert_eq!(policy.reply(&board, &moves("AB")), Some("E1".parse().unwrap()));
    }

    #[test]
    fn only_the_first_move_on_a_point_counts() {
        let config = LgrConfig { first_occurrence_only: true, ..LgrConfig::default() };
        let mut policy = Lgr::new(&config);
        teach(&mut policy, "ABCDCBE", Color::Black);
        // The second C (a reply to D) and the second B are no first plays.
        assert_eq!(table(&policy, Color::Black), ["BE"]);
        let mut policy = Lgr::new(&LgrConfig::default());
        teach(&mut policy, "ABCDCBE", Color::Black);
        assert_eq!(table(&policy, Color::Black), ["BE", "DC"]);
    }

    #[test]
    fn only_tree_moves_are_stored_if_asked() {
        let config = LgrConfig { tree_moves_only: true, ..LgrConfig::default() };
        let mut policy = Lgr::new(&config);
        teach_tree(&mut policy, "ABCDEFG", Color::Black, 4);
        assert_eq!(table(&policy, Color::Black), ["BC"]);
    }

    #[test]
    fn forks_share_what_is_learned_and_count_together() {
        let mut policy = Lgr::new(&LgrConfig::default());
        let mut fork = policy.fork();
        teach(&mut policy, "ABC", Color::Black);
        let mut board = Board::new(9, 9);
        let mut rng = Rng::new(1);
        assert_eq!(fork.choose(&mut board, &moves("B"), &mut rng), "C1".parse().unwrap());
        fork.choose(&mut board, &moves("F"), &mut rng);
        fork.finish(&FinishedPlayout {
            before: [Move::PASS; 2],
            moves: &[],
            first: Color::Black,
            tree_moves: 0,
            winner: None,
        });
        assert_eq!(policy.reply_hits(), Some(ReplyHits { moves: 2, hits: 1 }));
    }

    #[test]
    fn a_reply_that_fills_an_own_eye_is_not_played() {
        let mut policy = Lgr::new(&LgrConfig::default());
        teach(&mut policy, "ABC", Color::Black);
        let board = Board::from_diagram(". . . . . / . O X . . / . X . X .").unwrap();
        let eye = Board::from_diagram(". . . . . / . X X X . / . X . X .").unwrap();
        assert!(policy.reply(&board, &moves("B")).is_some());
        assert_eq!(policy.reply(&eye, &moves("B")), None);
    }
}
