//! The end of the game: the score, and which stones are dead.

use tengen_board::{Game, Outcome, Vertex, VertexMap};

use super::{
    super::{
        args::{Args, Refusal, Reply, vertex},
        server::Server,
    },
    Command,
};
use crate::reading::status::{StoneStatus, dead_by, statuses_by};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "final_score", run: final_score },
    Command { usage: "final_status VERTEX", run: final_status },
    Command { usage: "final_status_list alive|dead|seki", run: final_status_list },
];

fn final_score(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    let owners = owners(server)?;
    let game = &server.game;
    let resigned = game.outcome().filter(|_| game.passes() < 2);
    let outcome =
        resigned.unwrap_or_else(|| Outcome::from_score(game.score(&dead_by(game, owners.as_ref()))));
    Ok(outcome.to_string())
}

/// Who owns each point, as the player's network sees it in all symmetries: from −1 (White) to 1.
fn owners(server: &mut Server) -> Result<Option<VertexMap<f32>>, Refusal> {
    let mut mean = VertexMap::filled(0.0);
    for symmetry in 0..8 {
        let raw = server.seat.raw_evaluation(&server.game, symmetry)?;
        let Some(owners) = raw.and_then(|raw| raw.ownership) else { return Ok(None) };
        server.game.board().points().for_each(|v| mean[v] += owners[v] / 8.0);
    }
    Ok(Some(mean))
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
    let owners = owners(server)?;
    Ok(match statuses_by(&server.game, owners.as_ref())[point] {
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
    let owners = owners(server)?;
    let statuses = statuses_by(&server.game, owners.as_ref());
    Ok(stones_by_chain(&server.game, &statuses, status))
}

/// The stones of a status, a chain a line.
fn stones_by_chain(game: &Game, statuses: &VertexMap<Option<StoneStatus>>, status: StoneStatus) -> String {
    let board = game.board();
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
