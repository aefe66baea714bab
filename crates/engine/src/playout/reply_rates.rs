//! A win rate for each reply, instead of the last good one.
//!
//! **What.** For each colour, previous move and reply, how many playouts had that reply and how many of them were won.
//! Beyond the tree either the reply with the best rate is played (and with probability ε the default policy's move), or
//! every legal reply has a chance that grows with its rate.
//!
//! **Formula.** rate(r) = (wins + ½·prior) / (plays + prior). Greedy: argmax of rate among replies with enough plays.
//! Softmax: P(r) ∝ exp(rate(r) / τ).
//!
//! **Source.** Proposed in Drake 2009, section 6 (S1.6), after Sutton and Barto 1998; Baier and Drake 2010 report that
//! it plays worse than no replies at all.
//!
//! **Differences.** The sources give no constants: those here are ours. Counts are halved before they overflow.

use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, CELLS, Color, MAX_AREA, Move, Vertex};

use super::{FinishedPlayout, LearnedReply, MogoConfig, PlayoutConfig, PlayoutPolicy, ReplyHits};
use crate::{reading::tactics::is_playable, rng::Rng};

/// How a reply is chosen from the win rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReplyChoice {
    /// The best rate, or the default policy's move with this probability.
    EpsilonGreedy {
        /// Probability of the default policy's move.
        #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1.0))]
        epsilon: f32,
    },
    /// Every legal reply, likelier with a higher rate.
    Softmax {
        /// A rate higher by this much is e times as likely.
        #[schemars(extend("x-peer" = true, "exclusiveMinimum" = 0.0), range(max = 1000.0))]
        temperature: f32,
    },
}

/// Parameters of [`ReplyRates`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReplyRatesConfig {
    /// How a reply is chosen.
    #[schemars(extend("x-peer" = true))]
    pub choice: ReplyChoice,
    /// Plays of rate ½ that every reply begins with.
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1_000_000.0))]
    pub prior: f32,
    /// A reply with fewer plays than this is not the best one (epsilon-greedy).
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1_000_000_000))]
    pub min_plays: u32,
    /// The default policy.
    #[schemars(extend("x-peer" = true))]
    pub base: Box<PlayoutConfig>,
}

impl Default for ReplyRatesConfig {
    fn default() -> Self {
        ReplyRatesConfig {
            choice: ReplyChoice::EpsilonGreedy { epsilon: 0.1 },
            prior: 2.0,
            min_plays: 3,
            base: Box::new(PlayoutConfig::Mogo(MogoConfig::default())),
        }
    }
}

/// Plays in the upper and wins in the lower half of each word; shared by all threads, where a lost update does no harm.
#[derive(Debug)]
struct Rates {
    words: Box<[AtomicU32]>,
    moves: AtomicU64,
    hits: AtomicU64,
}

impl Rates {
    /// The words of `color`'s replies to `previous`, by the reply's index.
    #[inline]
    fn row(&self, color: Color, previous: Vertex) -> &[AtomicU32] {
        let start = (color.index() * CELLS + previous.index()) * CELLS;
        &self.words[start..start + CELLS]
    }
}

#[inline]
fn plays(word: u32) -> u32 {
    word >> 16
}

#[inline]
fn counted(word: u32, won: bool) -> u32 {
    let word = if plays(word) == 0xffff { word >> 1 & 0x7fff_7fff } else { word };
    word + (1 << 16) + won as u32
}

/// A win rate for each reply, over a default policy.
pub struct ReplyRates {
    config: ReplyRatesConfig,
    rates: Arc<Rates>,
    base: Box<dyn PlayoutPolicy>,
    /// Not yet in the shared counters.
    recent: ReplyHits,
}

impl ReplyRates {
    /// The policy with an empty table.
    pub fn new(config: &ReplyRatesConfig) -> ReplyRates {
        let words = (0..2 * CELLS * CELLS).map(|_| AtomicU32::new(0)).collect();
        ReplyRates {
            config: config.clone(),
            rates: Arc::new(Rates { words, moves: AtomicU64::new(0), hits: AtomicU64::new(0) }),
            base: config.base.build(),
            recent: ReplyHits::default(),
        }
    }

