//! Queries of KataGo's analysis protocol: one line of JSON each.
//!
//! Whatever a line contains, it becomes a [`Request`] or a [`QueryError`]; fields that mean nothing here become warnings.

use std::time::Duration;

use serde_json::{Map, Value};
use tengen_board::{Board, Color, Game, Move, Rules, Vertex};

use crate::search::{Restriction, RestrictionKind};

/// The longest time that is understood; longer ones are cut to it.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// What a line asks for.
#[derive(Debug)]
pub(super) enum Request {
    /// Positions to analyse.
    Analyse(Box<Query>, Vec<Warning>),
    /// Something else; the answer repeats the object.
    Act(Action, Map<String, Value>),
}

/// What is not an analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Which program this is.
    Version,
    /// Which player analyses.
    Models,
    /// Forget what is known.
    ClearCache,
    /// End analyses early: of one query or of all, at these turns or at all.
    Terminate { id: Option<String>, turns: Option<Vec<usize>> },
}

/// Positions of one game to analyse.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) id: String,
    /// The game after all of its moves.
    game: Game,
    /// Who moves at each turn, the first one and the one after the last move included.
    to_play: Vec<Color>,
    /// Turns to analyse, with their priorities.
    pub(super) turns: Vec<(usize, i64)>,
    pub(super) visits: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) restrictions: Vec<Restriction>,
    /// Time to the first report while the search runs, and between two.
    pub(super) reports: Option<(Duration, Duration)>,
    pub(super) side: Side,
    pub(super) longest_line: usize,
    pub(super) includes: Vec<Include>,
    /// Parameters of the player for this query.
    pub(super) settings: Vec<(String, String)>,
}

/// From whose side values are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Always this colour's.
    Of(Color),
    /// The player's to move.
    ToMove,
}

/// What is told on request only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Include {
    Ownership,
    OwnershipStdev,
    MovesOwnership,
    MovesOwnershipStdev,
    Policy,
    LineVisits,
    /// Accepted: there are no games without result here.
    NoResultValue,
}

const INCLUDES: [(&str, Include); 7] = [
    ("includeOwnership", Include::Ownership),
    ("includeOwnershipStdev", Include::OwnershipStdev),
    ("includeMovesOwnership", Include::MovesOwnership),
    ("includeMovesOwnershipStdev", Include::MovesOwnershipStdev),
    ("includePolicy", Include::Policy),
    ("includePVVisits", Include::LineVisits),
    ("includeNoResultValue", Include::NoResultValue),
];

const FIELDS: [&str; 22] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "maxTime",
    "analysisPVLen",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "firstReportDuringSearchAfter",
    "priority",
    "priorities",
    // Known, though nothing follows from them: they are about networks.
    "rootPolicyTemperature",
    "rootFpuReductionMax",
];

/// Why a line is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QueryError {
    pub(super) id: Option<String>,
    pub(super) field: Option<&'static str>,
    pub(super) message: String,
}

/// What is ignored, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Warning {
    pub(super) field: String,
    pub(super) message: String,
}

