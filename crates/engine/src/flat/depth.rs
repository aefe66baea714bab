//! Minimax over Monte-Carlo leaves.
//!
//! **What.** The positions after `depth` moves are valued by the mean scores of random games, and a minimax over these means
//! gives the values of the moves.
//!
//! **The cut.** On 9x9 there are about 6,500 positions after two moves: too many for a good mean of each. So the moves are
//! sorted out first: level by level the games go, in turn, to the moves one level deeper, and then only the `width` best moves of
//! each position are kept. What is left at the end, at most `width`^`depth` positions, gets games once more. The budget is
//! divided by the number of positions, so that each has about the same number of games: `leaf_games` if nothing else limits the
//! search. With `width` 0 nothing is cut, and all games go to all positions after `depth` moves.
//!
//! A level counts once each of its positions has had a game; until then the values are those of the level before.
//!
//! **Source.** Bouzy and Helmstetter 2003, "depth-i enhancement"; S2.5. The paper found depth 2 worse than depth 1: depth 1
//! overestimates the root's value, depth 2 underestimates it.
//!
//! **Differences.** The paper does not say how it made depth 2 affordable; the cut is ours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game, Move};

use super::{
    method::{Finding, Method, Start, candidates},
    sampler::Sampler,
    stats::ScoreStats,
};
use crate::{
    playout::{EyeRule, PlayoutPolicy},
    search::Restriction,
};

/// Parameters of the minimax.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DepthConfig {
    /// Moves before the random games (paper: 2).
    #[schemars(extend("x-peer" = true), range(min = 1, max = 10))]
    pub depth: usize,
    /// Moves of a position that are looked at more closely; 0 for all of them.
    #[schemars(extend("x-peer" = true), range(min = 0, max = 1000))]
    pub width: usize,
    /// Games of each position where nothing else limits them (paper: at least 100 a move).
    #[schemars(extend("x-peer" = true), range(min = 1, max = 1_000_000))]
    pub leaf_games: u64,
}

impl DepthConfig {
    /// Games for a decision between so many moves where nothing else limits it.
    pub(super) fn limit(&self, moves: usize) -> u64 {
        self.positions(moves).iter().sum::<u64>().saturating_mul(self.leaf_games).max(1)
    }

    /// About how many positions get games, level by level, and those that get games once more.
    fn positions(&self, moves: usize) -> Vec<u64> {
        let power = |base: usize, levels: usize| {
            (0..levels).fold(1u64, |n, _| n.saturating_mul(base as u64)).min(MOST_POSITIONS as u64)
        };
        if self.width == 0 {
            return vec![power(moves, self.depth)];
        }
        let width = self.width.min(moves);
        let levels = (0..self.depth).map(|level| power(width, level).saturating_mul(moves as u64));
        levels.chain([power(width, self.depth)]).collect()
    }
}

impl Default for DepthConfig {
    fn default() -> Self {
        DepthConfig { depth: 2, width: 8, leaf_games: 100 }
    }
}

/// Positions beyond this number are not looked into any further, so that a deep search without a cut stays in memory.
const MOST_POSITIONS: usize = 1_000_000;

struct Position {
    /// The moves from the root.
    line: Vec<Move>,
    stats: ScoreStats,
    children: Vec<usize>,
    pruned_at: Option<u64>,
}

pub(super) struct Depth {
    config: DepthConfig,
    policy: Box<dyn PlayoutPolicy>,
    eyes: EyeRule,
    game: Game,
    restrictions: Vec<Restriction>,
    positions: Vec<Position>,
    /// The children of the root.
    roots: Vec<usize>,
    /// The positions that begin games, in turn.
    open: Vec<usize>,
    next: usize,
    /// How many levels have been expanded.
    level: usize,
    /// Whether every position of the deepest level has had a game.
    is_valued: bool,
    /// Whether the moves of the deepest level have been sorted out too.
    is_complete: bool,
}

impl Depth {
    pub(super) fn new(config: &DepthConfig, start: Start<'_>) -> Depth {
        let mut depth = Depth {
            config: config.clone(),
            policy: start.policy,
            eyes: start.eyes,
            game: start.game.clone(),
            restrictions: start.restrictions.to_vec(),
            positions: Vec::new(),
            roots: Vec::new(),
            open: Vec::new(),
            next: 0,
            level: 1,
            is_valued: false,
            is_complete: false,
        };
        depth.roots = depth.add(&[], start.candidates);
        depth.open.clone_from(&depth.roots);
        while depth.config.width == 0 && !depth.is_complete {
            depth.deepen(0);
        }
        depth
    }

