//! Learns the weights of the move features of [`tengen_engine::prior::Knowledge`] from game records, or from a network that is
//! asked about their positions.
//!
//! **Formula.** A position is a competition: the move that was played against all others that were legal. The logarithms of
//! the weights are raised by the gradient of the log-likelihood, summed over a batch of positions, each in steps that shrink
//! with the sum of its squared gradients. Where a network teaches, every move wins the share that the network gives it. It is
//! also asked about positions after a stray move, for a search meets many bad moves that no record shows the answer to.
//!
//! **Source.** Coulom 2007 for the model; Duchi, Hazan and Singer 2011 (AdaGrad) for the steps; Hinton, Vinyals and Dean 2015
//! for learning from shares.

use std::convert::Infallible;

use tengen_board::{Board, Game, Move, Vertex};
use tengen_engine::{
    players::StopSignal,
    prior::{FeatureReader, FeatureWeights, Features, KnownShapes, ShapeCounter},
    reading::tactics::is_playable,
    rng::Rng,
    search::{Evaluator, NetworkConfig},
};
use tengen_nets::{AnyNetwork, NetEvaluator};

use crate::{
    matches::derive_seed,
    parallel::{concurrency_for, work},
};

/// Positions a step.
const BATCH: usize = 512;

/// A teacher is asked about one position in so many for every 20 points of the board: every fourth on 9x9, every eighteenth
/// on 19x19, where each position teaches more. Each time it is also asked about the position after a stray move.
const POINTS_FOR_A_POSITION: usize = 20;

/// Moves to which a teacher gives less are left out.
const SMALLEST_SHARE: f32 = 0.002;

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LearnConfig {
    /// Passes over the lessons.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub epochs: usize,
    /// Step of the first epoch; later ones are divided by their number.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub rate: f32,
    /// Wide shapes are learned that were played at least this often.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub played: u32,
}

impl Default for LearnConfig {
    fn default() -> Self {
        LearnConfig { epochs: 4, rate: 0.1, played: 10 }
    }
}

/// How well weights predict moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Prediction {
    /// Positions looked at.
    pub positions: usize,
    /// Share of them in which the right move has the highest weight.
    pub top1: f64,
    /// Mean of −ln p of the right moves.
    pub loss: f64,
}

/// A position of a game, or one that a stray move leads to, and what is to be played there.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    game: usize,
    played: usize,
    stray: Option<Move>,
    /// Moves and their shares.
    answers: Vec<(Vertex, f32)>,
    /// How much it counts.
    weight: f32,
}

/// Makes the lessons of each game count so much.
pub fn weigh(lessons: &mut [Lesson], weights_of_games: &[f32]) {
    for lesson in lessons {
        lesson.weight = weights_of_games[lesson.game];
    }
}

impl Lesson {
    /// The position, and the last two moves, the later first.
    fn position(&self, games: &[Game]) -> (Board, [Move; 2]) {
        let game = &games[self.game];
        let mut board = game.start().clone();
        let mut last = [Move::PASS; 2];
        let moves = game.moves();
        for played in &moves[..self.played] {
            board.set_to_play(played.color);
            board.play_unchecked(played.mv);
            last = [played.mv, last[0]];
        }
        if let Some(next) = moves.get(self.played) {
            board.set_to_play(next.color);
        }
        if let Some(stray) = self.stray {
            board.play_unchecked(stray);
            last = [stray, last[0]];
        }
        (board, last)
    }
}

/// Every one of the first `moves` of each game that is no pass is right.
pub fn played_moves(games: &[Game], moves: usize) -> Vec<Lesson> {
    let of_game = |(game, record): (usize, &Game)| {
        let moves: Vec<_> = record.moves().iter().take(moves).map(|played| played.mv).collect();
        let lesson = move |(played, mv): (usize, Move)| {
            mv.vertex().map(|v| Lesson { game, played, stray: None, answers: vec![(v, 1.0)], weight: 1.0 })
        };
        moves.into_iter().enumerate().filter_map(lesson)
    };
    games.iter().enumerate().flat_map(of_game).collect()
}

