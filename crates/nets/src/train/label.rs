//! What a strong network says about many positions, for a smaller one to learn from (distillation).
//!
//! Positions come in lines: from a random position of a game record, or from an empty board, moves are drawn from the
//! teacher's policy, now and then a random one, so that the student sees what a search looks at, good and bad. Every position
//! of a line is labelled with the teacher's policy, value, lead and ownership. For half of the lines komi is near the fair one,
//! so that who wins is seldom settled.
//!
//! A file of labels depends on nothing but the settings and its own number, so a labelling goes on after any interruption
//! where its last complete file ends.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Board, Game, Move, Rules, Symmetry, Vertex, splitmix};
use tengen_engine::{reading::tactics::is_playable, rng::Rng};

use super::{
    Dataset,
    data::{Group, Opening},
};
use crate::{
    error::NetError,
    model::{history::History, planes::HISTORY},
    records::{Opinion, RecordedGame, RecordedPosition, Records, shares},
    serve::any::{AnyNetwork, AnyOutput, AnyRunner},
};

/// Lines that are continued together.
const LANES: usize = 16;

/// How positions are found and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LabelConfig {
    /// Labels of a line that begins in a game record.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub plies: usize,
    /// Share of moves that are drawn at random instead of from the teacher's policy.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub random: f32,
    /// Least number of labels in a file.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub file_positions: usize,
    /// The rules. Networks of our own see komi only.
    #[schemars(with = "String")]
    pub rules: Rules,
    /// Random seed.
    pub seed: u64,
}

impl Default for LabelConfig {
    fn default() -> Self {
        LabelConfig { plies: 16, random: 0.1, file_positions: 4096, rules: Rules::CHINESE_SUPERKO, seed: 1 }
    }
}

/// A size of boards on which lines begin with nothing and are played to the end, and how often they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmptyBoard {
    /// Width of the board.
    pub width: usize,
    /// Height of the board.
    pub height: usize,
    /// How often, against 1 for a file of game records.
    pub weight: f64,
}

impl std::str::FromStr for EmptyBoard {
    type Err = String;

    /// `13`, `13:2` or `7x10:0.5`.
    fn from_str(text: &str) -> Result<EmptyBoard, String> {
        let wrong = || format!("{text}: write SIZE, WIDTHxHEIGHT or SIZE:WEIGHT, such as 13:2");
        let (size, weight) = text.split_once(':').unwrap_or((text, "1"));
        let (width, height) = size.split_once('x').unwrap_or((size, size));
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let board = EmptyBoard {
            width: number(width)?,
            height: number(height)?,
            weight: weight.parse().map_err(|_| wrong())?,
        };
        let possible = Board::try_new(board.width, board.height).is_ok();
        if possible && board.weight > 0.0 && board.weight.is_finite() { Ok(board) } else { Err(wrong()) }
    }
}

/// Where lines begin.
enum Source {
    Records(Group),
    Empty(EmptyBoard),
}

impl Source {
    fn size(&self) -> (usize, usize) {
        match self {
            Source::Records(group) => (group.width, group.height),
            Source::Empty(board) => (board.width, board.height),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            Source::Records(group) => group.weight,
            Source::Empty(board) => board.weight,
        }
    }
}

/// Writes labels into a folder.
pub struct Labeller {
    network: AnyNetwork,
    /// Identifies the network in the files.
    net_hash: String,
    config: LabelConfig,
    sources: Vec<Source>,
}

impl Labeller {
    /// A labeller with a teacher, and where it finds positions.
    pub fn new(
        network: AnyNetwork,
        net_hash: String,
        config: LabelConfig,
        records: Option<Dataset>,
        boards: &[EmptyBoard],
    ) -> Result<Labeller, NetError> {
        let records = records.map(|data| data.0).unwrap_or_default().into_iter().map(Source::Records);
        let sources: Vec<_> = records.chain(boards.iter().copied().map(Source::Empty)).collect();
        if sources.is_empty() {
            return Err(NetError::Settings("nothing to label: name game records or boards".to_owned()));
        }
        Ok(Labeller { network, net_hash, config, sources })
    }

