//! The cells of an experiment: every arm at every value of the sweep.

use serde_json::Value as Json;
use toml::Value;

use super::{config::Experiment, error::LabError, learning};
use crate::{matches::Schedule, players::spec::PlayerSpec};

/// One condition, measured by itself.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The arm.
    pub arm: String,
    /// The value of the sweep.
    pub at: Option<f64>,
    /// The player.
    pub player: PlayerSpec,
    /// Whom it plays, if anybody.
    pub opponent: Option<PlayerSpec>,
    /// The arm that it plays, in a tournament of all arms.
    pub against: Option<String>,
}

impl Cell {
    /// The name of the cell and of its result file.
    pub fn name(&self) -> String {
        let mut name = self.arm.clone();
        if let Some(against) = &self.against {
            name += &format!("-against-{against}");
        }
        if let Some(at) = self.at {
            name += &format!("-{at}");
        }
        name
    }
}

impl Experiment {
    /// The opponent by which each arm plays the one before it.
    pub const PREVIOUS: &'static str = "previous";

    /// What an arm names that plays somebody else than the others do, such as another program beside a ladder.
    const OPPONENT: &'static str = "opponent";

    /// The opponent by which every arm plays all others: a tournament.
    pub const ALL: &'static str = "all";

    /// The values of the sweep; one that is none without a sweep.
    fn values(&self) -> Vec<Option<f64>> {
        let sweep = self.config.sweep.as_ref();
        sweep.map_or(vec![None], |sweep| sweep.values.iter().copied().map(Some).collect())
    }

    /// Every arm at every value of the sweep. An arm that is the opponent does not play itself; the first of a ladder has nobody to
    /// play.
    pub fn cells(&self) -> Result<Vec<Cell>, LabError> {
        let config = &self.config;
        if config.opponent.as_deref() == Some(Self::ALL) {
            return self.pairs();
        }
        let values = self.values();
        let mut cells = Vec::new();
        let is_ladder = config.opponent.as_deref() == Some(Self::PREVIOUS);
        let mut previous = None;
        for arm in config.arms.keys().filter(|&arm| config.opponent.as_ref() != Some(arm)) {
            let own = config.arms[arm.as_str()].get(Self::OPPONENT).and_then(Value::as_str);
            let opponent = match own {
                Some(own) => Some(own),
                None if is_ladder => previous.replace(arm).map(String::as_str),
                None => config.opponent.as_deref(),
            };
            if is_ladder && opponent.is_none() {
                continue;
            }
            for &at in &values {
                let opponent = opponent.map(|opponent| self.opponent(opponent, at)).transpose()?;
                cells.push(Cell {
                    arm: arm.clone(),
                    at,
                    player: self.player(arm, at)?,
                    opponent,
                    against: None,
                });
            }
        }
        Ok(cells)
    }

    /// Every pair of arms; in a dummy run each arm and the next, which tries all of them, too.
    fn pairs(&self) -> Result<Vec<Cell>, LabError> {
        let arms: Vec<&String> = self.config.arms.keys().collect();
        let schedule = if self.is_dummy { Schedule::Ladder } else { Schedule::RoundRobin };
        let mut cells = Vec::new();
        for at in self.values() {
            for (a, b) in schedule.pairs(arms.len()) {
                let (player, opponent) = (self.player(arms[a], at)?, self.player(arms[b], at)?);
                let (arm, against) = (arms[a].clone(), Some(arms[b].clone()));
                cells.push(Cell { arm, at, player, opponent: Some(opponent), against });
            }
        }
        Ok(cells)
    }

    /// Whether the players of a cell behave as the first line of a result file says, as far as they are this program's.
    pub(super) fn behaves_as(&self, cell: &Cell, there: &Json) -> bool {
        let size = self.config.board.size;
        if self.config.learning.is_some() {
            learning::behaves_as(self, &cell.arm, there)
        } else if self.config.kind.is_match() {
            let opponent = cell.opponent.as_ref();
            cell.player.behaves_as(size, &there["a"])
                && opponent.is_none_or(|opponent| opponent.behaves_as(size, &there["b"]))
        } else {
            cell.player.behaves_as(size, there)
        }
    }

    fn player(&self, arm: &str, at: Option<f64>) -> Result<PlayerSpec, LabError> {
        let config = &self.config;
        let Some(Value::Table(table)) = config.arms.get(arm) else {
            return Err(LabError::Config(format!("arms.{arm}: must be a table of parameters")));
        };
        if let Some(learning) = &config.learning {
            return learning.player(arm);
        }
        let error = |source| LabError::Player { arm: arm.to_owned(), source };
        let mut table = table.clone();
        table.remove(Self::OPPONENT);
        let mut spec = PlayerSpec::from_tables(&[&config.base, &table], arm).map_err(error)?;
        if self.is_dummy && spec.is_external() {
            // It may be missing.
            spec = "random".parse().map_err(error)?;
            arm.clone_into(&mut spec.name);
        }
        if let (Some(sweep), Some(at)) = (&config.sweep, at) {
            spec.set(&sweep.parameter, &at.to_string()).map_err(error)?;
            spec.name = format!("{arm},{}={at}", sweep.parameter);
        }
        Ok(self.prepared(spec))
    }

    fn opponent(&self, opponent: &str, at: Option<f64>) -> Result<PlayerSpec, LabError> {
        if self.config.arms.contains_key(opponent) {
            return self.player(opponent, at);
        }
        let spec =
            opponent.parse().map_err(|source| LabError::Player { arm: "opponent".to_owned(), source })?;
        Ok(self.prepared(spec))
    }

    /// With the experiment's own networks, and few playouts if this is a dummy run.
    fn prepared(&self, mut spec: PlayerSpec) -> PlayerSpec {
        for net in [&mut spec.options.net, &mut spec.options.rollout_net].into_iter().flatten() {
            let own = self.directory.join(&*net);
            if own.is_file() {
                *net = own;
            }
        }
        if self.is_dummy && !spec.is_external() {
            let playouts = spec.options.playouts.unwrap_or(u64::MAX);
            spec.options.playouts = Some(playouts.min(Experiment::DUMMY_PLAYOUTS));
            spec.options.time = None;
        }
        spec
    }
}
