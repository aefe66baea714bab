//! KataGo's input features, version 7: 22 planes and 19 global numbers.
//!
//! | plane | is 1 |
//! |---|---|
//! | 0 | on the board |
//! | 1, 2 | on own stones, the opponent's |
//! | 3, 4, 5 | on stones whose chain has 1, 2, 3 liberties |
//! | 6 | where ko or superko forbids a move |
//! | 7, 8 | (only when territory is settled by playing on) |
//! | 9 to 13 | where the last move was, … the fifth last |
//! | 14, 15, 16 | on stones that are caught in a ladder: now, a move ago, two moves ago |
//! | 17 | where a move catches a chain of the opponent in a ladder |
//! | 18, 19 | on own area, the opponent's, when area is counted: see `area.rs` |
//! | 20, 21 | (only when territory is settled by playing on) |
//!
//! Global: 0 to 4 whether the last five moves were passes; 5 komi as the player sees it, in twenties; 6, 7 the ko rule; 8
//! whether suicide is allowed; 9 whether territory is counted; 10, 11 the tax; 14 whether a pass would end the game; 18 a wave
//! that tells how komi and the parity of the board meet.
//!
//! Where players agree which stones are dead (friendly passes), a pass that would end the game is not shown as one, and neither
//! are the moves before it: the network is to judge the position as it stands. Moves before an end of the game are not shown
//! once play goes on.

use tengen_board::{Board, Color, KoRule, Scoring, Tax, Vertex, VertexMap};

use super::{area, ladder::LadderReader};
use crate::model::history::History;

/// Planes.
pub(crate) const PLANES: usize = 22;
/// Global numbers.
pub(crate) const GLOBALS: usize = 19;
/// Moves that are shown.
const MOVES: usize = 5;
/// Komi is shown up to the area of the board and this much more.
const KOMI_MARGIN: f32 = 20.0;

/// Writes features; it keeps memory for reading ladders.
#[derive(Debug, Default)]
pub(crate) struct FeatureWriter {
    ladders: LadderReader,
    /// Whether unconditional life is what lives even if suicide is allowed, whatever the rules.
    lives_despite_suicide: bool,
}

/// The index of a point: KataGo's rows begin at the top.
pub(crate) fn point(board: &Board, v: Vertex) -> usize {
    v.place_from_top(board.width(), board.height())
}

impl FeatureWriter {
    /// For a network that was trained so; see the field.
    pub(crate) fn new(lives_despite_suicide: bool) -> FeatureWriter {
        FeatureWriter { ladders: LadderReader::default(), lives_despite_suicide }
    }

    /// Writes the planes, `stride` numbers for each point, and the global numbers.
    pub(crate) fn write(
        &mut self,
        history: &History,
        planes: &mut [f32],
        stride: usize,
        globals: &mut [f32],
    ) {
        planes.fill(0.0);
        globals.fill(0.0);
        let board = history.board();
        let me = board.to_play();
        let mut put = |v: Vertex, plane: usize| planes[point(board, v) * stride + plane] = 1.0;
        write_points(history, &mut put);
        write_moves(history, &mut put, globals);
        for (back, plane) in [(0, 14), (1, 15), (2, 16)] {
            // Positions before the first move shown are not looked at: what is known stands in for them.
            let earlier = history.board_before(back.min(shown_moves(history)));
            self.write_ladders(earlier, plane, me, back == 0, &mut put);
        }
        write_area(history, self.lives_despite_suicide, &mut put);
        write_globals(history, globals);
    }

    /// Marks stones that are caught; for the current position also where.
    fn write_ladders(
        &mut self,
        board: &Board,
        plane: usize,
        me: Color,
        moves: bool,
        put: &mut impl FnMut(Vertex, usize),
    ) {
        let mut done = VertexMap::filled(false);
        for v in board.points() {
            let chain = board.chain(v);
            if chain == Vertex::NONE || std::mem::replace(&mut done[chain], true) {
                continue;
            }
            let liberties = board.liberties::<3>(chain);
            let caught = match liberties[..] {
                [_] => self.ladders.is_doomed(board, chain),
                [a, b] => {
                    let mut caught = false;
                    for (at, other) in [(a, b), (b, a)] {
                        if self.ladders.is_captured_by(board, chain, at, other) {
                            caught = true;
                            if moves && board.is_color(v, !me) {
                                put(at, 17);
                            }
                        }
                    }
                    caught
                }
                _ => false,
            };
            if caught {
                board.chain_stones(chain).for_each(|stone| put(stone, plane));
            }
        }
    }
}

/// Whether a pass would end the game and the network may know it.
fn shows_end(history: &History) -> bool {
    let rules = history.rules();
    let is_friendly = rules.friendly_pass && rules.scoring == Scoring::Area;
    history.pass_would_end() && !(is_friendly && history.passes() == 1 && !history.repeats_pass())
}

