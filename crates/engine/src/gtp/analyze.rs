//! What the analysis commands of Leela Zero and KataGo take and print.

use std::{fmt::Write, time::Duration};

use serde_json::json;
use tengen_board::{Board, Color, Game};

use super::args::{Args, Refusal, color, mv, number, shorten};
use crate::{
    analysis::{Figures, Standing, rounded},
    search::{Restriction, RestrictionKind, RootMove, SearchReport},
};

/// Whose way of printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Leela Zero's: win rates are whole numbers up to 10,000.
    Leela,
    /// KataGo's: win rates are fractions, with scores and ownership. Every fraction has a decimal point, as Sabaki needs.
    Kata,
    /// The Computer Go Server's: one JSON object.
    Cgos,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Options {
    pub(super) color: Color,
    pub(super) interval: Duration,
    pub(super) restrictions: Vec<Restriction>,
    least: usize,
    most: usize,
    extras: Vec<Extra>,
}

/// What is printed on request only, named as the request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    Ownership,
    OwnershipStdev,
    MovesOwnership,
    MovesOwnershipStdev,
    PvVisits,
    RootInfo,
    /// Accepted: visits of moves and of positions are the same here.
    PvEdgeVisits,
    /// Accepted: there are no games without result here.
    NoResultValue,
}

impl Extra {
    const ALL: [Extra; 8] = [
        Extra::Ownership,
        Extra::OwnershipStdev,
        Extra::MovesOwnership,
        Extra::MovesOwnershipStdev,
        Extra::PvVisits,
        Extra::RootInfo,
        Extra::PvEdgeVisits,
        Extra::NoResultValue,
    ];

    fn find(name: &str) -> Option<Extra> {
        Extra::ALL.into_iter().find(|extra| format!("{extra:?}").eq_ignore_ascii_case(name))
    }
}

/// KataGo and Leela Zero print nothing where no interval is given; a line a second tells that something happens.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
/// Longer intervals are cut to this, so that times cannot overflow.
const LONGEST_INTERVAL: Duration = Duration::from_hours(24);

impl Options {
    /// Reads `[COLOR] [CENTISECONDS] [KEY VALUE] ...`.
    pub(super) fn parse(args: &Args<'_>, game: &Game) -> Result<Options, Refusal> {
        let mut options = Options {
            color: game.to_play(),
            interval: DEFAULT_INTERVAL,
            restrictions: Vec::new(),
            least: 0,
            most: usize::MAX,
            extras: Vec::new(),
        };
        let mut words = args.words().into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| args.wrong());
            match word.to_ascii_lowercase().as_str() {
                "interval" => options.interval = interval(value()?)?,
                "minmoves" => options.least = number(value()?, "minmoves")?,
                "maxmoves" => options.most = number(value()?, "maxmoves")?,
                "avoid" => {
                    options.restrict(RestrictionKind::Avoid, [value()?, value()?, value()?])?;
                }
                "allow" => {
                    options.restrict(RestrictionKind::Allow, [value()?, value()?, value()?])?;
                }
                _ => match (color(word), word.parse::<f64>(), Extra::find(word)) {
                    (Ok(color), ..) => options.color = color,
                    (_, Ok(_), _) => options.interval = interval(word)?,
                    (.., Some(extra)) => {
                        options.extras.retain(|&other| other != extra);
                        if flag(word, value()?)? {
                            options.extras.push(extra);
                        }
                    }
                    _ => {
                        let message = format!("unknown option {:?}: write {}", shorten(word), args.usage);
                        return Err(Refusal::syntax(message));
                    }
                },
            }
        }
        options.check(game)?;
        Ok(options)
    }

    pub(super) fn shows(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    /// `COLOR VERTEX,VERTEX,... DEPTH`. Several lists that are allowed to the same depth are one.
    fn restrict(&mut self, kind: RestrictionKind, [player, moves, depth]: [&str; 3]) -> Result<(), Refusal> {
        let color = color(player)?;
        let depth = number(depth, "the depth")?;
        let mut moves = moves.split(',').filter(|word| !word.is_empty()).map(mv).collect::<Result<_, _>>()?;
        let is_same = |r: &&mut Restriction| (r.kind, r.color, r.depth) == (kind, color, depth);
        match self.restrictions.iter_mut().find(is_same) {
            Some(same) => same.moves.append(&mut moves),
            None => self.restrictions.push(Restriction { kind, color, moves, depth }),
        }
        Ok(())
    }

    /// Refuses moves off the board.
    fn check(&self, game: &Game) -> Result<(), Refusal> {
        let mut points = self.restrictions.iter().flat_map(|r| &r.moves).filter_map(|mv| mv.vertex());
        match points.find(|&v| !game.board().contains(v)) {
            Some(v) => Err(Refusal::new(format!("invalid coordinate: {v} is not on the board"))),
            None => Ok(()),
        }
    }

    /// A line for a report.
    pub(super) fn line(&self, dialect: Dialect, board: &Board, report: &SearchReport) -> String {
        let figures = Figures::new(report, board, self.color);
        let moves = figures.moves(self.least, self.most);
        match dialect {
            Dialect::Leela => {
                let infos = moves.into_iter().enumerate().map(|(order, m)| leela_info(&figures, order, m));
                infos.collect::<Vec<_>>().join(" ")
            }
            Dialect::Kata => self.kata_line(&figures, report, &moves),
            Dialect::Cgos => cgos_line(&figures, &moves),
        }
    }

    fn kata_line(&self, figures: &Figures<'_>, report: &SearchReport, moves: &[&RootMove]) -> String {
        let mut parts = Vec::new();
        for (order, root_move) in moves.iter().enumerate() {
            let standing = figures.standing(root_move);
            let mut info = format!(
                "info move {} {} prior {:.6} lcb {:.6} utilityLcb {:.6} order {order} pv {}",
                root_move.mv,
                kata_standing(&standing),
                figures.prior(root_move),
                standing.lcb,
                standing.utility_lcb(),
                line(&root_move.line),
            );
            let visits = line(&root_move.line_visits);
            if self.shows(Extra::PvVisits) {
                let _ = write!(info, " pvVisits {visits}");
            }
            if self.shows(Extra::PvVisits) || self.shows(Extra::PvEdgeVisits) {
                let _ = write!(info, " pvEdgeVisits {visits}");
            }
            if let Some(ownership) = root_move.ownership.as_ref() {
                if self.shows(Extra::MovesOwnership) {
                    info += &numbers("movesOwnership", &figures.ownership(ownership));
                }
                if self.shows(Extra::MovesOwnershipStdev) {
                    info += &numbers("movesOwnershipStdev", &figures.ownership_deviation(ownership));
                }
            }
            parts.push(info);
        }
        if self.shows(Extra::RootInfo) {
            parts.push(format!(
                "rootInfo {} thisHash {} symHash {} currentPlayer {}",
                kata_standing(&figures.root()),
                figures.hash(),
                figures.symmetric_hash(),
                report.to_play.letter(),
            ));
        }
        let mut text = parts.join(" ");
        if self.shows(Extra::Ownership) {
            text += &numbers("ownership", &figures.ownership(&report.ownership));
        }
        if self.shows(Extra::OwnershipStdev) {
            text += &numbers("ownershipStdev", &figures.ownership_deviation(&report.ownership));
        }
        text
    }
}

