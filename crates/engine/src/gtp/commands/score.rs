//! The end of the game: the score, and which stones are dead.

use tengen_board::{Game, Outcome, Vertex};

use super::{
    super::{
        args::{Args, Refusal, Reply, vertex},
        server::Server,
    },
    Command,
};
use crate::status::{StoneStatus, dead_stones, statuses};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "final_score", run: final_score },
    Command { usage: "final_status VERTEX", run: final_status },
    Command { usage: "final_status_list alive|dead|seki", run: final_status_list },
];

fn final_score(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let game = &server.game;
    let resigned = game.outcome().filter(|_| game.passes() < 2);
    let outcome = resigned.unwrap_or_else(|| Outcome::from_score(game.score(&dead_stones(game))));
    Ok(outcome.to_string())
}

fn final_status(server: &mut Server, args: Args<'_>) -> Reply {
    let [point] = args.exactly()?;
    let point = vertex(point)?;
    let board = server.game.board();
    if !board.contains(point) {
        return Err(Refusal::new(format!("invalid coordinate: {point} is not on the board")));
    }
    if board.color_at(point).is_none() {
        return Err(Refusal::new(format!("no stone at {point}")));
    }
    Ok(match statuses(&server.game)[point] {
        Some(StoneStatus::Dead) => "dead",
        Some(StoneStatus::Seki) => "seki",
        _ => "alive",
    }
    .to_owned())
}

fn final_status_list(server: &mut Server, args: Args<'_>) -> Reply {
    let [status] = args.exactly()?;
    let status = match status {
        "alive" => StoneStatus::Alive,
        "dead" => StoneStatus::Dead,
        "seki" => StoneStatus::Seki,
        _ => return Err(args.wrong()),
    };
    Ok(stones_by_chain(&server.game, status))
}

/// The stones of a status, a chain a line.
fn stones_by_chain(game: &Game, status: StoneStatus) -> String {
    let board = game.board();
    let statuses = statuses(game);
    let mut chains: Vec<Vertex> = Vec::new();
    let mut lines = Vec::new();
    for v in board.points().filter(|&v| board.color_at(v).is_some()) {
        let chain = board.chain(v);
        if chains.contains(&chain) || statuses[v] != Some(status) {
            continue;
        }
        chains.push(chain);
        let stones: Vec<_> = board.chain_stones(chain).map(|stone| stone.to_string()).collect();
        lines.push(stones.join(" "));
    }
    lines.join("\n")
}
