//! **What.** Learning from nothing but the rules (S5.6): a network plays against itself with a search, learns what the search found
//! and how the games ended, and plays on, stronger.
//!
//! **Formula.** The policy learns the search's: improved by completed values (Gumbel), or the shares of visits (PUCT). The value
//! learns the result, the other heads the score and the owner of each point at the end of the game.
//!
//! **Source.** Silver et al. 2017 (*Mastering the game of Go without human knowledge*); Danihelka et al. 2022 for the search with few
//! simulations; Wu 2019 (*Accelerating self-play learning in Go*) for the window, the cheap searches, ownership and score.
//!
//! In the folder of a run are `net.safetensors` (the network so far; with a gate, the one that was promoted), `checkpoint.safetensors` (to go on from), `games/` (the records in
//! the window), `log.jsonl` (a line for each generation), `report.html`, and `progress.svg` (games won, and the rating). A generation is the unit of work: a run that is killed
//! begins the generation under way again, and with one thread ends with the same network to the last bit.

mod config;
mod log;
mod report;

use std::{
    fs,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Instant,
};

use cpu_time::ProcessTime;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game};
use tengen_engine::{players::StopSignal, rng::Rng};
use tengen_nets::{
    NetError, Network,
    records::Records,
    train::{Accuracy, Learner, Replay, RunFolder, Source, Tally},
};

pub use config::{GateConfig, WindowConfig, ZeroConfig};
pub use log::Generation;

use crate::{
    learn::{
        anchors::AnchorResult,
        folder::{keep_only, read_log, refuse_difference, write_log, write_progress, write_report},
    },
    matches::derive_seed,
    selfplay::{Played, Seen, SelfPlayConfig, SelfPlayError, records},
    venue::{Here, SelfPlayOrder, Venue, Who},
};

/// What a run tells while it goes on.
pub enum Event<'a> {
    /// A game of the generation is over: how many are, of how many.
    Game(u64, u64),
    /// A game of the generation that is being played, after another move.
    Position(&'a Game),
    /// Steps of the generation: how many are done, of how many.
    Step(u64, u64),
    /// Games against an opponent are over.
    Anchor(&'a AnchorResult),
    /// A generation is over and saved.
    Generation(&'a Generation),
}

/// What a checkpoint has besides the learner.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    zero: ZeroConfig,
    /// Generations that are done.
    generation: u64,
    games: u64,
    positions: u64,
    evaluations: u64,
    /// Generations in the window.
    window: u64,
    hours: f64,
    cpu_hours: f64,
    /// The generation whose network plays, if networks must prove themselves.
    champion: Option<u64>,
    /// The games of the generation to come, if they were played while the last one was learned from; they are in `games/`.
    #[serde(default)]
    ahead: Option<Crop>,
}

/// A generation's games, in figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Crop {
    games: u64,
    evaluations: u64,
    seconds: f64,
    mean_length: f64,
    black_wins: f64,
    resignations: (u64, u64),
}

/// A run under way.
pub struct Zero {
    folder: PathBuf,
    state: State,
    learner: Learner,
    /// What plays, if it is not the newest.
    champion: Option<Network>,
    replay: Replay,
    log: Vec<Generation>,
    /// Where games are played, if not on this machine.
    venue: Option<Arc<dyn Venue>>,
    /// Keeps other processes from the folder.
    _lock: RunFolder,
}

const NETWORK: &str = "net.safetensors";

impl Zero {
    /// Begins a run with random weights, or with those of a network that may have fewer blocks and heads.
    pub fn new(folder: &Path, config: &ZeroConfig, start: Option<&Network>) -> Result<Zero, SelfPlayError> {
        config.check()?;
        let lock = RunFolder::begin(folder, &["games"])?;
        let network = Network::to_train(&config.arch, start, config.seed)?;
        let state = State {
            zero: config.clone(),
            generation: 0,
            games: 0,
            positions: 0,
            evaluations: 0,
            window: 0,
            hours: 0.0,
            cpu_hours: 0.0,
            champion: (config.gate.games > 0).then_some(0),
            ahead: None,
        };
        let zero = Zero {
            folder: folder.to_owned(),
            state,
            learner: Learner::new(&config.learner(), &network)?,
            champion: (config.gate.games > 0).then_some(network),
            replay: Replay::default(),
            log: Vec::new(),
            venue: None,
            _lock: lock,
        };
        // From here on there is something to go on from.
        zero.save_state()?;
        Ok(zero)
    }

