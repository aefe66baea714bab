//! Where games are played: on the threads of this machine, or wherever else a [`Venue`] has them played.
//!
//! Matches, experiments, self-play and learning say what is to be played and keep the results; they do not know where that happens.
//! The same order gives the same games everywhere, as far as the players allow it.

use std::{collections::BTreeSet, ops::Range, path::Path, sync::Arc};

use tengen_engine::players::StopSignal;
use tengen_nets::Network;

use crate::{
    matches::{GameRecord, MatchConfig, MatchError, Tables},
    parallel,
    players::spec::PlayerSpec,
    selfplay::{Pool, Seen, SelfPlayConfig, SelfPlayError, play_player},
};

/// A place where games are played.
pub trait Venue: Send + Sync {
    /// Plays the games of a match that are missing, and tells of each when it is over, in any order. Ends early when `stop` is set.
    fn play_match(
        &self,
        order: &MatchOrder<'_>,
        tell: &mut dyn FnMut(News) -> Result<(), MatchError>,
    ) -> Result<(), MatchError>;

    /// Plays games of self-play, and tells of each when it is over, in any order; a place that can also shows a game while it is
    /// played. Ends early when `stop` is set.
    fn play_self(&self, order: &SelfPlayOrder<'_>, tell: &mut dyn FnMut(Seen)) -> Result<(), SelfPlayError>;
}

/// Games of a match.
pub struct MatchOrder<'a> {
    /// The match.
    pub config: &'a MatchConfig,
    /// The games with numbers below this are wanted.
    pub games: usize,
    /// Those that are there already.
    pub there: &'a BTreeSet<usize>,
    /// The file in which the results are kept, if they are.
    pub file: Option<&'a Path>,
    /// Ends the games.
    pub stop: &'a StopSignal,
}

impl MatchOrder<'_> {
    /// The games that are to be played.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.games).filter(|game| !self.there.contains(game))
    }
}

/// What a venue tells of a match.
pub enum News {
    /// Games are over.
    Over(Vec<GameRecord>),
    /// These games do not count: what was told of them, or is there from an earlier run, was wrong. They are played again.
    Withdrawn(BTreeSet<usize>),
}

/// Who plays against itself.
#[derive(Clone)]
pub enum Who {
    /// A network, many games at a time.
    Network(Arc<Network>),
    /// Two networks against each other; the first has Black in every other game, beginning with the first.
    Duel([Arc<Network>; 2]),
    /// Any player, a game at a time in each thread.
    Player(Box<PlayerSpec>),
}

/// Games of self-play.
pub struct SelfPlayOrder<'a> {
    /// Who plays.
    pub who: &'a Who,
    /// How.
    pub config: &'a SelfPlayConfig,
    /// Where the random numbers of all games start.
    pub seed: u64,
    /// The numbers of the games.
    pub numbers: Range<u64>,
    /// Ends the games.
    pub stop: &'a StopSignal,
}

/// This machine, with so many games (of a match) or threads (of self-play) at a time.
pub struct Here(pub usize);

impl Venue for Here {
    fn play_match(
        &self,
        order: &MatchOrder<'_>,
        tell: &mut dyn FnMut(News) -> Result<(), MatchError>,
    ) -> Result<(), MatchError> {
        let missing: Vec<usize> = order.missing().collect();
        let tables = Tables::new(order.config, self.0.clamp(1, missing.len().max(1)), order.stop);
        tables.play(&missing, |record| tell(News::Over(vec![record])))
    }

    fn play_self(&self, order: &SelfPlayOrder<'_>, tell: &mut dyn FnMut(Seen)) -> Result<(), SelfPlayError> {
        let pool = |networks: &[Arc<Network>], tell: &mut dyn FnMut(Seen)| {
            let (config, seed, stop) = (order.config, order.seed, order.stop);
            let duel = networks.len() > 1;
            let players = |number: u64| {
                if duel { if number.is_multiple_of(2) { [0, 1] } else { [1, 0] } } else { [0, 0] }
            };
            Pool { config, networks, seed, threads: self.0, stop }.watch(
                order.numbers.clone(),
                players,
                tell,
            );
        };
        match order.who {
            Who::Network(network) => pool(&[Arc::clone(network)], tell),
            Who::Duel(networks) => pool(networks, tell),
            Who::Player(spec) => {
                let pieces: Vec<usize> = order.numbers.clone().map(|number| number as usize).collect();
                let play =
                    |number: usize| play_player(spec, order.config, order.seed, number as u64).map(Some);
                let over = |game| {
                    tell(Seen::Over(Box::new(game)));
                    Ok::<_, SelfPlayError>(())
                };
                parallel::work(&pieces, self.0, order.stop, || (), |(), number| play(number), over)?;
            }
        }
        Ok(())
    }
}
