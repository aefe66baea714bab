//! A weaker player that plays like a person: moves are drawn from a network's policy, and a small search keeps them sane.
//!
//! **What.** The search says what moves cost, the network what people would consider. A level is how much chance there is, how much
//! of the cost the player sees, and which blunders it never makes:
//! the obvious move is played, and where two moves share nearly all of the policy one of them is; large chains are not left in atari or put
//! into it; nothing is played that loses more than the level's worst mistake. Passing, dead
//! stones and resignation are the search's.
//!
//! **Formula.** P(m) ∝ p(m)^(1 / temperature) · exp(−loss(m) / care) over the moves with p(m) ≥ truncation · max p and loss(m) ≤ worst,
//! where loss(m) is what m loses in points: as the search says if it has tried m, else as the network says after m. Moves are drawn
//! by p(m)^(1 / temperature) and then judged, so only a few are: one is accepted with probability exp(−loss(m) / care), and after 24
//! refusals it is the one that loses least. Obvious: p₁ > sure · (1 − ½ · share of the board that is filled), or p₁ + p₂ > 0.85.
//!
//! **Source.** The policy with a temperature, and exp(utility / λ), are KataGo's human-style play; the rule for obvious moves is that of
//! KaTrain's calibrated bot.
//!
//! **Differences.** Points take the place of utility, so that the player goes on playing sensibly when the game is decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Color, Game, Move, Vertex};

use crate::{
    reading::tactics::{Few, add_escapes, is_self_atari, stones_at_stake},
    rng::Rng,
    search::{RawEvaluation, RootMove, SearchReport},
};

/// Where two moves have more than this together, others are not drawn (KaTrain).
const SURE_OF_TWO: f32 = 0.85;

/// A chain is worth saving if the policy says so with this probability.
const WORTH_SAVING: f32 = 0.1;

/// So many moves are drawn before the best of them is played.
const DRAWS: usize = 24;

/// A self-atari that the policy likes this much is meant: a throw-in, a nakade.
const MEANT: f32 = 0.3;

/// How a player draws its moves. All probabilities are those of the search's network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StyleConfig {
    /// How much less likely moves are drawn: 1 as the network says, below 1 the likely ones more often.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub temperature: f32,
    /// Moves that are less likely than this share of the favourite are not drawn.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
    pub truncation: f32,
    /// Points that make a move e times less likely.
    #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub care: f32,
    /// Moves that lose more points are not played.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub worst: f32,
    /// The favourite is played above this probability, which falls to half of it as the board fills; above 1 hardly ever.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 100.0))]
    pub sure: f32,
    /// Own chains of at least this many stones are neither left nor put in atari; 0 turns this off.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1000))]
    pub atari_stones: usize,
}

impl Default for StyleConfig {
    fn default() -> Self {
        StyleConfig { temperature: 1.0, truncation: 0.01, care: 5.0, worst: 20.0, sure: 0.8, atari_stones: 3 }
    }
}

impl StyleConfig {
    /// Draws one of a search's moves and puts it first. Where the search wants to pass, it may. `judge` is what a network says
    /// about the position after a move; without one only moves that the search has tried are drawn.
    pub(crate) fn draw(
        self,
        game: &Game,
        report: &mut SearchReport,
        rng: &mut Rng,
        mut judge: impl FnMut(Move) -> Option<RawEvaluation>,
    ) {
        if report.moves.is_empty() || report.best().mv.is_pass() {
            return;
        }
        let mut candidates = self.candidates(game, report);
        let mut least_losing: Option<usize> = None;
        for _ in 0..DRAWS {
            let Some(place) = self.draw_unjudged(report, &candidates, rng) else { break };
            let at = candidates[place];
            let drawn = &mut report.moves[at];
            if drawn.visits == 0
                && let Some(answer) = judge(drawn.mv)
            {
                note(drawn, &answer);
            }
            let lost = loss(report, at);
            if report.moves[at].visits == 0 || lost > self.worst {
                candidates.remove(place);
                continue;
            }
            let is_accepted = rng.unit() < (-lost / self.care).exp();
            if is_accepted || least_losing.is_none_or(|other| lost < loss(report, other)) {
                least_losing = Some(at);
            }
            if is_accepted {
                break;
            }
        }
        if let Some(drawn) = least_losing {
            report.moves[..=drawn].rotate_right(1);
        }
    }