    /// Has all games played at a venue from here on. What is learned does not depend on it.
    #[must_use]
    pub fn at(mut self, venue: Arc<dyn Venue>) -> Zero {
        self.venue = Some(venue);
        self
    }

    fn venue(&self) -> Arc<dyn Venue> {
        self.venue.clone().unwrap_or_else(|| Arc::new(Here(self.state.zero.threads)))
    }

    /// The champion, and the checkpoint that names it; champions of the past go only then.
    fn save_state(&self) -> Result<(), SelfPlayError> {
        let champion = self.state.champion.map(|generation| champion_file(&self.folder, generation));
        if let (Some(network), Some(path)) = (&self.champion, &champion) {
            network.save(path, &[])?;
        }
        self.learner.save(&self.folder.join(RunFolder::CHECKPOINT), &self.state)?;
        keep_only(&self.folder, CHAMPION, champion.as_slice())
    }

    /// What plays the games, and what others are to use: the champion, or the newest.
    pub fn network(&self) -> Network {
        self.champion.clone().unwrap_or_else(|| self.learner.network())
    }

    /// Goes on from the checkpoint in a folder.
    pub fn resume(folder: &Path) -> Result<Zero, SelfPlayError> {
        let lock = RunFolder::resume(folder, &["games"])?;
        let (learner, state) = Learner::load::<State>(&folder.join(RunFolder::CHECKPOINT))?;
        state.zero.check()?;
        let champion = state.champion.map(|generation| Network::load(&champion_file(folder, generation)));
        let champion = champion.transpose()?;
        let mut replay = Replay::default();
        for generation in state.generation - state.window.min(state.generation)..state.generation {
            let sets = load_games(folder, &state.zero.selfplay, generation)?;
            replay.add(sets.into_iter().map(|set| for_learning(set, state.zero.value_mix)));
        }
        let log = read_log(folder, |line: &Generation| line.generation <= state.generation);
        Ok(Zero {
            folder: folder.to_owned(),
            state,
            learner,
            champion,
            replay,
            log,
            venue: None,
            _lock: lock,
        })
    }

    /// The settings.
    pub fn config(&self) -> &ZeroConfig {
        &self.state.zero
    }

    /// Goes on with other settings: with more or fewer generations or threads, against other opponents, or keeping games. What
    /// else decides what is learned cannot change.
    pub fn change(&mut self, config: ZeroConfig) -> Result<(), SelfPlayError> {
        config.check()?;
        let old = self.state.zero.clone();
        let allowed = ZeroConfig {
            generations: config.generations,
            threads: config.threads,
            anchors: config.anchors.clone(),
            keep_games: config.keep_games,
            ..old
        };
        refuse_difference(&allowed, &config, "generations, threads, anchors and keep_games")?;
        self.learner.set_threads(config.threads)?;
        self.state.zero = config;
        Ok(())
    }

    /// The generations so far.
    pub fn log(&self) -> &[Generation] {
        &self.log
    }

