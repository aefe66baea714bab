//! Which stones are dead at the end of a game, and which live in seki.
//!
//! **What.** Stones that live unconditionally are alive, and what stands in their regions is dead. For the others the
//! position is played out many times, Black and White moving first in turn. A chain is dead if most of these games end
//! with its points in the opponent's hands. Playouts may break a small seki, as they try throw-ins: so a chain that stays
//! on the board in games without self-atari is dead only if it dies nearly always in the others. In a small fight that can
//! be read out (`capture.rs`), stones that the opponent cannot capture are not dead, whatever playouts or a network say.
//!
//! Of what is alive, a group is in seki if it touches a neutral point that it cannot fill without putting itself in
//! atari, and does not live by itself (`board/score.rs`).
//!
//! **Limits.** It suits finished positions; what is still open is only estimated.

use tengen_board::{
    Board, Color, ColorMap, Game, Vertex, VertexMap, area_owners, seki_groups, unconditional_life,
    without_chains,
};

use crate::{
    playout::{Heavy, HeavyConfig, PlayoutLimits, PlayoutPolicy},
    reading::capture::can_be_captured,
    rng::Rng,
};

/// Playouts for one judgement: the share of a chain is then known to about 2%.
const PLAYOUTS: usize = 400;

/// A chain that lives without self-atari is dead if its points are the opponent's by this share in other playouts.
const DIES_ANYWAY: f32 = 0.8;

/// How much a network's opinion counts beside that of playouts. Small networks err in games that end far from even.
const NETWORK_WEIGHT: f32 = 0.5;

/// What becomes of a stone at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoneStatus {
    /// It stays on the board.
    Alive,
    /// It is taken off as a prisoner.
    Dead,
    /// It stays, and the points around it count for nobody under territory scoring.
    Seki,
}

/// The mean owner of every point at the end of playouts in which both begin in turn: +1 always Black's, −1 always White's.
pub fn ownership(board: &Board, playouts: usize, rng: &mut Rng) -> VertexMap<f32> {
    mean_owners(board, &HeavyConfig::default(), Color::ALL, playouts, rng)
}

/// The same if `first` begins always.
pub fn ownership_after(board: &Board, first: Color, playouts: usize, rng: &mut Rng) -> VertexMap<f32> {
    mean_owners(board, &HeavyConfig::default(), [first; 2], playouts, rng)
}

fn mean_owners(
    board: &Board,
    config: &HeavyConfig,
    first: [Color; 2],
    playouts: usize,
    rng: &mut Rng,
) -> VertexMap<f32> {
    let mut policy = Heavy::new(config);
    let limits = PlayoutLimits::default();
    let mut sums = VertexMap::filled(0i32);
    let mut moves = Vec::new();
    for i in 0..playouts {
        let mut end = board.clone();
        end.set_to_play(first[i % 2]);
        moves.clear();
        policy.play_out(&mut end, &mut moves, &limits, rng);
        for v in board.points() {
            sums[v] += owner(&end, v).map_or(0, Color::sign);
        }
    }
    let mut mean = VertexMap::filled(0.0);
    for v in board.points() {
        mean[v] = sums[v] as f32 / playouts.max(1) as f32;
    }
    mean
}

/// Whose point `v` is at the end of a playout: every empty point is an eye, or shared.
#[inline]
pub(crate) fn owner(board: &Board, v: Vertex) -> Option<Color> {
    board.color_at(v).or_else(|| Color::ALL.into_iter().find(|&color| board.is_surrounded(v, color)))
}

/// The dead stones of a finished game, in the order of [`Board::points`].
///
/// Where the rules know no agreement about dead stones (Tromp-Taylor), none is dead: what is on the board counts. The judgement
/// depends on the position only, so asking twice gives the same answer.
pub fn dead_stones(game: &Game) -> Vec<Vertex> {
    dead_by(game, None)
}

