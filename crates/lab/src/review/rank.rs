//! Ranks estimated from how a game was played.
//!
//! **What.** A linear regression of ranks on the square root of the points lost a move. It is fitted on games of players whose ranks are
//! known (`tengen train rank`), for each size of board by itself, and only where there are such games. A single game tells little: the
//! interval holds 95% of the errors for players who were held out. Accuracy and the share of first choices say nothing more: the
//! errors were as large with them.
//!
//! **Limits.** Ranks are those of the server from which the records come. Beyond the ranks of the fit nothing is promised, and
//! estimates lean towards their middle.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{Figures, PlayerFigures, Players};

/// The fits that come with the program; `tengen train rank` writes this file.
const SHIPPED: &str = include_str!("rank.toml");

/// Fewer moves tell nothing.
const FEWEST_MOVES: usize = 10;

/// The error is measured on one game in so many, after a fit on the others, and so on all of them in turn.
const FOLDS: usize = 5;

/// A side's estimates are cut off at these ranks.
const RANGE: (f64, f64) = (-29.0, 9.0);

/// The share of players who are within the interval.
const COVERED: f64 = 0.95;

/// The square root of the points that a player lost a move, and the rank.
type Example = (f64, f64);

/// The fits of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranks {
    /// One for each size of board.
    #[serde(default)]
    pub fit: Vec<Fit>,
}

/// How ranks follow from figures, on boards of one size. Ranks are numbers: 1 for 1 dan, 0 for 1 kyu, −4 for 5 kyu.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// Columns and rows of the board.
    pub size: [usize; 2],
    /// Whose losses these are ([`PlayerSpec::evaluator`](crate::PlayerSpec::evaluator)).
    pub evaluator: String,
    /// Who analysed, and how.
    pub analyst: String,
    /// The rank of whoever loses nothing.
    pub base: f64,
    /// Ranks for each unit of the square root of the points lost a move.
    pub slope: f64,
    /// Standard deviation of what is left unexplained, in ranks, where players are held out.
    pub spread: f64,
    /// Mean error in ranks, the same.
    pub error: f64,
    /// The error of always saying the mean rank.
    pub error_without: f64,
    /// Half of the interval: 95% of the errors are no larger.
    pub reach: f64,
    /// Players on whose games it was fitted.
    pub players: usize,
}

/// The review of a game, as far as it is learned from: the JSON of [`Review`](super::Review).
#[derive(Clone, Debug, Deserialize)]
pub struct Lesson {
    size: [usize; 2],
    evaluator: String,
    analyst: String,
    players: Players,
}

/// An estimate and its interval at 95%.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) rank: String,
    pub(super) ci95: [String; 2],
}

/// The rank of whoever played with these figures, where players of known ranks did so too.
pub(super) fn estimate(size: [usize; 2], evaluator: &str, figures: &Figures) -> Option<Estimate> {
    static RANKS: LazyLock<Ranks> = LazyLock::new(|| toml::from_str(SHIPPED).expect("the file is tested"));
    RANKS.fit.iter().find(|fit| fit.size == size && fit.evaluator == evaluator)?.estimate(figures)
}

impl Fit {
    fn estimate(&self, figures: &Figures) -> Option<Estimate> {
        let rank = self.base + self.slope * term(figures)?;
        Some(Estimate { rank: name(rank), ci95: [name(rank - self.reach), name(rank + self.reach)] })
    }
}

/// What is regressed on; nothing for too few moves.
fn term(figures: &Figures) -> Option<f64> {
    figures.mean_loss.filter(|_| figures.moves >= FEWEST_MOVES).map(f64::sqrt)
}

impl Ranks {
    /// Learns from reviews of games whose players' ranks are in their records. Nothing is learned for a size of which there are too few.
    pub fn learn(lessons: &[Lesson]) -> Ranks {
        let mut kinds: Vec<_> =
            lessons.iter().map(|lesson| (lesson.size, &lesson.evaluator, &lesson.analyst)).collect();
        kinds.sort();
        kinds.dedup();
        let of = |kind| lessons.iter().filter(move |l| (l.size, &l.evaluator, &l.analyst) == kind);
        Ranks { fit: kinds.into_iter().filter_map(|kind| learn(&of(kind).collect::<Vec<_>>())).collect() }
    }

    /// As a file.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).expect("it has no keys but names");
        format!(
            "# How ranks follow from the figures of a review: `tengen train rank` has written this.\n\n{text}"
        )
    }
}

