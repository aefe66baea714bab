//! What is to be played, on its way to another machine: a match, or self-play with its settings.
//!
//! An order is one JSON file in the object store. [`Order`] is what is sent, [`Games`] what it becomes on a machine that plays.

use std::{ops::Range, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tengen_board::{Board, Game, Outcome, Rules};
use tengen_engine::{players::StopSignal, time::TimeSettings};
use tengen_lab::{
    PlayerSpec,
    matches::{GameRecord, MatchConfig, Openings, Referee, Side, Tables},
    selfplay::{Method, Played, SelfPlayConfig},
    venue::{Here, SelfPlayOrder, Venue, Who},
};
use tengen_nets::{Network, records::Records};

use crate::{
    error::ClusterError,
    link::Link,
    message::{Outcome as Reported, SelfPlayGame},
    player::{self, Engines, FileText, PlayerText},
    store::{self, Cache},
};

/// What is to be played.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    Match(Box<MatchText>),
    SelfPlay(Box<SelfPlayText>),
}

/// A [`MatchConfig`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchText {
    a: PlayerText,
    b: PlayerText,
    width: usize,
    height: usize,
    rules: Rules,
    black: Option<Side>,
    openings: String,
    clock_a: TimeSettings,
    clock_b: TimeSettings,
    referee: RefereeText,
    seed: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RefereeText {
    Board,
    Playouts,
    /// A program, by its name.
    Engine(String),
}

/// The settings of self-play.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelfPlayText {
    who: WhoText,
    config: SelfPlayConfig,
    seed: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WhoText {
    Network(FileText),
    Duel([FileText; 2]),
    Player(PlayerText),
}

impl Order {
    /// Of a match; files go into the store.
    pub(crate) async fn of_match(config: &MatchConfig, link: &Link) -> Result<Order, ClusterError> {
        let referee = match &config.referee {
            Referee::Board => RefereeText::Board,
            Referee::Playouts => RefereeText::Playouts,
            Referee::Gtp(command) => RefereeText::Engine(player::engine_name(command)),
        };
        Ok(Order::Match(Box::new(MatchText {
            a: PlayerText::of(&config.a, link).await?,
            b: PlayerText::of(&config.b, link).await?,
            width: config.width,
            height: config.height,
            rules: config.rules,
            black: config.black,
            openings: config.openings.to_text(),
            clock_a: config.clock_a,
            clock_b: config.clock_b,
            referee,
            seed: config.seed,
        })))
    }

    /// Of self-play; networks go into the store.
    pub(crate) async fn of_self_play(order: &SelfPlayOrder<'_>, link: &Link) -> Result<Order, ClusterError> {
        let who = match order.who {
            Who::Network(network) => WhoText::Network(put(network, link).await?),
            Who::Duel([a, b]) => WhoText::Duel([put(a, link).await?, put(b, link).await?]),
            Who::Player(spec) => WhoText::Player(PlayerText::of(spec, link).await?),
        };
        Ok(Order::SelfPlay(Box::new(SelfPlayText { who, config: order.config.clone(), seed: order.seed })))
    }

    /// Whether files have to be fetched for it.
    pub(crate) fn needs_files(&self, cache: &Cache) -> bool {
        let files: Vec<&FileText> = match self {
            Order::Match(text) => text.a.files().chain(text.b.files()).collect(),
            Order::SelfPlay(text) => match &text.who {
                WhoText::Network(file) => vec![file],
                WhoText::Duel(files) => files.iter().collect(),
                WhoText::Player(player) => player.files().collect(),
            },
        };
        files.into_iter().any(|file| file.is_missing(cache))
    }

    /// Makes everything ready to play on this machine.
    pub(crate) async fn build(
        &self,
        link: &Link,
        cache: &Cache,
        engines: &Engines,
    ) -> Result<Games, ClusterError> {
        match self {
            Order::Match(text) => {
                let komi = text.rules.komi;
                let rules = text
                    .rules
                    .try_with_komi(komi)
                    .map_err(|error| ClusterError::Message(error.to_string()))?;
                let game = Game::new(text.width, text.height, rules)
                    .map_err(|error| ClusterError::Message(error.to_string()))?;
                let config = MatchConfig {
                    a: text.a.build(link, cache, engines).await?,
                    b: text.b.build(link, cache, engines).await?,
                    width: text.width,
                    height: text.height,
                    rules,
                    black: text.black,
                    openings: Openings::from_text(&text.openings, &game)?,
                    clock_a: text.clock_a,
                    clock_b: text.clock_b,
                    referee: match &text.referee {
                        RefereeText::Board => Referee::Board,
                        RefereeText::Playouts => Referee::Playouts,
                        RefereeText::Engine(name) => Referee::Gtp(player::allowed(engines, name)?),
                    },
                    seed: text.seed,
                };
                Ok(Games::Match(Box::new(config)))
            }
            Order::SelfPlay(text) => {
                text.config.check()?;
                let config = text.config.clone();
                let who = match &text.who {
                    WhoText::Network(file) => Who::Network(load(file, link, cache).await?),
                    WhoText::Duel([a, b]) => {
                        Who::Duel([load(a, link, cache).await?, load(b, link, cache).await?])
                    }
                    WhoText::Player(player) => {
                        Who::Player(Box::new(player.build(link, cache, engines).await?))
                    }
                };
                Ok(Games::SelfPlay(Box::new(SelfPlay { who, config, seed: text.seed })))
            }
        }
    }
}

