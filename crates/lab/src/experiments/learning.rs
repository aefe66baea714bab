//! What is learned, over the course of it (S5.5, S5.6): each arm is a training, a run is one of its seeds.
//!
//! At each mark, a number of games or of evaluations, the network plays against fixed opponents; of policy gradients it is also measured
//! how noisy they are. A run under way has a folder beside the results, and goes on from there when it was interrupted.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tengen_board::bounded;
use tengen_engine::players::StopSignal;
use tengen_nets::{NetSpec, Network, train::RunFolder};
use toml::{Table, Value};

use super::{
    config::Experiment,
    error::LabError,
    runs::{RunContext, Values},
};
use crate::{
    journal::write_whole,
    learn::{
        anchors::AnchorConfig,
        gradient::{Algorithm, GradientConfig, PolicyGradient},
        zero::{Zero, ZeroConfig},
    },
    matches::derive_seed,
    players::{
        params::{Params, with_settings},
        spec::PlayerSpec,
    },
    selfplay::SelfPlayError,
    venue::Here,
};

/// How the number of games that differ from each other is called; the opponent follows.
pub(super) const DIFFERENT_GAMES: &str = "different games against ";

/// What the runs of a learning experiment have in common.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearningConfig {
    /// What the course of a training is measured in.
    pub axis: Axis,
    /// Where on the axis networks are tried out, in rising order. A run ends at the last.
    pub marks: Vec<u64>,
    /// For policy gradients: the groups of games over which the noise of the gradients is measured; 0 for none.
    #[serde(default)]
    pub noise: u64,
    /// The games against opponents; the board is the experiment's.
    pub anchors: AnchorConfig,
}

/// What the course of a training is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Games so far.
    Games,
    /// Evaluations by the network in games so far.
    Evaluations,
}

impl Axis {
    /// Its label.
    pub fn label(self) -> &'static str {
        match self {
            Axis::Games => "games learned from",
            Axis::Evaluations => "evaluations in games",
        }
    }
}

impl LearningConfig {
    /// Finds what serde cannot.
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), LabError> {
        if self.marks.is_empty() || !self.marks.is_sorted_by(|a, b| a < b) {
            return Err(LabError::Config("learning.marks: name at least one, in rising order".to_owned()));
        }
        for arm in experiment.config.arms.keys() {
            Training::of(experiment, arm)?;
        }
        Ok(())
    }

    /// A course of seconds.
    pub(super) fn cut_down(&mut self) {
        self.marks = match self.axis {
            Axis::Games => vec![4, 8],
            Axis::Evaluations => vec![100, 200],
        };
        self.noise = self.noise.min(2);
        self.anchors.games = 2;
        "none".clone_into(&mut self.anchors.openings);
        self.anchors.opponents = vec!["random".to_owned()];
    }

    /// The player whose games show how strong a network is.
    pub(super) fn player(&self, arm: &str) -> Result<PlayerSpec, LabError> {
        self.anchors.player.parse().map_err(|source| LabError::Player { arm: arm.to_owned(), source })
    }
}

/// An arm: how a network learns, and what it starts from.
struct Training {
    method: Method,
    start: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Method {
    Gradient(Box<GradientConfig>),
    Zero(Box<ZeroConfig>),
}

impl Training {
    /// `method`, `arch` and `net` of an arm, and the settings in which it differs from the customary ones.
    fn of(experiment: &Experiment, arm: &str) -> Result<Training, LabError> {
        let config = &experiment.config;
        let broken = |message: String| LabError::Config(format!("arms.{arm}: {message}"));
        let Some(Value::Table(own)) = config.arms.get(arm) else {
            return Err(broken("must be a table of settings".to_owned()));
        };
        let mut params = Params::from(config.base.clone());
        for (key, value) in Params::from(own.clone()).list() {
            params.insert(&key, value);
        }
        let mut table: Table = params.as_table().clone();
        let mut take = |key: &str| match table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(broken(format!("{key}: must be a name"))),
        };
        let (method, net, arch) = (take("method")?, take("net")?, take("arch_name")?);
        let start = net.map(|net| {
            let own = experiment.directory.join(&net);
            if own.is_file() { own } else { PathBuf::from(net) }
        });
        let arch = match (&start, arch) {
            (Some(path), _) => {
                Network::load(path).map_err(|error| broken(error.to_string()))?.spec().with_all_heads()
            }
            (None, name) => {
                let name = name.unwrap_or_else(|| "small".to_owned());
                NetSpec::named(&name).ok_or_else(|| broken(format!("arch_name: there is no {name:?}")))?
            }
        };
        let settings: Vec<String> =
            Params::from(table).list().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        let board = &config.board;
        let (size, komi, rules) = (board.size, [board.komi; 2], board.rules()?);
        let gradient = |algorithm| {
            let mut config = GradientConfig::new(algorithm, arch.clone(), size, komi);
            config.selfplay.rules = rules;
            let config = with_settings(&config, &settings, arm)?;
            Ok::<_, crate::SpecError>(Method::Gradient(Box::new(config)))
        };
        let error = |source| LabError::Player { arm: arm.to_owned(), source };
        let mut method = match method.as_deref() {
            Some("reinforce") => gradient(Algorithm::Reinforce).map_err(error)?,
            Some("actor-critic") => gradient(Algorithm::ActorCritic).map_err(error)?,
            Some("zero") => {
                let mut config = ZeroConfig::new(arch, size, komi);
                config.selfplay.rules = rules;
                Method::Zero(Box::new(with_settings(&config, &settings, arm).map_err(error)?))
            }
            _ => return Err(broken("method: must be reinforce, actor-critic or zero".to_owned())),
        };
        if experiment.is_dummy {
            method.cut_down();
        }
        let checked = match &method {
            Method::Gradient(config) => config.check(),
            Method::Zero(config) => config.check(),
        };
        checked.map_err(|error| broken(error.to_string()))?;
        Ok(Training { method, start })
    }

