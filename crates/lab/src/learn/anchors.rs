//! How strong a network is while it learns: games against fixed opponents.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Game, Rules};
use tengen_engine::{players::StopSignal, time::TimeSettings};

use crate::{
    matches::{self, Journal, MatchConfig, Openings, Referee, Summary, derive_seed},
    players::spec::PlayerSpec,
    selfplay::SelfPlayError,
    stats::{Interval, Pairing, Rating, VIRTUAL_DRAWS, bradley_terry},
    venue::Venue,
};

/// When and against whom a network is tried out. It changes nothing of what is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AnchorConfig {
    /// Generations between trials; 0 for none but the last.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub every: u64,
    /// Games against each opponent, half of them as Black; 0 for no trials at all.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub games: usize,
    /// The network's player, to which `net` is added.
    pub player: String,
    /// The opponents.
    pub opponents: Vec<String>,
    /// The board's size.
    #[schemars(range(min = 2, max = 19))]
    pub size: usize,
    /// Komi: a number, or several that are played in turn, as many games with each, such as 8.5 and 9.5 where 9 would be fair.
    #[serde(with = "one_or_more")]
    #[schemars(with = "Vec<f32>")]
    pub komi: Vec<f32>,
    /// How games begin, as `tengen match --openings` has it: players without chance repeat their games.
    pub openings: String,
}

impl Default for AnchorConfig {
    fn default() -> Self {
        let opponents = ["random", "mc,playouts=200", "uct,playouts=200", "rave,playouts=1000"];
        AnchorConfig {
            every: 10,
            games: 20,
            player: "zero,playouts=32".to_owned(),
            opponents: opponents.map(str::to_owned).to_vec(),
            size: 9,
            komi: vec![7.5],
            openings: "none".to_owned(),
        }
    }
}

/// How games against an opponent went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnchorResult {
    /// The opponent.
    pub opponent: String,
    /// Games.
    pub games: usize,
    /// Wins of the network.
    pub wins: usize,
    /// Draws.
    pub draws: usize,
    /// Share of wins, draws counting half.
    pub win_rate: f64,
    /// Its 95% interval.
    pub ci95: Interval,
    /// Games that differ from each other.
    #[serde(default)]
    pub distinct_games: usize,
}

impl AnchorConfig {
    /// The players, or why there are none.
    pub fn check(&self) -> Result<(), SelfPlayError> {
        for spec in self.opponents.iter().chain([&self.player]) {
            spec.parse::<PlayerSpec>()?;
        }
        for &komi in &self.komi {
            Openings::parse(&self.openings, &self.game(komi)?)?;
        }
        let turns = self.komi.len();
        if turns == 0 {
            return Err(SelfPlayError::Settings("anchors.komi: name at least one".to_owned()));
        }
        if turns > 1 && !self.games.is_multiple_of(2 * turns) {
            let message = format!(
                "anchors.games is {}: with {turns} komi in turn it must be a multiple of {}, so that each is played as often with either colour",
                self.games,
                2 * turns
            );
            return Err(SelfPlayError::Settings(message));
        }
        Ok(())
    }

    /// A game at its beginning.
    fn game(&self, komi: f32) -> Result<Game, SelfPlayError> {
        let wrong = |what: &str, why: &dyn ToString| {
            SelfPlayError::Settings(format!("anchors.{what}: {}", why.to_string()))
        };
        let rules = Rules::CHINESE.try_with_komi(komi).map_err(|error| wrong("komi", &error))?;
        Game::new(self.size, self.size, rules).map_err(|error| wrong("size", &error))
    }

    /// Whether a network of this generation is tried out, of so many.
    pub(super) fn is_due(&self, generation: u64, of: u64) -> bool {
        generation >= of || self.every > 0 && generation.is_multiple_of(self.every)
    }

    /// Plays against the opponents that are not among the results yet; whether there were any. When `stop` is set, the opponent under
    /// way is left for another time.
    pub(crate) fn play(
        &self,
        network: &Path,
        seed: u64,
        venue: &dyn Venue,
        stop: &StopSignal,
        results: &mut Vec<AnchorResult>,
        mut observe: impl FnMut(&AnchorResult),
    ) -> Result<bool, SelfPlayError> {
        let mut a: PlayerSpec = self.player.parse()?;
        // The path as TOML writes text.
        a.set("net", &format!("{:?}", network.display().to_string()))?;
        let before = results.len();
        for (number, opponent) in self.opponents.iter().enumerate() {
            if self.games == 0 || results.iter().any(|result| result.opponent == *opponent) {
                continue;
            }
            let b: PlayerSpec = opponent.parse()?;
            let mut records = Vec::new();
            for (turn, &komi) in self.komi.iter().enumerate() {
                let game = self.game(komi)?;
                let rules = *game.rules();
                let seed = derive_seed(seed, number as u64);
                let config = MatchConfig {
                    a: a.clone(),
                    b: b.clone(),
                    width: self.size,
                    height: self.size,
                    rules,
                    black: None,
                    openings: Openings::parse(&self.openings, &game)?,
                    clock_a: TimeSettings::Unlimited,
                    clock_b: TimeSettings::Unlimited,
                    referee: Referee::parse("auto", &rules, b.is_external())?,
                    seed: if turn == 0 { seed } else { derive_seed(seed, turn as u64) },
                };
                let games = self.games / self.komi.len();
                records.extend(matches::run(&config, games, venue, &mut Journal::in_memory(), stop, |_| ())?);
            }
            if stop.is_stopped() {
                break;
            }
            let summary = Summary::new(&self.player, opponent, &records);
            let result = AnchorResult {
                opponent: opponent.clone(),
                games: summary.games,
                wins: summary.wins_a,
                draws: summary.draws,
                win_rate: summary.win_rate_a.unwrap_or(0.0),
                ci95: summary.ci95,
                distinct_games: summary.distinct_games,
            };
            observe(&result);
            results.push(result);
        }
        Ok(results.len() > before)
    }
}