    #[inline]
    fn rate(&self, word: u32) -> f32 {
        let wins = (word & 0xffff) as f32;
        (wins + 0.5 * self.config.prior) / (plays(word) as f32 + self.config.prior)
    }

    fn best(&self, board: &Board, row: &[AtomicU32]) -> Option<Vertex> {
        let mut best = None;
        let mut best_rate = f32::NEG_INFINITY;
        for &v in board.empties() {
            let word = row[v.index()].load(Ordering::Relaxed);
            if plays(word) >= self.config.min_plays.max(1) {
                let rate = self.rate(word);
                if rate > best_rate && is_playable(board, v) {
                    best = Some(v);
                    best_rate = rate;
                }
            }
        }
        best
    }

    fn sample(&self, board: &Board, row: &[AtomicU32], temperature: f32, rng: &mut Rng) -> Option<Vertex> {
        let mut weights = [0.0; MAX_AREA];
        let mut total = 0.0;
        let scale = 1.0 / temperature.max(1e-3);
        for (weight, &v) in weights.iter_mut().zip(board.empties()) {
            if is_playable(board, v) {
                // Rates are at most 1: nothing overflows, and the best reply never vanishes.
                *weight =
                    ((self.rate(row[v.index()].load(Ordering::Relaxed)) - 1.0) * scale).max(-60.0).exp();
                total += *weight;
            }
        }
        let mut left = rng.unit() * total;
        let mut chosen = None;
        for (&weight, &v) in weights.iter().zip(board.empties()) {
            if weight > 0.0 {
                chosen = Some(v);
                left -= weight;
                if left < 0.0 {
                    break;
                }
            }
        }
        chosen
    }

    fn reply(&self, board: &Board, moves: &[Move], rng: &mut Rng) -> Option<Vertex> {
        let row = self.rates.row(board.to_play(), moves.last()?.vertex()?);
        match self.config.choice {
            ReplyChoice::EpsilonGreedy { epsilon } => {
                if rng.chance(epsilon) {
                    return None;
                }
                self.best(board, row)
            }
            ReplyChoice::Softmax { temperature } => self.sample(board, row, temperature, rng),
        }
    }
}

impl PlayoutPolicy for ReplyRates {
    fn quiet(&mut self, board: &mut Board, moves: &[Move], rng: &mut Rng) -> Move {
        self.recent.moves += 1;
        if let Some(v) = self.reply(board, moves, rng) {
            self.recent.hits += 1;
            return v.into();
        }
        self.base.choose(board, moves, rng)
    }

    fn finish(&mut self, playout: &FinishedPlayout<'_>) {
        if let Some(winner) = playout.winner {
            let (mut mover, mut previous) = (!playout.first, playout.before[1]);
            for &mv in playout.moves {
                mover = !mover;
                if let (Some(previous), Some(reply)) =
                    (std::mem::replace(&mut previous, mv).vertex(), mv.vertex())
                {
                    let entry = &self.rates.row(mover, previous)[reply.index()];
                    let word = counted(entry.load(Ordering::Relaxed), mover == winner);
                    entry.store(word, Ordering::Relaxed);
                }
            }
        }
        let recent = std::mem::take(&mut self.recent);
        self.rates.moves.fetch_add(recent.moves, Ordering::Relaxed);
        self.rates.hits.fetch_add(recent.hits, Ordering::Relaxed);
        self.base.finish(playout);
    }

    fn fork(&self) -> Box<dyn PlayoutPolicy> {
        Box::new(ReplyRates {
            config: self.config.clone(),
            rates: Arc::clone(&self.rates),
            base: self.base.fork(),
            recent: ReplyHits::default(),
        })
    }

