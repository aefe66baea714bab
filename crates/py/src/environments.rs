//! Many games that are stepped by one call, behind `tengen.VectorEnv`.

use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::{
    exceptions::{PyMemoryError, PyRuntimeError, PyValueError},
    prelude::*,
    types::PyBool,
};
use tengen_board::{Color, splitmix};
use tengen_engine::players::{Decision, PlayerError, StopSignal};
use tengen_lab::environment::{
    Environment, EnvironmentConfig, OnIllegal, Step, action_of, move_of, write_legal,
};
use tengen_nets::planes::Planes;

use crate::{
    arrays::array,
    errors::{IllegalMoveError, value_error},
    game::{Game, plane_numbers, read_rules},
    player::{Player, interruptible, player_error},
    points::number,
};

/// What an observation shows.
#[derive(Clone, Copy, PartialEq)]
enum View {
    /// 0 empty, 1 black, 2 white.
    Board,
    /// 0 empty, 1 the player to move, 2 the opponent.
    Own,
    /// The 44 planes.
    Planes,
}

/// Which side the agent plays against an opponent.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Always(Color),
    Alternate,
}

/// A game, and who plays it.
struct Seat {
    environment: Environment,
    episode: usize,
}

/// What games and one observation of each may take together: more would rather end the process than work.
const MOST_BYTES: usize = 8 << 30;

/// n games that are stepped together.
#[pyclass(module = "tengen._tengen")]
pub(crate) struct Environments {
    seats: Vec<Seat>,
    config: EnvironmentConfig,
    raises: bool,
    view: View,
    opponent: Option<Py<Player>>,
    side: Side,
    /// Whether the opponent has failed in the middle of a step, which leaves games without its move.
    is_broken: bool,
}

/// What is told, as Python gets it.
type Arrays<'py> = [Bound<'py, PyAny>; 7];

/// What is told about every game.
#[derive(Default)]
struct Told {
    boards: Vec<u8>,
    planes: Vec<f32>,
    masks: Vec<u8>,
    to_play: Vec<u8>,
    move_numbers: Vec<i64>,
    last_moves: Vec<i64>,
    scores: Vec<f32>,
    any_over: bool,
}

impl Told {
    /// With room for so many games.
    fn new(config: &EnvironmentConfig, view: View, games: usize) -> Told {
        let area = config.width * config.height;
        let mut told = Told { masks: vec![0; games * (area + 1)], ..Told::default() };
        if view == View::Planes {
            told.planes.reserve(games * area * Planes::Holmes.count());
        } else {
            told.boards.reserve(games * area);
        }
        told
    }

    /// The next game.
    fn add(&mut self, environment: &Environment, view: View) {
        let game = environment.game();
        let (board, own) = (game.board(), number(game.to_play()));
        let actions = board.area() + 1;
        match view {
            View::Planes => self.planes.extend(plane_numbers(game, Planes::Holmes)),
            View::Own if own == 2 => {
                let seen = environment.stones().iter().map(|stone| if *stone == 0 { 0 } else { 3 - stone });
                self.boards.extend(seen);
            }
            View::Board | View::Own => self.boards.extend_from_slice(environment.stones()),
        }
        write_legal(game, &mut self.masks[self.to_play.len() * actions..][..actions]);
        self.to_play.push(own);
        self.move_numbers.push(game.moves().len() as i64);
        self.last_moves.push(game.last_move().map_or(-1, |last| action_of(board, last.mv) as i64));
        self.scores.push(if environment.is_over() { game.score(&[]) } else { f32::NAN });
        self.any_over |= environment.is_over();
    }

    /// The next game, of which there is nothing to tell.
    fn skip(&mut self, config: &EnvironmentConfig, view: View) {
        let area = config.width * config.height;
        match view {
            View::Planes => self.planes.extend(std::iter::repeat_n(0.0, area * Planes::Holmes.count())),
            View::Board | View::Own => self.boards.extend(std::iter::repeat_n(0, area)),
        }
        self.to_play.push(0);
        self.move_numbers.push(0);
        self.last_moves.push(0);
        self.scores.push(0.0);
    }

