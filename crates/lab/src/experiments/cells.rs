//! The cells of an experiment: every arm at every value of the sweep.

use toml::Value;

use super::{config::Experiment, error::LabError};
use crate::players::spec::PlayerSpec;

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
}

impl Cell {
    /// The name of the cell and of its result file.
    pub fn name(&self) -> String {
        match self.at {
            Some(at) => format!("{}-{at}", self.arm),
            None => self.arm.clone(),
        }
    }
}

impl Experiment {
    /// The opponent by which each arm plays the one before it.
    pub const PREVIOUS: &'static str = "previous";

    /// What an arm names that plays somebody else than the others do, such as another program beside a ladder.
    const OPPONENT: &'static str = "opponent";

    /// Every arm at every value of the sweep. An arm that is the opponent does not play itself; the first of a ladder has nobody to
    /// play.
    pub fn cells(&self) -> Result<Vec<Cell>, LabError> {
        let config = &self.config;
        let values = config
            .sweep
            .as_ref()
            .map_or(vec![None], |sweep| sweep.values.iter().copied().map(Some).collect());
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
                cells.push(Cell { arm: arm.clone(), at, player: self.player(arm, at)?, opponent });
            }
        }
        Ok(cells)
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