fn interval(text: &str) -> Result<Duration, Refusal> {
    let centiseconds: f64 = number(text, "the interval in centiseconds")?;
    let seconds = if centiseconds.is_nan() { -1.0 } else { centiseconds / 100.0 };
    if seconds < 0.0 {
        return Err(Refusal::syntax("the interval is a number of centiseconds"));
    }
    let interval = Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_INTERVAL);
    Ok(interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL))
}

fn flag(key: &str, text: &str) -> Result<bool, Refusal> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Refusal::syntax(format_args!("{} is true or false", shorten(key)))),
    }
}

fn line<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn numbers(name: &str, values: &[f32]) -> String {
    let mut text = format!(" {name}");
    for value in values {
        let _ = write!(text, " {value:.4}");
    }
    text
}

fn leela_info(figures: &Figures<'_>, order: usize, root_move: &RootMove) -> String {
    let standing = figures.standing(root_move);
    let scaled = |share: f32| (share * 10_000.0).round() as u32;
    format!(
        "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
        root_move.mv,
        standing.visits,
        scaled(standing.win_rate),
        scaled(figures.prior(root_move)),
        scaled(standing.lcb),
        line(&root_move.line),
    )
}

fn kata_standing(standing: &Standing) -> String {
    let Standing { visits, win_rate, lead, lead_deviation, .. } = standing;
    format!(
        "visits {visits} edgeVisits {visits} utility {:.6} winrate {win_rate:.6} scoreMean {lead:.6} \
         scoreStdev {lead_deviation:.6} scoreLead {lead:.6} scoreSelfplay {lead:.6} weight {:.1}",
        standing.utility(),
        f64::from(*visits),
    )
}

fn cgos_line(figures: &Figures<'_>, moves: &[&RootMove]) -> String {
    /// What the server shows; it stores every game.
    const MOST_MOVES: usize = 20;
    let root = figures.root();
    let moves: Vec<_> = moves
        .iter()
        .take(MOST_MOVES)
        .map(|root_move| {
            let standing = figures.standing(root_move);
            json!({
                "move": root_move.mv.to_string(),
                "winrate": rounded(standing.win_rate),
                "score": rounded(standing.lead),
                "prior": rounded(figures.prior(root_move)),
                "visits": standing.visits,
                "pv": line(&root_move.line[1..]),
            })
        })
        .collect();
    json!({
        "winrate": rounded(root.win_rate),
        "score": rounded(root.lead),
        "visits": root.visits,
        "moves": moves,
    })
    .to_string()
}