    /// As arrays: observations, masks, to_play, move numbers, last moves, scores; and whether any game is over.
    fn arrays<'py>(self, py: Python<'py>, config: &EnvironmentConfig, view: View) -> PyResult<Arrays<'py>> {
        let (games, rows, columns) = (self.to_play.len(), config.height, config.width);
        let observations = if view == View::Planes {
            array(py, self.planes, &[games, Planes::Holmes.count(), rows, columns])?
        } else {
            array(py, self.boards, &[games, rows, columns])?
        };
        let masks = self.masks.into_iter().map(|legal| legal as i8).collect();
        Ok([
            observations,
            array(py, masks, &[games, rows * columns + 1])?,
            array(py, self.to_play, &[games])?,
            array(py, self.move_numbers, &[games])?,
            array(py, self.last_moves, &[games])?,
            array(py, self.scores, &[games])?,
            PyBool::new(py, self.any_over).to_owned().into_any(),
        ])
    }
}

impl Environments {
    /// The colour of the agent in a game.
    fn agent(&self, game: usize) -> Color {
        match self.side {
            Side::Always(color) => color,
            Side::Alternate if (game + self.seats[game].episode).is_multiple_of(2) => Color::Black,
            Side::Alternate => Color::White,
        }
    }

    /// Lets the opponent move where it is its turn. What that gave, as the opponent sees it.
    fn reply(
        &mut self,
        opponent: Option<&Player>,
        games: &[usize],
        stop: &StopSignal,
    ) -> Result<Vec<(usize, Step)>, PlayerError> {
        let Some(opponent) = opponent else { return Ok(Vec::new()) };
        let waiting: Vec<usize> = games
            .iter()
            .copied()
            .filter(|&i| {
                let environment = &self.seats[i].environment;
                !environment.is_over() && environment.game().to_play() != self.agent(i)
            })
            .collect();
        let positions: Vec<_> = waiting.iter().map(|&i| self.seats[i].environment.game()).collect();
        let decisions = opponent.decide_all(&positions, stop)?;
        let play = |(i, decision): (usize, Decision)| {
            let environment = &mut self.seats[i].environment;
            let step = match decision {
                Decision::Play(mv) => environment.step(action_of(environment.game().board(), mv)),
                Decision::Resign => environment.resign(),
            };
            (i, step)
        };
        Ok(waiting.into_iter().zip(decisions).map(play).collect())
    }

    /// Begins games again; the opponent moves first where it has Black. Its random numbers start again with the first seed.
    fn begin(
        &mut self,
        opponent: Option<&Player>,
        games: &[usize],
        seeds: &[Option<u64>],
        stop: &StopSignal,
    ) -> Result<(), PlayerError> {
        for (&game, seed) in games.iter().zip(seeds) {
            let seat = &mut self.seats[game];
            seat.episode = if seed.is_some() { 0 } else { seat.episode + 1 };
            seat.environment.reset(*seed);
        }
        if let (Some(opponent), Some(seed)) = (opponent, seeds.iter().flatten().next()) {
            // If it fails, so will its next move.
            let _ = opponent.begin(Some(*seed));
        }
        self.reply(opponent, games, stop)?;
        Ok(())
    }

    /// Refuses what needs sound games, unless all of them are begun again.
    fn check_whole(&self, all_begin: bool) -> PyResult<()> {
        if self.is_broken && !all_begin {
            return Err(PyRuntimeError::new_err("the opponent failed in the last step: reset all games"));
        }
        Ok(())
    }

    /// What there is to tell about the games that `which` names, and nothing about the others.
    fn tell(&self, which: impl Fn(usize) -> bool) -> Told {
        let mut told = Told::new(&self.config, self.view, self.seats.len());
        for (i, seat) in self.seats.iter().enumerate() {
            if which(i) {
                told.add(&seat.environment, self.view);
            } else {
                told.skip(&self.config, self.view);
            }
        }
        told
    }
}

/// Does `work` while the interpreter does other things. An opponent may think for long, so Ctrl-C ends that.
fn play<T: Send>(
    py: Python<'_>,
    opponent: Option<&Player>,
    work: impl FnOnce(&StopSignal) -> Result<T, PlayerError> + Send,
) -> PyResult<T> {
    let stop = StopSignal::default();
    let done = match opponent {
        Some(_) => interruptible(py, &stop, || work(&stop))?,
        None => py.detach(|| work(&stop)),
    };
    done.map_err(player_error)
}