/// What is wrong with a field.
struct Wrong(&'static str, String);

type Parsed<T> = Result<T, Wrong>;

impl Request {
    /// Reads a line.
    pub(super) fn parse(line: &str) -> Result<Request, QueryError> {
        let general = |message: String| QueryError { id: None, field: None, message };
        let object = match serde_json::from_str(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(general("a request is a JSON object on one line".to_owned())),
            Err(error) => {
                return Err(general(format!("could not parse the line as a JSON request: {error}")));
            }
        };
        let id = match object.get("id") {
            Some(Value::String(id)) => id.clone(),
            _ => return Err(general("a request must have a string field 'id'".to_owned())),
        };
        let parsed = if object.contains_key("action") {
            action(&object).map(|action| Request::Act(action, object))
        } else {
            Query::parse(&id, &object).map(|(query, warnings)| Request::Analyse(Box::new(query), warnings))
        };
        parsed.map_err(|Wrong(field, message)| QueryError { id: Some(id), field: Some(field), message })
    }
}

fn action(object: &Map<String, Value>) -> Parsed<Action> {
    const ACTIONS: &str = "query_version, query_models, clear_cache, terminate, terminate_all";
    let turns = || integers(object, "turnNumbers");
    Ok(match object.get("action").and_then(Value::as_str) {
        Some("query_version") => Action::Version,
        Some("query_models") => Action::Models,
        Some("clear_cache") => Action::ClearCache,
        Some("terminate_all") => Action::Terminate { id: None, turns: turns()? },
        Some("terminate") => match object.get("terminateId").and_then(Value::as_str) {
            Some(id) => Action::Terminate { id: Some(id.to_owned()), turns: turns()? },
            None => return Err(Wrong("terminateId", "must be the id of a query".to_owned())),
        },
        _ => return Err(Wrong("action", format!("must be one of {ACTIONS}"))),
    })
}

impl Query {
    fn parse(id: &str, object: &Map<String, Value>) -> Parsed<(Query, Vec<Warning>)> {
        let (game, to_play) = game(object)?;
        let board = game.start();
        let mut warnings = Vec::new();
        for field in object.keys() {
            let is_known = FIELDS.contains(&field.as_str()) || INCLUDES.iter().any(|(name, _)| name == field);
            if !is_known {
                warnings.push(Warning { field: field.clone(), message: "unknown field".to_owned() });
            }
        }
        let mut query = Query {
            id: id.to_owned(),
            turns: turns(object, to_play.len())?,
            visits: integer(object, "maxVisits", 1)?,
            time: seconds(object, "maxTime")?,
            restrictions: restrictions(object, board)?,
            reports: seconds(object, "reportDuringSearchEvery")?.map(|every| (every, every)),
            side: Side::Of(Color::Black),
            longest_line: integer(object, "analysisPVLen", 1)?.map_or(usize::MAX, |n| n as usize),
            includes: Vec::new(),
            settings: Vec::new(),
            game,
            to_play,
        };
        if let (Some((first, _)), Some(after)) =
            (&mut query.reports, seconds(object, "firstReportDuringSearchAfter")?)
        {
            *first = after;
        }
        for (field, include) in INCLUDES {
            match object.get(field) {
                Some(Value::Bool(true)) => query.includes.push(include),
                None | Some(Value::Bool(false) | Value::Null) => {}
                Some(_) => return Err(Wrong(field, "must be true or false".to_owned())),
            }
        }
        query.override_settings(object, &mut warnings)?;
        Ok((query, warnings))
    }

    /// The position at a turn.
    pub(super) fn position(&self, turn: usize) -> Game {
        let mut game = self.game.clone();
        game.undo_to(turn);
        if game.to_play() != self.to_play[turn] {
            game.set_to_play(self.to_play[turn]);
        }
        game
    }

    pub(super) fn includes(&self, include: Include) -> bool {
        self.includes.contains(&include)
    }

    /// KataGo's settings that mean something here, and the parameters of the player by their own names.
    fn override_settings(&mut self, object: &Map<String, Value>, warnings: &mut Vec<Warning>) -> Parsed<()> {
        const FIELD: &str = "overrideSettings";
        let wrong = |message: String| Wrong(FIELD, message);
        let settings = match object.get(FIELD) {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::Object(settings)) => settings,
            Some(_) => return Err(wrong("must be an object of names and values".to_owned())),
        };
        for (name, value) in settings {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match name.as_str() {
                "reportAnalysisWinratesAs" => {
                    self.side = match text.to_ascii_uppercase().as_str() {
                        "BLACK" => Side::Of(Color::Black),
                        "WHITE" => Side::Of(Color::White),
                        "SIDETOMOVE" => Side::ToMove,
                        _ => return Err(wrong(format!("{name} must be BLACK, WHITE or SIDETOMOVE"))),
                    };
                }
                "maxTime" => {
                    let time = text.parse().ok().and_then(duration);
                    self.time = Some(time.ok_or_else(|| wrong(format!("{name} is a number of seconds")))?);
                }
                "maxVisits" | "maxPlayouts" => {
                    let visits = text.parse::<f64>().ok().filter(|visits| *visits >= 1.0);
                    let visits = visits.ok_or_else(|| wrong(format!("{name} is a number above 0")))? as u64;
                    self.visits.get_or_insert(visits);
                }
                name if name.contains('.') || name.chars().all(|c| c.is_ascii_lowercase() || c == '_') => {
                    self.settings.push((name.to_owned(), text));
                }
                _ => warnings.push(Warning {
                    field: FIELD.to_owned(),
                    message: format!("{name} is ignored: it means nothing to this engine"),
                }),
            }
        }
        Ok(())
    }
}

