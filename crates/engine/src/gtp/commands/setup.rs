//! The board before the game: size, komi, handicap, positions.

use tengen_board::{Board, Color, Game, InvalidSize, MAX_SIZE, MIN_SIZE, Vertex};

use super::{
    super::{
        args::{Args, Refusal, Reply, color, finite, shorten, vertex},
        server::Server,
    },
    Command,
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "boardsize SIZE", run: boardsize },
    Command { usage: "rectangular_boardsize WIDTH HEIGHT", run: boardsize },
    Command { usage: "clear_board", run: clear_board },
    Command { usage: "komi KOMI", run: komi },
    Command { usage: "get_komi", run: get_komi },
    Command { usage: "fixed_handicap STONES", run: fixed_handicap },
    Command { usage: "place_free_handicap STONES", run: place_free_handicap },
    Command { usage: "set_free_handicap VERTEX VERTEX ...", run: set_free_handicap },
    Command { usage: "set_position COLOR VERTEX ...", run: set_position },
    Command { usage: "gogui-setup COLOR VERTEX ...", run: setup },
    Command { usage: "gogui-setup_player COLOR", run: setup_player },
];

/// One number is a square board; KataGo's form, `7:10`, is understood too.
fn boardsize(server: &mut Server, args: Args<'_>) -> Reply {
    let words: Vec<_> = args.words().into_iter().flat_map(|word| word.split(':')).collect();
    match words[..] {
        [size] => resize(server, side(size)?, side(size)?),
        [width, height] => resize(server, side(width)?, side(height)?),
        _ => Err(args.wrong()),
    }
}

/// A number that is no size at all is a syntax error; a size that no board has is named as it was written.
fn side(text: &str) -> Result<usize, Refusal> {
    let size: f64 = text
        .parse()
        .map_err(|_| Refusal::syntax(format_args!("the board size cannot be {:?}", shorten(text))))?;
    let is_size = size.fract() == 0.0 && (MIN_SIZE as f64..=MAX_SIZE as f64).contains(&size);
    is_size.then_some(size as usize).ok_or_else(|| {
        let text = shorten(text);
        Refusal::new(format!("unacceptable size: {text}; a board has {MIN_SIZE} to {MAX_SIZE} lines"))
    })
}

fn resize(server: &mut Server, width: usize, height: usize) -> Reply {
    let game = Game::new(width, height, *server.game.rules()).map_err(|error| unacceptable(&error))?;
    server.start(game)?;
    Ok(String::new())
}

fn unacceptable(error: &InvalidSize) -> Refusal {
    Refusal::new(format!("unacceptable size: {error}"))
}

fn clear_board(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let (width, height) = (server.game.board().width(), server.game.board().height());
    resize(server, width, height)
}

fn komi(server: &mut Server, args: Args<'_>) -> Reply {
    let [komi] = args.exactly()?;
    let komi = finite(komi, "komi")?;
    let rules = server.game.rules().try_with_komi(komi).map_err(|error| Refusal::new(error.to_string()))?;
    server.game.set_rules(rules);
    Ok(String::new())
}

fn get_komi(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(server.game.rules().komi.to_string())
}

fn fixed_handicap(server: &mut Server, args: Args<'_>) -> Reply {
    let stones = stone_count(args)?;
    Ok(list(&server.game.place_fixed_handicap(stones)?))
}

fn place_free_handicap(server: &mut Server, args: Args<'_>) -> Reply {
    let stones = stone_count(args)?;
    Ok(list(&server.game.place_free_handicap(stones)?))
}

fn stone_count(args: Args<'_>) -> Result<usize, Refusal> {
    let [stones] = args.exactly()?;
    stones
        .parse()
        .map_err(|_| Refusal::new(format!("invalid number of stones: {:?} is not a number", shorten(stones))))
}

fn set_free_handicap(server: &mut Server, args: Args<'_>) -> Reply {
    let points: Vec<Vertex> = args
        .words()
        .into_iter()
        .map(|word| {
            word.parse()
                .map_err(|_| Refusal::new(format!("bad vertex list: {:?} is not a point", shorten(word))))
        })
        .collect::<Result<_, _>>()?;
    if points.len() < 2 {
        return Err(Refusal::new("bad vertex list: a handicap is two stones or more"));
    }
    server.game.place_handicap(&points)?;
    Ok(String::new())
}

fn list(points: &[Vertex]) -> String {
    points.iter().map(Vertex::to_string).collect::<Vec<_>>().join(" ")
}

/// Nothing but these stones, Black to play.
fn set_position(server: &mut Server, args: Args<'_>) -> Reply {
    let empty = Board::new(server.game.board().width(), server.game.board().height());
    place(server, args, &empty)
}

/// These stones besides those on the board; the turn stays.
fn setup(server: &mut Server, args: Args<'_>) -> Reply {
    let board = server.game.board().clone();
    place(server, args, &board)
}

/// Starts from `board` with the stones of `args` added.
fn place(server: &mut Server, args: Args<'_>, board: &Board) -> Reply {
    let stones = args.stones(vertex)?;
    let mut edits: Vec<(Vertex, Option<Color>)> = Vec::with_capacity(stones.len());
    for (color, v) in stones {
        if !board.contains(v) {
            return Err(Refusal::new(format!("invalid coordinate: {v} is not on the board")));
        }
        if !board.is_empty(v) || edits.iter().any(|edit| edit.0 == v) {
            return Err(Refusal::new(format!("illegal position: {v} is occupied")));
        }
        edits.push((v, Some(color)));
    }
    let position = board
        .edited(&edits)
        .map_err(|v| Refusal::new(format!("illegal position: the chain at {v} has no liberties")))?;
    server.start(Game::from_board(position, *server.game.rules()))?;
    Ok(String::new())
}

fn setup_player(server: &mut Server, args: Args<'_>) -> Reply {
    let [player] = args.exactly()?;
    server.game.set_to_play(color(player)?);
    Ok(String::new())
}