async fn put(network: &Network, link: &Link) -> Result<FileText, ClusterError> {
    let sha256 = store::put(&link.objects, &network.to_bytes(&[])).await?;
    Ok(FileText::Stored { sha256, suffix: "safetensors".to_owned() })
}

async fn load(file: &FileText, link: &Link, cache: &Cache) -> Result<Arc<Network>, ClusterError> {
    Ok(Arc::new(Network::load(&file.fetch(link, cache).await?)?))
}

/// An order on a machine that plays.
pub(crate) enum Games {
    Match(Box<MatchConfig>),
    SelfPlay(Box<SelfPlay>),
}

pub(crate) struct SelfPlay {
    pub(crate) who: Who,
    pub(crate) config: SelfPlayConfig,
    pub(crate) seed: u64,
}

/// What a job gave, and what follows the report.
pub(crate) type Given = (Reported, Vec<u8>);

impl Games {
    /// How everybody behaves who takes part: what a worker has to show. It is found out by searching.
    pub(crate) fn behaviour(&self) -> Result<Value, ClusterError> {
        match self {
            Games::Match(config) => {
                let of = |spec| player::behaviour(spec, config.width, config.height);
                let mut behaviour = json!({ "a": of(&config.a)?, "b": of(&config.b)? });
                if let Referee::Gtp(command) = &config.referee {
                    behaviour["referee"] = of(&format!("gtp:{command}").parse()?)?;
                }
                Ok(behaviour)
            }
            Games::SelfPlay(games) => {
                let size = games.config.sizes[1];
                Ok(match &games.who {
                    Who::Network(network) => json!({ "network": shown(network, games, size)? }),
                    Who::Duel([a, b]) => json!({ "a": shown(a, games, size)?, "b": shown(b, games, size)? }),
                    Who::Player(spec) => json!({ "player": player::behaviour(spec, size, size)? }),
                })
            }
        }
    }

    /// How many threads a game needs.
    pub(crate) fn threads(&self) -> usize {
        let of = |spec: &PlayerSpec| spec.options.threads.unwrap_or(1);
        match self {
            Games::Match(config) => of(&config.a).max(of(&config.b)),
            Games::SelfPlay(games) => match &games.who {
                Who::Player(spec) => of(spec),
                _ => 1,
            },
        }
    }

    /// Whether the same games come out wherever they are played.
    pub(crate) fn are_deterministic(&self) -> bool {
        let is = |spec: &PlayerSpec| {
            !spec.is_external() && spec.options.time.is_none() && spec.options.threads.unwrap_or(1) == 1
        };
        match self {
            Games::Match(config) => {
                let unlimited =
                    [config.clock_a, config.clock_b].iter().all(|c| *c == TimeSettings::Unlimited);
                is(&config.a) && is(&config.b) && unlimited && !matches!(config.referee, Referee::Gtp(_))
            }
            Games::SelfPlay(games) => match &games.who {
                Who::Player(spec) => is(spec),
                _ => true,
            },
        }
    }

    /// Plays these games in one thread; nothing if they were interrupted.
    pub(crate) fn play(&self, numbers: &[u64], stop: &StopSignal) -> Result<Option<Given>, ClusterError> {
        let result = match self {
            Games::Match(config) => {
                let numbers: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
                let mut records: Vec<GameRecord> = Vec::new();
                Tables::new(config, 1, stop).play(&numbers, |record| {
                    records.push(record);
                    Ok(())
                })?;
                records.sort_by_key(|record| record.game);
                (Reported::Games(records), Vec::new())
            }
            Games::SelfPlay(games) => {
                let mut played = Vec::new();
                for numbers in ranges(numbers) {
                    let SelfPlay { who, config, seed } = &**games;
                    let order = SelfPlayOrder { who, config, seed: *seed, numbers, stop };
                    Here(1).play_self(&order, &mut |seen| played.extend(seen.over()))?;
                }
                pack(played)?
            }
        };
        Ok((!stop.is_stopped()).then_some(result))
    }
}