/// The game with all of its moves, and who moves at each turn.
fn game(object: &Map<String, Value>) -> Parsed<(Game, Vec<Color>)> {
    let size = |field| match integer(object, field, 2)? {
        Some(size) => Ok(size as usize),
        None => Err(Wrong(field, "is required: the board's size, 2 to 19".to_owned())),
    };
    let (width, height) = (size("boardXSize")?, size("boardYSize")?);
    let empty = Board::try_new(width, height).map_err(|error| Wrong("boardXSize", error.to_string()))?;
    let rules = rules(object)?;
    let stones = played(object, "initialStones", &empty)?.unwrap_or_default();
    let moves = played(object, "moves", &empty)?
        .ok_or_else(|| Wrong("moves", "is required: a list of [player, location] pairs".to_owned()))?;
    let mut edits = Vec::with_capacity(stones.len());
    for (color, mv) in &stones {
        let v = mv.vertex().ok_or_else(|| Wrong("initialStones", "a pass is not a stone".to_owned()))?;
        edits.push((v, Some(*color)));
    }
    let mut board = empty.edited(&edits).map_err(|v| {
        Wrong("initialStones", format!("Illegal position: the stones at {v} have no liberties"))
    })?;
    let handicap = stones.len() >= 2 && stones.iter().all(|(color, _)| *color == Color::Black);
    let first = match object.get("initialPlayer") {
        None | Some(Value::Null) => match moves.first() {
            Some((color, _)) => *color,
            None if handicap => Color::White,
            None => Color::Black,
        },
        Some(value) => player(value, "initialPlayer")?,
    };
    board.set_to_play(first);
    let mut game = Game::from_board(board, rules);
    if handicap && moves.first().map_or(first, |(color, _)| *color) == Color::White {
        game.set_handicap(stones.len());
    }
    let mut to_play = vec![first];
    for (number, (color, mv)) in moves.iter().enumerate() {
        // Records often do not tell the rules of superko and suicide: what was played is not refused for them.
        game.set_to_play(*color);
        game.board().check(*mv, true).map_err(|error| {
            Wrong("moves", format!("Illegal move {number}: {} {mv}: {error}", color.letter()))
        })?;
        game.play_unchecked(*mv);
        to_play.push(!*color);
    }
    game.set_outcome(None);
    Ok((game, to_play))
}

fn rules(object: &Map<String, Value>) -> Parsed<Rules> {
    let mut rules = match object.get("rules") {
        Some(Value::String(name)) => name.parse::<Rules>(),
        Some(Value::Object(rules)) => Value::Object(rules.clone()).to_string().parse(),
        _ => return Err(Wrong("rules", "is required: a name such as chinese, or an object".to_owned())),
    }
    .map_err(|error| Wrong("rules", error.to_string()))?;
    if let Some(bonus) = object.get("whiteHandicapBonus") {
        let text = bonus.as_str().map_or_else(|| bonus.to_string(), str::to_owned);
        rules = rules
            .with_rule("whiteHandicapBonus", &text)
            .map_err(|error| Wrong("whiteHandicapBonus", error.to_string()))?;
    }
    match object.get("komi") {
        None | Some(Value::Null) => Ok(rules),
        Some(komi) => {
            let komi = komi.as_f64().ok_or_else(|| Wrong("komi", "must be a number".to_owned()))?;
            rules.try_with_komi(komi as f32).map_err(|error| Wrong("komi", error.to_string()))
        }
    }
}

/// A list of `[player, location]` pairs.
fn played(
    object: &Map<String, Value>,
    field: &'static str,
    board: &Board,
) -> Parsed<Option<Vec<(Color, Move)>>> {
    let wrong = || Wrong(field, "must be a list of [player, location] pairs".to_owned());
    let list = match object.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong()),
    };
    let pair = |item: &Value| match item.as_array().map(Vec::as_slice) {
        Some([color, location]) => Ok((player(color, field)?, location_of(location, field, board)?)),
        _ => Err(wrong()),
    };
    list.iter().map(pair).collect::<Parsed<_>>().map(Some)
}

fn player(value: &Value, field: &'static str) -> Parsed<Color> {
    let color = value.as_str().and_then(|text| text.parse().ok());
    color.ok_or_else(|| Wrong(field, format!("{} is not a player: write \"B\" or \"W\"", clip(value))))
}