/// How many of the last moves are shown: those that alternate, beginning with the opponent's.
fn shown_moves(history: &History) -> usize {
    if history.pass_would_end() && !shows_end(history) {
        return 0;
    }
    let mut color = history.board().to_play();
    let alternates = |m: &&tengen_board::PlayedMove| {
        color = !color;
        m.color == color
    };
    history.moves().iter().rev().take(history.turns().min(MOVES)).take_while(alternates).count()
}

fn write_points(history: &History, put: &mut impl FnMut(Vertex, usize)) {
    let board = history.board();
    let me = board.to_play();
    let mut liberties = VertexMap::filled(0u8);
    for v in board.points() {
        put(v, 0);
        let chain = board.chain(v);
        if chain == Vertex::NONE {
            if history.is_ko_banned(v) {
                put(v, 6);
            }
            continue;
        }
        put(v, if board.is_color(v, me) { 1 } else { 2 });
        if liberties[chain] == 0 {
            liberties[chain] = board.liberties::<4>(chain).len() as u8;
        }
        if liberties[chain] < 4 {
            put(v, 2 + liberties[chain] as usize);
        }
    }
}

fn write_moves(history: &History, put: &mut impl FnMut(Vertex, usize), globals: &mut [f32]) {
    for (i, m) in history.moves().iter().rev().take(shown_moves(history)).enumerate() {
        match m.mv.vertex() {
            Some(v) => put(v, 9 + i),
            None => globals[i] = 1.0,
        }
    }
}

fn write_area(history: &History, lives_despite_suicide: bool, put: &mut impl FnMut(Vertex, usize)) {
    let (board, rules) = (history.board(), history.rules());
    if rules.scoring != Scoring::Area {
        return;
    }
    let owners = area::owners(board, rules.suicide || lives_despite_suicide, rules.tax);
    for v in board.points() {
        if let Some(owner) = owners[v] {
            put(v, if owner == board.to_play() { 18 } else { 19 });
        }
    }
}

fn write_globals(history: &History, globals: &mut [f32]) {
    let (board, rules) = (history.board(), history.rules());
    let most = board.area() as f32 + KOMI_MARGIN;
    let komi = (-history.white_bonus_so_far() * board.to_play().sign() as f32).clamp(-most, most);
    globals[5] = komi / 20.0;
    (globals[6], globals[7]) = match rules.ko {
        KoRule::Simple => (0.0, 0.0),
        KoRule::Positional => (1.0, 0.5),
        KoRule::Situational => (1.0, -0.5),
    };
    globals[8] = f32::from(rules.suicide);
    globals[9] = f32::from(rules.scoring == Scoring::Territory);
    globals[10] = f32::from(rules.tax != Tax::None);
    globals[11] = f32::from(rules.tax == Tax::All);
    globals[14] = f32::from(shows_end(history));
    if rules.scoring == Scoring::Area {
        globals[18] = komi_wave(komi, board.area());
    }
}

/// A triangular wave over komi with a period of 2 points: rising through the komi at which the board can be drawn.
fn komi_wave(komi: f32, area: usize) -> f32 {
    let drawable = if area.is_multiple_of(2) { 0.0 } else { 1.0 };
    let above = (komi - drawable).rem_euclid(2.0);
    match above {
        x if x < 0.5 => x,
        x if x < 1.5 => 1.0 - x,
        x => x - 2.0,
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Game, Rules};

    use super::*;

    #[test]
    fn a_network_may_want_life_that_suicide_cannot_end() {
        let corner = "X . O O O . / . O O . O . / O O O O O . / . . . . . . / . . . . . . / X X X X X X";
        let board = Board::from_diagram(corner).unwrap();
        let areas = |suicide, lives_despite_suicide| {
            let rules = Rules { suicide, ..Rules::CHINESE };
            let history = History::new(&Game::from_board(board.clone(), rules));
            let (mut planes, mut globals) = ([0.0; 36 * PLANES], [0.0; GLOBALS]);
            FeatureWriter::new(lives_despite_suicide).write(&history, &mut planes, PLANES, &mut globals);
            planes.chunks(PLANES).map(|point| (point[18], point[19])).collect::<Vec<_>>()
        };
        assert_ne!(areas(false, false), areas(true, false));
        assert_eq!(areas(false, true), areas(true, false));
    }

    #[test]
    fn the_wave_rises_through_drawable_komi() {
        for (komi, area, wave) in [
            (7.0, 81, 0.0),
            (7.5, 81, 0.5),
            (8.0, 81, 0.0),
            (6.5, 81, -0.5),
            (6.0, 70, 0.0),
            (-7.5, 81, -0.5),
        ] {
            assert!(
                (komi_wave(komi, area) - wave).abs() < 1e-6,
                "{komi} on {area}: {}",
                komi_wave(komi, area)
            );
        }
    }
}
