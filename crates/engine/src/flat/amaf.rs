//! All moves as first.
//!
//! **What.** Random games begin at the position itself, and each game's score counts for every move in it as if it had been
//! the first. One game tells something about nearly every move, so far fewer are needed.
//!
//! The *recapture rule*: if several stones are played at the same point because of captures, the game counts only for the
//! player who was first there.
//!
//! **Source.** Bouzy and Helmstetter 2003, "all-moves-as-first heuristic"; S2.3. Brügmann 1993 valued moves so too. The
//! paper's tables on 9x9: basic +13 and progressive pruning +4 points against it, in two hours rather than five minutes a
//! game; 1,000, 10,000 and 100,000 games a move give −12.7, 0 and +3.2 points.
//!
//! **Differences.** A pass has no point at which to be first. Where it is a candidate, it begins its share of the games as in
//! basic flat Monte Carlo, and they make its value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, ColorMap, Move, Vertex, VertexMap};

use super::{
    method::{Finding, Method, Start},
    sampler::Sampler,
    stats::{Sample, ScoreStats},
    temperature::{TemperatureConfig, Tempered},
};
use crate::playout::PlayoutPolicy;

/// Parameters of all-moves-as-first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AmafConfig {
    /// Moves of the games are chosen by their values so far; at random if absent.
    #[schemars(extend("x-peer" = true))]
    pub temperature: Option<TemperatureConfig>,
}

/// The scores of the games in which each player was first at each point.
pub(super) struct AmafTable {
    stats: ColorMap<Box<VertexMap<ScoreStats>>>,
    all: ScoreStats,
    /// Of the games that began with a pass.
    passes: ScoreStats,
    /// The last game in which somebody played there.
    last_game: VertexMap<u32>,
}

impl AmafTable {
    pub(super) fn new() -> AmafTable {
        AmafTable {
            stats: ColorMap(Color::ALL.map(|_| Box::new(VertexMap::filled(ScoreStats::default())))),
            all: ScoreStats::default(),
            passes: ScoreStats::default(),
            last_game: VertexMap::filled(0),
        }
    }

    /// How the next game begins: with a pass in its turn, if that is one of the candidates.
    pub(super) fn opening(&self, candidates: &[Move]) -> &'static [Move] {
        let is_due = (self.all.games() as usize).is_multiple_of(candidates.len());
        if is_due && candidates.contains(&Move::PASS) { &[Move::PASS] } else { &[] }
    }

    /// Takes a game into account that `first` began.
    pub(super) fn record(&mut self, moves: &[Move], first: Color, sample: Sample) {
        self.all.add(sample);
        if moves.first() == Some(&Move::PASS) {
            self.passes.add(sample);
        }
        let game = self.all.games();
        let mut color = first;
        for mv in moves {
            let v = mv.vertex_or_none();
            if self.last_game[v] != game {
                self.last_game[v] = game;
                self.stats[color][v].add(sample);
            }
            color = !color;
        }
    }

    /// Of the games in which `color` was first to play the move, or which began with a pass.
    pub(super) fn stats(&self, color: Color, mv: Move) -> ScoreStats {
        mv.vertex().map_or(self.passes, |v| self.stats[color][v])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.games() == 0
    }

    /// How many points better the games in which `color` was first at `v` are for it than all games; 0 if there is none.
    #[inline]
    pub(super) fn advantage(&self, color: Color, v: Vertex) -> f64 {
        let stats = &self.stats[color][v];
        if stats.games() == 0 { 0.0 } else { stats.mean_for(color) - self.all.mean_for(color) }
    }

    pub(super) fn findings(&self, color: Color, candidates: &[Move]) -> Vec<Finding> {
        candidates.iter().map(|&mv| Finding::new(mv, self.stats(color, mv))).collect()
    }
}

/// Who chooses the moves of the games.
enum Chooser {
    Policy(Box<dyn PlayoutPolicy>),
    Tempered(Box<Tempered>),
}

pub(super) struct Amaf {
    chooser: Chooser,
    color: Color,
    candidates: Vec<Move>,
    table: AmafTable,
}

impl Amaf {
    pub(super) fn new(config: &AmafConfig, start: Start<'_>) -> Amaf {
        let chooser = match &config.temperature {
            Some(temperature) => {
                let tempered = Tempered::new(temperature, start.game.board(), start.eyes, start.policy);
                Chooser::Tempered(Box::new(tempered))
            }
            None => Chooser::Policy(start.policy),
        };
        Amaf { chooser, color: start.game.to_play(), candidates: start.candidates, table: AmafTable::new() }
    }
}

impl Method for Amaf {
    fn play(&mut self, sampler: &mut Sampler<'_>, progress: f32) -> bool {
        let opening = self.table.opening(&self.candidates);
        let sample = match &mut self.chooser {
            Chooser::Policy(policy) => sampler.play(opening, &mut **policy),
            Chooser::Tempered(tempered) => {
                tempered.update(&self.table, progress);
                sampler.play(opening, &mut **tempered)
            }
        };
        self.table.record(sampler.moves(), self.color, sample);
        true
    }

    fn findings(&self) -> Vec<Finding> {
        self.table.findings(self.color, &self.candidates)
    }

    fn positions(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_begins_its_share_of_the_games() {
        let candidates: Vec<Move> = ["A1", "B1", "pass"].map(|m| m.parse().unwrap()).to_vec();
        let mut table = AmafTable::new();
        for i in 0..9 {
            let opening = table.opening(&candidates);
            assert_eq!(opening.len(), usize::from(i % 3 == 0));
            table.record(opening, Color::White, Sample { score: i as f32, black_value: 1.0 });
        }
        let stats = table.stats(Color::White, Move::PASS);
        assert_eq!((stats.games(), stats.mean()), (3, 3.0));
        assert!(table.opening(&candidates[..2]).is_empty());
    }

    #[test]
    fn a_game_counts_for_the_player_who_was_first_at_a_point() {
        let moves: Vec<Move> = ["A1", "B1", "pass", "A1", "C1", "pass"].map(|m| m.parse().unwrap()).to_vec();
        let mut table = AmafTable::new();
        table.record(&moves, Color::Black, Sample { score: 5.0, black_value: 1.0 });
        let games = |color, mv: &str| table.stats(color, mv.parse().unwrap()).games();
        // White plays at A1 too, after a capture.
        assert_eq!((games(Color::Black, "A1"), games(Color::White, "A1")), (1, 0));
        assert_eq!((games(Color::Black, "B1"), games(Color::White, "B1")), (0, 1));
        assert_eq!((games(Color::Black, "C1"), games(Color::White, "C1")), (1, 0));
        assert_eq!((games(Color::Black, "pass"), games(Color::White, "pass")), (0, 0));
        table.record(&moves[1..], Color::Black, Sample { score: -1.0, black_value: 0.0 });
        let games = |color, mv: &str| table.stats(color, mv.parse().unwrap()).games();
        assert_eq!((games(Color::Black, "A1"), games(Color::White, "A1")), (2, 0));
        assert_eq!(table.stats(Color::Black, "A1".parse().unwrap()).mean(), 2.0);
        assert_eq!(table.advantage(Color::Black, "B1".parse().unwrap()), -1.0 - 2.0);
        assert_eq!(table.advantage(Color::White, "B1".parse().unwrap()), -5.0 + 2.0);
        assert_eq!(table.advantage(Color::Black, "J9".parse().unwrap()), 0.0);
    }
}