/// A single number is written without brackets.
mod one_or_more {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Komi {
        One(f32),
        More(Vec<f32>),
    }

    pub(super) fn serialize<S: Serializer>(komi: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        match komi {
            [one] => one.serialize(serializer),
            more => more.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
        Ok(match Komi::deserialize(deserializer)? {
            Komi::One(one) => vec![one],
            Komi::More(more) => more,
        })
    }
}

/// Ratings of a network at several times by its games against the opponents, whose ratings have a mean of 0; nothing for a time
/// without games. Who wins every game has a finite rating, as a draw is added to the games with each opponent.
pub fn ratings(trials: &[&[AnchorResult]]) -> Vec<Option<Rating>> {
    let mut opponents: Vec<&str> = Vec::new();
    let mut pairings = Vec::new();
    for (time, results) in trials.iter().enumerate() {
        for result in *results {
            let known = opponents.iter().position(|name| *name == result.opponent);
            let b = known.unwrap_or_else(|| {
                opponents.push(&result.opponent);
                opponents.len() - 1
            });
            let games = result.games as f64;
            pairings.push((time, b, result.win_rate * games, games));
        }
    }
    // The opponents come first.
    let first = opponents.len();
    let pairing =
        |&(time, b, score, games): &(usize, usize, f64, f64)| Pairing { a: first + time, b, score, games };
    let pairings: Vec<_> = pairings.iter().map(pairing).collect();
    let all = bradley_terry(first + trials.len(), &pairings, VIRTUAL_DRAWS);
    let mean = all[..first].iter().map(|rating| rating.elo).sum::<f64>() / first.max(1) as f64;
    let shifted =
        |rating: &Rating| Rating { elo: rating.elo - mean, ci95: rating.ci95.map(|elo| elo - mean) };
    let tried = trials.iter().zip(&all[first..]);
    tried.map(|(results, rating)| (!results.is_empty()).then(|| shifted(rating))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_settings;

    /// Who has the whole board has 25 points more: he wins with a komi of 0.5 and loses with one of 100.5.
    #[test]
    fn several_komi_are_played_in_turn() {
        let config = |settings: &[&str]| {
            let settings: Vec<_> = settings.iter().map(|&text| text.to_owned()).collect();
            with_settings(
                &AnchorConfig { size: 5, games: 8, ..AnchorConfig::default() },
                &settings,
                "anchors",
            )
            .unwrap()
        };
        let one = config(&["komi=9"]);
        assert_eq!(one.komi, [9.0]);
        assert!(serde_json::to_string(&one).unwrap().contains("\"komi\":9.0"), "as before");
        let two = config(&["komi=[0.5, 100.5]", "opponents=[\"random\"]"]);
        assert_eq!(serde_json::from_value::<AnchorConfig>(serde_json::json!(two)).unwrap(), two);
        two.check().unwrap();
        let odd = AnchorConfig { games: 6, ..two.clone() }.check().unwrap_err().to_string();
        assert!(odd.contains("multiple of 4"), "{odd}");
        assert!(AnchorConfig { komi: vec![], ..two.clone() }.check().is_err());
        assert!(AnchorConfig { komi: vec![7.5, f32::NAN], ..two.clone() }.check().is_err());

        let net = std::env::temp_dir().join(format!("tengen-anchors-{}.safetensors", std::process::id()));
        let spec = tengen_nets::NetSpec::named("small").unwrap();
        tengen_nets::Network::random(&spec, &mut tengen_engine::rng::Rng::new(1))
            .unwrap()
            .save(&net, &[])
            .unwrap();
        let play = |komi: &[f32], games| {
            let player = "policy".to_owned();
            let config = AnchorConfig { komi: komi.to_vec(), games, player, ..two.clone() };
            let mut results = Vec::new();
            config
                .play(&net, 1, &crate::venue::Here(1), &StopSignal::default(), &mut results, |_| ())
                .unwrap();
            results.remove(0)
        };
        // White wins every game with the second komi, and each of the two is White in half of them.
        let (first, both) = (play(&[0.5], 4), play(&[0.5, 100.5], 8));
        assert_eq!((both.games, both.wins), (8, first.wins + 2));
        std::fs::remove_file(&net).unwrap();
    }

    #[test]
    fn ratings_rise_with_the_games_that_are_won() {
        let result = |opponent: &str, wins: usize| AnchorResult {
            opponent: opponent.to_owned(),
            games: 20,
            wins,
            draws: 0,
            win_rate: wins as f64 / 20.0,
            ci95: Interval(0.0, 1.0),
            distinct_games: 20,
        };
        let trials = [
            vec![result("weak", 10), result("strong", 0)],
            vec![],
            vec![result("weak", 20), result("strong", 10)],
        ];
        let trials: Vec<&[AnchorResult]> = trials.iter().map(Vec::as_slice).collect();
        let ratings = ratings(&trials);
        assert!(ratings[1].is_none());
        let (early, late) = (ratings[0].unwrap(), ratings[2].unwrap());
        // Even with the weak one, then with the strong one; the two have a mean of 0.
        assert!(early.elo < -150.0 && (early.elo + late.elo).abs() < 1.0, "{early:?} {late:?}");
        assert!(early.ci95.contains(early.elo) && early.ci95.half_width() > 30.0, "{early:?}");
    }
}