/// What a network says about some of the positions before the first `moves` moves of each game; `progress` is told of each game
/// that is done.
pub fn ask(games: &[Game], moves: usize, teacher: &AnyNetwork, mut progress: impl FnMut()) -> Vec<Lesson> {
    let numbers: Vec<usize> = (0..games.len()).collect();
    let mut lessons = Vec::new();
    let step = |teacher: &mut NetEvaluator, game: usize| {
        Ok(Some(ask_about(game, &games[game], moves, teacher, &mut Rng::new(derive_seed(1, game as u64)))))
    };
    let Ok(()) = work::<_, _, Infallible>(
        &numbers,
        concurrency_for(1),
        &StopSignal::default(),
        || NetEvaluator::new(teacher.clone(), &NetworkConfig::default(), 1),
        step,
        |found| {
            lessons.extend(found);
            progress();
            Ok(())
        },
    );
    lessons.sort_by_key(|lesson: &Lesson| (lesson.game, lesson.played, lesson.stray.is_some()));
    lessons
}

fn ask_about(
    number: usize,
    record: &Game,
    moves: usize,
    teacher: &mut NetEvaluator,
    rng: &mut Rng,
) -> Vec<Lesson> {
    let mut lessons = Vec::new();
    let mut game = record.clone();
    let every = (record.board().area() / POINTS_FOR_A_POSITION).max(1);
    let first = rng.below(every);
    for played in (first..record.moves().len().min(moves)).step_by(every).rev() {
        game.undo_to(played);
        let mut stray = None;
        for _ in 0..2 {
            let Some(raw) = teacher.raw(&game, rng.below(8)) else { break };
            let answers = game.board().points().map(|v| (v, raw.policy[v]));
            let answers: Vec<_> = answers.filter(|(_, share)| *share >= SMALLEST_SHARE).collect();
            // Flatter than the network, so that bad moves are among them.
            let total: f32 = answers.iter().map(|(_, share)| share.sqrt()).sum();
            let mut at = rng.unit() * total;
            let drawn = answers.iter().find(|(_, share)| {
                at -= share.sqrt();
                at < 0.0
            });
            let drawn = drawn.or(answers.last()).map(|(v, _)| Move::from(*v));
            let pass = raw.pass > 0.5;
            if !pass {
                lessons.push(Lesson { game: number, played, stray, answers, weight: 1.0 });
            }
            let Some(mv) = drawn.filter(|_| !pass) else { break };
            game.play_unchecked(mv);
            stray = Some(mv);
        }
    }
    lessons
}

/// The candidates of one position, with their weights.
#[derive(Default)]
struct Competition {
    features: Vec<Features>,
    factors: Vec<f32>,
    /// The share of the right answers that each has.
    shares: Vec<f32>,
    /// How much the lesson counts.
    weight: f32,
}

impl Competition {
    fn read(
        &mut self,
        reader: &mut FeatureReader,
        board: &Board,
        last: [Move; 2],
        answers: &[(Vertex, f32)],
        factors: &[f32],
    ) {
        self.features.clear();
        self.factors.clear();
        self.shares.clear();
        reader.look(board, last);
        for &v in board.empties() {
            if is_playable(board, v) {
                let features = reader.features(board, v);
                self.factors.push(features.iter().map(|&f| factors[f as usize]).product());
                self.features.push(features);
                self.shares.push(answers.iter().find(|(at, _)| *at == v).map_or(0.0, |(_, share)| *share));
            }
        }
    }
}

/// Calls `each` with every lesson of which an answer is among the candidates.
fn competitions(
    games: &[Game],
    lessons: &[Lesson],
    mut reader: FeatureReader,
    factors: &mut Vec<f32>,
    mut each: impl FnMut(&Competition, &mut Vec<f32>),
) {
    let mut competition = Competition::default();
    for lesson in lessons {
        let (board, last) = lesson.position(games);
        competition.read(&mut reader, &board, last, &lesson.answers, factors);
        let total: f32 = competition.shares.iter().sum();
        if total > 0.0 {
            competition.shares.iter_mut().for_each(|share| *share /= total);
            competition.weight = lesson.weight;
            each(&competition, factors);
        }
    }
}

