//! `experiment.toml`: a claim, the players and the conditions to test it with, and the paper's figures.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use tengen_board::{Game, Rules, bounded};
use toml::Table;

use super::{cells::Cell, checks::Check, error::LabError, kind::Kind, learning::LearningConfig};
use crate::review::rank;

/// An experiment as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentConfig {
    /// What is to be tested, in a sentence.
    pub claim: String,
    /// The requirement that asks for it, such as `S1.7`.
    pub source: String,
    /// Authors, year, section, table or figure.
    pub paper: String,
    /// What the paper reports, in a sentence.
    pub reported: String,
    /// Whether the paper's claim is tested where the paper made it.
    pub conditions: Conditions,
    /// Whether results stand as a mark of the players that made them. Those of other experiments have to be made again once the players
    /// play otherwise; these stay, and the page says which version made them.
    #[serde(default)]
    pub milestone: bool,
    /// Why results that there were had to go; said as long as there are no others.
    #[serde(default)]
    pub again: Option<String>,
    /// Where the experiment differs from the paper's.
    #[serde(default)]
    pub differences: Vec<String>,
    /// What the results mean; written after they are there.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// What is measured.
    pub kind: Kind,
    /// Where all random numbers start.
    pub seed: u64,
    /// Games of each cell, or runs where no games are played.
    #[serde(alias = "runs")]
    pub games: usize,
    /// The board and the rules.
    pub board: BoardConfig,
    /// How games begin, as `tengen match --openings` has it.
    #[serde(default = "no_openings")]
    pub openings: String,
    /// The game records whose moves are to be found: a file in the folder of [`tengen_board::sgf::data_folder`].
    #[serde(default)]
    pub records: Option<String>,
    /// The problems that are to be solved: a file of `tengen lab suite`, from the experiment's directory.
    #[serde(default)]
    pub suite: Option<String>,
    /// Whom the arms play: a player spec, the name of an arm, which then takes the values of the sweep too, `previous`: each the
    /// arm before it, or `all`: a tournament, in which statements have a `quantity` such as `against NAME`.
    #[serde(default)]
    pub opponent: Option<String>,
    /// For a ladder: an arm whose rank among people is about known.
    #[serde(default)]
    pub anchor: Option<Anchor>,
    /// What every arm starts from.
    #[serde(default)]
    pub base: Table,
    /// The players that are compared, each with the parameters in which it differs from the base. `preset` names what the
    /// parameters change; paths of networks start from the experiment's directory. For `kind = "learning"` they are trainings: `method`
    /// (reinforce, actor-critic, zero), `net` or `arch_name`, and settings.
    pub arms: Table,
    /// For `kind = "learning"`: when and how networks are tried out.
    #[serde(default)]
    pub learning: Option<LearningConfig>,
    /// A parameter that takes several values in every arm.
    #[serde(default)]
    pub sweep: Option<Sweep>,
    /// The paper's figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// What the claim says about the results.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// Where a claim is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conditions {
    /// At the paper's conditions, as far as the paper gives them.
    Paper,
    /// At others: the results say nothing for or against the paper's figures.
    Other,
    /// The claim is our own.
    Own,
}

fn no_openings() -> String {
    "none".to_owned()
}

/// A board and its rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardConfig {
    /// Columns and rows.
    pub size: usize,
    /// The name of the rules.
    pub rules: String,
    /// Points for White.
    pub komi: f32,
}

impl BoardConfig {
    /// The rules with the komi.
    pub fn rules(&self) -> Result<Rules, LabError> {
        let rules: Rules =
            self.rules.parse().map_err(|problem| LabError::Config(format!("board.rules: {problem}")))?;
        rules.try_with_komi(self.komi).map_err(|problem| LabError::Config(format!("board.komi: {problem}")))
    }

    /// A game at its beginning.
    pub fn game(&self) -> Result<Game, LabError> {
        Game::new(self.size, self.size, self.rules()?)
            .map_err(|problem| LabError::Config(format!("board.size: {problem}")))
    }
}

/// An arm of a ladder, and its rank.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The arm.
    pub arm: String,
    /// What it is taken for, such as `8k`.
    pub rank: String,
}

/// A parameter and its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Its dotted name.
    pub parameter: String,
    /// What it means, for the axis of a plot.
    pub label: String,
    /// The values.
    pub values: Vec<f64>,
}

/// A figure of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The arm that it belongs to.
    pub arm: String,
    /// The value of the sweep.
    #[serde(default)]
    pub at: Option<f64>,
    /// What was measured, where an arm has several quantities.
    #[serde(default)]
    pub quantity: Option<String>,
    /// The figure: percent, or points of score.
    pub value: f64,
}