    fn clear(&mut self) {
        for word in &self.rates.words {
            word.store(0, Ordering::Relaxed);
        }
        self.rates.moves.store(0, Ordering::Relaxed);
        self.rates.hits.store(0, Ordering::Relaxed);
        self.recent = ReplyHits::default();
        self.base.clear();
    }

    fn learned_replies(&self, color: Color, previous: Move) -> Vec<LearnedReply> {
        let Some(previous) = previous.vertex() else { return Vec::new() };
        let row = self.rates.row(color, previous).iter().enumerate();
        let learned = row.filter_map(|(index, word)| {
            let word = word.load(Ordering::Relaxed);
            let is_known = plays(word) >= self.config.min_plays.max(1);
            is_known
                .then(|| LearnedReply { reply: Vertex::from_index(index).into(), weight: self.rate(word) })
        });
        let mut learned: Vec<_> = learned.collect();
        learned.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        learned
    }

    fn reply_hits(&self) -> Option<ReplyHits> {
        Some(ReplyHits {
            moves: self.rates.moves.load(Ordering::Relaxed),
            hits: self.rates.hits.load(Ordering::Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn teach(policy: &mut ReplyRates, moves: &str, winner: Color, times: usize) {
        let moves: Vec<Move> = moves.split(' ').map(|mv| mv.parse().unwrap()).collect();
        for _ in 0..times {
            policy.finish(&FinishedPlayout {
                before: [Move::PASS; 2],
                moves: &moves,
                first: Color::White,
                tree_moves: 0,
                winner: Some(winner),
            });
        }
    }

    #[test]
    fn the_reply_with_the_best_rate_is_played() {
        let choice = ReplyChoice::EpsilonGreedy { epsilon: 0.0 };
        let config = ReplyRatesConfig { choice, ..ReplyRatesConfig::default() };
        let mut policy = ReplyRates::new(&config);
        teach(&mut policy, "A1 B1", Color::Black, 3);
        teach(&mut policy, "A1 B1", Color::White, 3);
        teach(&mut policy, "A1 C1", Color::Black, 3);
        teach(&mut policy, "A1 C1", Color::White, 1);
        teach(&mut policy, "A1 D1", Color::Black, 2);
        let mut rng = Rng::new(1);
        let mut board = Board::new(9, 9);
        let last: [Move; 1] = ["A1".parse().unwrap()];
        // (3 + 1) / 6 for C1 against (3 + 1) / 8 for B1; D1 has too few plays.
        assert_eq!(policy.choose(&mut board, &last, &mut rng), "C1".parse().unwrap());
        policy.finish(&FinishedPlayout {
            before: [Move::PASS; 2],
            moves: &[],
            first: Color::Black,
            tree_moves: 0,
            winner: None,
        });
        assert_eq!(policy.reply_hits(), Some(ReplyHits { moves: 1, hits: 1 }));
    }

    #[test]
    fn softmax_follows_the_rates() {
        let choice = ReplyChoice::Softmax { temperature: 0.1 };
        let config = ReplyRatesConfig { choice, prior: 1.0, ..ReplyRatesConfig::default() };
        let mut policy = ReplyRates::new(&config);
        teach(&mut policy, "A1 B1", Color::Black, 199);
        let mut rng = Rng::new(1);
        let mut board = Board::new(3, 3);
        let last: [Move; 1] = ["A1".parse().unwrap()];
        let games = 20_000;
        let hits =
            (0..games).filter(|_| policy.choose(&mut board, &last, &mut rng).to_string() == "B1").count();
        // One of nine points has a rate of 0.9975, the others of 0.5.
        let share = 1.0 / (1.0 + 8.0 * (-4.975f32).exp());
        assert!((hits as f32 / games as f32 - share).abs() < 0.01, "{hits} {share}");
    }

    #[test]
    fn counts_are_halved_before_they_overflow() {
        let mut word = 0;
        for i in 0..200_000 {
            word = counted(word, i % 4 != 0);
        }
        let share = (word & 0xffff) as f32 / plays(word) as f32;
        assert!((share - 0.75).abs() < 0.001, "{share}");
    }
}
