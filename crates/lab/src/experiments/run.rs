//! Runs experiments: every cell in rounds, so that all arms have about the same number of games whenever it is stopped.

use std::{fs::File, path::PathBuf, sync::Arc};

use serde_json::Value as Json;
use tengen_engine::{players::StopSignal, time::TimeSettings};

use super::{
    cells::Cell,
    config::Experiment,
    error::LabError,
    results::{Records, Results},
    runs,
};
use crate::{
    journal::{self, Lines},
    matches::{self, Journal, MatchConfig, Openings, Referee},
    parallel::concurrency_for,
    venue::{Here, Venue},
};

/// How an experiment is run.
#[derive(Clone)]
pub struct RunOptions {
    /// The share of the games that are played.
    pub scale: f64,
    /// Games or runs at a time; as many as there are cores if absent.
    pub concurrency: Option<usize>,
    /// Whether results are kept.
    pub keep: bool,
    /// Whether results that are there are thrown away.
    pub fresh: bool,
    /// Where game records go, in a directory for each experiment and cell.
    pub sgf: Option<PathBuf>,
    /// The values of the sweep that are run; all if absent.
    pub at: Option<Vec<f64>>,
    /// Where games are played, if not on this machine; what is not a match is always run here.
    pub venue: Option<Arc<dyn Venue>>,
}

impl RunOptions {
    /// Everything in memory, one after the other.
    pub fn in_memory() -> RunOptions {
        RunOptions {
            scale: 1.0,
            concurrency: Some(1),
            keep: false,
            fresh: false,
            sgf: None,
            at: None,
            venue: None,
        }
    }

    /// Whether a cell is run.
    pub(super) fn includes(&self, cell: &Cell) -> bool {
        self.at.as_ref().is_none_or(|values| cell.at.is_some_and(|at| values.contains(&at)))
    }
}

/// In how many rounds the games are played.
const ROUNDS: usize = 4;

impl Experiment {
    /// The games or runs of a cell at this scale, an even number where games are played, so that colours are balanced.
    pub fn planned(&self, scale: f64) -> usize {
        let games = (self.config.games as f64 * scale).ceil().max(1.0) as usize;
        if self.config.kind.is_match() { games.next_multiple_of(2) } else { games }
    }

    /// Runs what is not there yet. `on_item` is told the cell's name after every game or run.
    pub fn run(
        &self,
        options: &RunOptions,
        stop: &StopSignal,
        mut on_item: impl FnMut(&str),
    ) -> Result<Results, LabError> {
        let planned = self.planned(options.scale);
        let _alone = options.keep.then(|| self.lock()).transpose()?;
        if options.fresh && self.results().exists() {
            let path = self.results();
            std::fs::remove_dir_all(&path).map_err(|source| LabError::File { path, source })?;
        }
        let rounds = if options.keep { ROUNDS } else { 1 };
        let mut last = Vec::new();
        for round in 1..=rounds {
            let games = (planned * round).div_ceil(rounds);
            let games = if self.config.kind.is_match() { games.next_multiple_of(2) } else { games };
            last.clear();
            for cell in self.cells()?.into_iter().filter(|cell| options.includes(cell)) {
                let records =
                    self.run_cell(&cell, games.min(planned), planned, options, stop, &mut on_item)?;
                last.push((cell, Json::Null, records));
                if stop.is_stopped() {
                    break;
                }
            }
        }
        if options.keep { Results::read(self) } else { Ok(Results::new(self, last)) }
    }

    /// Keeps other processes from this experiment's results as long as the file is open: locks its description, as result files come
    /// and go.
    fn lock(&self) -> Result<File, LabError> {
        let path = self.directory.join(Self::FILE);
        let file = File::open(&path).map_err(|source| LabError::File { path: path.clone(), source })?;
        journal::lock(&file, &path)?;
        Ok(file)
    }

    fn run_cell(
        &self,
        cell: &Cell,
        games: usize,
        planned: usize,
        options: &RunOptions,
        stop: &StopSignal,
        on_item: &mut dyn FnMut(&str),
    ) -> Result<Records, LabError> {
        let name = cell.name();
        let path = self.results().join(format!("{name}.jsonl"));
        let threads = |spec: &crate::PlayerSpec| spec.options.threads.unwrap_or(1);
        let most = threads(&cell.player).max(cell.opponent.as_ref().map_or(1, threads));
        let concurrency = options.concurrency.unwrap_or_else(|| concurrency_for(most));
        if !self.config.kind.is_match() {
            let resume = || Ok::<_, LabError>(Lines::resume(&path, &runs::header(self, cell, planned)?)?);
            let lines = options.keep.then(resume).transpose()?;
            let records = runs::run(self, cell, games, concurrency, lines, stop, |_| on_item(&name))?;
            return Ok(Records::Runs(records));
        }
        let config = self.match_config(cell)?;
        let mut journal = if options.keep {
            Journal::resume_file(&path, &config, planned)?.without_moves()
        } else {
            Journal::in_memory()
        };
        if let Some(sgf) = &options.sgf {
            journal = journal.with_sgf(&sgf.join(&self.slug).join(&name))?;
        }
        let here = Here(concurrency);
        let venue: &dyn Venue = options.venue.as_deref().unwrap_or(&here);
        let records = matches::run(&config, games, venue, &mut journal, stop, |_| on_item(&name))?;
        Ok(Records::Games(records))
    }

    fn match_config(&self, cell: &Cell) -> Result<MatchConfig, LabError> {
        let opponent =
            cell.opponent.clone().ok_or_else(|| LabError::Config("opponent: is missing".to_owned()))?;
        let game = self.config.board.game()?;
        let rules = *game.rules();
        Ok(MatchConfig {
            width: game.board().width(),
            height: game.board().height(),
            rules,
            black: None,
            openings: Openings::parse(&self.config.openings, &game)?,
            clock_a: TimeSettings::Unlimited,
            clock_b: TimeSettings::Unlimited,
            referee: Referee::choose(&rules, cell.player.is_external() || opponent.is_external()),
            seed: self.config.seed,
            a: cell.player.clone(),
            b: opponent,
        })
    }
}