/// A fit on games of one kind.
fn learn(lessons: &[&Lesson]) -> Option<Fit> {
    let first = lessons.first()?;
    let known =
        |player: &PlayerFigures| Some((term(&player.all)?, number(player.recorded_rank.as_deref()?)?));
    // The players of a game stay together: one's mistakes are the other's chances.
    let all: Vec<(usize, Example)> = lessons
        .iter()
        .enumerate()
        .flat_map(|(i, lesson)| [(i, &lesson.players.black), (i, &lesson.players.white)])
        .filter_map(|(i, player)| Some((i % FOLDS, known(player)?)))
        .collect();
    let part = |is: &dyn Fn(usize) -> bool| -> Vec<Example> {
        all.iter().filter(|(fold, _)| is(*fold)).map(|(_, example)| *example).collect()
    };
    let mut errors = Vec::new();
    for fold in 0..FOLDS {
        let (base, slope) = line(&part(&|other| other != fold))?;
        errors.extend(part(&|own| own == fold).iter().map(|(term, rank)| base + slope * term - rank));
    }
    let whole = part(&|_| true);
    let (base, slope) = line(&whole)?;
    let count = whole.len() as f64;
    let middle = whole.iter().map(|(_, rank)| rank).sum::<f64>() / count;
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    Some(Fit {
        size: first.size,
        evaluator: first.evaluator.clone(),
        analyst: first.analyst.clone(),
        base,
        slope,
        spread: (errors.iter().map(|error| error * error).sum::<f64>() / count).sqrt(),
        error: sizes.iter().sum::<f64>() / count,
        error_without: whole.iter().map(|(_, rank)| (rank - middle).abs()).sum::<f64>() / count,
        reach: sizes[(COVERED * count).ceil() as usize - 1],
        players: whole.len(),
    })
}

/// Constant and slope with the least squared error; nothing where these cannot be told.
fn line(examples: &[Example]) -> Option<(f64, f64)> {
    let count = examples.len() as f64;
    let mean = |of: &dyn Fn(&Example) -> f64| examples.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|example| example.0), mean(&|example| example.1));
    let variance = mean(&|example| (example.0 - x).powi(2));
    let slope = mean(&|example| (example.0 - x) * (example.1 - y)) / variance;
    (examples.len() > 2 && variance > 0.0).then_some((y - slope * x, slope))
}

/// A rank in a record, such as `3k`, `2 dan` or `5d?`; ranks of professionals are others.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let number: f64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim_start();
    match unit.chars().next()? {
        'k' if (1.0..=30.0).contains(&number) => Some(1.0 - number),
        'd' if (1.0..=9.0).contains(&number) => Some(number),
        _ => None,
    }
}

/// A rank as it is written: the nearest from 30 kyu to 9 dan.
pub(crate) fn name(rank: f64) -> String {
    let rank = rank.clamp(RANGE.0, RANGE.1);
    match rank.round() {
        dan if dan >= 1.0 => format!("{dan}d"),
        kyu => format!("{}k", 1.0 - kyu),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(mean_loss: f64, accuracy: f64, first_choices: f64) -> Figures {
        Figures {
            moves: 30,
            mean_loss: Some(mean_loss),
            accuracy: Some(accuracy),
            first_choices: Some(first_choices),
        }
    }

    #[test]
    fn ranks_are_read_and_written() {
        let read = ["3k", "1 kyu", "2d", "7 dan", "5d?", "9p", "", "0k", "12d", "strong"].map(number);
        assert_eq!(
            read,
            [Some(-2.0), Some(0.0), Some(2.0), Some(7.0), Some(5.0), None, None, None, None, None]
        );
        assert_eq!([-2.2, -0.4, 0.49, 0.51, 6.6].map(name), ["3k", "1k", "1k", "1d", "7d"]);
    }

    #[test]
    fn what_follows_from_figures_is_learned() {
        // Ranks that are 5 − 6 · √loss, and a little chance.
        let lesson = |i: usize| {
            let player = |i: usize| {
                let loss = 0.05 + (i % 13) as f64 * 0.2;
                let rank = 5.0 - 6.0 * loss.sqrt() + ((i * 7 % 11) as f64 - 5.0) * 0.1;
                let all = figures(loss, 60.0 + (i * 5 % 17) as f64, 0.3 + (i % 7) as f64 * 0.05);
                PlayerFigures { recorded_rank: Some(name(rank)), all, ..PlayerFigures::default() }
            };
            Lesson {
                size: [9, 9],
                evaluator: "net".to_owned(),
                analyst: "somebody".to_owned(),
                players: Players { black: player(2 * i), white: player(2 * i + 1) },
            }
        };
        let ranks = Ranks::learn(&(0..100).map(lesson).collect::<Vec<_>>());
        let [fit] = &ranks.fit[..] else { panic!("{ranks:?}") };
        assert_eq!(fit.players, 200);
        assert!((fit.slope + 6.0).abs() < 0.5 && fit.error < 0.5 && fit.error_without > 1.0, "{fit:?}");
        assert_eq!(toml::from_str::<Ranks>(&ranks.to_toml()).unwrap(), ranks);
        let weak = fit.estimate(&figures(2.25, 68.0, 0.45)).unwrap();
        assert!(["4k", "5k", "6k"].contains(&&*weak.rank), "{weak:?}");
        assert_eq!(fit.estimate(&Figures { moves: 3, ..figures(2.25, 68.0, 0.45) }), None);
    }

    #[test]
    fn what_ships_tells_better_players_from_weaker_ones() {
        let rank = |figures| number(&estimate([9, 9], "distilled", &figures).unwrap().rank).unwrap();
        let (strong, weak) = (rank(figures(0.2, 95.0, 0.65)), rank(figures(2.0, 55.0, 0.3)));
        assert!(strong > weak, "{strong} {weak}");
        assert_eq!(estimate([7, 7], "distilled", &figures(1.0, 80.0, 0.5)), None, "there are no such games");
        assert_eq!(estimate([9, 9], "another", &figures(1.0, 80.0, 0.5)), None);
    }
}
