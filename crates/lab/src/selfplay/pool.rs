//! Many games at once, which share batches of evaluations.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};

use tengen_board::{Game, Move};
use tengen_engine::players::StopSignal;
use tengen_nets::{
    Network, Output, Runner,
    planes::{HISTORY, Position},
};

use super::{
    config::SelfPlayConfig,
    table::{Next, Played, Table},
};

/// What is seen of games while they are played.
pub enum Seen {
    /// A game is over.
    Over(Box<Played>),
    /// A game that is being played, after another move.
    Position(Box<Game>),
}

impl Seen {
    /// The game, if it is over.
    pub fn over(self) -> Option<Played> {
        match self {
            Seen::Over(played) => Some(*played),
            Seen::Position(_) => None,
        }
    }
}

/// Games of networks against themselves, or each other.
pub struct Pool<'a> {
    /// How they are played.
    pub config: &'a SelfPlayConfig,
    /// The networks.
    pub networks: &'a [Arc<Network>],
    /// Where the random numbers of all games start.
    pub seed: u64,
    /// Threads. Games do not depend on them.
    pub threads: usize,
    /// Ends the games under way.
    pub stop: &'a StopSignal,
}

impl Pool<'_> {
    /// Positions that a network evaluates together.
    pub const BATCH: usize = 16;

    /// Plays the games with these numbers; `players` tells which networks play Black and White in each. `on_over` sees each game when
    /// it is over, in no particular order.
    pub fn play(
        &self,
        numbers: std::ops::Range<u64>,
        players: impl Fn(u64) -> [usize; 2] + Sync,
        mut on_over: impl FnMut(Played),
    ) {
        self.watch(numbers, players, |seen| {
            if let Seen::Over(played) = seen {
                on_over(*played);
            }
        });
    }

    /// The same for somebody who wants to see a game being played, too.
    pub fn watch(
        &self,
        numbers: std::ops::Range<u64>,
        players: impl Fn(u64) -> [usize; 2] + Sync,
        mut see: impl FnMut(Seen),
    ) {
        let next = AtomicU64::new(numbers.start);
        let take = || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < numbers.end && !self.stop.is_stopped())
                .then(|| Table::new(self.config, self.seed, number, players(number)))
        };
        if self.threads <= 1 {
            self.work(&take, true, &mut see);
            return;
        }
        let (sender, over) = mpsc::channel();
        thread::scope(|scope| {
            for thread in 0..self.threads {
                let (sender, take) = (sender.clone(), &take);
                scope.spawn(move || {
                    let mut send = |seen: Seen| {
                        // Whoever listens listens to the end.
                        let _ = sender.send(seen);
                    };
                    self.work(take, thread == 0, &mut send);
                });
            }
            drop(sender);
            over.into_iter().for_each(&mut see);
        });
    }

    /// One thread's games, until none is left. If it `shows` a game, then one after the other, move by move.
    fn work(&self, take: &dyn Fn() -> Option<Table>, shows: bool, see: &mut dyn FnMut(Seen)) {
        // The number of the game that is shown, and how many of its moves have been seen.
        let mut shown = (u64::MAX, 0);
        let mut tables: Vec<Table> = Vec::new();
        let mut evaluators = Evaluators { networks: self.networks, runners: BTreeMap::new() };
        loop {
            while tables.len() < self.config.parallel {
                let Some(table) = take() else { break };
                tables.push(table);
            }
            if tables.is_empty() || self.stop.is_stopped() {
                return;
            }
            // Games that wait, by network and size of the board.
            let mut waiting: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
            let mut at = 0;
            while at < tables.len() {
                match tables[at].next(self.config) {
                    Next::Waits(network) => {
                        let size = tables[at].game().board().width();
                        waiting.entry((network, size)).or_default().push(at);
                        at += 1;
                    }
                    Next::Over(played) => {
                        see(Seen::Over(played));
                        if let Some(table) = take() {
                            tables[at] = table;
                        } else {
                            tables.remove(at);
                        }
                    }
                }
            }
            if shows
                && let Some(table) = tables.iter().find(|table| table.number == shown.0).or(tables.first())
            {
                let now = (table.number, table.game().moves().len());
                if now != shown {
                    see(Seen::Position(Box::new(table.game().clone())));
                    shown = now;
                }
            }
            for ((network, size), at) in waiting {
                for chunk in at.chunks(Self::BATCH) {
                    evaluators.evaluate((network, size), chunk, &mut tables, self.config);
                }
            }
        }
    }
}

/// A thread's memory for evaluations.
struct Evaluators<'a> {
    networks: &'a [Arc<Network>],
    runners: BTreeMap<(usize, usize), (Runner, Vec<Output>)>,
}

impl Evaluators<'_> {
    fn evaluate(&mut self, key: (usize, usize), at: &[usize], tables: &mut [Table], config: &SelfPlayConfig) {
        let (network, size) = key;
        let make = || (self.networks[network].runner(size, size, Pool::BATCH), Vec::new());
        let (runner, outputs) = self.runners.entry(key).or_insert_with(make);
        let shared: &[Table] = tables;
        let waiting = || at.iter().filter_map(move |&i| shared[i].waiting());
        let moves: Vec<Vec<Move>> = waiting().map(|(game, _)| recent(game)).collect();
        let seen: Vec<_> = waiting()
            .zip(&moves)
            .map(|((game, symmetry), moves)| {
                let position = Position { board: game.board(), moves, komi: game.rules().komi, rank: None };
                (position, symmetry)
            })
            .collect();
        runner.evaluate_images(&seen, outputs);
        for (&i, output) in at.iter().zip(outputs.iter()) {
            tables[i].receive(config, output);
        }
    }
}

/// The last moves, as many as networks look at.
fn recent(game: &Game) -> Vec<Move> {
    let moves = game.moves();
    moves[moves.len().saturating_sub(HISTORY)..].iter().map(|played| played.mv).collect()
}