    /// Goes on until all generations are done, or `stop` is set; the log.
    pub fn run(
        mut self,
        stop: &StopSignal,
        mut observe: impl FnMut(Event<'_>),
    ) -> Result<Vec<Generation>, SelfPlayError> {
        self.try_out(stop, &mut observe)?;
        while !self.is_done() && !stop.is_stopped() {
            self.advance(stop, &mut observe)?;
        }
        Ok(self.log)
    }

    /// Whether all generations are done.
    pub fn is_done(&self) -> bool {
        self.state.generation >= self.state.zero.generations
    }

    /// One generation, and the games against opponents if they are due.
    pub fn advance(
        &mut self,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<(), SelfPlayError> {
        if self.step(stop, observe)? {
            self.try_out(stop, observe)?;
            if let Some(line) = self.log.last() {
                observe(Event::Generation(line));
            }
        }
        Ok(())
    }

    /// Plays the games against opponents that are due and not there yet. They come after the generation is saved, so that an
    /// interruption costs only the games against one of them.
    fn try_out(
        &mut self,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<(), SelfPlayError> {
        let venue = self.venue();
        let config = &self.state.zero;
        let Some(line) = self.log.last_mut() else { return Ok(()) };
        if !config.anchors.is_due(line.generation, config.generations) {
            return Ok(());
        }
        let seed = derive_seed(!config.seed, line.generation - 1);
        let told = |result: &AnchorResult| observe(Event::Anchor(result));
        let network = self.folder.join(NETWORK);
        if config.anchors.play(&network, seed, &*venue, stop, &mut line.anchors, told)? {
            self.write_log()?;
        }
        Ok(())
    }

    /// One generation without games against opponents. When `stop` is set in the middle of its games or steps, nothing of it is saved;
    /// whether it was.
    pub fn step(
        &mut self,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<bool, SelfPlayError> {
        let (begin, cpu) = (Instant::now(), ProcessTime::now());
        let config = self.state.zero.clone();
        let number = self.state.generation;
        let player = Arc::new(self.network());
        let (crop, sets) = if let Some(crop) = &self.state.ahead {
            (crop.clone(), load_games(&self.folder, &config.selfplay, number)?)
        } else {
            let mut over = 0;
            let played = play(&config, number, &player, &*self.venue(), stop, &mut |seen| match seen {
                Seen::Position(game) => observe(Event::Position(game)),
                Seen::Over(_) => {
                    over += 1;
                    observe(Event::Game(over, config.games));
                }
            })?;
            if stop.is_stopped() {
                return Ok(false);
            }
            save_games(&self.folder, number, &played.1)?;
            played
        };
        let mut line = Generation {
            generation: number + 1,
            games: self.state.games + crop.games,
            positions: 0,
            evaluations: self.state.evaluations + crop.evaluations,
            evaluations_per_second: crop.evaluations as f64 / crop.seconds.max(1e-9),
            mean_length: crop.mean_length,
            black_wins: crop.black_wins,
            resignations: crop.resignations,
            window: 0,
            steps: 0,
            rate: 0.0,
            train: Accuracy::from(&Tally::default()),
            gate: None,
            anchors: Vec::new(),
            network: String::new(),
            hours: 0.0,
            cpu_hours: 0.0,
        };
        let learned = |set: &Records| {
            let positions = set.games.iter().flat_map(|game| &game.positions);
            positions.filter(|position| position.opinion.is_some()).count() as u64
        };
        line.positions = self.state.positions + sets.iter().map(learned).sum::<u64>();
        self.replay.add(sets.into_iter().map(|set| for_learning(set, config.value_mix)));
        self.replay.keep(config.window.positions(line.positions));
        line.window = self.replay.positions();
        let ahead = self.learn_and_play(&mut line, &player, stop, observe)?;
        if stop.is_stopped() {
            return Ok(false);
        }
        if let Some((_, sets)) = &ahead {
            save_games(&self.folder, number + 1, sets)?;
        }
        self.state.ahead = ahead.map(|(crop, _)| crop);
        let player = self.network();
        line.network = player.fingerprint();
        let about = [("generation", line.generation.to_string()), ("games", line.games.to_string())];
        player.save(&self.folder.join(NETWORK), &about)?;
        line.hours = self.state.hours + begin.elapsed().as_secs_f64() / 3600.0;
        line.cpu_hours = self.state.cpu_hours + cpu.elapsed().as_secs_f64() / 3600.0;
        self.save(line)?;
        Ok(true)
    }

    /// Learns, and has the network prove itself. With `overlap` the next generation's games are played by the old network: elsewhere at the
    /// same time, on this machine afterwards, with the same result.
    fn learn_and_play(
        &mut self,
        line: &mut Generation,
        player: &Arc<Network>,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<Option<(Crop, Vec<Records>)>, SelfPlayError> {
        let config = self.state.zero.clone();
        let next = Some(line.generation).filter(|next| config.overlap && *next < config.generations);
        let (venue, elsewhere) = (self.venue(), self.venue.is_some());
        let ahead = |next| play(&config, next, player, &*venue, stop, &mut |_| ());
        thread::scope(|scope| {
            let under_way = next.filter(|_| elsewhere).map(|next| scope.spawn(move || ahead(next)));
            let learned = self.learn(line, stop, observe).and_then(|()| {
                if config.gate.games > 0 && !stop.is_stopped() {
                    line.gate = self.promote(stop)?;
                }
                Ok(())
            });
            if learned.is_err() {
                // Nobody waits for its games.
                stop.stop();
            }
            let games = match under_way {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)).map(Some),
                None => next.filter(|_| learned.is_ok()).map(ahead).transpose(),
            };
            learned.and(games)
        })
    }

    /// This generation's steps: as many as keep up with the games.
    fn learn(
        &mut self,
        line: &mut Generation,
        stop: &StopSignal,
        observe: &mut impl FnMut(Event<'_>),
    ) -> Result<(), SelfPlayError> {
        let config = &self.state.zero;
        let wanted = (line.positions as f64 * config.reuse / config.batch as f64) as u64;
        let steps = wanted.saturating_sub(self.learner.steps());
        let mut draws =
            self.replay.draws(Rng::new(derive_seed(config.seed, u64::MAX - self.state.generation)));
        let mut tally = Tally::default();
        let done = self.state.generation as f64 / config.generations as f64;
        for step in 0..steps {
            if stop.is_stopped() {
                return Ok(());
            }
            let report = self.learner.step_at(done, &draws.examples(config.batch));
            tally.add(&report.tally);
            line.rate = report.rate;
            if !report.tally.loss.is_finite() || !report.tally.value_loss.is_finite() {
                return Err(diverged());
            }
            observe(Event::Step(step + 1, steps));
        }
        if !self.learner.is_finite() {
            return Err(diverged());
        }
        line.steps = self.learner.steps();
        line.train = Accuracy::from(&tally);
        Ok(())
    }

    /// Lets the new network play against the champion; the share of its wins, and whether it is the champion now.
    fn promote(&mut self, stop: &StopSignal) -> Result<Option<(f64, bool)>, SelfPlayError> {
        let config = &self.state.zero;
        let Some(champion) = self.champion.clone() else { return Ok(None) };
        let who = Who::Duel([Arc::new(self.learner.network()), Arc::new(champion)]);
        let (seed, numbers) = (derive_seed(config.seed, self.state.generation), 0..config.gate.games);
        let order = SelfPlayOrder { who: &who, config: &config.selfplay, seed, numbers, stop };
        let mut points = 0.0;
        self.venue().play_self(&order, &mut |seen| {
            let Some(played) = seen.over() else { return };
            let color = if played.players[0] == 0 { Color::Black } else { Color::White };
            points += f64::from(i32::from(played.record.reward) * color.sign()).midpoint(1.0);
        })?;
        let share = points / config.gate.games as f64;
        let promoted = share >= config.gate.share && !stop.is_stopped();
        if promoted {
            self.champion = Some(self.learner.network());
            self.state.champion = Some(self.state.generation + 1);
        }
        Ok(Some((share, promoted)))
    }

    /// Writes everything; the checkpoint last, so that whatever stands beside it is at least as new.
    fn save(&mut self, line: Generation) -> Result<(), SelfPlayError> {
        self.state.generation = line.generation;
        (self.state.games, self.state.positions) = (line.games, line.positions);
        (self.state.evaluations, self.state.hours) = (line.evaluations, line.hours);
        self.state.cpu_hours = line.cpu_hours;
        self.state.window = self.replay.generations() as u64;
        self.log.push(line);
        self.write_log()?;
        self.save_state()?;
        if !self.state.zero.keep_games {
            self.forget()?;
        }
        Ok(())
    }

    fn write_log(&self) -> Result<(), SelfPlayError> {
        write_log(&self.folder, &self.log)?;
        write_report(&self.folder, &report::page(&self.state.zero, &self.log)?)?;
        write_progress(&self.folder, &report::progress(&self.log)?)
    }

    /// Removes the games of the generations that have left the window.
    fn forget(&self) -> Result<(), SelfPlayError> {
        let oldest = self.state.generation - self.state.window.min(self.state.generation);
        for generation in (0..oldest).rev() {
            let files = game_files(&self.folder, &self.state.zero.selfplay, generation);
            let there: Vec<_> = files.filter(|path| path.exists()).collect();
            if there.is_empty() {
                break;
            }
            for path in there {
                fs::remove_file(&path).map_err(SelfPlayError::file(&path))?;
            }
        }
        Ok(())
    }
}

/// A generation's games.
fn play(
    config: &ZeroConfig,
    generation: u64,
    player: &Arc<Network>,
    venue: &dyn Venue,
    stop: &StopSignal,
    watch: &mut dyn FnMut(&Seen),
) -> Result<(Crop, Vec<Records>), SelfPlayError> {
    let begin = Instant::now();
    let first = generation * config.games;
    let mut played = Vec::new();
    let (who, numbers) = (Who::Network(Arc::clone(player)), first..first + config.games);
    let order = SelfPlayOrder { who: &who, config: &config.selfplay, seed: config.seed, numbers, stop };
    venue.play_self(&order, &mut |seen| {
        watch(&seen);
        played.extend(seen.over());
    })?;
    let crop = Crop {
        games: played.len() as u64,
        evaluations: played.iter().map(|played| played.evaluations).sum(),
        seconds: begin.elapsed().as_secs_f64(),
        mean_length: mean(&played, |played| played.game.moves().len() as f64),
        black_wins: mean(&played, |played| f64::from(played.record.reward).midpoint(1.0)),
        resignations: resignations(&played),
    };
    Ok((crop, records(played, &player.fingerprint())))
}

/// How the files of champions begin.
const CHAMPION: &str = "champion-";

/// The file of the network that was promoted after a generation; 0 for the first.
fn champion_file(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("{CHAMPION}{generation:06}.safetensors"))
}

/// The file of a generation's games on boards of this size.
fn game_file(folder: &Path, generation: u64, size: usize) -> PathBuf {
    folder.join("games").join(format!("gen-{:06}-{size}x{size}.npz", generation + 1))
}

/// The files that a generation may have.
fn game_files(folder: &Path, config: &SelfPlayConfig, generation: u64) -> impl Iterator<Item = PathBuf> {
    let [least, most] = config.sizes;
    let folder = folder.to_owned();
    (least..=most).map(move |size| game_file(&folder, generation, size))
}

fn save_games(folder: &Path, generation: u64, sets: &[Records]) -> Result<(), SelfPlayError> {
    sets.iter().try_for_each(|set| Ok(set.save(&game_file(folder, generation, set.width))?))
}

fn load_games(
    folder: &Path,
    config: &SelfPlayConfig,
    generation: u64,
) -> Result<Vec<Records>, SelfPlayError> {
    let files = game_files(folder, config, generation).filter(|path| path.exists());
    files.map(|path| Ok(Records::load(&path)?)).collect()
}

/// Games with the targets of learning: the value is the result, with a share of the search's.
fn for_learning(mut records: Records, mix: f32) -> Records {
    for game in &mut records.games {
        let reward = f32::from(game.reward);
        for opinion in game.positions.iter_mut().filter_map(|position| position.opinion.as_mut()) {
            opinion.value = reward + mix * (opinion.value - reward);
        }
    }
    records
}

fn mean(played: &[Played], of: impl Fn(&Played) -> f64) -> f64 {
    played.iter().map(of).sum::<f64>() / played.len().max(1) as f64
}

fn resignations(played: &[Played]) -> (u64, u64) {
    let checked = played.iter().filter_map(|played| played.wrong_resignation);
    (checked.clone().count() as u64, checked.filter(|wrong| *wrong).count() as u64)
}

/// What was saved before stays.
fn diverged() -> SelfPlayError {
    let message = "the training has diverged: its weights became NaN. The last checkpoint and network are kept; begin anew in \
                   another folder with a smaller optimizer.learning_rate";
    SelfPlayError::Net(NetError::Settings(message.to_owned()))
}
