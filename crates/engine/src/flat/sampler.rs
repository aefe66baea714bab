//! Plays games from a position to their end, and keeps what all methods report about them.

use tengen_board::{Game, Move, VertexMap};

use super::stats::Sample;
use crate::{
    playout::{PlayoutLimits, PlayoutPolicy},
    rng::Rng,
    search::{Leaf, OwnershipTotals, area_komi, play_to_end},
};

/// Ownership is read off one game in so many: plenty, and it costs a pass over the board.
const OWNERSHIP_EVERY: u64 = 4;

pub(super) struct Sampler<'a> {
    game: &'a Game,
    limits: PlayoutLimits,
    komi: f32,
    rng: &'a mut Rng,
    leaf: Leaf,
    games: u64,
    ownership: OwnershipTotals,
    /// By the first move of the game, if it was asked for.
    ownership_after: Option<Vec<(Move, OwnershipTotals)>>,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(game: &'a Game, limits: PlayoutLimits, rng: &'a mut Rng) -> Sampler<'a> {
        Sampler {
            game,
            limits,
            komi: area_komi(game),
            rng,
            leaf: Leaf::new(game.board()),
            games: 0,
            ownership: OwnershipTotals::default(),
            ownership_after: None,
        }
    }

    /// Keeps ownership for each first move apart.
    pub(super) fn keep_moves_ownership(&mut self) {
        self.ownership_after = Some(Vec::new());
    }

    /// Plays a game that begins with `opening` and goes on by `policy`.
    pub(super) fn play(&mut self, opening: &[Move], policy: &mut dyn PlayoutPolicy) -> Sample {
        let leaf = &mut self.leaf;
        leaf.reset(self.game);
        for &mv in opening {
            leaf.play(mv);
        }
        play_to_end(policy, leaf, self.limits, self.komi, self.rng);
        self.games += 1;
        if self.games % OWNERSHIP_EVERY == 1 {
            self.ownership.count(&leaf.board);
        }
        if let (Some(by_move), Some(&first)) = (&mut self.ownership_after, leaf.since_root().first()) {
            let known = by_move.iter().position(|&(mv, _)| mv == first);
            let index = known.unwrap_or_else(|| {
                by_move.push((first, OwnershipTotals::default()));
                by_move.len() - 1
            });
            by_move[index].1.count(&leaf.board);
        }
        Sample { score: leaf.score, black_value: leaf.black_value }
    }

    /// The moves of the last game from the root on.
    pub(super) fn moves(&self) -> &[Move] {
        self.leaf.since_root()
    }

    /// Games played.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// The random numbers of the search.
    pub(super) fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Black's share of each point at the end of games.
    pub(super) fn ownership(&self) -> VertexMap<f32> {
        self.ownership.mean()
    }

    /// The same in games that began with `mv`, if it was asked for and there were any.
    pub(super) fn ownership_after(&self, mv: Move) -> Option<Box<VertexMap<f32>>> {
        let by_move = self.ownership_after.as_ref()?;
        by_move.iter().find(|(first, _)| *first == mv).map(|(_, totals)| Box::new(totals.mean()))
    }
}
