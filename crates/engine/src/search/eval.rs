//! What a leaf of the tree is worth: playouts, networks and mixtures of them, a batch at a time.

use std::sync::Arc;

use tengen_board::{Board, Color, Game, Move, Scoring, area_score};

use crate::{
    playout::{FinishedPlayout, LearnedReply, PlayoutLimits, PlayoutPolicy, ReplyHits},
    rng::Rng,
    search::RawEvaluation,
};

/// A move that becomes an edge of the tree, with what is known before the first visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its probability according to a network or to Go knowledge; orders progressive widening.
    pub prior: f32,
    /// Visits that prior knowledge is worth.
    pub prior_visits: f32,
    /// Sum of Black's values among those.
    pub prior_black_value: f32,
    /// All-moves-as-first visits that prior knowledge is worth.
    pub amaf_visits: f32,
    /// Sum of Black's values among those.
    pub amaf_black_value: f32,
}

impl Candidate {
    /// A move of which nothing is known.
    pub fn new(mv: Move) -> Candidate {
        Candidate {
            mv,
            prior: 0.0,
            prior_visits: 0.0,
            prior_black_value: 0.0,
            amaf_visits: 0.0,
            amaf_black_value: 0.0,
        }
    }
}

/// Moves of the game before the root that a leaf carries along: policies look at the last two, networks at eight.
pub const CONTEXT: usize = 8;

/// A position at the end of a path in the tree, and what an evaluator says about it.
pub struct Leaf {
    /// The position. A playout plays it to the end.
    pub board: Board,
    /// [`CONTEXT`] moves before the root, the moves in the tree, then those of the playout.
    pub moves: Vec<Move>,
    /// How many of them were played in the tree.
    pub tree_moves: usize,
    /// What each pass in the tree is worth to who passes: a point under territory scoring, where the opponent's next
    /// stone would otherwise count.
    pass_worth: f32,
    /// Black's points from passes in the tree minus White's.
    pass_points: f32,
    /// Passes in a row up to the leaf, those of the game before the root included.
    pub passes: usize,
    /// Whether players agree after two passes which stones are dead; else every stone counts.
    pub by_agreement: bool,
    /// Who moved at the root.
    pub root_color: Color,
    /// The candidates of the node to be added here; empty if none is. A network sets their priors.
    pub candidates: Vec<Candidate>,
    /// Black's value, from 0 to 1.
    pub black_value: f32,
    /// What the tree adds to that for the expected score.
    pub score_bonus: f32,
    /// Black's points minus White's, komi included.
    pub score: f32,
    /// Whether [`Leaf::board`] shows a finished game, so that ownership can be read off it.
    pub finished: bool,
    /// What a network says about who owns each point in the end, in the order of [`Board::points`]: from −1 (White) to 1.
    pub ownership: Option<Arc<[f32]>>,
}

impl Leaf {
    /// A leaf with its buffers, to be used again and again.
    pub fn new(board: &Board) -> Leaf {
        Leaf {
            board: board.clone(),
            moves: Vec::with_capacity(CONTEXT + board.area() * 4),
            tree_moves: 0,
            pass_worth: 0.0,
            pass_points: 0.0,
            passes: 0,
            by_agreement: false,
            root_color: board.to_play(),
            candidates: Vec::with_capacity(board.area() + 1),
            black_value: 0.5,
            score_bonus: 0.0,
            score: 0.0,
            finished: false,
            ownership: None,
        }
    }

    /// Starts again at the root.
    pub fn reset(&mut self, game: &Game) {
        self.board.clone_from(game.board());
        self.moves.clear();
        let played = game.moves();
        for back in (1..=CONTEXT).rev() {
            let mv = played.len().checked_sub(back).map_or(Move::PASS, |i| played[i].mv);
            self.moves.push(mv);
        }
        self.tree_moves = 0;
        self.pass_worth = if game.rules().scoring == Scoring::Territory { 1.0 } else { 0.0 };
        self.pass_points = 0.0;
        self.passes = game.passes();
        self.by_agreement = game.rules().by_agreement();
        self.root_color = game.to_play();
        self.candidates.clear();
        self.score_bonus = 0.0;
        self.finished = false;
        self.ownership = None;
    }

    /// Plays a move in the tree.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        if mv.is_pass() {
            self.passes += 1;
            self.pass_points += self.pass_worth * self.board.to_play().sign() as f32;
        } else {
            self.passes = 0;
        }
        self.board.play_unchecked(mv);
        self.moves.push(mv);
        self.tree_moves += 1;
    }

    /// The moves since the root: in the tree, and of the playout.
    #[inline]
    pub fn since_root(&self) -> &[Move] {
        &self.moves[CONTEXT..]
    }

    /// The last move and the one before it; passes where there is none.
    #[inline]
    pub fn last_two(&self) -> [Move; 2] {
        let end = self.moves.len();
        [self.moves[end - 1], self.moves[end - 2]]
    }

    /// Sets value and score from Black's points without komi.
    #[inline]
    pub fn set_score(&mut self, points: i32, komi: f32) {
        self.score = points as f32 - komi + self.pass_points;
        self.black_value = match self.score {
            s if s > 0.0 => 1.0,
            s if s < 0.0 => 0.0,
            _ => 0.5,
        };
        self.finished = true;
    }
}

