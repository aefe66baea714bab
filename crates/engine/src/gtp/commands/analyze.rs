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
    player::Budget,
    restriction::{Restriction, RestrictionKind},
    watch::Watch,
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
    fn budget(self, server: &Server, player: Color) -> Budget {
        let budget = match self {
            Cancel::Never => server.budget(),
            Cancel::ByNextLine => server.budget_until_next_line(),
        };
        Budget { clock: server.clock(player), ..budget }
    }

    /// Whether a search with this budget was broken off.
    fn has_come(self, budget: &Budget) -> bool {
        self == Cancel::ByNextLine && budget.stop.is_stopped()
    }
}

/// Analyses until the next line arrives. Without a session no line would ever arrive: then there is one report.
fn analyze(server: &mut Server, args: Args<'_>, dialect: Dialect) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let budget = server.budget_until_next_line();
    let position = with_turn(&server.game, options.color);
    let live = begin(server)?;
    if live.is_read() {
        let budget = watched(Budget { playouts: Some(u64::MAX), ..budget }, server, &options, dialect, &live);
        server.player.analyse(&position, &budget);
        while !budget.stop.is_stopped() {
            thread::sleep(Duration::from_millis(5));
        }
        Ok(String::new())
    } else {
        let budget = Budget { time: Some(options.interval), ..told(budget, &options) };
        let report = server.player.analyse(&position, &budget);
        Ok(report.map_or_else(String::new, |report| options.line(dialect, position.board(), report)))
    }
}

/// `genmove` that shows what the search finds out.
fn genmove(server: &mut Server, args: Args<'_>, dialect: Dialect) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let live = begin(server)?;
    let budget = watched(server.budget(), server, &options, dialect, &live);
    let board = server.game.board().clone();
    let chosen = generate(server, options.color, &budget)?;
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
    let budget = Budget { restrictions: vec![allowed], ..server.budget() };
    generate(server, player, &budget)
}

/// `genmove` that shows what the search finds out, without playing the move.
fn search(server: &mut Server, args: Args<'_>, cancel: Cancel) -> Reply {
    let options = Options::parse(&args, &server.game)?;
    let budget = cancel.budget(server, options.color);
    let live = begin(server)?;
    let budget = watched(budget, server, &options, Dialect::Kata, &live);
    let chosen = consider(server, options.color, &budget)?;
    if cancel.has_come(&budget) {
        return Ok("play cancelled".to_owned());
    }
    let board = server.game.board().clone();
    show_result(server, &options, Dialect::Kata, &board, &live);
    Ok(format!("play {chosen}"))
}

/// The same, showing nothing.
fn silent_search(server: &mut Server, args: Args<'_>, cancel: Cancel) -> Reply {
    let player = args.optional()?.map_or(Ok(server.game.to_play()), color)?;
    let budget = cancel.budget(server, player);
    let chosen = consider(server, player, &budget)?;
    Ok(if cancel.has_come(&budget) { "cancelled".to_owned() } else { chosen })
}

/// Begins the response, if the player has anything to show.
fn begin(server: &mut Server) -> Result<Live, Refusal> {
    require_search(server)?;
    Ok(server.begin_response())
}

fn require_search(server: &Server) -> Result<(), Refusal> {
    if server.player.searches() {
        return Ok(());
    }
    let name = server.player.name();
    Err(Refusal::new(format!("the player {name} does not search: start tengen gtp with another --preset")))
}

/// The budget with what the options ask of the search.
fn told(budget: Budget, options: &Options) -> Budget {
    Budget {
        restrictions: options.restrictions.clone(),
        moves_ownership: options.shows(Extra::MovesOwnership) || options.shows(Extra::MovesOwnershipStdev),
        ..budget
    }
}

/// The same, and reports are shown while the search runs.
fn watched(budget: Budget, server: &Server, options: &Options, dialect: Dialect, live: &Live) -> Budget {
    let board = server.game.board().clone();
    let (options, live, stop) = (options.clone(), live.clone(), budget.stop.clone());
    let told = told(budget, &options);
    let watch = Watch::new(options.interval, move |report| {
        if live.offer(&options.line(dialect, &board, report)).is_err() {
            stop.stop();
        }
    });
    Budget { watch: Some(watch), ..told }
}

/// The last report of a search for a move, which is shown however short the search was.
fn show_result(server: &Server, options: &Options, dialect: Dialect, board: &Board, live: &Live) {
    if let Some(report) = server.player.report() {
        // If nobody reads any more, the session ends by itself.
        let _ = live.show(&options.line(dialect, board, report));
    }
}