/// An experiment and where it lives.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The name of its directory.
    pub slug: String,
    /// The directory.
    pub directory: PathBuf,
    /// What its file says.
    pub config: ExperimentConfig,
    /// Whether it was cut down by [`Experiment::dummy`].
    pub is_dummy: bool,
}

impl Experiment {
    /// The file that makes a directory an experiment.
    pub const FILE: &'static str = "experiment.toml";

    /// Reads the experiment in a directory.
    pub fn read(directory: &Path) -> Result<Experiment, LabError> {
        let path = directory.join(Self::FILE);
        let text =
            bounded::read_text(&path).map_err(|source| LabError::File { path: path.clone(), source })?;
        let config: ExperimentConfig = toml::from_str(&text).map_err(|problem| LabError::Toml {
            path: path.clone(),
            message: problem.to_string().trim_end().to_owned(),
        })?;
        let slug = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let experiment = Experiment { slug, directory: directory.to_owned(), config, is_dummy: false };
        experiment.check().map_err(|problem| LabError::Experiment { path, problem: Box::new(problem) })?;
        Ok(experiment)
    }

    /// Finds what serde cannot: names that do not fit together.
    fn check(&self) -> Result<(), LabError> {
        let config = &self.config;
        let cells = self.cells()?;
        config.kind.check(config)?;
        config.board.game()?;
        if let Some(learning) = &config.learning {
            learning.check(self)?;
        }
        if let Some(Anchor { arm, rank }) = &config.anchor
            && !(config.arms.contains_key(arm) && rank::number(rank).is_some())
        {
            return Err(LabError::Config(format!(
                "anchor: {arm:?} must be an arm, and {rank:?} a rank such as 8k or 2d"
            )));
        }
        let is_mark = |at: f64| {
            config
                .learning
                .as_ref()
                .is_some_and(|learning| learning.marks.iter().any(|mark| *mark as f64 == at))
        };
        let known = |arm: &str, at: Option<f64>| {
            cells.iter().any(|cell| cell.arm == arm && at.is_none_or(|at| cell.at == Some(at) || is_mark(at)))
        };
        let figures = config.figures.iter().map(|figure| (&figure.arm, figure.at));
        let checks = config.checks.iter().flat_map(|check| {
            let versus = check.versus.as_ref().map(|versus| (versus, check.at));
            let versus_at = check.versus_at.map(|at| (&check.arm, Some(at)));
            [Some((&check.arm, check.at)), versus, versus_at].into_iter().flatten()
        });
        for (i, check) in config.checks.iter().enumerate() {
            check.validate()?;
            if let Some(other) = config.checks[..i].iter().find(|other| check.overlaps(other)) {
                return Err(LabError::Config(format!(
                    "checks: {:?} and {:?} are about the same figure: one figure gets one verdict",
                    other.claim, check.claim
                )));
            }
        }
        for (arm, at) in figures.chain(checks) {
            if !known(arm, at) {
                let at = at.map_or(String::new(), |at| format!(" at {at}"));
                let names: Vec<_> = cells.iter().map(Cell::name).collect();
                return Err(LabError::Config(format!(
                    "there is no arm {arm:?}{at}: the cells are {}",
                    names.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// What the figures are laid out over, if over anything: the parameter of the sweep, or the course of a training.
    pub fn axis(&self) -> Option<&str> {
        let swept = self.config.sweep.as_ref().map(|sweep| sweep.label.as_str());
        swept.or(self.config.learning.as_ref().map(|learning| learning.axis.label()))
    }

    /// Where the results are kept.
    pub fn results(&self) -> PathBuf {
        self.directory.join("results")
    }

    /// A version that takes seconds and needs no other program: two games with a few playouts on a small board, against a
    /// random player where the opponent is another program.
    #[must_use]
    pub fn dummy(mut self) -> Experiment {
        let config = &mut self.config;
        config.games = 2;
        config.board.size = config.kind.dummy_size(config.board.size);
        config.openings = no_openings();
        if let Some(learning) = &mut config.learning {
            learning.cut_down();
        }
        // Other programs and networks may be missing.
        let is_foreign = |opponent: &String| opponent.starts_with("gtp:") || opponent.contains("net=");
        if config.opponent.as_ref().is_some_and(is_foreign) {
            config.opponent = Some("random".to_owned());
        }
        self.is_dummy = true;
        self
    }

    /// Playouts of a move in a dummy run.
    pub const DUMMY_PLAYOUTS: u64 = 16;
}

/// The experiments in the directories below `root`, by name.
pub fn list(root: &Path) -> Result<Vec<Experiment>, LabError> {
    let entries = fs::read_dir(root).map_err(|source| LabError::File { path: root.to_owned(), source })?;
    let mut directories: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(Experiment::FILE).is_file())
        .collect();
    directories.sort();
    directories.iter().map(|directory| Experiment::read(directory)).collect()
}
