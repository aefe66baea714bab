//! Progressive pruning.
//!
//! **What.** As in basic flat Monte Carlo the candidates begin games in turn, but a move that has become statistically
//! inferior to another gets no more of them. The search ends when one move is left, when the moves left are statistically
//! equal, or when a limit is reached.
//!
//! **Formula.** With the mean `m` of a move's scores and the standard error `σ` of that mean, the left and right expected
//! outcomes are `m_l = m − r_d·σ` and `m_r = m + r_d·σ`. A move is inferior to another if its `m_r` is less than the
//! other's `m_l`. Two moves are equal if both have `σ < σ_e` and neither is inferior.
//!
//! **Source.** Bouzy and Helmstetter 2003, "progressive pruning"; S2.2. Its tables on 9x9: `r_d` 1, 2, 4, 8 give 0, +5.6,
//! +7.3, +9.0 points in 10, 35, 90, 150 minutes a game; `σ_e` 0.2, 0.5, 1 give 0, −0.7, −6.7 points in 10, 9, 7 minutes.
//!
//! **Differences.** The text calls `σ` the standard deviation. That of single games, about 39 points on 9x9, could never
//! fall below `σ_e`, so the standard error of the mean is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, Move};

use super::{
    method::{Finding, Method, Start},
    sampler::Sampler,
    stats::ScoreStats,
};
use crate::playout::PlayoutPolicy;

/// What becomes of a pruned move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PruningRule {
    /// It is never a candidate again.
    #[default]
    Hard,
    /// It is a candidate again when it is no longer inferior, because the values of others have fallen.
    Soft,
}

/// Parameters of progressive pruning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PruningConfig {
    /// Whether a pruned move can come back.
    #[schemars(extend("x-peer" = true))]
    pub rule: PruningRule,
    /// `r_d`: the greater, the later moves are pruned (paper: 1 in the final program; 2, 4 and 8 are stronger and slower).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub ratio: f64,
    /// `σ_e` in points: moves whose standard errors are smaller count as equal (paper: 0.2).
    #[schemars(extend("x-peer" = true), range(min = 0.0, max = 1000.0))]
    pub equality: f64,
    /// Games a move before it can be pruned (paper: 100).
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1_000_000_000))]
    pub least: u32,
    /// The search ends after this many games for each legal move, whoever got them (paper: 10,000).
    #[schemars(extend("x-peer" = true), range(min = 1, max = 1_000_000_000))]
    pub most: u64,
}

impl Default for PruningConfig {
    fn default() -> Self {
        PruningConfig { rule: PruningRule::Hard, ratio: 1.0, equality: 0.2, least: 100, most: 10_000 }
    }
}

impl PruningConfig {
    /// Games after which a search among so many moves ends.
    pub(super) fn limit(&self, moves: usize) -> u64 {
        self.most.max(1).saturating_mul(moves as u64)
    }

    /// The left and the right expected outcome as `color` sees them.
    fn outcomes(&self, stats: &ScoreStats, color: Color) -> (f64, f64) {
        let (mean, spread) = (stats.mean_for(color), self.ratio * stats.error());
        (mean - spread, mean + spread)
    }
}

struct Candidate {
    mv: Move,
    stats: ScoreStats,
    pruned_at: Option<u64>,
}

pub(super) struct Pruning {
    config: PruningConfig,
    policy: Box<dyn PlayoutPolicy>,
    color: Color,
    moves: Vec<Candidate>,
    /// Those that are not pruned.
    left: Vec<usize>,
    /// The next of them to begin a game.
    next: usize,
}

impl Pruning {
    pub(super) fn new(config: &PruningConfig, start: Start<'_>) -> Pruning {
        let new = |mv| Candidate { mv, stats: ScoreStats::default(), pruned_at: None };
        let moves: Vec<_> = start.candidates.into_iter().map(new).collect();
        Pruning {
            config: config.clone(),
            policy: start.policy,
            color: start.game.to_play(),
            left: (0..moves.len()).collect(),
            moves,
            next: 0,
        }
    }

    /// Takes out what is inferior, after `games` games.
    fn prune(&mut self, games: u64) {
        let Pruning { config, color, moves, left, .. } = self;
        let soft = config.rule == PruningRule::Soft;
        let is_known = |c: &Candidate| c.stats.games() >= config.least.max(2);
        let rivals = moves.iter().filter(|c| is_known(c) && (soft || c.pruned_at.is_none()));
        let best =
            rivals.map(|c| config.outcomes(&c.stats, *color).0).max_by(f64::total_cmp).unwrap_or(f64::MIN);
        for candidate in moves.iter_mut() {
            let is_inferior = is_known(candidate) && config.outcomes(&candidate.stats, *color).1 < best;
            candidate.pruned_at = match candidate.pruned_at {
                None if is_inferior => Some(games),
                Some(_) if soft && !is_inferior => None,
                unchanged => unchanged,
            };
        }
        left.clear();
        left.extend((0..moves.len()).filter(|&i| moves[i].pruned_at.is_none()));
    }

    /// Whether the moves left need no more games: one of them, or several that are equal.
    fn is_decided(&self) -> bool {
        let mut left = self.left.iter().map(|&i| &self.moves[i].stats);
        let has_enough = |stats: &ScoreStats| stats.games() >= self.config.least;
        if let [only] = self.left[..] {
            return has_enough(&self.moves[only].stats);
        }
        // None is inferior: those were just pruned.
        left.all(|stats| has_enough(stats) && stats.error() < self.config.equality)
    }
}