    /// Begins in a folder, or goes on there.
    fn begin(&self, folder: &Path, seed: u64) -> Result<Run, SelfPlayError> {
        let start = self.start.as_deref().map(Network::load).transpose()?;
        Ok(match &self.method {
            Method::Gradient(_) if RunFolder::has_checkpoint(folder) => {
                Run::Gradient(Box::new(PolicyGradient::resume(folder)?))
            }
            Method::Gradient(config) => {
                let config = GradientConfig { seed, ..(**config).clone() };
                Run::Gradient(Box::new(PolicyGradient::new(folder, &config, start.as_ref())?))
            }
            Method::Zero(_) if RunFolder::has_checkpoint(folder) => {
                Run::Zero(Box::new(Zero::resume(folder)?))
            }
            Method::Zero(config) => {
                let config = ZeroConfig { seed, ..(**config).clone() };
                Run::Zero(Box::new(Zero::new(folder, &config, start.as_ref())?))
            }
        })
    }
}

impl Method {
    /// As little as shows that it works.
    fn cut_down(&mut self) {
        match self {
            Method::Gradient(config) => config.games = 4,
            Method::Zero(config) => {
                config.games = 4;
                (config.selfplay.simulations, config.selfplay.cheap_simulations) = (4, 2);
                config.selfplay.gumbel.considered = 4;
            }
        }
    }
}

/// A training under way.
enum Run {
    Gradient(Box<PolicyGradient>),
    Zero(Box<Zero>),
}

impl Run {
    fn step(&mut self, stop: &StopSignal) -> Result<bool, SelfPlayError> {
        match self {
            Run::Gradient(run) => run.step(stop),
            Run::Zero(run) => run.step(stop, &mut |_| ()),
        }
    }

    fn network(&self) -> Network {
        match self {
            Run::Gradient(run) => run.network(),
            Run::Zero(run) => run.network(),
        }
    }

    fn progress(&self, axis: Axis) -> Result<u64, LabError> {
        match (self, axis) {
            (Run::Gradient(run), Axis::Games) => Ok(run.games()),
            (Run::Gradient(_), Axis::Evaluations) => {
                Err(LabError::Config("learning.axis: of policy gradients, games are counted".to_owned()))
            }
            (Run::Zero(run), Axis::Games) => Ok(run.log().last().map_or(0, |line| line.games)),
            (Run::Zero(run), Axis::Evaluations) => Ok(run.log().last().map_or(0, |line| line.evaluations)),
        }
    }
}

/// What decides the runs of an arm, and what else they depend on, for the first line of a result file.
pub(super) fn header(experiment: &Experiment, arm: &str) -> Result<(Json, Json), LabError> {
    let training = Training::of(experiment, arm)?;
    let learning = learning(experiment)?;
    let size = experiment.config.board.size;
    let mut behaviour = json!({});
    for opponent in &learning.anchors.opponents {
        let error = |source| LabError::Player { arm: opponent.clone(), source };
        let spec: PlayerSpec = opponent.parse().map_err(error)?;
        behaviour[opponent] = spec.behaviour(size, size).map_err(error)?;
    }
    if let Some(start) = &training.start {
        let hash = tengen_nets::file_hash(start).map_err(|error| LabError::Config(error.to_string()))?;
        behaviour["start"] = hash.into();
    }
    let config = json!({ "training": training.method, "marks": learning.marks, "noise": learning.noise, "anchors": learning.anchors });
    Ok((config, behaviour))
}