/// The same, by playouts and by what a network says about who owns each point (from −1, White, to 1), if it is there: each sees
/// what the other misses.
pub fn dead_by(game: &Game, owners: Option<&VertexMap<f32>>) -> Vec<Vertex> {
    let rules = game.rules();
    if !rules.by_agreement() {
        return Vec::new();
    }
    let board = game.board();
    let life = ColorMap(Color::ALL.map(|color| unconditional_life(board, color, rules.suicide)));
    let mut rng = Rng::new(board.hash());
    let mean = ownership(board, PLAYOUTS, &mut rng);
    let careful = HeavyConfig { self_atari: 1.0, ..HeavyConfig::default() };
    let kept = mean_owners(board, &careful, Color::ALL, PLAYOUTS / 2, &mut rng);
    let mut safe = VertexMap::filled(false);
    board.points().for_each(|v| safe[v] = Color::ALL.iter().any(|&color| life[color].stones[v]));
    let is_lost = |v: &Vertex| {
        let Some(color) = board.color_at(*v) else { return false };
        if life[color].stones[*v] || life[!color].regions[*v] {
            return life[!color].regions[*v];
        }
        let limit = if share(board, &kept, *v) > 0.5 { -DIES_ANYWAY } else { 0.0 };
        let by_playouts = share(board, &mean, *v);
        match owners {
            Some(owners) => by_playouts + NETWORK_WEIGHT * share(board, owners, *v) < limit,
            None => by_playouts < limit,
        }
    };
    let mut dead: Vec<_> = board.points().filter(is_lost).collect();
    let mut chains: Vec<_> = dead.iter().map(|&v| board.chain(v)).collect();
    chains.sort();
    chains.dedup();
    chains.retain(|&chain| can_be_captured(board, chain, &safe) == Some(false));
    dead.retain(|&v| !chains.contains(&board.chain(v)));
    dead
}

/// The status of every stone of a finished game; nothing for empty points.
pub fn statuses(game: &Game) -> VertexMap<Option<StoneStatus>> {
    statuses_by(game, None)
}

/// The same, dead stones being judged as [`dead_by`] does.
pub fn statuses_by(game: &Game, owners: Option<&VertexMap<f32>>) -> VertexMap<Option<StoneStatus>> {
    let dead = dead_by(game, owners);
    let (cleared, _) = without_chains(game.board(), &dead);
    let seki = seki_groups(&cleared, &area_owners(&cleared));
    let mut statuses = VertexMap::filled(None);
    for v in game.board().points().filter(|&v| !game.board().is_empty(v)) {
        let alive = if seki[v] { StoneStatus::Seki } else { StoneStatus::Alive };
        statuses[v] = Some(if cleared.is_empty(v) { StoneStatus::Dead } else { alive });
    }
    statuses
}

/// The stones of chains that end up as the other side's more often than not, in the order of [`Board::points`].
pub fn lost_stones(board: &Board, ownership: &VertexMap<f32>) -> Vec<Vertex> {
    board.points().filter(|&v| !board.is_empty(v) && share(board, ownership, v) < 0.0).collect()
}

/// By which share the points of the chain at `v` are its own: 1 always, −1 never.
fn share(board: &Board, ownership: &VertexMap<f32>, v: Vertex) -> f32 {
    let Some(color) = board.color_at(v) else { return 0.0 };
    let chain = board.chain(v);
    let sum: f32 = board.chain_stones(chain).map(|stone| ownership[stone]).sum();
    sum * color.sign() as f32 / board.chain_size(chain) as f32
}

#[cfg(test)]
mod tests {
    use tengen_board::Rules;

    use super::*;

    /// The stones of a status in a finished game under Japanese rules.
    fn stones(diagram: &str, status: StoneStatus) -> Vec<String> {
        let game = Game::from_board(Board::from_diagram(diagram).unwrap(), Rules::JAPANESE);
        let statuses = statuses(&game);
        let mut names: Vec<_> =
            game.board().points().filter(|&v| statuses[v] == Some(status)).map(|v| v.to_string()).collect();
        names.sort();
        names
    }