    /// Adds the positions after each move.
    fn add(&mut self, line: &[Move], moves: Vec<Move>) -> Vec<usize> {
        let first = self.positions.len();
        self.positions.extend(moves.into_iter().map(|mv| Position {
            line: [line, &[mv]].concat(),
            stats: ScoreStats::default(),
            children: Vec::new(),
            pruned_at: None,
        }));
        (first..self.positions.len()).collect()
    }

    /// Cuts the moves of the deepest level, and goes one level deeper if there is another.
    fn deepen(&mut self, games: u64) {
        if self.config.width > 0 {
            self.cut(games);
        }
        if self.level < self.config.depth {
            for parent in std::mem::take(&mut self.open) {
                let line = self.positions[parent].line.clone();
                let mut game = self.game.clone();
                for &mv in &line {
                    game.play_unchecked(mv);
                }
                if game.is_over() || self.positions.len() > MOST_POSITIONS {
                    self.open.push(parent);
                    continue;
                }
                let moves = candidates(&game, self.eyes, &self.restrictions, line.len());
                let children = self.add(&line, moves);
                self.open.extend(&children);
                self.positions[parent].children = children;
            }
            self.level += 1;
            self.is_valued = false;
        } else {
            self.is_complete = true;
        }
        self.next = 0;
    }

    /// Keeps the best moves of each position.
    fn cut(&mut self, games: u64) {
        let color = self.color_at(self.level - 1);
        let (config, positions) = (&self.config, &mut self.positions);
        let families = match self.level {
            1 => vec![self.roots.clone()],
            level => {
                let is_parent = |p: &&Position| p.line.len() == level - 1 && !p.children.is_empty();
                positions.iter().filter(is_parent).map(|p| p.children.clone()).collect()
            }
        };
        for mut family in families {
            family.sort_by(|&a, &b| {
                positions[b].stats.mean_for(color).total_cmp(&positions[a].stats.mean_for(color))
            });
            for &worse in family.iter().skip(config.width) {
                positions[worse].pruned_at = Some(games);
            }
        }
        self.open.retain(|&i| positions[i].pruned_at.is_none());
    }

    /// Who moves after `moves` moves.
    fn color_at(&self, moves: usize) -> Color {
        let first = self.game.to_play();
        if moves.is_multiple_of(2) { first } else { !first }
    }

    /// The position that decides the value of another: what both sides' best moves lead to, on levels that are valued.
    fn leaf(&self, index: usize) -> usize {
        let position = &self.positions[index];
        if !self.is_valued && position.line.len() + 1 == self.level && position.stats.games() > 0 {
            return index;
        }
        let color = self.color_at(position.line.len());
        let children = position.children.iter().copied();
        let leaves = children.map(|child| self.leaf(child));
        let known = leaves.filter(|&leaf| {
            let leaf = &self.positions[leaf];
            leaf.stats.games() > 0 && leaf.pruned_at.is_none()
        });
        let value = |leaf: usize| self.positions[leaf].stats.mean_for(color);
        known.max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(index)
    }

    /// The games of a position and of all below it.
    fn games(&self, index: usize) -> u32 {
        let position = &self.positions[index];
        position.stats.games() + position.children.iter().map(|&child| self.games(child)).sum::<u32>()
    }
}

impl Method for Depth {
    fn play(&mut self, sampler: &mut Sampler<'_>, progress: f32) -> bool {
        let is_round = self.next == self.open.len();
        if is_round && !self.is_complete {
            let positions = self.config.positions(self.roots.len());
            let so_far: u64 = positions[..self.level].iter().sum();
            if progress >= so_far as f32 / positions.iter().sum::<u64>() as f32 {
                self.deepen(sampler.games());
            }
        }
        if self.next >= self.open.len() {
            self.next = 0;
        }
        let position = &mut self.positions[self.open[self.next]];
        position.stats.add(sampler.play(&position.line, &mut *self.policy));
        self.next += 1;
        self.is_valued |= self.next == self.open.len();
        true
    }

    fn findings(&self) -> Vec<Finding> {
        let finding = |&root: &usize| {
            let leaf = &self.positions[self.leaf(root)];
            let pruned_at = self.positions[root].pruned_at;
            Finding { line: leaf.line.clone(), games: self.games(root), stats: leaf.stats, pruned_at }
        };
        self.roots.iter().map(finding).collect()
    }

    fn positions(&self) -> usize {
        self.positions.len()
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Rules};

    use super::*;
    use crate::{flat::stats::stats_of, playout::PlayoutConfig, rng::Rng};

    /// Three by three, empty, Black to play.
    fn depth(config: &DepthConfig) -> Depth {
        let game = Game::from_board(Board::new(3, 3), Rules::CHINESE);
        let eyes = EyeRule::default();
        let candidates = candidates(&game, eyes, &[], 0);
        let policy = PlayoutConfig::default().build();
        Depth::new(config, Start { game: &game, candidates, eyes, policy, restrictions: &[] })
    }

