//! Reads ladders: a chain that is put in atari again and again until it is captured or free.
//!
//! **What.** The attacker may only play on one of the chain's two liberties, which leaves it in atari. The defender may
//! extend, or capture an attacking chain that is in atari. Three liberties are free; one liberty on the attacker's turn is
//! captured.
//!
//! **How.** A ladder is almost always a single line, so it is played out on one copy of the board; another copy is made
//! only where somebody has a second choice. The liberties after an extension tell most choices apart before they are played.
//! Attacking chains in atari are not searched for at each step: only the defender's last stone can put one there, or be joined
//! to a chain that touches one, or the attacker's last stone is one itself.
//!
//! **Differences** from a full reading: kos are decided for the defender, and so is whatever exceeds the limits. "Captured"
//! is therefore always true, and "free" may be too cautious.

use tengen_board::{Board, Color, Vertex};

use crate::reading::tactics::{Few, liberties_after};

/// Moves that may be read for one question.
const MAX_MOVES: usize = 300;
/// Choices that may be open at a time, each with its copy of the board.
const MAX_COPIES: usize = 12;

/// Stones of the attacker whose chains may be in atari.
type Suspects = Few<12>;

/// Reads ladders. It owns the boards that it reads on, to be asked again without allocating.
#[derive(Debug, Default)]
pub struct LadderReader {
    boards: Vec<Board>,
    moves: usize,
}

/// One question: which chain, and who owns it.
#[derive(Clone, Copy)]
struct Prey {
    stone: Vertex,
    color: Color,
}

impl LadderReader {
    /// A reader without boards; it makes them when they are needed.
    pub fn new() -> LadderReader {
        LadderReader::default()
    }

    /// Whether a chain with two liberties is captured if the opponent plays `at`, one of them.
    pub fn is_captured_by(&mut self, board: &Board, chain: Vertex, at: Vertex) -> bool {
        let Some(color) = board.color_at(chain) else { return false };
        let Some([a, b]) = board.two_liberties(chain) else { return false };
        let other = if at == a { b } else { a };
        let prey = Prey { stone: chain, color };
        if (at != a && at != b) || escapes_at_once(board, prey.color, at, other) {
            return false;
        }
        self.begin(board, !color);
        if !self.boards[0].is_legal(at) {
            return false;
        }
        let suspects = attackers_in_atari(board, prey.stone, prey.color);
        self.attack_at(0, prey, suspects, at)
    }

    /// The liberty where the opponent captures a chain with two liberties, if there is one.
    pub fn capturing_move(&mut self, board: &Board, chain: Vertex) -> Option<Vertex> {
        board.two_liberties(chain)?.into_iter().find(|&at| self.is_captured_by(board, chain, at))
    }

    /// Whether a chain in atari is captured even if its owner moves first.
    pub fn is_doomed(&mut self, board: &Board, chain: Vertex) -> bool {
        let Some(color) = board.color_at(chain) else { return false };
        let Some(liberty) = board.atari(chain) else { return false };
        if liberties_after::<3>(board, liberty, color).is_full() {
            return false;
        }
        let prey = Prey { stone: chain, color };
        self.begin(board, color);
        let suspects = attackers_in_atari(board, prey.stone, prey.color);
        self.is_captured_on_own_turn(0, prey, suspects)
    }

    fn begin(&mut self, board: &Board, to_play: Color) {
        self.moves = 0;
        match self.boards.first_mut() {
            Some(first) => first.clone_from(board),
            None => self.boards.push(board.clone()),
        }
        self.boards[0].set_to_play(to_play);
    }

    /// Copies board `at` for another choice; `false` if there are too many.
    fn copy(&mut self, at: usize) -> bool {
        if at + 1 == MAX_COPIES {
            return false;
        }
        if at + 1 == self.boards.len() {
            let copy = self.boards[at].clone();
            self.boards.push(copy);
        } else {
            let (from, to) = self.boards.split_at_mut(at + 1);
            to[0].clone_from(&from[at]);
        }
        true
    }

