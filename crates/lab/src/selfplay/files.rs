//! Self-play into a folder: files of records, written completely or not at all, so that an interrupted run goes on.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use cpu_time::ProcessTime;
use serde::Serialize;
use tengen_board::{
    Game,
    sgf::{GameInfo, Record},
};
use tengen_engine::{players::StopSignal, whole_file::remove_unfinished};
use tengen_nets::records::Records;

use super::{Played, Seen, SelfPlayConfig, SelfPlayError, records};
use crate::{
    journal::{first_difference, write_whole},
    venue::{SelfPlayOrder, Venue, Who},
};

/// Games in a file. The games of a file are played together: an interruption costs at most those.
const GAMES_IN_A_FILE: u64 = 256;

/// What a run has done; `positions` and what stands before it tell of the whole folder.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Evaluations by networks in this run.
    pub evaluations: u64,
    /// Seconds that this run took.
    pub seconds: f64,
    /// CPU time of this run.
    pub cpu_seconds: f64,
    /// The files of records.
    pub files: Vec<PathBuf>,
    /// Games of this run in which a resignation was held back, to check it.
    pub resignations_checked: u64,
    /// Those of them that would have been given up wrongly.
    pub resignations_wrong: u64,
}

/// What decides the games in a folder; stands there as `settings.json`.
#[derive(Serialize)]
struct Settings<'a> {
    config: &'a SelfPlayConfig,
    player: String,
    seed: u64,
}

/// A run of self-play.
pub struct Run<'a> {
    /// Who plays.
    pub who: &'a Who,
    /// How.
    pub config: &'a SelfPlayConfig,
    /// How many games the folder is to have.
    pub games: u64,
    /// Where the random numbers of all games start.
    pub seed: u64,
    /// Where.
    pub venue: &'a dyn Venue,
    /// The folder.
    pub folder: &'a Path,
    /// Whether a folder that has games already is gone on with.
    pub resume: bool,
    /// Where SGF records of the games go, if anywhere.
    pub sgf: Option<&'a Path>,
}

/// Plays games into a folder of records until it has all of them; `on_game` sees each game when it is over. When `stop` is set, what
/// is on disk stays, and the same call goes on from there.
pub fn run(
    run: &Run<'_>,
    stop: &StopSignal,
    mut on_game: impl FnMut(&Played),
) -> Result<Summary, SelfPlayError> {
    run.config.check()?;
    let (begin, cpu) = (Instant::now(), ProcessTime::now());
    let hash = match run.who {
        Who::Network(network) => network.fingerprint(),
        Who::Duel(_) | Who::Player(_) => String::new(),
    };
    prepare(run, &hash)?;
    let mut summary = Summary::default();
    for first in (0..run.games).step_by(GAMES_IN_A_FILE as usize) {
        let numbers = first..run.games.min(first + GAMES_IN_A_FILE);
        let mark = mark_file(run.folder, first);
        let done = read_mark(&mark)?;
        if let Some(done) = done.filter(|done| done.games == numbers.end - numbers.start) {
            summary.add(done);
            continue;
        }
        let (known, there) = finished(&mark)?;
        let numbers = first + known..numbers.end;
        let mut played = Vec::new();
        let mut over = |seen: Seen| {
            if let Some(game) = seen.over() {
                on_game(&game);
                played.push(game);
            }
        };
        let order = SelfPlayOrder { who: run.who, config: run.config, seed: run.seed, numbers, stop };
        run.venue.play_self(&order, &mut over)?;
        if stop.is_stopped() {
            break;
        }
        summary.add(write(run, &mark, there, played, &hash)?);
    }
    summary.seconds = begin.elapsed().as_secs_f64();
    summary.cpu_seconds = cpu.elapsed().as_secs_f64();
    Ok(summary)
}

/// Makes the folder ready, or says why it cannot be used.
fn prepare(run: &Run<'_>, hash: &str) -> Result<(), SelfPlayError> {
    let path = run.folder.join("settings.json");
    fs::create_dir_all(run.folder).map_err(SelfPlayError::file(run.folder))?;
    let player = match run.who {
        Who::Network(_) => format!("network {hash}"),
        Who::Duel(networks) => {
            format!("networks {} and {}", networks[0].fingerprint(), networks[1].fingerprint())
        }
        Who::Player(spec) => toml::to_string(spec.params().as_table()).unwrap_or_else(|_| spec.name.clone()),
    };
    let settings = serde_json::json!(Settings { config: run.config, player, seed: run.seed });
    if path.exists() {
        let text = tengen_board::bounded::read_text(&path).map_err(SelfPlayError::file(&path))?;
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        // Both as they are read: numbers may lose a digit.
        let (there, settings) = (read(&text), read(&settings.to_string()));
        if !run.resume {
            let message = format!(
                "{} has games already: add --resume to go on, or choose another folder",
                run.folder.display()
            );
            return Err(SelfPlayError::Settings(message));
        }
        if let Some(difference) = first_difference("", &there, &settings) {
            let message = format!(
                "{} has games of other settings ({difference}): use the same ones, or choose another folder",
                run.folder.display()
            );
            return Err(SelfPlayError::Settings(message));
        }
        let games = games_in(run.folder)?;
        if games > run.games {
            let message = format!(
                "{} has {games} games already: ask for at least as many, or choose another folder",
                run.folder.display()
            );
            return Err(SelfPlayError::Settings(message));
        }
        return remove_unfinished(run.folder).map_err(SelfPlayError::file(run.folder));
    }
    write_whole(&path, &settings.to_string()).map_err(SelfPlayError::file(&path))
}