/// Says what leaves are worth.
pub trait Evaluator: Send {
    /// Sets value and score of each leaf (and the candidates' priors, if it knows better). `komi` is what White gets on
    /// top of the area.
    fn evaluate(&mut self, leaves: &mut [Leaf], komi: f32, rng: &mut Rng);

    /// Sees the game that is searched, before its leaves come.
    fn begin(&mut self, _game: &Game) {}

    /// Whether it sets the candidates' priors, so that the root's are to be asked for before the search.
    fn sets_priors(&self) -> bool {
        false
    }

    /// What a network says about a position seen in one of the eight symmetries, as KataGo numbers them; nothing where
    /// there is no network.
    fn raw(&mut self, _game: &Game, _symmetry: usize) -> Option<RawEvaluation> {
        None
    }

    /// The same evaluator for another thread; what is learned is shared.
    fn fork(&self) -> Box<dyn Evaluator>;

    /// Forgets what was learned, for another game.
    fn clear(&mut self) {}

    /// The replies of `color` to the move `previous` that were learned, best first.
    fn learned_replies(&self, _color: Color, _previous: Move) -> Vec<LearnedReply> {
        Vec::new()
    }

    /// How often a reply from a table was played (S1.9).
    fn reply_hits(&self) -> Option<ReplyHits> {
        None
    }
}

/// Evaluates by one playout.
pub struct PlayoutEvaluator {
    policy: Box<dyn PlayoutPolicy>,
    limits: PlayoutLimits,
}

impl PlayoutEvaluator {
    /// Playouts by a policy.
    pub fn new(policy: Box<dyn PlayoutPolicy>, limits: PlayoutLimits) -> PlayoutEvaluator {
        PlayoutEvaluator { policy, limits }
    }
}

impl Evaluator for PlayoutEvaluator {
    fn evaluate(&mut self, leaves: &mut [Leaf], komi: f32, rng: &mut Rng) {
        for leaf in leaves {
            play_to_end(&mut *self.policy, leaf, self.limits, komi, rng);
        }
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(PlayoutEvaluator { policy: self.policy.fork(), limits: self.limits })
    }

    fn clear(&mut self) {
        self.policy.clear();
    }

    fn learned_replies(&self, color: Color, previous: Move) -> Vec<LearnedReply> {
        self.policy.learned_replies(color, previous)
    }

    fn reply_hits(&self) -> Option<ReplyHits> {
        self.policy.reply_hits()
    }
}

/// Plays a leaf to its end by a policy, which learns from it.
pub(crate) fn play_to_end(
    policy: &mut dyn PlayoutPolicy,
    leaf: &mut Leaf,
    limits: PlayoutLimits,
    komi: f32,
    rng: &mut Rng,
) {
    let start = leaf.moves.len();
    // Where dead stones are taken off, a playout captures them.
    let points = if ended(leaf) && !leaf.by_agreement {
        area_score(&leaf.board)
    } else {
        policy.play_out(&mut leaf.board, &mut leaf.moves, &limits, rng)
    };
    leaf.set_score(points, komi);
    let winner = match leaf.score {
        // Who would have won is not known.
        _ if limits.cut_off(&leaf.board, &leaf.moves[start..]) => None,
        s if s > 0.0 => Some(Color::Black),
        s if s < 0.0 => Some(Color::White),
        _ => None,
    };
    policy.finish(&FinishedPlayout {
        before: [leaf.moves[CONTEXT - 2], leaf.moves[CONTEXT - 1]],
        moves: leaf.since_root(),
        first: leaf.root_color,
        tree_moves: leaf.tree_moves,
        winner,
    });
}

/// Whether both players passed on the way to the leaf, so that the game is over.
#[inline]
pub fn ended(leaf: &Leaf) -> bool {
    leaf.tree_moves > 0 && leaf.passes >= 2
}

/// What White gets on top of the area when the game is counted by area: komi, the handicap bonus, and under territory
/// rules what area counting adds for stones played.
pub fn area_komi(game: &Game) -> f32 {
    let rules = game.rules();
    match rules.scoring {
        Scoring::Area => rules.komi + rules.handicap_bonus.points(game.compensated_handicap()) as f32,
        Scoring::Territory => {
            // Area = territory + stones on the board + own prisoners lost: Black's points exceed the territory count by the
            // number of stones Black has played more than White. The rest of the game alternates, starting with the
            // player to move, and ends evenly.
            let board = game.board();
            let played = |color: Color| (board.stones(color) + board.prisoners(!color)) as f32;
            rules.komi + played(Color::Black) - played(Color::White)
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;
    use crate::playout::{LgrConfig, PlayoutConfig};

    #[test]
    fn playouts_that_are_cut_off_teach_nothing() {
        let game = Game::new(9, 9, Rules::CHINESE).unwrap();
        let learned = |max_length: f32| -> usize {
            let mut policy = PlayoutConfig::Lgr(LgrConfig::default()).build();
            let (mut leaf, limits) =
                (Leaf::new(game.board()), PlayoutLimits { max_length, ..PlayoutLimits::default() });
            leaf.reset(&game);
            play_to_end(&mut *policy, &mut leaf, limits, 7.5, &mut Rng::new(1));
            let replies = |color: Color| game.board().points().map(move |v| (color, v));
            let both = replies(Color::Black).chain(replies(Color::White));
            both.map(|(color, v)| policy.learned_replies(color, v.into()).len()).sum()
        };
        assert_eq!(learned(0.5), 0);
        assert!(learned(3.0) > 10);
    }
}