    /// The defender is to move on board `at`, which is used up; the prey is in atari.
    fn is_captured_on_own_turn(&mut self, at: usize, prey: Prey, suspects: Suspects) -> bool {
        self.moves += 1;
        let board = &self.boards[at];
        let Some(liberty) = board.atari(board.chain(prey.stone)) else { return false };
        if self.moves > MAX_MOVES {
            return false;
        }
        let mut choices = Few::<8>::new();
        for &suspect in suspects.iter() {
            let attacker = board.chain_of(suspect, !prey.color);
            if attacker != Vertex::NONE
                && let Some(capture) = board.atari(attacker)
                && board.is_legal(capture)
            {
                choices.add(capture);
            }
        }
        match liberties_after::<3>(board, liberty, prey.color).len() {
            2 if board.is_legal(liberty) => choices.add(liberty),
            // Suicide, captured on the next move, or forbidden.
            0..=2 => {}
            _ => return false,
        }
        for (i, &choice) in choices.iter().enumerate() {
            let mut on = at;
            if i + 1 < choices.len() {
                if !self.copy(at) {
                    return false;
                }
                on = at + 1;
            }
            let board = &mut self.boards[on];
            let chain = board.chain(prey.stone);
            let joins = choice.neighbors().iter().any(|&n| {
                let friend = board.chain_of(n, prey.color);
                friend != Vertex::NONE && friend != chain
            });
            board.play_unchecked(choice.into());
            let mut suspects = suspects;
            if joins {
                suspects = attackers_in_atari(board, prey.stone, prey.color);
            } else {
                for n in choice.neighbors() {
                    let attacker = board.chain_of(n, !prey.color);
                    if board.is_in_atari(attacker) {
                        suspects.add(n);
                    }
                }
            }
            if suspects.is_full() || !self.is_captured_on_attackers_turn(on, prey, suspects) {
                return false;
            }
        }
        true
    }

    /// The attacker is to move on board `at`, which is used up.
    fn is_captured_on_attackers_turn(&mut self, at: usize, prey: Prey, suspects: Suspects) -> bool {
        let board = &self.boards[at];
        let liberties = board.liberties::<3>(board.chain(prey.stone));
        match liberties[..] {
            [liberty] => board.is_legal(liberty),
            [a, b] => {
                let hopeful = |x, y| board.is_legal(x) && !escapes_at_once(board, prey.color, x, y);
                match (hopeful(a, b), hopeful(b, a)) {
                    (true, true) => {
                        (self.copy(at) && self.attack_at(at + 1, prey, suspects, a))
                            || self.attack_at(at, prey, suspects, b)
                    }
                    (true, false) => self.attack_at(at, prey, suspects, a),
                    (false, true) => self.attack_at(at, prey, suspects, b),
                    (false, false) => false,
                }
            }
            _ => false,
        }
    }

    /// The attacker plays the legal point `v` on board `at`.
    fn attack_at(&mut self, at: usize, prey: Prey, mut suspects: Suspects, v: Vertex) -> bool {
        let board = &mut self.boards[at];
        board.play_unchecked(v.into());
        suspects.retain(|&stone| {
            let attacker = board.chain_of(stone, !prey.color);
            board.is_in_atari(attacker)
        });
        if board.atari(board.chain(v)).is_some() {
            suspects.add(v);
        }
        !suspects.is_full() && self.is_captured_on_own_turn(at, prey, suspects)
    }
}

/// Whether a chain of `color` has three liberties if it extends to `extension` after an atari at `atari`.
#[inline]
pub fn escapes_at_once(board: &Board, color: Color, atari: Vertex, extension: Vertex) -> bool {
    let liberties = liberties_after::<4>(board, extension, color);
    // The atari may capture stones that the extension would join.
    liberties.iter().filter(|&&v| v != atari).count() >= 3 && !captures(board, atari, !color)
}

/// Whether a stone of `color` on `v` captures.
#[inline]
fn captures(board: &Board, v: Vertex, color: Color) -> bool {
    v.neighbors().iter().any(|&n| {
        let enemy = board.chain_of(n, !color);
        enemy != Vertex::NONE && board.is_atari_at(enemy, v)
    })
}