/// A network's behaviour: what it consists of, and a game in which it draws its moves without a search.
fn shown(network: &Network, games: &SelfPlay, size: usize) -> Result<Value, ClusterError> {
    // No run has games with such numbers.
    const NUMBER: u64 = 1 << 62;
    let config =
        SelfPlayConfig { sizes: [size, size], method: Method::Policy, parallel: 1, ..games.config.clone() };
    let (who, stop) = (Who::Network(Arc::new(network.clone())), StopSignal::default());
    let order = SelfPlayOrder {
        who: &who,
        config: &config,
        seed: games.seed,
        numbers: NUMBER..NUMBER + 1,
        stop: &stop,
    };
    let mut moves = String::new();
    Here(1).play_self(&order, &mut |seen| {
        let Some(game) = seen.over() else { return };
        let played: Vec<String> = game.game.moves().iter().map(|played| played.mv.to_string()).collect();
        moves = played.join(" ");
    })?;
    Ok(json!({ "net": network.fingerprint(), "signature": GameRecord::fingerprint_of(&moves) }))
}

/// Numbers in a row.
fn ranges(numbers: &[u64]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some(range) if range.end == number => range.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    ranges
}

/// Games as a report and what follows it: the records, game by game in the order of their numbers.
fn pack(mut played: Vec<Played>) -> Result<Given, ClusterError> {
    played.sort_by_key(|played| played.number);
    let mut games = Vec::new();
    let mut records = Vec::new();
    for Played { number, players, game, score, record, evaluations, wrong_resignation } in played {
        let outcome = game.outcome().map(|outcome| outcome.to_string());
        games.push(SelfPlayGame { number, players, score, outcome, evaluations, wrong_resignation });
        let (width, height) = (game.board().width(), game.board().height());
        let bytes = Records { width, height, games: vec![record] }
            .to_bytes()
            .map_err(|error| ClusterError::Message(error.to_string()))?;
        records.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        records.extend(bytes);
    }
    Ok((Reported::SelfPlay { games, object: None }, records))
}

/// The games of a report. What does not fit together is an error.
pub(crate) fn unpack(games: Vec<SelfPlayGame>, mut records: &[u8]) -> Result<Vec<Played>, ClusterError> {
    let wrong = |what: String| ClusterError::Message(format!("a worker's records: {what}"));
    games
        .into_iter()
        .map(|SelfPlayGame { number, players, score, outcome, evaluations, wrong_resignation }| {
            let (length, rest) =
                records.split_first_chunk().ok_or_else(|| wrong("they end too early".to_owned()))?;
            let bytes = rest.get(..u32::from_le_bytes(*length) as usize);
            let bytes = bytes.ok_or_else(|| wrong("they end too early".to_owned()))?;
            records = &rest[bytes.len()..];
            let set = Records::from_bytes(bytes).map_err(wrong)?;
            let Some(record) = set.games.into_iter().next() else {
                return Err(wrong("a game is missing".to_owned()));
            };
            let mut game = Game::from_board(Board::new(set.width, set.height), record.rules);
            for position in &record.positions {
                game.try_play(position.mv).map_err(|error| wrong(format!("{}: {error}", position.mv)))?;
            }
            let outcome = outcome
                .map(|text| text.parse::<Outcome>().map_err(|_| wrong(format!("the result {text:?}"))));
            game.set_outcome(outcome.transpose()?);
            Ok(Played { number, players, game, score, record, evaluations, wrong_resignation })
        })
        .collect()
}

/// Whether two reports tell of the same games, times apart.
pub(crate) fn are_equal(a: &Reported, b: &Reported) -> bool {
    let timeless = |record: &GameRecord| GameRecord {
        seconds: 0.0,
        cpu_a: None,
        cpu_b: None,
        left_a: None,
        left_b: None,
        ..record.clone()
    };
    match (a, b) {
        (Reported::Games(a), Reported::Games(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| timeless(a) == timeless(b))
        }
        (Reported::SelfPlay { games: a, .. }, Reported::SelfPlay { games: b, .. }) => a == b,
        _ => false,
    }
}

/// The order with this SHA-256.
pub(crate) async fn fetch(link: &Link, sha: &str) -> Result<Order, ClusterError> {
    let bytes = store::get(&link.objects, sha).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        ClusterError::Message(format!(
            "the order {sha} cannot be read ({error}): is it of another version of tengen?"
        ))
    })
}

/// A title for people.
pub(crate) fn title(games: &Games, file: Option<&Path>) -> String {
    let mut title = match games {
        Games::Match(config) => {
            format!("{} against {}, {}x{}", config.a.name, config.b.name, config.width, config.height)
        }
        Games::SelfPlay(games) => match &games.who {
            Who::Network(network) => format!("self-play of the network {}", network.fingerprint()),
            Who::Duel([a, b]) => format!("the network {} against {}", a.fingerprint(), b.fingerprint()),
            Who::Player(spec) => format!("self-play of {}", spec.name),
        },
    };
    if let Some(file) = file {
        title += &format!(" ({})", file.display());
    }
    title.chars().take(200).collect()
}