/// Whether the opponents and the network that learning begins with are those of a result file.
pub(super) fn behaves_as(experiment: &Experiment, arm: &str, there: &Json) -> bool {
    let size = experiment.config.board.size;
    let same = |opponent: &String| {
        opponent.parse::<PlayerSpec>().is_ok_and(|spec| spec.behaves_as(size, &there[opponent]))
    };
    let start = || {
        let start = Training::of(experiment, arm).ok()?.start;
        Some(
            start
                .map(|start| tengen_nets::file_hash(&start))
                .transpose()
                .ok()?
                .map_or(Json::Null, Json::from),
        )
    };
    learning(experiment).is_ok_and(|learning| learning.anchors.opponents.iter().all(same))
        && start().is_some_and(|start| start == there["start"])
}

/// Reads what decides the runs of a result file as this version does, so that a setting that was added since has its default.
pub(super) fn read_today(config: &mut Json) {
    if let Some(training) = config.get_mut("training") {
        *training =
            serde_json::from_value::<Method>(training.clone()).map_or_else(|_| training.take(), |m| json!(m));
    }
    if let Some(anchors) = config.get_mut("anchors") {
        *anchors = serde_json::from_value::<AnchorConfig>(anchors.clone())
            .map_or_else(|_| anchors.take(), |a| json!(a));
    }
}

fn learning(experiment: &Experiment) -> Result<&LearningConfig, LabError> {
    let missing = || LabError::Config("learning: is missing".to_owned());
    experiment.config.learning.as_ref().ok_or_else(missing)
}

/// One training from its beginning to the last mark; nothing if it was interrupted.
pub(super) fn run(context: &RunContext<'_>) -> Result<Option<Values>, LabError> {
    let (experiment, arm, stop) = (context.experiment, &context.cell.arm, context.stop);
    let failed = |source: SelfPlayError| LabError::Learning { arm: arm.clone(), source: Box::new(source) };
    let learning = learning(experiment)?;
    let name = format!("{arm}-{}", context.run);
    let folder = if experiment.is_dummy {
        std::env::temp_dir().join(format!("tengen-{}-{name}-{}", experiment.slug, std::process::id()))
    } else {
        experiment.results().join(name)
    };
    let mut run = Training::of(experiment, arm)?.begin(&folder, context.seed).map_err(failed)?;
    let file = folder.join("values.json");
    let mut values: Values =
        bounded::read_text(&file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    for &mark in &learning.marks {
        while run.progress(learning.axis)? < mark {
            if stop.is_stopped() {
                return Ok(None);
            }
            run.step(stop).map_err(failed)?;
        }
        if values.keys().any(|key| key.ends_with(&format!("@{mark}"))) {
            continue;
        }
        let seed = derive_seed(context.seed, mark);
        let measured = measure(experiment, learning, &run, &folder, seed, stop).map_err(failed)?;
        if stop.is_stopped() {
            return Ok(None);
        }
        values.extend(measured.into_iter().map(|(quantity, value)| (format!("{quantity}@{mark}"), value)));
        let json = serde_json::to_string(&values).expect("values are plain data");
        write_whole(&file, &json).map_err(|source| LabError::File { path: file.clone(), source })?;
    }
    drop(run);
    fs::remove_dir_all(&folder).map_err(|source| LabError::File { path: folder.clone(), source })?;
    Ok(Some(values))
}

/// What is measured at a mark: opponents have their names, and the games against them are in percent.
fn measure(
    experiment: &Experiment,
    learning: &LearningConfig,
    run: &Run,
    folder: &Path,
    seed: u64,
    stop: &StopSignal,
) -> Result<Values, SelfPlayError> {
    let mut values = Values::new();
    if let (Run::Gradient(run), 1..) = (run, learning.noise) {
        let (own, plain) = run.noise(learning.noise, stop)?;
        values.insert("gradient variance".to_owned(), (own.variance, 1.0));
        values.insert("noise scale in games".to_owned(), (own.variance, own.signal));
        if let Some(plain) = plain {
            let name = "gradient variance in % of REINFORCE's on the same games";
            values.insert(name.to_owned(), (100.0 * own.variance, plain.variance));
        }
    }
    let path = folder.join("measured.safetensors");
    run.network().save(&path, &[])?;
    let board = &experiment.config.board;
    let anchors = AnchorConfig { size: board.size, komi: vec![board.komi], ..learning.anchors.clone() };
    let mut results = Vec::new();
    anchors.play(&path, seed, &Here(1), stop, &mut results, |_| ())?;
    for result in results {
        let games = result.games as f64;
        if anchors.openings != "none" {
            let name = format!("{DIFFERENT_GAMES}{}", result.opponent);
            values.insert(name, (result.distinct_games as f64, 1.0));
        }
        values.insert(result.opponent, (100.0 * result.win_rate * games, games));
    }
    Ok(values)
}