/// The enemy chains in atari, up to `N`, that touch the chain of `color` at `stone`.
pub fn attackers_in_atari<const N: usize>(board: &Board, stone: Vertex, color: Color) -> Few<N> {
    let mut found = Few::new();
    for stone in board.chain_stones(board.chain(stone)) {
        if board.stone_neighbors(stone, !color) == 0 {
            continue;
        }
        for n in stone.neighbors() {
            let attacker = board.chain_of(n, !color);
            if board.is_in_atari(attacker) {
                found.add(attacker);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        playout::{PlayoutPolicy, Uniform, UniformConfig},
        rng::Rng,
    };

    /// Where Black captures the white chain at `prey`, which has two liberties.
    fn capture(diagram: &str, prey: &str) -> Option<String> {
        let board = Board::from_diagram(diagram).unwrap();
        let chain = board.chain(prey.parse().unwrap());
        assert_eq!(board.liberty_count(chain), 2, "{board}");
        LadderReader::new().capturing_move(&board, chain).map(|v| v.to_string())
    }

    /// Whether the white chain at `prey`, in atari, is captured with White to move.
    fn doomed(diagram: &str, prey: &str) -> bool {
        let board = Board::from_diagram(diagram).unwrap();
        let chain = board.chain(prey.parse().unwrap());
        assert!(board.atari(chain).is_some(), "{board}");
        LadderReader::new().is_doomed(&board, chain)
    }

    const LADDER: &str = ". . . . . . . . .
                          . . . . . . . . .
                          . . . . . . . . .
                          . . . . . . . . .
                          . . . . . . . . .
                          . . . . . . . . .
                          . . X O . . . . .
                          . . . X X . . . .
                          . . . . . . . . .";

    /// `LADDER` with another stone.
    fn ladder_with(symbol: char, col: usize, row: usize) -> String {
        let mut rows: Vec<Vec<char>> =
            LADDER.lines().map(|line| line.chars().filter(|c| !c.is_whitespace()).collect()).collect();
        rows[8 - row][col] = symbol;
        rows.iter().map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn a_ladder_runs_to_the_edge() {
        assert_eq!(capture(LADDER, "D3").as_deref(), Some("D4"));
    }

    #[test]
    fn a_ladder_runs_across_the_whole_board() {
        let stones = [("D3", Color::White), ("C3", Color::Black), ("D2", Color::Black), ("E2", Color::Black)];
        let mut stones: Vec<(Vertex, Color)> = stones.map(|(v, c)| (v.parse().unwrap(), c)).to_vec();
        let prey = stones[0].0;
        let captured = |stones: &[(Vertex, Color)]| {
            let mut board = Board::new(19, 19);
            board.set_up(stones).unwrap();
            LadderReader::new().capturing_move(&board, prey).map(|v| v.to_string())
        };
        assert_eq!(captured(&stones).as_deref(), Some("D4"));
        stones.push(("Q16".parse().unwrap(), Color::White));
        assert_eq!(captured(&stones), None);
    }

    #[test]
    fn a_stone_in_the_way_breaks_it() {
        for (col, row) in [(4, 3), (5, 4), (6, 5), (7, 6), (5, 5), (6, 4)] {
            assert_eq!(capture(&ladder_with('O', col, row), "D3"), None, "{}", ladder_with('O', col, row));
        }
        // Stones beside the way, and stones of the attacker, do not.
        for (symbol, col, row) in [('O', 1, 6), ('O', 0, 4), ('X', 5, 4), ('X', 7, 7), ('X', 0, 8)] {
            let diagram = ladder_with(symbol, col, row);
            assert_eq!(capture(&diagram, "D3").as_deref(), Some("D4"), "{diagram}");
        }
    }

    #[test]
    fn at_the_edge_there_is_no_way_out() {
        // A stone on the first line that runs along it.
        let running = ". . . . . . . / . . . . . . . / . . X . . . . / . X O . . . . / . . X . . . .";
        assert!(!doomed(running, "C2"));
        let first_line = ". . . . . . . / . . . . . . . / . . . . . . . / . . X X X X . / . X O . . . .";
        assert!(doomed(first_line, "C1"));
        let with_help = ". . . . . . . / . . . . . . . / . . . . . . . / . . X X O . . / . X O . O . .";
        assert!(!doomed(with_help, "C1"));
    }

    #[test]
    fn an_attacker_in_atari_is_a_way_out() {
        // C3 has one liberty, C4: White captures it instead of running.
        let diagram = ". . . . . . . . . / . . . . . . . . . / . . . . . . . . . / . . . . . . . . .
            / . . . . . . . . . / . O . X . . . . . / O X X O . . . . . / . O O X X . . . . / . . . . . . . . .";
        let board = Board::from_diagram(diagram).unwrap();
        assert_eq!(board.liberty_count(board.chain("C3".parse().unwrap())), 1);
        assert!(!doomed(diagram, "D3"));
        // With a liberty more it is safe, and the ladder works.
        let safe = diagram.replace("/ O X X O", "/ . X X O");
        assert!(doomed(&safe, "D3"));
    }

    #[test]
    fn a_snapback_captures() {
        let diagram = ". . . . . . / X X X X X . / X O O O X . / . . . O X .";
        let board = Board::from_diagram(diagram).unwrap();
        let chain = board.chain("B2".parse().unwrap());
        // Black throws in, White takes the stone and has one liberty.
        assert!(LadderReader::new().is_captured_by(&board, chain, "C1".parse().unwrap()));
    }

    #[test]
    fn a_net_is_not_a_ladder() {
        let diagram =
            ". . . . . . . / . . . . X . . / . . . . . . . / . X O . . . . / . . X . . . . / . . . . . . .";
        assert_eq!(capture(diagram, "C3"), None);
    }

    /// The definition itself: the attacker puts the chain in atari, the defender may play anywhere.
    fn is_captured(board: &Board, prey: Prey, depth: usize) -> bool {
        let liberties: Vec<_> = board.liberties::<3>(board.chain(prey.stone)).to_vec();
        if depth == 0 || liberties.len() > 2 {
            return false;
        }
        if board.to_play() != prey.color {
            if let [liberty] = liberties[..] {
                return board.is_legal(liberty);
            }
            return liberties.iter().any(|&v| {
                let mut next = board.clone();
                board.is_legal(v) && {
                    next.play_unchecked(v.into());
                    is_captured(&next, prey, depth - 1)
                }
            });
        }
        if liberties.len() > 1 {
            return false;
        }
        board.points().filter(|&v| board.is_empty(v) && board.is_legal(v)).all(|v| {
            let mut next = board.clone();
            next.play_unchecked(v.into());
            // A suicide is not legal, so the prey is still there.
            is_captured(&next, prey, depth - 1)
        })
    }

    #[test]
    fn the_reader_agrees_with_the_definition() {
        let mut rng = Rng::new(5);
        let mut policy = Uniform::new(&UniformConfig::default());
        let mut reader = LadderReader::new();
        let (mut asked, mut captured) = (0, 0);
        for _ in 0..400 {
            let mut board = Board::new(5, 5);
            for _ in 0..rng.below(28) {
                let mv = policy.choose(&mut board, &[], &mut rng);
                board.play_unchecked(mv);
            }
            for v in board.points() {
                let Some(color) = board.color_at(v) else { continue };
                if board.chain(v) != v {
                    continue;
                }
                let prey = Prey { stone: v, color };
                let mut position = board.clone();
                let (read, expected) = match board.liberty_count(v) {
                    1 => {
                        position.set_to_play(color);
                        (reader.is_doomed(&position, v), is_captured(&position, prey, 30))
                    }
                    2 => {
                        position.set_to_play(!color);
                        (reader.capturing_move(&position, v).is_some(), is_captured(&position, prey, 30))
                    }
                    _ => continue,
                };
                assert_eq!(read, expected, "{color} {v}\n{board}");
                asked += 1;
                captured += expected as usize;
            }
        }
        assert!(asked > 500 && captured > 50 && captured < asked - 50, "{captured} of {asked}");
    }
}