/// The wide shapes that were played often enough in these games.
fn played_shapes(games: &[Game], times: u32) -> KnownShapes {
    let mut counter = ShapeCounter::default();
    for lesson in played_moves(games, usize::MAX) {
        let (board, last) = lesson.position(games);
        counter.count(&board, lesson.answers[0].0, last[0]);
    }
    counter.played(times)
}

fn factors_of(weights: &FeatureWeights) -> Vec<f32> {
    weights.logs().iter().map(|log| log.exp()).collect()
}

/// Learns all weights from lessons on positions of these games; `progress` is told of each epoch that is done.
pub fn learn(
    games: &[Game],
    lessons: Vec<Lesson>,
    config: &LearnConfig,
    progress: impl FnMut(usize, &FeatureWeights),
) -> FeatureWeights {
    improve(
        FeatureWeights::even(played_shapes(games, config.played)),
        |_| true,
        games,
        lessons,
        config,
        progress,
    )
}

/// Learns those weights of which `learned` is true, by number, and leaves the others as they are. It takes the lessons in an
/// order of its own.
pub fn improve(
    mut weights: FeatureWeights,
    learned: impl Fn(usize) -> bool,
    games: &[Game],
    mut lessons: Vec<Lesson>,
    config: &LearnConfig,
    mut progress: impl FnMut(usize, &FeatureWeights),
) -> FeatureWeights {
    let count = weights.logs().len();
    let mut squares = vec![0.01_f32; count];
    let mut gradient = vec![0.0_f32; count];
    let mut factors = factors_of(&weights);
    let mut rng = Rng::new(1);
    for i in (1..lessons.len()).rev() {
        lessons.swap(i, rng.below(i + 1));
    }
    for epoch in 1..=config.epochs {
        let step = config.rate / epoch as f32;
        let mut batched = 0;
        competitions(games, &lessons, weights.reader(), &mut factors, |competition, factors| {
            let Competition { features, factors: strengths, shares, weight } = competition;
            let total: f32 = strengths.iter().sum();
            for ((features, strength), share) in features.iter().zip(strengths).zip(shares) {
                let error = weight * (share - strength / total);
                features.iter().for_each(|&feature| gradient[feature as usize] += error);
            }
            batched += 1;
            if batched == BATCH {
                batched = 0;
                let logs = weights.logs_mut().iter_mut();
                for (feature, (((log, gradient), square), factor)) in
                    logs.zip(&mut gradient).zip(&mut squares).zip(&mut *factors).enumerate()
                {
                    let slope = std::mem::take(gradient) / (BATCH as f32).sqrt();
                    if slope == 0.0 || !learned(feature) {
                        continue;
                    }
                    *square += slope * slope;
                    // A weak pull to 0 settles what the lessons leave open.
                    *log += step * (slope / square.sqrt() - 1e-4 * *log);
                    *factor = log.exp();
                }
            }
        });
        progress(epoch, &weights);
    }
    weights
}

