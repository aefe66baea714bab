//! Learns the weights of the move features of [`tengen_engine::prior::Knowledge`] from game records.
//!
//! **Formula.** A game is a series of competitions: the move that was played against all others that were legal. The
//! logarithms of the weights are raised by the gradient of the log-likelihood, summed over a batch of positions, each in
//! steps that shrink with the sum of its squared gradients.
//!
//! **Source.** Coulom 2007 for the model; Duchi, Hazan and Singer 2011 (AdaGrad) for the steps.

use tengen_board::{Board, Game, Move};
use tengen_engine::prior::{FeatureReader, FeatureWeights, Features, KnownShapes, ShapeCounter};

/// Positions a step.
const BATCH: usize = 512;

/// How to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnConfig {
    /// Passes over the games.
    pub epochs: usize,
    /// Step of the first epoch; later ones are divided by their number.
    pub rate: f32,
    /// Wide shapes are learned that were played at least so many times.
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
    /// Share of them in which the move played has the highest weight.
    pub top1: f64,
    /// Mean of −ln p of the move played.
    pub loss: f64,
}

/// The candidates of one position, with their weights.
struct Competition {
    features: Vec<Features>,
    factors: Vec<f32>,
    winner: Option<usize>,
}

impl Competition {
    fn read(
        &mut self,
        reader: &mut FeatureReader,
        board: &Board,
        last: [Move; 2],
        played: Move,
        factors: &[f32],
    ) {
        self.features.clear();
        self.factors.clear();
        self.winner = None;
        reader.look(board, last);
        for &v in board.empties() {
            if board.is_legal(v) && !board.is_eye(v, board.to_play()) {
                if played == v.into() {
                    self.winner = Some(self.factors.len());
                }
                let features = reader.features(board, v);
                self.factors.push(features.iter().map(|&f| factors[f as usize]).product());
                self.features.push(features);
            }
        }
    }
}

/// Calls `each` with every move of the games that is no pass, the position before it and the last two moves, the later first.
fn moves<'a>(games: impl IntoIterator<Item = &'a Game>, mut each: impl FnMut(&Board, [Move; 2], Move)) {
    for game in games {
        let mut board = game.start().clone();
        let mut last = [Move::PASS; 2];
        for played in game.moves() {
            board.set_to_play(played.color);
            if !played.mv.is_pass() {
                each(&board, last, played.mv);
            }
            board.play_unchecked(played.mv);
            last = [played.mv, last[0]];
        }
    }
}

/// Calls `each` with every position of the games whose move is among the candidates.
fn competitions<'a>(
    games: impl IntoIterator<Item = &'a Game>,
    mut reader: FeatureReader,
    factors: &mut Vec<f32>,
    mut each: impl FnMut(&Competition, usize, &mut Vec<f32>),
) {
    let mut competition = Competition { features: Vec::new(), factors: Vec::new(), winner: None };
    moves(games, |board, last, played| {
        competition.read(&mut reader, board, last, played, factors);
        if let Some(winner) = competition.winner {
            each(&competition, winner, factors);
        }
    });
}

/// The wide shapes that were played often enough in these games.
fn played_shapes(games: &[Game], times: u32) -> KnownShapes {
    let mut counter = ShapeCounter::default();
    moves(games, |board, last, played| counter.count(board, played.vertex_or_none(), last[0]));
    counter.played(times)
}

fn factors_of(weights: &FeatureWeights) -> Vec<f32> {
    weights.logs().iter().map(|log| log.exp()).collect()
}

/// Learns from the games; `progress` is told of each epoch that is done.
pub fn learn(
    games: &[Game],
    config: &LearnConfig,
    mut progress: impl FnMut(usize, &FeatureWeights),
) -> FeatureWeights {
    let mut weights = FeatureWeights::even(played_shapes(games, config.played));
    let count = weights.logs().len();
    let mut squares = vec![0.01_f32; count];
    let mut gradient = vec![0.0_f32; count];
    let mut factors = factors_of(&weights);
    for epoch in 1..=config.epochs {
        let step = config.rate / epoch as f32;
        let mut batched = 0;
        competitions(games, weights.reader(), &mut factors, |competition, winner, factors| {
            let total: f32 = competition.factors.iter().sum();
            for (i, (features, factor)) in competition.features.iter().zip(&competition.factors).enumerate() {
                let error = f32::from(i == winner) - factor / total;
                features.iter().for_each(|&feature| gradient[feature as usize] += error);
            }
            batched += 1;
            if batched == BATCH {
                batched = 0;
                let logs = weights.logs_mut().iter_mut();
                for (((log, gradient), square), factor) in
                    logs.zip(&mut gradient).zip(&mut squares).zip(&mut *factors)
                {
                    if *gradient == 0.0 {
                        continue;
                    }
                    let slope = std::mem::take(gradient) / (BATCH as f32).sqrt();
                    *square += slope * slope;
                    // A weak pull to 0 settles what the records leave open.
                    *log += step * (slope / square.sqrt() - 1e-4 * *log);
                    *factor = log.exp();
                }
            }
        });
        progress(epoch, &weights);
    }
    weights
}

/// How well the weights predict the moves of games that they were not learned from.
pub fn predict(games: &[Game], weights: &FeatureWeights) -> Prediction {
    let mut result = Prediction::default();
    let (mut hits, mut loss) = (0.0, 0.0);
    competitions(games, weights.reader(), &mut factors_of(weights), |competition, winner, _| {
        let total: f32 = competition.factors.iter().sum();
        let played = competition.factors[winner];
        result.positions += 1;
        let rank =
            |beats: fn(&f32, &f32) -> bool| competition.factors.iter().filter(|f| beats(f, &played)).count();
        // Moves that are equally likely share the first place.
        if rank(f32::gt) == 0 {
            hits += 1.0 / rank(f32::eq) as f64;
        }
        loss -= f64::from(played / total).max(1e-9).ln();
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
        let before = predict(unseen, &FeatureWeights::even(KnownShapes::default()));
        let weights = learn(seen, &config, |_, _| {});
        let after = predict(unseen, &weights);
        // The third line of 9x9 has 16 points, of about 73 that are empty.
        assert!(before.loss > 4.0 && after.loss < 3.2, "{before:?} {after:?}");
        assert!(before.positions == 160 && before.top1 < 0.02 && after.top1 > 0.05);
        assert_eq!(weights, learn(seen, &config, |_, _| {}));
    }
}
