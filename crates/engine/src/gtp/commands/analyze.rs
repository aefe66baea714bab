//! Analysis while it goes on, in the words of Leela Zero, KataGo and the Computer Go Server.

use std::{thread, time::Duration};

use super::{
    super::{
        analyze::{Dialect, Extra, Options},
        args::{Args, Refusal, Reply, color, mv},
        live::Live,
        server::Server,
    },
    Command,
    play::{consider, generate, with_turn},
};
use tengen_board::{Board, Color, Move};

use crate::{
    players::{Limits, Query, Request},
    search::{Restriction, RestrictionKind, Watch},
};

pub(super) const COMMANDS: &[Command] = &[
    Command {
        usage: "lz-analyze [COLOR] [CENTISECONDS] [interval|minmoves|maxmoves|avoid|allow VALUE] ...",
        run: |server, args| analyze(server, args, Dialect::Leela),
    },
    Command {
        usage: "kata-analyze [COLOR] [CENTISECONDS] [interval|minmoves|maxmoves|avoid|allow|ownership|ownershipStdev|\
                movesOwnership|movesOwnershipStdev|pvVisits|rootInfo VALUE] ...",
        run: |server, args| analyze(server, args, Dialect::Kata),
    },
    Command {
        usage: "analyze [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| analyze(server, args, Dialect::Kata),
    },
    Command {
        usage: "lz-genmove_analyze [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| genmove(server, args, Dialect::Leela),
    },
    Command {
        usage: "kata-genmove_analyze [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| genmove(server, args, Dialect::Kata),
    },
    Command {
        usage: "genmove_analyze [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| genmove(server, args, Dialect::Kata),
    },
    Command {
        usage: "cgos-genmove_analyze COLOR [CENTISECONDS]",
        run: |server, args| genmove(server, args, Dialect::Cgos),
    },
    Command { usage: "restricted_genmove COLOR VERTEX VERTEX ...", run: restricted_genmove },
    Command {
        usage: "kata-search_analyze [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| search(server, args, Cancel::Never),
    },
    Command {
        usage: "kata-search_analyze_cancellable [COLOR] [CENTISECONDS] [KEY VALUE] ...",
        run: |server, args| search(server, args, Cancel::ByNextLine),
    },
    Command { usage: "kata-search [COLOR]", run: |server, args| silent_search(server, args, Cancel::Never) },
    Command {
        usage: "kata-search_cancellable [COLOR]",
        run: |server, args| silent_search(server, args, Cancel::ByNextLine),
    },
];

/// Whether a search for a move can be broken off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cancel {
    Never,
    ByNextLine,
}

impl Cancel {
    /// What a search for a move of `player` has to spend: as much as the game's clock would give it, though it goes on.
    fn request(self, server: &Server, player: Color) -> Request {
        let mut request = match self {
            Cancel::Never => server.request(),
            Cancel::ByNextLine => server.request_until_next_line(),
        };
        request.limits.clock = server.seat.clock(player);
        request
    }

    /// Whether a search for this request was broken off.
    fn has_come(self, request: &Request) -> bool {
        self == Cancel::ByNextLine && request.stop.is_stopped()
    }
}

/// Analyses until the next line arrives. Without a session no line would ever arrive: then there is one report.
fn analyze(server: &mut Server, args: Args<'_>, dialect: Dialect) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let request = server.request_until_next_line();
    let position = with_turn(&server.game, options.color);
    let live = begin(server)?;
    if live.is_read() {
        let limits = Limits::playouts(u64::MAX);
        let request = watched(Request { limits, ..request }, server, &options, dialect, &live);
        server.seat.analyse(&position, &request)?;
        while !request.stop.is_stopped() {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(String::new())
    } else {
        let limits = Limits::time(options.interval);
        let request = Request { limits, query: query(&options), ..request };
        let report = server.seat.analyse(&position, &request)?;
        Ok(report.map_or_else(String::new, |report| options.line(dialect, position.board(), report)))
    }
}

/// `genmove` that shows what the search finds out.
fn genmove(server: &mut Server, args: Args<'_>, dialect: Dialect) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let live = begin(server)?;
    let request = watched(server.request(), server, &options, dialect, &live);
    let board = server.game.board().clone();
    let chosen = generate(server, options.color, &request)?;
    show_result(server, &options, dialect, &board, &live);
    Ok(format!("play {chosen}"))
}

/// `genmove` that chooses one of these points.
fn restricted_genmove(server: &mut Server, args: Args<'_>) -> Reply {
    let words = args.words();
    let [player, points @ ..] = &words[..] else { return Err(args.wrong()) };
    let player = color(player)?;
    let moves: Vec<Move> = points.iter().map(|point| mv(point)).collect::<Result<_, _>>()?;
    let position = with_turn(&server.game, player);
    if !moves.iter().any(|&mv| position.check(mv).is_ok()) {
        return Err(Refusal::new("illegal move: none of these points can be played"));
    }
    require_search(server)?;
    let allowed = Restriction { kind: RestrictionKind::Allow, color: player, moves, depth: 1 };
    let mut request = server.request();
    request.query.restrictions = vec![allowed];
    generate(server, player, &request)
}

/// `genmove` that shows what the search finds out, without playing the move.
fn search(server: &mut Server, args: Args<'_>, cancel: Cancel) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let request = cancel.request(server, options.color);
    let live = begin(server)?;
    let request = watched(request, server, &options, Dialect::Kata, &live);
    let chosen = consider(server, options.color, &request)?;
    if cancel.has_come(&request) {
        return Ok("play cancelled".to_owned());
    }
    let board = server.game.board().clone();
    show_result(server, &options, Dialect::Kata, &board, &live);
    Ok(format!("play {chosen}"))
}

/// The same, showing nothing.
fn silent_search(server: &mut Server, args: Args<'_>, cancel: Cancel) -> Reply {
    let player = args.optional()?.map_or(Ok(server.game.to_play()), color)?;
    let request = cancel.request(server, player);
    let chosen = consider(server, player, &request)?;
    Ok(if cancel.has_come(&request) { "cancelled".to_owned() } else { chosen })
}

/// Begins the response, if the player has anything to show.
fn begin(server: &mut Server) -> Result<Live, Refusal> {
    require_search(server)?;
    Ok(server.begin_response())
}

fn require_search(server: &Server) -> Result<(), Refusal> {
    if server.seat.searches() {
        return Ok(());
    }
    let name = server.seat.name();
    Err(Refusal::new(format!("the player {name} does not search: start tengen gtp with another --preset")))
}

/// What the options ask of the search.
fn query(options: &Options) -> Query {
    Query {
        restrictions: options.restrictions.clone(),
        moves_ownership: options.shows(Extra::MovesOwnership) || options.shows(Extra::MovesOwnershipStdev),
        ..Query::default()
    }
}

/// The request with what the options ask, and reports are shown while the search runs.
fn watched(request: Request, server: &Server, options: &Options, dialect: Dialect, live: &Live) -> Request {
    let board = server.game.board().clone();
    let (options, live, stop) = (options.clone(), live.clone(), request.stop.clone());
    let query = query(&options);
    let watch = Watch::new(options.interval, move |report| {
        if live.offer(&options.line(dialect, &board, report)).is_err() {
            stop.stop();
        }
    });
    Request { watch: Some(watch), query, ..request }
}

/// The last report of a search for a move, which is shown however short the search was.
fn show_result(server: &Server, options: &Options, dialect: Dialect, board: &Board, live: &Live) {
    if let Some(report) = server.seat.report() {
        // If nobody reads any more, the session ends by itself.
        let _ = live.show(&options.line(dialect, board, report));
    }
}