    const SETTLED: &str = ". X O . O . . /
         . X O O . O O /
         X X X O O O . /
         . X . X O . O /
         X . X X O O O /
         . X O X O . O /
         X X . X O O .";

    #[test]
    fn a_lone_stone_in_the_opponents_area_is_dead() {
        let board = Board::from_diagram(SETTLED).unwrap();
        let game = Game::from_board(board, Rules::CHINESE);
        assert_eq!(dead_stones(&game), vec!["C2".parse().unwrap()]);
        let game = Game::from_board(game.board().clone(), Rules::TROMP_TAYLOR);
        assert_eq!(dead_stones(&game), vec![]);
        assert_eq!(stones(SETTLED, StoneStatus::Dead), ["C2"]);
        assert!(stones(SETTLED, StoneStatus::Seki).is_empty());
    }

    #[test]
    fn a_network_may_judge_what_is_not_certain() {
        let game = Game::from_board(Board::from_diagram("X . . / . . . / . . O").unwrap(), Rules::CHINESE);
        let dead = |share: f32| dead_by(&game, Some(&VertexMap::filled(share)));
        assert_eq!(dead(0.4), vec!["C1".parse().unwrap()]);
        assert_eq!(dead(-0.4), vec!["A3".parse().unwrap()]);
        let board = Board::from_diagram(SETTLED).unwrap();
        let game = Game::from_board(board, Rules::CHINESE);
        assert_eq!(
            dead_by(&game, Some(&VertexMap::filled(-1.0))),
            vec!["C2".parse().unwrap()],
            "life is certain"
        );
    }

    #[test]
    fn a_seki_is_alive_and_known_as_one() {
        // An eye each at A7 and E7, and C7 between them: who plays there is captured.
        let seki = ". X . O . / X X X O O / O O O X X / . O O X . / O O O X X / . O O X . / O O O X X";
        assert_eq!(stones(seki, StoneStatus::Dead), Vec::<String>::new());
        assert_eq!(stones(seki, StoneStatus::Seki), ["A6", "B6", "B7", "C6", "D6", "D7", "E6"]);
    }

    #[test]
    fn stones_that_share_their_liberties_live_in_seki() {
        // White's three stones at the bottom and Black's wall around them: who plays C1 or G1 is captured.
        let seki = ". X . X . X . X . / X X X X X X X X X / X X X X X X X X X / O O O O O O O O O / . O . O O . O O . /
             O O O O O O O O O / O O O O O O O O O / O X X X X X X X O / O X . O O O . X O";
        assert_eq!(stones(seki, StoneStatus::Dead), Vec::<String>::new());
        assert_eq!(stones(seki, StoneStatus::Seki).len(), 12);
        let game = Game::from_board(Board::from_diagram(seki).unwrap(), Rules::JAPANESE);
        for share in [-1.0, 1.0] {
            assert_eq!(dead_by(&game, Some(&VertexMap::filled(share))), vec![], "a network may err");
        }
    }

    #[test]
    fn a_group_that_a_throw_in_kills_is_dead() {
        // White cannot play at A5 or C5 without being captured, Black can.
        let dead = ". X . O X / O O O O X / X X X X X / . X . X . / X X X X X";
        assert_eq!(stones(dead, StoneStatus::Dead), ["A4", "B4", "C4", "D4", "D5"]);
        assert!(stones(dead, StoneStatus::Seki).is_empty());
    }

    #[test]
    fn ownership_of_a_settled_board_is_certain() {
        let board = Board::from_diagram(". X . O . / X X X O O / . X . O . / X X X O O / . X . O .").unwrap();
        let mean = ownership(&board, 100, &mut Rng::new(1));
        assert!(mean["A1".parse().unwrap()] > 0.99);
        assert!(mean["E5".parse().unwrap()] < -0.99);
    }
}