    fn find(depth: &Depth, line: &str) -> usize {
        let line: Vec<Move> = line.split(' ').map(|mv| mv.parse().unwrap()).collect();
        depth.positions.iter().position(|p| p.line == line).unwrap()
    }

    #[test]
    fn without_a_cut_every_position_is_valued_and_minimax_decides() {
        let mut depth = depth(&DepthConfig { depth: 2, width: 0, ..DepthConfig::default() });
        // Nine points, then eight for White.
        assert_eq!((depth.roots.len(), depth.open.len()), (9, 72));
        for &i in &depth.open {
            depth.positions[i].stats = stats_of(&[5.0]);
        }
        // White's best answer to B2 leaves 3 points, to A1 only −4.
        for (line, score) in [("B2 B1", 3.0), ("B2 A1", 9.0), ("A1 B2", -4.0), ("A1 C3", 9.0)] {
            let i = find(&depth, line);
            depth.positions[i].stats = stats_of(&[score]);
        }
        let findings = depth.findings();
        let of = |mv: &str| findings.iter().find(|f| f.line[0] == mv.parse().unwrap()).unwrap();
        assert_eq!((of("B2").stats.mean(), of("A1").stats.mean(), of("C1").stats.mean()), (3.0, -4.0, 5.0));
        assert_eq!(of("A1").line, ["A1", "B2"].map(|mv| mv.parse().unwrap()));
        assert_eq!(of("A1").games, 8);
    }

    #[test]
    fn the_best_moves_at_each_level_are_kept() {
        let mut depth = depth(&DepthConfig { depth: 2, width: 2, ..DepthConfig::default() });
        assert_eq!(depth.open.len(), 9);
        for (rank, &i) in depth.open.iter().enumerate() {
            depth.positions[i].stats = stats_of(&[rank as f32]);
        }
        depth.deepen(100);
        let kept: Vec<_> = depth.roots.iter().filter(|&&i| depth.positions[i].pruned_at.is_none()).collect();
        assert_eq!(kept, [&7, &8], "the best two for Black");
        assert_eq!(depth.open.len(), 16);
        for (rank, &i) in depth.open.iter().enumerate() {
            depth.positions[i].stats = stats_of(&[rank as f32]);
        }
        depth.deepen(200);
        assert_eq!(depth.open, [9, 10, 17, 18], "the two best replies for White to each");
        assert!(depth.is_complete);
        assert_eq!(depth.findings()[0].pruned_at, Some(100));
    }

    #[test]
    fn games_go_deeper_as_the_budget_is_spent() {
        let mut depth = depth(&DepthConfig { depth: 2, width: 2, ..DepthConfig::default() });
        let (game, mut rng) = (depth.game.clone(), Rng::new(1));
        let mut sampler = Sampler::new(&game, crate::playout::PlayoutLimits::default(), &mut rng);
        let mut levels = Vec::new();
        for i in 0..300 {
            depth.play(&mut sampler, i as f32 / 300.0);
            levels.push((depth.level, depth.is_complete));
        }
        // Nine positions, then two times nine (eight, in fact), then four: 9/31 and 27/31 of the games.
        assert_eq!(
            (levels[86], levels[100], levels[255], levels[290]),
            ((1, false), (2, false), (2, false), (2, true))
        );
        assert_eq!(depth.roots.iter().map(|&root| depth.games(root)).sum::<u32>(), 300);
        assert_eq!(DepthConfig { width: 2, ..DepthConfig::default() }.limit(9), 3_100);
        let last: Vec<u32> = depth.open.iter().map(|&i| depth.positions[i].stats.games()).collect();
        assert!(last.iter().all(|&games| games >= 10), "{last:?}");
    }

    #[test]
    fn a_level_counts_once_all_its_positions_have_had_games() {
        let mut depth = depth(&DepthConfig { depth: 2, width: 2, ..DepthConfig::default() });
        let (game, mut rng) = (depth.game.clone(), Rng::new(1));
        let mut sampler = Sampler::new(&game, crate::playout::PlayoutLimits::default(), &mut rng);
        for _ in 0..9 {
            depth.play(&mut sampler, 0.0);
        }
        // The second level begins, and has games for 15 of its 16 positions.
        for _ in 0..15 {
            depth.play(&mut sampler, 0.5);
        }
        assert_eq!(depth.open.len(), 16);
        assert!(depth.findings().iter().all(|finding| finding.line.len() == 1));
        depth.play(&mut sampler, 0.5);
        depth.play(&mut sampler, 0.5);
        let kept = depth.findings().into_iter().filter(|finding| finding.pruned_at.is_none());
        assert!(kept.map(|finding| finding.line.len()).eq([2, 2]));
    }
}