    /// Draws one of the candidates by the priors alone.
    fn draw_unjudged(self, report: &SearchReport, candidates: &[usize], rng: &mut Rng) -> Option<usize> {
        let first = candidates.iter().map(|&at| report.moves[at].prior).fold(f32::MIN_POSITIVE, f32::max);
        let weight = |&at: &usize| (report.moves[at].prior / first).powf(1.0 / self.temperature);
        let mut left = candidates.iter().map(weight).sum::<f32>() * rng.unit();
        let drawn = candidates.iter().position(|at| {
            left -= weight(at);
            left < 0.0
        });
        drawn.or(candidates.len().checked_sub(1))
    }

    /// The moves to draw from, by their places in the report, the likeliest first; at least one.
    fn candidates(self, game: &Game, report: &SearchReport) -> Vec<usize> {
        let board = game.board();
        let moves = &report.moves;
        let mut all: Vec<usize> = (0..moves.len()).filter(|&i| !moves[i].mv.is_pass()).collect();
        all.sort_by(|&a, &b| moves[b].prior.total_cmp(&moves[a].prior));
        let [first, second] = [0, 1].map(|i| all.get(i).map_or(0.0, |&at| moves[at].prior));
        let filled = 1.0 - board.empties().len() as f32 / board.area() as f32;
        if first > self.sure * (1.0 - 0.5 * filled) {
            all.truncate(1);
        } else if first + second > SURE_OF_TWO && self.sure <= 1.0 {
            all.truncate(2);
        } else {
            all.retain(|&at| moves[at].prior >= self.truncation * first);
        }
        let saving = self.saving_moves(board);
        let saves = |at: &usize| moves[*at].mv.vertex().is_some_and(|v| saving.contains(&v));
        let worth: f32 = (0..moves.len()).filter(saves).map(|at| moves[at].prior).sum();
        if worth >= WORTH_SAVING {
            all = (0..moves.len()).filter(saves).collect();
            all.sort_by(|&a, &b| moves[b].prior.total_cmp(&moves[a].prior));
        }
        keep_if_any(&mut all, |&at| !self.is_careless(board, &moves[at]));
        all
    }

    /// Moves that save the largest own chain in atari, if it is large enough.
    fn saving_moves(self, board: &Board) -> Vec<Vertex> {
        let me = board.to_play();
        let in_atari =
            |v: &Vertex| board.is_color(*v, me) && board.chain(*v) == *v && board.atari(*v).is_some();
        let largest = board.points().filter(in_atari).max_by_key(|&chain| board.chain_size(chain));
        let Some(chain) = largest.filter(|&chain| self.minds(board.chain_size(chain))) else {
            return Vec::new();
        };
        let mut found = Few::<8>::new();
        if let Some(liberty) = board.atari(chain) {
            add_escapes(board, chain, liberty, me, &mut found);
        }
        found.iter().copied().collect()
    }

    /// Whether a move puts many own stones into atari, and is not meant to.
    fn is_careless(self, board: &Board, m: &RootMove) -> bool {
        let me: Color = board.to_play();
        m.prior < MEANT
            && m.mv
                .vertex()
                .is_some_and(|v| is_self_atari(board, v, me) && self.minds(stones_at_stake(board, v, me)))
    }

    /// Whether so many stones are enough to care.
    fn minds(self, stones: usize) -> bool {
        self.atari_stones > 0 && stones >= self.atari_stones
    }
}

/// Points that a move of a search loses against the one that the search chose.
fn loss(report: &SearchReport, at: usize) -> f32 {
    let sign = report.to_play.sign() as f32;
    (sign * (report.best().score - report.moves[at].score)).max(0.0)
}

/// Keeps what a network says after a move, as if the search had tried it once.
fn note(m: &mut RootMove, answer: &RawEvaluation) {
    m.visits = 1;
    m.black_value = answer.black_win + answer.no_result / 2.0;
    m.score = answer.lead;
}