    /// Labels until there are `files` files in `folder`, those of earlier labellings included, or until `stop` says so.
    /// `observe` is told the labels of each new file.
    pub fn run(
        &self,
        folder: &Path,
        files: u64,
        threads: usize,
        observe: impl Fn(usize) + Sync,
        stop: impl Fn() -> bool + Sync,
    ) -> Result<(), NetError> {
        fs::create_dir_all(folder).map_err(NetError::io("cannot make", folder))?;
        let next = AtomicU64::new(0);
        let work = || -> Result<(), NetError> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= files || stop() {
                    return Ok(());
                }
                let path = self.path(folder, number);
                if path.exists() {
                    continue;
                }
                let Some(records) = self.label(number, &stop) else { return Ok(()) };
                records.save(&path)?;
                observe(
                    records.games.iter().map(|g| g.positions.iter().filter(|p| p.weight > 0.0).count()).sum(),
                );
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("a labelling thread does not panic"))
        })
    }

    /// The file of this number.
    fn path(&self, folder: &Path, number: u64) -> PathBuf {
        let (width, height) = self.source(number).size();
        folder.join(format!("{width}x{height}-{number:06}.npz"))
    }

    /// Where the lines of a file begin: sources take turns by their weights.
    fn source(&self, number: u64) -> &Source {
        let mut taken = vec![0.0; self.sources.len()];
        let mut chosen = 0;
        for _ in 0..=number {
            let progress = |i: usize| (taken[i] + 1.0) / self.sources[i].weight();
            chosen = (0..taken.len()).min_by(|&a, &b| progress(a).total_cmp(&progress(b))).unwrap_or(0);
            taken[chosen] += 1.0;
        }
        &self.sources[chosen]
    }

    /// The labels of a file; none if it was stopped.
    fn label(&self, number: u64, stop: &impl Fn() -> bool) -> Option<Records> {
        let source = self.source(number);
        let (width, height) = source.size();
        let mut rng = Rng::new(splitmix(self.config.seed, number));
        let mut runner = self.network.runner((width, height), LANES);
        let mut records = Records { width, height, games: Vec::new() };
        let mut lanes: VecDeque<Lane> = VecDeque::new();
        let mut labels = 0;
        loop {
            while lanes.len() < LANES && labels < self.config.file_positions {
                lanes.push_back(self.begin(source, &mut rng));
            }
            if lanes.is_empty() {
                return Some(records);
            }
            if stop() {
                return None;
            }
            labels += evaluate(&mut lanes, &mut runner, &self.config, &mut rng);
            for _ in 0..lanes.len() {
                match lanes.pop_front() {
                    Some(lane) if lane.is_done() => records.games.push(lane.record),
                    Some(lane) => lanes.push_back(lane),
                    None => {}
                }
            }
        }
    }

    fn begin(&self, source: &Source, rng: &mut Rng) -> Lane {
        let (width, height) = source.size();
        let symmetry = random_symmetry(width, height, rng);
        let (opening, plies) = match source {
            Source::Records(group) => {
                let index = (rng.bits() % group.len().max(1)).min(group.len() - 1);
                (group.opening(index, HISTORY, symmetry), self.config.plies)
            }
            Source::Empty(_) => {
                let start = Board::new(width, height);
                let noise: f32 = StandardNormal.sample(rng);
                (
                    Opening { start, moves: Vec::new(), komi: halves(7.0 + 3.0 * noise) },
                    width * height * 3 / 2,
                )
            }
        };
        let fits_komi = matches!(source, Source::Records(_)) && rng.chance(0.5);
        Lane::new(&opening, self.config.rules, &self.net_hash, plies, fits_komi)
    }
}

/// A line that is being continued.
struct Lane {
    game: Game,
    history: History,
    record: RecordedGame,
    /// Labels that are still wanted.
    left: usize,
    /// Whether komi is still to be made fair.
    fits_komi: bool,
}