impl Method for Pruning {
    fn play(&mut self, sampler: &mut Sampler<'_>, _progress: f32) -> bool {
        if self.next >= self.left.len() {
            self.prune(sampler.games());
            self.next = 0;
            if self.is_decided() {
                return false;
            }
        }
        if sampler.games() >= self.config.limit(self.moves.len()) {
            return false;
        }
        let candidate = &mut self.moves[self.left[self.next]];
        candidate.stats.add(sampler.play(&[candidate.mv], &mut *self.policy));
        self.next += 1;
        true
    }

    fn findings(&self) -> Vec<Finding> {
        let finding = |c: &Candidate| Finding { pruned_at: c.pruned_at, ..Finding::new(c.mv, c.stats) };
        self.moves.iter().map(finding).collect()
    }

    fn positions(&self) -> usize {
        self.moves.len()
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Game, Rules};

    use super::*;
    use crate::{
        flat::stats::stats_of,
        playout::{EyeRule, PlayoutConfig},
    };

    /// Moves with these scores, Black to play, and at least four games a move.
    fn pruning(rule: PruningRule, ratio: f64, scores: &[&[f32]]) -> Pruning {
        let game = Game::from_board(Board::new(9, 9), Rules::CHINESE);
        let candidates = game.board().points().take(scores.len()).map(Move::from).collect();
        let policy = PlayoutConfig::default().build();
        let start = Start { game: &game, candidates, eyes: EyeRule::default(), policy, restrictions: &[] };
        let config = PruningConfig { rule, ratio, equality: 1.0, least: 4, most: 10 };
        let mut pruning = Pruning::new(&config, start);
        for (candidate, scores) in pruning.moves.iter_mut().zip(scores) {
            candidate.stats = stats_of(scores);
        }
        pruning
    }

    /// Mean 10, deviations ±2 and ±4: σ = √(40 / 3 / 4) = 1.826.
    const TEN: &[f32] = &[6.0, 8.0, 12.0, 14.0];
    /// The same around 14.
    const FOURTEEN: &[f32] = &[10.0, 12.0, 16.0, 18.0];
    /// The same around 13.
    const THIRTEEN: &[f32] = &[9.0, 11.0, 15.0, 17.0];
    /// Mean 14, all the same: σ = 0.
    const EXACTLY_FOURTEEN: &[f32] = &[14.0; 4];

    #[test]
    fn a_move_is_pruned_when_its_right_outcome_is_less_than_anothers_left() {
        // r_d = 1: m_r = 11.826 of the first, m_l = 12.174 of the second.
        let mut moves = pruning(PruningRule::Hard, 1.0, &[TEN, FOURTEEN]);
        moves.prune(8);
        assert_eq!((moves.moves[0].pruned_at, moves.moves[1].pruned_at), (Some(8), None));
        assert_eq!(moves.left, [1]);
        assert!(moves.is_decided(), "one move is left");
        // Three points apart: 11.826 is more than 11.174.
        let mut moves = pruning(PruningRule::Hard, 1.0, &[TEN, THIRTEEN]);
        moves.prune(8);
        assert_eq!(moves.left, [0, 1]);
        assert!(!moves.is_decided(), "σ is more than σ_e = 1");
        // r_d = 2: 13.651 is more than 10.349.
        let mut moves = pruning(PruningRule::Hard, 2.0, &[TEN, FOURTEEN]);
        moves.prune(8);
        assert_eq!(moves.left, [0, 1]);
    }

    #[test]
    fn white_prunes_what_is_good_for_black() {
        let mut moves = pruning(PruningRule::Hard, 1.0, &[TEN, FOURTEEN]);
        moves.color = Color::White;
        moves.prune(8);
        assert_eq!(moves.left, [0]);
    }

    #[test]
    fn nothing_is_pruned_before_the_least_number_of_games() {
        let mut moves = pruning(PruningRule::Hard, 1.0, &[&TEN[..3], FOURTEEN]);
        moves.prune(7);
        assert_eq!(moves.left, [0, 1]);
        assert!(!moves.is_decided());
    }

    #[test]
    fn equal_moves_end_the_search() {
        let mut moves = pruning(PruningRule::Hard, 1.0, &[EXACTLY_FOURTEEN, EXACTLY_FOURTEEN]);
        moves.prune(8);
        assert_eq!(moves.left, [0, 1]);
        assert!(moves.is_decided());
        let mut moves = pruning(PruningRule::Hard, 1.0, &[EXACTLY_FOURTEEN, FOURTEEN]);
        moves.prune(8);
        assert!(!moves.is_decided(), "the second has σ = 1.826");
    }

    #[test]
    fn a_pruned_move_comes_back_by_the_soft_rule_only() {
        for (rule, expected) in [(PruningRule::Hard, vec![1]), (PruningRule::Soft, vec![0, 1])] {
            let mut moves = pruning(rule, 1.0, &[TEN, FOURTEEN]);
            moves.prune(8);
            assert_eq!(moves.left, [1]);
            // Its rival's mean falls to 10 or so, with a wider spread.
            for score in [0.0, 2.0, 10.0] {
                moves.moves[1].stats.add(crate::flat::stats::Sample { score, black_value: 0.0 });
            }
            moves.prune(11);
            assert_eq!(moves.left, expected, "{rule:?}");
            assert_eq!(moves.moves[0].pruned_at, (rule == PruningRule::Hard).then_some(8));
        }
    }

    #[test]
    fn the_limit_is_a_number_of_games_for_each_legal_move() {
        assert_eq!(PruningConfig::default().limit(81), 810_000);
    }
}