/// Drops what `keep` does not want, unless nothing would be left.
fn keep_if_any(places: &mut Vec<usize>, keep: impl Fn(&usize) -> bool) {
    if places.iter().any(&keep) {
        places.retain(keep);
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Rules, VertexMap};

    use super::*;

    /// Moves with their priors, visits and Black's leads.
    fn report(to_play: Color, moves: &[(&str, f32, u32, f32)]) -> SearchReport {
        let root_move = |&(mv, prior, visits, score): &(&str, f32, u32, f32)| RootMove {
            mv: mv.parse().unwrap(),
            visits,
            black_value: 0.5,
            prior,
            amaf_visits: 0.0,
            amaf_black_value: 0.0,
            value_deviation: None,
            line: Vec::new(),
            line_visits: Vec::new(),
            score,
            score_deviation: 0.0,
            ownership: None,
            pruned_at: None,
        };
        SearchReport {
            position: 0,
            to_play,
            moves: moves.iter().map(root_move).collect(),
            black_value: 0.5,
            score: 0.0,
            score_deviation: 0.0,
            extra_komi: 0.0,
            ownership: VertexMap::filled(0.0),
            playouts: 0,
            visits: 0,
            nodes: 0,
            tree_bytes: 0,
            tree_full: false,
            elapsed: std::time::Duration::ZERO,
            reply_hits: None,
        }
    }

    /// What a network says: only Black's lead counts here.
    fn answer(lead: f32) -> RawEvaluation {
        RawEvaluation {
            black_win: 0.5,
            white_win: 0.5,
            no_result: 0.0,
            lead,
            score: lead,
            score_squared: lead * lead,
            policy: VertexMap::filled(0.0),
            pass: 0.0,
            ownership: None,
            uncertainty: None,
        }
    }

    /// How often each move is drawn in a thousand times. Moves without visits have the leads that the network says.
    fn draws(style: StyleConfig, board: Board, moves: &[(&str, f32, u32, f32)]) -> Vec<usize> {
        let game = Game::from_board(board, Rules::CHINESE);
        let mut rng = Rng::new(1);
        let mut counts = vec![0; moves.len()];
        for _ in 0..1000 {
            let mut report = report(game.to_play(), moves);
            for m in report.moves.iter_mut().filter(|m| m.visits == 0) {
                m.score = 0.0;
            }
            let told = |mv: Move| moves.iter().find(|(name, ..)| mv == name.parse().unwrap()).unwrap().3;
            style.draw(&game, &mut report, &mut rng, |mv| Some(answer(told(mv))));
            assert!(report.best().visits > 0);
            assert_eq!(report.moves.len(), moves.len());
            let drawn: Move = report.best().mv;
            counts[moves.iter().position(|(mv, ..)| drawn == mv.parse().unwrap()).unwrap()] += 1;
        }
        counts
    }

    const OPEN: StyleConfig = StyleConfig {
        temperature: 1.0,
        truncation: 0.0,
        care: 1000.0,
        worst: 1000.0,
        sure: 2.0,
        atari_stones: 0,
    };

    fn roughly(counts: &[usize], shares: &[f32]) {
        for (count, share) in counts.iter().zip(shares) {
            assert!((*count as f32 / 1000.0 - share).abs() < 0.05, "{counts:?} {shares:?}");
        }
    }

    #[test]
    fn moves_are_drawn_by_policy_temperature_and_cost() {
        let moves = [("C3", 0.6, 10, 0.0), ("D4", 0.3, 5, 0.0), ("E5", 0.1, 0, 0.0)];
        let board = || Board::new(9, 9);
        roughly(&draws(OPEN, board(), &moves), &[0.6, 0.3, 0.1]);
        let hot = StyleConfig { temperature: 2.0, ..OPEN };
        roughly(&draws(hot, board(), &moves), &[0.47, 0.33, 0.19]);
        let cut = StyleConfig { truncation: 0.4, ..OPEN };
        roughly(&draws(cut, board(), &moves), &[0.667, 0.333, 0.0]);
        // exp(−2 / 2) of 0.3.
        let costly = [("C3", 0.6, 10, 0.0), ("D4", 0.3, 5, -2.0), ("E5", 0.1, 0, 0.0)];
        let careful = StyleConfig { care: 2.0, ..OPEN };
        roughly(&draws(careful, board(), &costly), &[0.74, 0.136, 0.123]);
        let never = StyleConfig { worst: 1.0, ..OPEN };
        assert_eq!(draws(never, board(), &costly)[1], 0);
    }

    #[test]
    fn moves_that_the_search_has_not_tried_are_judged_by_the_network() {
        let board = || Board::new(9, 9);
        let moves = [("C3", 0.4, 10, 0.0), ("D4", 0.3, 0, -2.0), ("E5", 0.3, 0, -30.0)];
        let careful = StyleConfig { care: 2.0, worst: 20.0, ..OPEN };
        roughly(&draws(careful, board(), &moves), &[0.784, 0.216, 0.0]);
        // Where every candidate loses too much, the search's own move is played.
        let moves = [("C3", 0.0, 10, 0.0), ("D4", 0.5, 0, -40.0), ("E5", 0.5, 2, -30.0)];
        let truncated = StyleConfig { truncation: 0.1, ..careful };
        assert_eq!(draws(truncated, board(), &moves), [1000, 0, 0]);
        // A player without a network draws what its search has tried.
        let game = Game::from_board(board(), Rules::CHINESE);
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let mut report = report(game.to_play(), &[("C3", 0.1, 10, 0.0), ("D4", 0.9, 0, 0.0)]);
            OPEN.draw(&game, &mut report, &mut rng, |_| None);
            assert_eq!(report.best().mv, "C3".parse().unwrap());
        }
    }

    #[test]
    fn the_obvious_move_is_played_and_one_of_two_that_share_the_policy() {
        let board = || Board::new(9, 9);
        let sure = StyleConfig { sure: 0.8, ..OPEN };
        assert_eq!(draws(sure, board(), &[("C3", 0.85, 1, 0.0), ("D4", 0.15, 1, 0.0)]), [1000, 0]);
        let shared = draws(sure, board(), &[("C3", 0.5, 1, 0.0), ("D4", 0.4, 1, 0.0), ("E5", 0.1, 1, 0.0)]);
        assert!(shared[0] > 400 && shared[1] > 300 && shared[2] == 0, "{shared:?}");
    }

    #[test]
    fn the_search_may_pass() {
        let moves = [("pass", 0.1, 10, 0.0), ("C3", 0.9, 1, -1.0)];
        assert_eq!(draws(OPEN, Board::new(9, 9), &moves), [1000, 0]);
        // ... but a pass is not drawn.
        let moves = [("C3", 0.1, 10, 0.0), ("pass", 0.9, 1, -1.0)];
        assert_eq!(draws(OPEN, Board::new(9, 9), &moves), [1000, 0]);
    }

    #[test]
    fn large_chains_are_not_left_in_atari_or_put_into_it() {
        // Three black stones in atari at D1; C3 and A4 are elsewhere.
        let board =
            || Board::from_diagram(". . . . . / . . . . . / . . . . . / O O O . . / X X X . .").unwrap();
        let moves = [("C3", 0.7, 5, 0.0), ("A4", 0.15, 5, 0.0), ("D1", 0.15, 1, 0.0)];
        let minds = |atari_stones| StyleConfig { atari_stones, ..OPEN };
        assert_eq!(draws(minds(3), board(), &moves), [0, 0, 1000]);
        assert!(draws(minds(4), board(), &moves)[0] > 600, "three stones are not enough");
        assert!(draws(minds(0), board(), &moves)[0] > 600);
        // Joining A1 and B1 at C1 leaves one liberty, D1.
        let board =
            || Board::from_diagram(". . . . . / . . . . . / . . . . . / O O O . . / X X . . .").unwrap();
        let moves = [("C1", 0.2, 5, 0.0), ("C4", 0.8, 5, 0.0)];
        assert_eq!(draws(minds(2), board(), &moves)[0], 0);
        assert!(draws(minds(0), board(), &moves)[0] > 100);
    }
}