impl Lane {
    fn new(opening: &Opening, rules: Rules, net_hash: &str, plies: usize, fits_komi: bool) -> Lane {
        let komi = rules.try_with_komi(opening.komi).map_or(rules.komi, |rules| rules.komi);
        let mut game = Game::from_board(opening.start.clone(), rules.with_komi(komi));
        let stones = |v: Vertex| Some((v, opening.start.color_at(v)?));
        let mut record = RecordedGame {
            rules: *game.rules(),
            setup: opening.start.points().filter_map(stones).collect(),
            reward: 0,
            net_hash: net_hash.to_owned(),
            behaviour: "teacher".to_owned(),
            positions: Vec::new(),
        };
        for m in &opening.moves {
            game.set_to_play(m.color);
            game.play_unchecked(m.mv);
            let (color, mv) = (m.color, m.mv);
            record.positions.push(RecordedPosition { color, mv, weight: 0.0, opinion: None, network: None });
        }
        let left = if game.is_over() { 0 } else { plies };
        Lane { history: History::new(&game), game, record, left, fits_komi }
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Takes the teacher's answer: a new komi, or a label and a move. The number of labels.
    fn take(&mut self, answer: &AnyOutput, config: &LabelConfig, rng: &mut Rng) -> usize {
        if std::mem::take(&mut self.fits_komi) {
            let area = self.game.board().area() as f32;
            let noise: f32 = StandardNormal.sample(rng);
            let fair = self.game.rules().komi + answer.lead;
            let komi = halves((fair + area.sqrt() / 4.0 * noise).clamp(-area, area));
            self.game.set_rules(self.game.rules().with_komi(komi));
            self.record.rules = *self.game.rules();
            self.history = History::new(&self.game);
            return 0;
        }
        let board = self.game.board();
        let raw = answer.to_raw(&self.game, 0.0);
        let point = |v: Vertex| if raw.policy[v].is_finite() { raw.policy[v] } else { 0.0 };
        let of_moves = board.points().map(point).chain([raw.pass]);
        let owner = |share: &f32| (share.clamp(-1.0, 1.0) * 127.0).round() as i8;
        let opinion = Opinion {
            policy: shares(of_moves),
            value: 2.0 * answer.black_value - 1.0,
            score: answer.lead,
            ownership: answer.ownership.iter().flat_map(|o| o.iter().map(owner)).collect(),
        };
        let mv = if rng.chance(config.random) { random_move(board, rng) } else { None };
        let mv = mv.filter(|mv| self.game.check(*mv).is_ok()).unwrap_or_else(|| draw(board, &opinion, rng));
        let (color, weight) = (board.to_play(), 1.0);
        self.record.positions.push(RecordedPosition {
            color,
            mv,
            weight,
            opinion: Some(opinion),
            network: None,
        });
        self.game.play_unchecked(mv);
        self.history.play(mv);
        self.left = if self.game.is_over() { 0 } else { self.left - 1 };
        1
    }
}

/// Asks the teacher about every line, and continues it; the number of labels.
fn evaluate(
    lanes: &mut VecDeque<Lane>,
    runner: &mut AnyRunner,
    config: &LabelConfig,
    rng: &mut Rng,
) -> usize {
    let positions: Vec<_> = lanes
        .iter()
        .map(|lane| {
            let board = lane.game.board();
            (&lane.history, random_symmetry(board.width(), board.height(), rng))
        })
        .collect();
    let answers = runner.evaluate(&positions);
    lanes.iter_mut().zip(&answers).map(|(lane, answer)| lane.take(answer, config, rng)).sum()
}

/// A move by the shares of an opinion.
fn draw(board: &Board, opinion: &Opinion, rng: &mut Rng) -> Move {
    let all: f32 = opinion.policy.iter().map(|(_, share)| share.to_f32()).sum();
    let mut left = rng.unit() * all;
    let found = opinion.policy.iter().find(|(_, share)| {
        left -= share.to_f32();
        left < 0.0
    });
    match found.map(|(index, _)| *index as usize).filter(|index| *index < board.area()) {
        Some(index) => Vertex::new(index % board.width(), index / board.width()).into(),
        None => Move::PASS,
    }
}

/// A random point that is legal on the board and no own eye.
fn random_move(board: &Board, rng: &mut Rng) -> Option<Move> {
    let points: Vec<Vertex> = board.empties().iter().copied().filter(|&v| is_playable(board, v)).collect();
    (!points.is_empty()).then(|| points[rng.below(points.len())].into())
}

fn random_symmetry(width: usize, height: usize, rng: &mut Rng) -> Symmetry {
    Symmetry::ALL[rng.below(if width == height { 8 } else { 4 })]
}

/// The nearest whole or half number.
fn halves(x: f32) -> f32 {
    (2.0 * x).round() / 2.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tengen_board::Color;

    use super::*;
    use crate::model::network::tests::motley;

    #[test]
    fn labels_are_the_teachers_and_files_are_repeatable() {
        let network = motley(&mut Rng::new(3));
        let text = "(;SZ[5]KM[5.5];B[cc];W[bb];B[dd];W[bd];B[aa];W[ee];B[ea];W[ae];B[ca];W[ce])";
        let boards: Vec<EmptyBoard> = vec!["4:0.5".parse().unwrap(), "5x3:0.5".parse().unwrap()];
        let config = LabelConfig { plies: 5, file_positions: 40, ..LabelConfig::default() };
        let teacher = AnyNetwork::Own(Arc::new(network));
        let labeller = || {
            let data = Dataset::parse(text).unwrap();
            Labeller::new(teacher.clone(), "hash".to_owned(), config.clone(), Some(data), &boards).unwrap()
        };
        let folder = std::env::temp_dir().join(format!("tengen-label-{}", std::process::id()));
        let count = AtomicU64::new(0);
        let observe = |labels| {
            count.fetch_add(labels as u64, Ordering::Relaxed);
        };
        labeller().run(&folder, 2, 1, observe, || false).unwrap();
        labeller().run(&folder, 4, 2, observe, || false).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["4x4-000002.npz", "5x3-000003.npz", "5x5-000000.npz", "5x5-000001.npz"]);
        assert!(count.into_inner() >= 160);
        let again = labeller().label(1, &|| false).unwrap();
        let stored = Records::load(&folder.join("5x5-000001.npz")).unwrap();
        assert_eq!(stored, again);
        let mut komis: Vec<_> = stored.games.iter().map(|game| game.rules.komi).collect();
        komis.dedup();
        assert!(komis.len() > 2, "komi varies: {komis:?}");
        // What is stored is what the network says.
        let game = &stored.games[0];
        let mut board = Board::new(5, 5);
        board.set_up(&game.setup).unwrap();
        let mut replayed = Game::from_board(board, game.rules);
        let mut runner = teacher.runner((5, 5), 1);
        for position in &game.positions {
            replayed.set_to_play(position.color);
            if let Some(opinion) = &position.opinion {
                let history = History::new(&replayed);
                let near = |symmetry: &Symmetry| {
                    let answer = &runner.evaluate(&[(&history, *symmetry)])[0];
                    (2.0 * answer.black_value - 1.0 - opinion.value).abs() < 1e-5
                };
                assert!(Symmetry::ALL.iter().any(near));
                let sum: f32 = opinion.policy.iter().map(|(_, share)| share.to_f32()).sum();
                assert!((sum - 1.0).abs() < 0.01, "{sum}");
                assert_eq!(opinion.ownership.len(), 25);
            }
            replayed.play_unchecked(position.mv);
        }
        assert_eq!(
            game.positions.last().map(|p| p.color == Color::Black),
            Some(replayed.to_play() == Color::White)
        );
        fs::remove_dir_all(&folder).unwrap();
    }
}
