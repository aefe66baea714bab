//! The search benchmark: how fast a player searches, and a signature that tells whether it searches as before.
//!
//! The positions are fixed: random openings of growing length up to half of the board. The signature is a hash of the
//! chosen moves, their visits and the size of the trees. It is the same on every machine for one thread and a number of
//! playouts, and changes exactly when a change of the program changes play.

use std::time::Instant;

use tengen_board::{Board, Game, InvalidSize, Move, Rules};
use tengen_engine::{
    players::{Meter, PlayerError, RandomPlayer, Request, Seat},
    playout::{PlayoutLimits, PlayoutPolicy, PlayoutsConfig, UniformConfig},
    rng::Rng,
    search::SearchReport,
};

/// Number of positions.
pub const POSITIONS: usize = 12;

/// What searching all positions gave.
#[derive(Clone, Debug, Default)]
pub struct SearchBench {
    /// Playouts.
    pub playouts: u64,
    /// Time.
    pub seconds: f64,
    /// CPU time of all threads.
    pub cpu_seconds: f64,
    /// Mean of Black's points minus White's, without komi.
    pub mean_score: f64,
    /// Black's mean value.
    pub black_wins: f64,
    /// Nodes of all trees.
    pub nodes: u64,
    /// Memory of the largest tree.
    pub tree_bytes: usize,
    /// The hash; only of use with one thread.
    pub signature: u64,
    /// CPU time of as many bare playouts from the same positions, if they were asked for.
    pub bare_cpu_seconds: Option<f64>,
}

/// The positions for a board size, the empty board first.
pub fn positions(width: usize, height: usize) -> Result<Vec<Game>, InvalidSize> {
    let empty = Game::new(width, height, Rules::CHINESE)?;
    let position = |index: usize| {
        let mut game = empty.clone();
        let mut player = RandomPlayer::new(&UniformConfig::default(), index as u64);
        for _ in 0..index * empty.board().area() / (2 * POSITIONS) {
            let mv = player.draw(&game);
            if mv.is_pass() {
                break;
            }
            game.play_unchecked(mv);
        }
        game
    };
    Ok((0..POSITIONS).map(position).collect())
}

/// Searches every position from a fresh start. `Ok(None)` if the player does not search. `on_position` is called after each.
///
/// As many playouts of the kind `bare` are measured besides, position by position, so that both meet the same machine.
pub fn bench_search(
    seat: &mut Seat,
    positions: &[Game],
    playouts: u64,
    seed: u64,
    bare: Option<&PlayoutsConfig>,
    mut on_position: impl FnMut(),
) -> Result<Option<SearchBench>, PlayerError> {
    let request = Request::playouts(playouts);
    let mut bench = SearchBench::default();
    let mut hash = Fnv::default();
    for game in positions {
        seat.begin(seed)?;
        let begin = Instant::now();
        seat.decide(game, &request)?;
        bench.seconds += begin.elapsed().as_secs_f64();
        bench.cpu_seconds += seat.cpu_seconds().unwrap_or_default();
        let Some(report) = seat.report() else { return Ok(None) };
        let weight = report.playouts as f64;
        bench.playouts += report.playouts;
        bench.mean_score += weight * f64::from(report.score + game.rules().komi);
        bench.black_wins += weight * f64::from(report.black_value);
        bench.nodes += report.nodes as u64;
        bench.tree_bytes = bench.tree_bytes.max(report.tree_bytes);
        hash.add_report(report);
        if let Some(PlayoutsConfig { policy, limits }) = bare {
            let mut policy = policy.build();
            let ((), cpu) = Meter::Thread
                .measure(|| play_bare(&mut *policy, *limits, game.board(), report.playouts, seed));
            *bench.bare_cpu_seconds.get_or_insert_default() += cpu.unwrap_or_default().as_secs_f64();
        }
        on_position();
    }
    bench.mean_score /= bench.playouts.max(1) as f64;
    bench.black_wins /= bench.playouts.max(1) as f64;
    bench.signature = hash.0;
    Ok(Some(bench))
}

/// Playouts from a position with nothing around them.
pub(crate) fn play_bare(
    policy: &mut dyn PlayoutPolicy,
    limits: PlayoutLimits,
    start: &Board,
    playouts: u64,
    seed: u64,
) {
    let (mut board, mut moves, mut rng) = (start.clone(), Vec::new(), Rng::new(seed));
    for _ in 0..playouts {
        board.clone_from(start);
        moves.clear();
        std::hint::black_box(policy.play_out(&mut board, &mut moves, &limits, &mut rng));
    }
}

/// The hash of Fowler, Noll and Vo (FNV-1a, 64 bits): its numbers are the same everywhere.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Whole numbers only: the last digits of mean values may depend on the machine.
    pub(crate) fn add_report(&mut self, report: &SearchReport) {
        let (mv, visits) = report.moves.first().map_or((Move::PASS, 0), |best| (best.mv, best.visits));
        self.add(mv.to_string().as_bytes());
        self.add(&visits.to_le_bytes());
        self.add(&(report.nodes as u64).to_le_bytes());
    }

    /// As signatures are written.
    pub(crate) fn to_text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerSpec;

    #[test]
    fn positions_are_fixed_and_grow() {
        let hashes = |games: Vec<Game>| games.iter().map(|game| game.board().hash()).collect::<Vec<_>>();
        assert_eq!(hashes(positions(9, 9).unwrap()), hashes(positions(9, 9).unwrap()));
        let lengths: Vec<_> = positions(9, 9).unwrap().iter().map(|game| game.moves().len()).collect();
        assert_eq!(lengths, [0, 3, 6, 10, 13, 16, 20, 23, 27, 30, 33, 37]);
        assert!(positions(20, 9).is_err());
    }

    #[test]
    fn the_signature_tells_whether_the_search_is_the_same() {
        let positions = &positions(5, 5).unwrap();
        let run = |spec: &str, seed| {
            let mut seat = spec.parse::<PlayerSpec>().unwrap().build(1).unwrap();
            let bench = bench_search(&mut seat, positions, 50, seed, None, || {}).unwrap();
            bench.map(|bench| bench.signature)
        };
        assert_eq!(run("rave", 1), run("rave", 1));
        assert_ne!(run("rave", 1), run("rave", 2));
        assert_ne!(run("rave", 1), run("uct", 1));
        assert_eq!(run("random", 1), None);
    }

    /// The published test vector of FNV-1a.
    #[test]
    fn the_hash_is_fnv() {
        let mut hash = Fnv::default();
        hash.add(b"foobar");
        assert_eq!(hash.0, 0x8594_4171_f739_67e8);
    }
}