/// `C4`, `pass`, or `(column,row from the top)`.
fn location_of(value: &Value, field: &'static str, board: &Board) -> Parsed<Move> {
    let text = value.as_str().unwrap_or_default();
    let from_top = || {
        let (x, y) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        let (x, y): (usize, usize) = (x.trim().parse().ok()?, y.trim().parse().ok()?);
        (x < board.width() && y < board.height()).then(|| Vertex::new(x, board.height() - 1 - y).into())
    };
    let mv = from_top().or_else(|| text.parse().ok());
    mv.filter(|mv: &Move| mv.vertex().is_none_or(|v| board.contains(v)))
        .ok_or_else(|| Wrong(field, format!("{} is not a point of this board", clip(value))))
}

fn clip(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

fn restrictions(object: &Map<String, Value>, board: &Board) -> Parsed<Vec<Restriction>> {
    let mut all = Vec::new();
    let kinds = [("avoidMoves", RestrictionKind::Avoid), ("allowMoves", RestrictionKind::Allow)];
    for (field, kind) in kinds {
        let wrong = || Wrong(field, "must be a list of objects with player, moves and untilDepth".to_owned());
        let list = match object.get(field) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list,
            Some(_) => return Err(wrong()),
        };
        for item in list {
            let item = item.as_object().ok_or_else(wrong)?;
            let moves = item.get("moves").and_then(Value::as_array).ok_or_else(wrong)?;
            let depth = item.get("untilDepth").and_then(Value::as_u64).filter(|&depth| depth > 0);
            all.push(Restriction {
                kind,
                color: player(item.get("player").ok_or_else(wrong)?, field)?,
                moves: moves.iter().map(|mv| location_of(mv, field, board)).collect::<Parsed<_>>()?,
                depth: depth.ok_or_else(wrong)? as usize,
            });
        }
    }
    Ok(all)
}

/// The turns to analyse, of which there are `count`, and the priority of each.
fn turns(object: &Map<String, Value>, count: usize) -> Parsed<Vec<(usize, i64)>> {
    let turns = integers(object, "analyzeTurns")?.unwrap_or_else(|| vec![count - 1]);
    if turns.is_empty() {
        return Err(Wrong("analyzeTurns", "must name a turn".to_owned()));
    }
    if turns.len() > count {
        let message = format!("names {} turns, and the game has {count}", turns.len());
        return Err(Wrong("analyzeTurns", message));
    }
    if let Some(turn) = turns.iter().find(|&&turn| turn >= count) {
        return Err(Wrong("analyzeTurns", format!("turn {turn} is after the last one, {}", count - 1)));
    }
    let priority = match object.get("priority") {
        None | Some(Value::Null) => 0,
        Some(value) => {
            value.as_i64().ok_or_else(|| Wrong("priority", "must be a whole number".to_owned()))?
        }
    };
    let priorities: Vec<i64> = match object.get("priorities") {
        None | Some(Value::Null) => vec![priority; turns.len()],
        Some(list) => {
            let numbers =
                list.as_array().and_then(|list| list.iter().map(Value::as_i64).collect::<Option<Vec<_>>>());
            let numbers = numbers.filter(|numbers| numbers.len() == turns.len());
            numbers.ok_or_else(|| {
                Wrong("priorities", "must be as many whole numbers as there are analyzeTurns".to_owned())
            })?
        }
    };
    Ok(turns.into_iter().zip(priorities).collect())
}

fn integers(object: &Map<String, Value>, field: &'static str) -> Parsed<Option<Vec<usize>>> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(list) => {
            let numbers = list.as_array().and_then(|list| {
                list.iter().map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok())).collect()
            });
            numbers.map(Some).ok_or_else(|| Wrong(field, "must be a list of whole numbers from 0".to_owned()))
        }
    }
}

fn integer(object: &Map<String, Value>, field: &'static str, least: u64) -> Parsed<Option<u64>> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().filter(|&number| number >= least);
            number.map(Some).ok_or_else(|| Wrong(field, format!("must be a whole number from {least}")))
        }
    }
}

fn seconds(object: &Map<String, Value>, field: &'static str) -> Parsed<Option<Duration>> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let time = value.as_f64().and_then(duration);
            time.map(Some).ok_or_else(|| Wrong(field, "must be a number of seconds above 0".to_owned()))
        }
    }
}

fn duration(seconds: f64) -> Option<Duration> {
    (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).map_or(LONGEST, |time| time.min(LONGEST)))
}