/// How well the weights answer lessons that they were not learned from.
pub fn predict(games: &[Game], lessons: &[Lesson], weights: &FeatureWeights) -> Prediction {
    let mut result = Prediction::default();
    let (mut hits, mut loss) = (0.0, 0.0);
    competitions(games, lessons, weights.reader(), &mut factors_of(weights), |competition, _| {
        let Competition { factors, shares, .. } = competition;
        let total: f32 = factors.iter().sum();
        let best = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
        let right = factors[best];
        result.positions += 1;
        let rank = |beats: fn(&f32, &f32) -> bool| factors.iter().filter(|f| beats(f, &right)).count();
        // Moves that are equally likely share the first place.
        if rank(f32::gt) == 0 {
            hits += 1.0 / rank(f32::eq) as f64;
        }
        for (factor, share) in factors.iter().zip(shares) {
            loss -= f64::from(*share) * f64::from(factor / total).max(1e-9).ln();
        }
    });
    let positions = result.positions.max(1) as f64;
    Prediction { top1: hits / positions, loss: loss / positions, ..result }
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;

    /// Games in which both sides always play on the third line while they can.
    fn third_line_games() -> Vec<Game> {
        let mut rng = tengen_engine::rng::Rng::new(1);
        (0..200)
            .map(|_| {
                let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
                for _ in 0..16 {
                    let third = |v: &tengen_board::Vertex| {
                        let line = |at: usize| at.min(8 - at);
                        line(v.col()).min(line(v.row())) == 2
                    };
                    let open: Vec<_> = game.board().empties().iter().copied().filter(third).collect();
                    game.play(open[rng.below(open.len())].into());
                }
                game
            })
            .collect()
    }

    #[test]
    fn a_habit_is_learned() {
        let games = third_line_games();
        let config = LearnConfig { epochs: 6, rate: 0.3, ..LearnConfig::default() };
        let (seen, unseen) = games.split_at(190);
        let held_out = played_moves(unseen, usize::MAX);
        let before = predict(unseen, &held_out, &FeatureWeights::even(KnownShapes::default()));
        let weights = learn(seen, played_moves(seen, usize::MAX), &config, |_, _| {});
        let after = predict(unseen, &held_out, &weights);
        // The third line of 9x9 has 16 points, of about 73 that are empty.
        assert!(before.loss > 4.0 && after.loss < 3.2, "{before:?} {after:?}");
        assert!(before.positions == 160 && before.top1 < 0.02 && after.top1 > 0.05);
        assert_eq!(weights, learn(seen, played_moves(seen, usize::MAX), &config, |_, _| {}));
    }

    #[test]
    fn what_is_not_to_be_learned_stays() {
        let games = third_line_games();
        let names = Features::names();
        let is_line = |feature: usize| names[feature].starts_with("line ");
        let start = FeatureWeights::even(KnownShapes::default());
        let weights =
            improve(start, is_line, &games, played_moves(&games, 8), &LearnConfig::default(), |_, _| {});
        let changed: Vec<_> = (0..names.len()).filter(|&feature| weights.logs()[feature] != 0.0).collect();
        // The sixth line is beyond the middle of the board.
        assert!(changed.len() == 5 && changed.into_iter().all(is_line));
    }

    #[test]
    fn a_network_teaches_what_it_would_play() {
        let games = third_line_games();
        let teacher = AnyNetwork::load("rollout-a-reduced".as_ref()).unwrap();
        let lessons = ask(&games, usize::MAX, &teacher, || {});
        // Sixteen moves, of which four are asked about, twice.
        assert_eq!(lessons.len(), 200 * 4 * 2);
        assert_eq!(lessons.iter().filter(|lesson| lesson.stray.is_some()).count(), 200 * 4);
        let total = |lesson: &Lesson| lesson.answers.iter().map(|(_, share)| share).sum::<f32>();
        assert!(lessons.iter().all(|lesson| (0.5..1.001).contains(&total(lesson))));
        assert_eq!(lessons[..16], ask(&games[..2], usize::MAX, &teacher, || {}));
        assert_eq!(ask(&games[..2], 4, &teacher, || {}).len(), 4);
        let held_out = lessons[..400].to_vec();
        let config = LearnConfig { epochs: 6, rate: 0.3, ..LearnConfig::default() };
        let weights = learn(&games, lessons[400..].to_vec(), &config, |_, _| {});
        let before = predict(&games, &held_out, &FeatureWeights::even(KnownShapes::default()));
        let after = predict(&games, &held_out, &weights);
        assert!(after.loss < before.loss - 0.3 && after.top1 > 2.0 * before.top1, "{before:?} {after:?}");
    }
}