/// What a step gives: observations and what belongs to them; rewards, terminated, truncated; the numbers of the games that
/// ended and were begun again in the same step, and what there was to see of them before that.
type Stepped<'py> =
    (Arrays<'py>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<usize>, Option<Arrays<'py>>);

#[pymethods]
impl Environments {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        num_envs: usize,
        shape: (usize, usize),
        rules: &str,
        komi: Option<f32>,
        max_moves: usize,
        opening: usize,
        illegal: &str,
        observation: &str,
        opponent: Option<Py<Player>>,
        color: &str,
    ) -> PyResult<Environments> {
        let wrong = |name: &str, value: &str, choices: &str| {
            PyValueError::new_err(format!("{name}={value:?}: choose {choices}"))
        };
        if !(1..=1_000_000).contains(&num_envs) || max_moves == 0 || opening > 10_000 {
            return Err(PyValueError::new_err(
                "num_envs and max_moves are at least 1, openings of at most 10000",
            ));
        }
        let on_illegal = match illegal {
            "lose" | "raise" => OnIllegal::Lose,
            "ignore" => OnIllegal::Ignore,
            _ => return Err(wrong("illegal", illegal, "\"lose\", \"raise\" or \"ignore\"")),
        };
        let view = match observation {
            "board" => View::Board,
            "own" => View::Own,
            "planes" => View::Planes,
            _ => return Err(wrong("observation", observation, "\"board\", \"own\" or \"planes\"")),
        };
        let side = match color {
            "black" => Side::Always(Color::Black),
            "white" => Side::Always(Color::White),
            "alternate" => Side::Alternate,
            _ => return Err(wrong("color", color, "\"black\", \"white\" or \"alternate\"")),
        };
        let (height, width) = shape;
        let seen = if view == View::Planes { size_of::<f32>() * Planes::Holmes.count() } else { 1 };
        let each = size_of::<Seat>().saturating_add(height.saturating_mul(width).saturating_mul(seen + 1));
        let bytes = num_envs.saturating_mul(each);
        if bytes > MOST_BYTES {
            return Err(PyMemoryError::new_err(format!(
                "num_envs={num_envs} would take {} GB with observation={observation:?}, {} are the most: take fewer games",
                bytes >> 30,
                MOST_BYTES >> 30
            )));
        }
        let rules = read_rules(rules, komi)?;
        let config =
            EnvironmentConfig { width, height, rules, longest: max_moves, opening, illegal: on_illegal };
        let seat = |i: usize| {
            let environment = Environment::new(&config, i as u64).map_err(value_error)?;
            Ok(Seat { environment, episode: 0 })
        };
        let seats = (0..num_envs).map(seat).collect::<PyResult<_>>()?;
        Ok(Environments { seats, config, raises: illegal == "raise", view, opponent, side, is_broken: false })
    }

    /// From the next reset on, the openings of all games are those of another seed.
    fn set_seed(&mut self, seed: u64) {
        for (i, seat) in self.seats.iter_mut().enumerate() {
            seat.environment.set_seed(splitmix(seed, i as u64));
        }
    }

    /// Begins the games with these numbers again, each with its seed if there is one. What there is to see of all games.
    fn reset<'py>(
        &mut self,
        py: Python<'py>,
        games: Vec<usize>,
        seeds: Vec<Option<u64>>,
    ) -> PyResult<Arrays<'py>> {
        if games.len() != seeds.len() || games.iter().any(|&game| game >= self.seats.len()) {
            return Err(PyValueError::new_err("a seed for each of the games that are reset"));
        }
        self.check_whole(games.len() == self.seats.len())?;
        let opponent = self.opponent.as_ref().map(|player| player.clone_ref(py));
        let opponent = opponent.as_ref().map(Py::get);
        let told = play(py, opponent, |stop| {
            self.begin(opponent, &games, &seeds, stop)?;
            Ok(self.tell(|_| true))
        });
        self.is_broken = told.is_err();
        let told = told?;
        told.arrays(py, &self.config, self.view)
    }

    /// Steps all games. `mode` says when games that are over begin again: "next", "same" or "never".
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        mode: &str,
    ) -> PyResult<Stepped<'py>> {
        self.check_whole(false)?;
        let count = self.seats.len();
        if actions.len() != count {
            let message = format!("{} actions for {count} games", actions.len());
            return Err(PyValueError::new_err(message));
        }
        let actions: Vec<i64> = actions.as_array().iter().copied().collect();
        let area = self.config.width * self.config.height;
        if let Some(wrong) = actions.iter().find(|&&action| !(0..=area as i64).contains(&action)) {
            return Err(PyValueError::new_err(format!(
                "action {wrong}: actions are from 0 to {area}, the pass"
            )));
        }
        let actions: Vec<usize> = actions.into_iter().map(|action| action as usize).collect();
        if mode == "never" && self.seats.iter().any(|seat| seat.environment.is_over()) {
            return Err(PyRuntimeError::new_err("a game is over: reset it with options={'reset_mask': …}"));
        }
        let illegal = |(seat, action): &(&Seat, &usize)| {
            !seat.environment.is_over() && !seat.environment.is_legal(**action)
        };
        if self.raises
            && let Some((seat, action)) = self.seats.iter().zip(&actions).find(illegal)
        {
            let board = seat.environment.game().board();
            let shown = move_of(board, *action).map(|mv| mv.to_string()).unwrap_or_default();
            return Err(IllegalMoveError::new_err(format!("action {action}: {shown} is illegal\n{board}")));
        }
        let opponent = self.opponent.as_ref().map(|player| player.clone_ref(py));
        let opponent = opponent.as_ref().map(Py::get);
        let played = play(py, opponent, |stop| {
            let (mut stepped, mut begun) = (Vec::with_capacity(count), Vec::new());
            let mut steps: Vec<Step> = Vec::with_capacity(count);
            for (i, (seat, action)) in self.seats.iter_mut().zip(actions).enumerate() {
                if seat.environment.is_over() {
                    begun.push(i);
                    steps.push(Step::default());
                } else {
                    stepped.push(i);
                    steps.push(seat.environment.step(action));
                }
            }
            for (i, step) in self.reply(opponent, &stepped, stop)? {
                steps[i] = Step { reward: 0.0 - step.reward, ..step };
            }
            self.begin(opponent, &begun, &vec![None; begun.len()], stop)?;
            let mut ended = Vec::new();
            let mut last = None;
            if mode == "same" {
                ended.extend((0..count).filter(|&i| self.seats[i].environment.is_over()));
                if !ended.is_empty() {
                    last = Some(self.tell(|i| self.seats[i].environment.is_over()));
                    self.begin(opponent, &ended, &vec![None; ended.len()], stop)?;
                }
            }
            Ok((self.tell(|_| true), steps, ended, last))
        });
        self.is_broken = played.is_err();
        let (told, steps, ended, last) = played?;
        let rewards = steps.iter().map(|step| f64::from(step.reward)).collect();
        let terminated = steps.iter().map(|step| step.terminated).collect();
        let truncated = steps.iter().map(|step| step.truncated).collect();
        Ok((
            told.arrays(py, &self.config, self.view)?,
            array::<f64>(py, rewards, &[count])?,
            array::<bool>(py, terminated, &[count])?,
            array::<bool>(py, truncated, &[count])?,
            ended,
            last.map(|last| last.arrays(py, &self.config, self.view)).transpose()?,
        ))
    }

    /// Which actions are legal in each game: bool (n, actions).
    fn masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (games, actions) = (self.seats.len(), self.config.width * self.config.height + 1);
        let mut masks = vec![0; games * actions];
        let places = self.seats.iter().zip(masks.chunks_exact_mut(actions));
        places.for_each(|(seat, place)| write_legal(seat.environment.game(), place));
        array(py, masks.into_iter().map(|legal| legal == 1).collect(), &[games, actions])
    }

    /// A copy of one of the games.
    fn game(&self, number: usize) -> PyResult<Game> {
        let seat = self.seats.get(number).ok_or_else(|| PyValueError::new_err("there is no such game"))?;
        Ok(seat.environment.game().clone().into())
    }
}