/// A file that stands beside records when they are complete: how many there are.
#[derive(Serialize, serde::Deserialize)]
struct Mark {
    games: u64,
    positions: u64,
    evaluations: u64,
    resignations_checked: u64,
    resignations_wrong: u64,
    files: Vec<PathBuf>,
    #[serde(skip)]
    fresh: bool,
}

/// The mark of the block that begins with this game.
fn mark_file(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("games-{:06}.json", first / GAMES_IN_A_FILE))
}

/// How many games a folder has.
fn games_in(folder: &Path) -> Result<u64, SelfPlayError> {
    let mut games = 0;
    while let Some(mark) = read_mark(&mark_file(folder, games))? {
        games += mark.games;
        if mark.games < GAMES_IN_A_FILE {
            break;
        }
    }
    Ok(games)
}

/// A block that is complete: its mark and its games.
type Finished = (Mark, Vec<Records>);

/// The games of a block that was complete when fewer were asked for, and what its mark says. None of them count if the files have been
/// added to since, and the mark has not.
fn finished(mark: &Path) -> Result<(u64, Option<Finished>), SelfPlayError> {
    let Some(done) = read_mark(mark)? else { return Ok((0, None)) };
    let names = done.files.iter().filter_map(|path| Some(mark.with_file_name(path.file_name()?)));
    let sets = names.map(|path| Records::load(&path)).collect::<Result<Vec<_>, _>>()?;
    let games: usize = sets.iter().map(|set| set.games.len()).sum();
    Ok(if games as u64 == done.games { (done.games, Some((done, sets))) } else { (0, None) })
}

fn read_mark(path: &Path) -> Result<Option<Mark>, SelfPlayError> {
    if !path.exists() {
        return Ok(None);
    }
    let text = tengen_board::bounded::read_text(path).map_err(SelfPlayError::file(path))?;
    Ok(serde_json::from_str(&text).ok())
}

/// Writes games behind those that are there already, a file for each size of board, and then the mark that they are there.
fn write(
    run: &Run<'_>,
    mark: &Path,
    there: Option<(Mark, Vec<Records>)>,
    played: Vec<Played>,
    hash: &str,
) -> Result<Mark, SelfPlayError> {
    if let Some(sgf) = run.sgf {
        for played in &played {
            let path = sgf.join(format!("game-{:06}.sgf", played.number));
            write_whole(&path, &sgf_of(&played.game)).map_err(SelfPlayError::file(&path))?;
        }
    }
    let checked = played.iter().filter_map(|played| played.wrong_resignation);
    let mut done = Mark {
        games: played.len() as u64,
        positions: 0,
        evaluations: played.iter().map(|played| played.evaluations).sum(),
        resignations_checked: checked.clone().count() as u64,
        resignations_wrong: checked.filter(|wrong| *wrong).count() as u64,
        files: Vec::new(),
        fresh: true,
    };
    let mut sets = records(played, hash);
    let (evaluations, checked, wrong) =
        (done.evaluations, done.resignations_checked, done.resignations_wrong);
    if let Some((old, old_sets)) = there {
        done.games += old.games;
        done.evaluations += old.evaluations;
        done.resignations_checked += old.resignations_checked;
        done.resignations_wrong += old.resignations_wrong;
        for mut old in old_sets {
            match sets.iter_mut().find(|set| set.width == old.width) {
                Some(set) => {
                    old.games.append(&mut set.games);
                    *set = old;
                }
                None => sets.push(old),
            }
        }
        sets.sort_by_key(|set| set.width);
    }
    for set in sets {
        let name = mark.file_stem().and_then(|name| name.to_str()).unwrap_or("games");
        let path = run.folder.join(format!("{name}-{}x{}.npz", set.width, set.height));
        set.save(&path)?;
        done.positions += set.positions() as u64;
        done.files.push(path);
    }
    let json = serde_json::to_string(&done).expect("a mark is plain data");
    write_whole(mark, &json).map_err(SelfPlayError::file(mark))?;
    // The summary tells what this run did.
    Ok(Mark { evaluations, resignations_checked: checked, resignations_wrong: wrong, ..done })
}

fn sgf_of(game: &Game) -> String {
    let info = GameInfo { result: game.outcome(), ..GameInfo::default() };
    Record::from_game(game, &info).to_sgf()
}

impl Summary {
    fn add(&mut self, mark: Mark) {
        self.games += mark.games;
        self.positions += mark.positions;
        self.files.extend(mark.files);
        if mark.fresh {
            self.evaluations += mark.evaluations;
            self.resignations_checked += mark.resignations_checked;
            self.resignations_wrong += mark.resignations_wrong;
        }
    }
}
