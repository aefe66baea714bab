//! `tengen.Game`.

use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyTuple, PyType},
};
use tengen_board::{
    Board, Color, IllegalMove, Move, Rules, Vertex, area_owners,
    sgf::{self, GameInfo, Record},
    without_chains,
};
use tengen_engine::reading::status;
use tengen_lab::environment::{write_legal, write_stones};
use tengen_nets::planes::{PlaneWriter, Planes, Position};

use crate::{
    arrays::array,
    errors::{IllegalMoveError, value_error},
    points::{index, number, read_move, shown},
    svg,
};

/// Positions that an environment looks back on.
const RECENT: usize = 8;

/// A game of Go: a position with its history and rules.
///
/// Points are written in one of three ways, here for the marked stone of a 5x5 board:
///
///        0 1 2 3 4   column
///     0  . . . . .   5
///     1  . . . # .   4        "D4"        as players write it: A to T without I, row 1 at the bottom
///     2  . . . . .   3        (1, 3)      row and column of the array, row 0 at the top
///     3  . . . . .   2        8           row * columns + column
///     4  . . . . .   1
///   row  A B C D E
///
/// A pass is "pass", or the index after the last point (25 here). Colours are 1 for Black and 2 for White.
///
/// A game is for one thread at a time: what another one asks of it in the middle of a move is a RuntimeError.
///
/// >>> import tengen
/// >>> game = tengen.Game(size=5)
/// >>> game.play("D4")
/// >>> game.play((3, 1))
/// >>> game.board
/// array([[0, 0, 0, 0, 0],
///        [0, 0, 0, 1, 0],
///        [0, 0, 0, 0, 0],
///        [0, 2, 0, 0, 0],
///        [0, 0, 0, 0, 0]], dtype=uint8)
/// >>> game.moves
/// [(1, 'D4'), (2, 'B2')]
#[pyclass(module = "tengen", weakref)]
pub(crate) struct Game {
    pub(crate) inner: tengen_board::Game,
    /// What has stood on each point, once somebody has asked for it: two bits for each of the latest [`RECENT`] positions, the last
    /// one lowest.
    recent: Option<Vec<u16>>,
}

impl From<tengen_board::Game> for Game {
    fn from(inner: tengen_board::Game) -> Game {
        Game { inner, recent: None }
    }
}

/// Rules by their name or in KataGo's form, with another komi if one is given.
pub(crate) fn read_rules(rules: &str, komi: Option<f32>) -> PyResult<Rules> {
    let rules: Rules = rules.parse().map_err(value_error)?;
    rules.try_with_komi(komi.unwrap_or(rules.komi)).map_err(value_error)
}

/// Rows and columns: one number, or two.
pub(crate) fn read_size(size: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
    let wrong = || {
        PyValueError::new_err(format!("size {}: give a number from 2 to 19, or (rows, columns)", shown(size)))
    };
    if let Ok(number) = size.extract::<i64>() {
        let number = usize::try_from(number).map_err(|_| wrong())?;
        return Ok((number, number));
    }
    match size.extract::<Vec<usize>>() {
        Ok(pair) if pair.len() == 2 => Ok((pair[0], pair[1])),
        Ok(_) => Err(wrong()),
        Err(_) => Err(PyTypeError::new_err(wrong().to_string())),
    }
}

/// A name that reads back as the rules, whatever the komi.
pub(crate) fn rules_name(rules: &Rules) -> String {
    rules.name().map_or_else(|| rules.to_compact(), str::to_owned)
}

fn illegal(mv: Move, reason: IllegalMove) -> PyErr {
    IllegalMoveError::new_err(format!("{mv}: {reason}"))
}

/// The stones of a position.
fn stones(board: &Board) -> Vec<u8> {
    let mut stones = vec![0; board.area()];
    write_stones(board, &mut stones);
    stones
}

impl Game {
    fn board_ref(&self) -> &Board {
        self.inner.board()
    }

    fn shape_of(&self) -> [usize; 2] {
        [self.board_ref().height(), self.board_ref().width()]
    }

    fn points_of(&self, points: &Bound<'_, PyAny>) -> PyResult<Vec<Vertex>> {
        let mut found = Vec::new();
        for point in points.try_iter()? {
            let point = point?;
            let v = read_move(self.board_ref(), &point)?.vertex();
            found.push(v.ok_or_else(|| PyValueError::new_err("a pass is not a point"))?);
        }
        Ok(found)
    }

    /// What has stood on each point in the latest [`RECENT`] positions.
    fn recent(&mut self) -> &[u16] {
        let inner = &self.inner;
        self.recent.get_or_insert_with(|| {
            let mut recent = vec![0; inner.board().area()];
            for stones in last_positions(inner, RECENT) {
                add_position(&mut recent, &stones);
            }
            recent
        })
    }

    fn played(&mut self) {
        if let Some(recent) = &mut self.recent {
            add_position(recent, &stones(self.inner.board()));
        }
    }

    fn owners(&self, dead: &[Vertex]) -> Vec<i8> {
        let (board, _) = without_chains(self.board_ref(), dead);
        let owners = area_owners(&board);
        let mut out = vec![0; board.area()];
        for v in board.points() {
            out[index(&board, v.into())] = owners[v].map_or(0, |color| color.sign() as i8);
        }
        out
    }
}

/// Notes a position, the oldest one being forgotten.
fn add_position(recent: &mut [u16], stones: &[u8]) {
    recent.iter_mut().zip(stones).for_each(|(point, stone)| *point = *point << 2 | u16::from(*stone));
}

/// The bits of a byte, the lowest first.
static BITS: [[bool; 8]; 256] = {
    let mut bits = [[false; 8]; 256];
    let mut i = 0;
    while i < 256 * 8 {
        bits[i / 8][i % 8] = (i / 8) >> (i % 8) & 1 != 0;
        i += 1;
    }
    bits
};

/// The stones of the last `count` positions, or of as many as there are, the last one last.
fn last_positions(game: &tengen_board::Game, count: usize) -> Vec<Vec<u8>> {
    let first = (game.moves().len() + 1).saturating_sub(count);
    let mut board = game.start().clone();
    let mut positions = Vec::new();
    for (number, played) in game.moves().iter().enumerate() {
        if number >= first {
            positions.push(stones(&board));
        }
        board.set_to_play(played.color);
        board.play_unchecked(played.mv);
    }
    positions.push(stones(&board));
    positions
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (size=None, rules="chinese", komi=None, handicap=0))]
    fn new(
        size: Option<&Bound<'_, PyAny>>,
        rules: &str,
        komi: Option<f32>,
        handicap: usize,
    ) -> PyResult<Game> {
        let (height, width) = size.map_or(Ok((9, 9)), read_size)?;
        let mut inner =
            tengen_board::Game::new(width, height, read_rules(rules, komi)?).map_err(value_error)?;
        if handicap > 0 {
            inner.place_fixed_handicap(handicap).map_err(value_error)?;
        }
        Ok(inner.into())
    }

    /// A game that starts from a drawn position: `X` Black, `O` White, `.` empty, a line for each row.
    ///
    /// >>> import tengen
    /// >>> tengen.Game.from_diagram(". X . / X O X / . . .").board[1].tolist()
    /// [1, 2, 1]
    #[staticmethod]
    #[pyo3(signature = (diagram, rules="chinese", komi=None, to_play=1))]
    fn from_diagram(diagram: &str, rules: &str, komi: Option<f32>, to_play: u8) -> PyResult<Game> {
        let board = Board::from_diagram(diagram).map_err(value_error)?;
        let mut inner = tengen_board::Game::from_board(board, read_rules(rules, komi)?);
        inner.set_to_play(read_color(to_play)?);
        Ok(inner.into())
    }

    /// The main line of an SGF record, given as text or as bytes.
    ///
    /// >>> import tengen
    /// >>> tengen.Game.from_sgf("(;SZ[5]KM[0.5];B[cc];W[bb])").moves
    /// [(1, 'C3'), (2, 'B4')]
    #[staticmethod]
    fn from_sgf(record: &Bound<'_, PyAny>) -> PyResult<Game> {
        let text = record.extract::<String>().map(String::into_bytes);
        let bytes = match text {
            Ok(bytes) => bytes,
            Err(_) => record
                .cast::<PyBytes>()
                .map_err(|_| PyTypeError::new_err("an SGF record is a str or bytes"))?
                .as_bytes()
                .to_vec(),
        };
        let game = record.py().detach(|| {
            let record = sgf::Record::parse(&bytes)?;
            let mut game = record.main_line()?;
            if !game.is_over() {
                game.set_outcome(record.info().result);
            }
            Ok::<_, sgf::SgfError>(game)
        });
        Ok(game.map_err(value_error)?.into())
    }

    /// The record of the game as SGF.
    ///
    /// >>> import tengen
    /// >>> "PB[Ada]" in tengen.Game(size=5).sgf(black="Ada")
    /// True
    #[pyo3(signature = (black=None, white=None))]
    fn sgf(&self, black: Option<String>, white: Option<String>) -> String {
        let info = GameInfo { black, white, result: self.inner.outcome(), ..GameInfo::default() };
        Record::from_game(&self.inner, &info).to_sgf()
    }

    /// The position: uint8 (rows, columns), 0 empty, 1 black, 2 white. A copy.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, stones(self.board_ref()), &self.shape_of())
    }

    /// Which moves are legal: bool (rows * columns + 1), the pass last.
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).legal.shape
    /// (26,)
    #[getter]
    fn legal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut legal = vec![0; self.board_ref().area() + 1];
        write_legal(&self.inner, &mut legal);
        let length = legal.len();
        array(py, legal.into_iter().map(|legal| legal == 1).collect(), &[length])
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        let [rows, columns] = self.shape_of();
        (rows, columns)
    }

    /// Whose turn it is: 1 black, 2 white.
    #[getter]
    fn to_play(&self) -> u8 {
        number(self.inner.to_play())
    }

    #[setter]
    fn set_to_play(&mut self, color: u8) -> PyResult<()> {
        self.inner.set_to_play(read_color(color)?);
        Ok(())
    }

    /// The moves so far: pairs of a colour and a move such as "E4".
    #[getter]
    fn moves(&self) -> Vec<(u8, String)> {
        self.inner.moves().iter().map(|played| (number(played.color), played.mv.to_string())).collect()
    }

    /// How many moves were played.
    #[getter]
    fn move_number(&self) -> usize {
        self.inner.moves().len()
    }

    /// The last move, such as "E4", or None.
    #[getter]
    fn last_move(&self) -> Option<String> {
        self.inner.last_move().map(|played| played.mv.to_string())
    }

    /// The point that simple ko forbids, such as "E4", or None.
    #[getter]
    fn ko(&self) -> Option<String> {
        Some(self.board_ref().ko()).filter(|&v| v != Vertex::NONE).map(|v| v.to_string())
    }

    /// White's points in advance.
    #[getter]
    fn komi(&self) -> f32 {
        self.inner.rules().komi
    }

    /// The rules, in a form that reads back.
    #[getter]
    fn rules(&self) -> String {
        rules_name(self.inner.rules())
    }

    /// The rules in KataGo's compact form.
    #[getter]
    fn _compact_rules(&self) -> String {
        self.inner.rules().to_compact()
    }

    /// Black's handicap stones.
    #[getter]
    fn handicap(&self) -> usize {
        self.inner.handicap()
    }

    /// Stones captured by Black and by White.
    #[getter]
    fn captures(&self) -> (usize, usize) {
        (self.board_ref().prisoners(Color::White), self.board_ref().prisoners(Color::Black))
    }

    /// Whether both players have passed in a row, or somebody has resigned.
    #[getter]
    fn is_over(&self) -> bool {
        self.inner.is_over()
    }

    /// The result as SGF writes it ("B+3.5", "W+R", "0"), with every stone alive; None before the end.
    #[getter]
    fn result(&self) -> Option<String> {
        self.inner.outcome().map(|outcome| outcome.to_string())
    }

    /// 1 if Black has won, 2 if White has, 0 for a draw; None before the end.
    #[getter]
    fn winner(&self) -> Option<u8> {
        self.inner.outcome().map(|outcome| outcome.winner().map_or(0, number))
    }

    /// Plays a move for the player whose turn it is; IllegalMoveError if the rules forbid it.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> game.play("C3")
    /// >>> game.play("C3")
    /// Traceback (most recent call last):
    ///     ...
    /// tengen.IllegalMoveError: C3: the point is occupied
    fn play(&mut self, py: Python<'_>, move_: &Bound<'_, PyAny>) -> PyResult<()> {
        let mv = read_move(self.board_ref(), move_)?;
        let played = py.detach(|| {
            self.inner.try_play(mv)?;
            self.played();
            Ok::<_, IllegalMove>(())
        });
        played.map_err(|reason| illegal(mv, reason))
    }

    /// Ends the game: the player whose turn it is gives up.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> game.resign()
    /// >>> game.result
    /// 'W+R'
    fn resign(&mut self) {
        let winner = !self.inner.to_play();
        let by = tengen_board::Reason::Resignation;
        self.inner.set_outcome(Some(tengen_board::Outcome::Win { winner, by }));
    }

    /// Whether a move on the board is legal.
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).is_legal((0, 4))
    /// True
    fn is_legal(&self, move_: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.inner.check(read_move(self.board_ref(), move_)?).is_ok())
    }

    /// Takes back the last move; False if there is none.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> game.play("C3")
    /// >>> game.undo(), game.undo()
    /// (True, False)
    fn undo(&mut self) -> bool {
        self.recent = None;
        self.inner.undo()
    }

    /// Black's points minus White's, komi included, without the dead stones: points, of which one a chain is enough, or
    /// "playouts" to let random games find them.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game.from_diagram(". X . O / . X . O / . X . O / . X . O", komi=0.5)
    /// >>> game.score(), game.score(dead=("D1",))
    /// (3.5, 15.5)
    #[pyo3(signature = (dead=None))]
    fn score(&self, dead: Option<&Bound<'_, PyAny>>) -> PyResult<f32> {
        Ok(self.inner.score(&self.dead(dead)?))
    }

    /// Whose each point is: int8 (rows, columns), 1 black, -1 white, 0 neither. See score for the dead stones.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game.from_diagram(". X . O / . X . O / . X . O / . X . O")
    /// >>> game.ownership()[0].tolist()
    /// [1, 1, 0, -1]
    #[pyo3(signature = (dead=None))]
    fn ownership<'py>(
        &self,
        py: Python<'py>,
        dead: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.owners(&self.dead(dead)?), &self.shape_of())
    }

    /// The stones that random games find dead, such as "C3" and "C4".
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).dead_stones()
    /// []
    fn dead_stones(&self, py: Python<'_>) -> Vec<String> {
        let dead = py.detach(|| status::dead_stones(&self.inner));
        dead.iter().map(ToString::to_string).collect()
    }

    /// The last positions: uint8 (length, rows, columns), the latest first, empty boards before the beginning.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> game.play("C3")
    /// >>> game.history(3).sum(axis=(1, 2)).tolist()
    /// [1, 0, 0]
    #[pyo3(signature = (length=8))]
    fn history<'py>(&mut self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyAny>> {
        const LONGEST: usize = 10_000;
        if length > LONGEST {
            return Err(PyValueError::new_err(format!("length {length}: at most {LONGEST} positions")));
        }
        let [rows, columns] = self.shape_of();
        let mut out = vec![0; length * rows * columns];
        let places = out.chunks_exact_mut(rows * columns);
        if length <= RECENT {
            let recent = self.recent();
            for (ago, place) in places.enumerate() {
                let stones = recent.iter().map(|point| (point >> (2 * ago) & 3) as u8);
                place.iter_mut().zip(stones).for_each(|(cell, stone)| *cell = stone);
            }
        } else {
            let positions = last_positions(&self.inner, length);
            places.zip(positions.iter().rev()).for_each(|(place, stones)| place.copy_from_slice(stones));
        }
        array(py, out, &[length, rows, columns])
    }

    /// What a player sees, as PettingZoo's go_v5 lays it out: bool (rows, columns, 17). Planes 2k and 2k + 1 are the stones
    /// of `color` and of the opponent k moves ago, the last plane is True for Black.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> game.play("A5")
    /// >>> seen = game.observation(tengen.WHITE)
    /// >>> seen.shape, bool(seen[0, 0, 1]), bool(seen[0, 0, 16])
    /// ((5, 5, 17), True, False)
    fn observation<'py>(&mut self, py: Python<'py>, color: u8) -> PyResult<Bound<'py, PyAny>> {
        let own = number(read_color(color)?);
        let [rows, columns] = self.shape_of();
        let depth = 2 * RECENT + 1;
        let mut out = vec![own == 1; rows * columns * depth];
        for (planes, &point) in out.chunks_exact_mut(depth).zip(self.recent()) {
            // Black's stones are the lower bits.
            let seen = if own == 1 { point } else { (point & 0x5555) << 1 | point >> 1 & 0x5555 };
            let [latest, earlier] = seen.to_le_bytes();
            planes[..8].copy_from_slice(&BITS[usize::from(latest)]);
            planes[8..16].copy_from_slice(&BITS[usize::from(earlier)]);
        }
        array(py, out, &[rows, columns, depth])
    }

    /// The observation of a player, and its legal moves as int8: none if it is not its turn.
    fn _observe<'py>(
        &mut self,
        py: Python<'py>,
        color: u8,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let seen = self.observation(py, color)?;
        let mut legal = vec![0_u8; self.board_ref().area() + 1];
        if color == self.to_play() {
            py.detach(|| write_legal(&self.inner, &mut legal));
        }
        let length = legal.len();
        Ok((seen, array(py, legal.into_iter().map(|legal| legal as i8).collect(), &[length])?))
    }

    /// Whether the game is over, the number of moves, the last one, and the score with every stone alive.
    fn _told(&self, py: Python<'_>) -> (bool, usize, Option<String>, f32) {
        let score = py.detach(|| self.inner.score(&[]));
        (self.is_over(), self.move_number(), self.last_move(), score)
    }

    /// The position as a network sees it: float32 (planes, rows, columns). "holmes" are the 44 planes of Jin and Keutzer,
    /// "tengen" those with komi and ladders, "reduced" ten for rollouts.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=9)
    /// >>> game.planes().shape, game.planes("tengen").shape, game.planes("reduced").shape
    /// ((44, 9, 9), (48, 9, 9), (10, 9, 9))
    #[pyo3(signature = (kind="holmes"))]
    fn planes<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        let planes = read_planes(kind)?;
        let numbers = py.detach(|| plane_numbers(&self.inner, planes));
        let [rows, columns] = self.shape_of();
        array(py, numbers, &[planes.count(), rows, columns])
    }

    /// Row and column of a point.
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).point("D4")
    /// (1, 3)
    fn point(&self, move_: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
        let (board, mv) = (self.board_ref(), read_move(self.board_ref(), move_)?);
        let v = mv.vertex().ok_or_else(|| PyValueError::new_err("a pass is not a point"))?;
        Ok((board.height() - 1 - v.row(), v.col()))
    }

    /// The flat index of a move.
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).index("D4"), tengen.Game(size=5).index("pass")
    /// (8, 25)
    fn index(&self, move_: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(index(self.board_ref(), read_move(self.board_ref(), move_)?))
    }

    /// A move as players write it, such as "E4" or "pass".
    ///
    /// >>> import tengen
    /// >>> tengen.Game(size=5).name(8), tengen.Game(size=5).name((4, 0))
    /// ('D4', 'A1')
    fn name(&self, move_: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(read_move(self.board_ref(), move_)?.to_string())
    }

    /// A game of its own that goes on from here.
    ///
    /// >>> import tengen
    /// >>> game = tengen.Game(size=5)
    /// >>> other = game.copy()
    /// >>> other.play("C3")
    /// >>> game.move_number
    /// 0
    fn copy(&self) -> Game {
        Game { inner: self.inner.clone(), recent: self.recent.clone() }
    }

    fn __copy__(&self) -> Game {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.copy()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Game>() else { return Ok(false) };
        let other = other.try_borrow()?;
        let (a, b) = (&self.inner, &other.inner);
        Ok(a.rules() == b.rules()
            && a.start().to_string() == b.start().to_string()
            && a.handicap() == b.handicap()
            && (a.moves(), a.to_play(), a.outcome()) == (b.moves(), b.to_play(), b.outcome()))
    }

    fn __str__(&self) -> String {
        self.board_ref().draw(self.inner.last_move().map_or(Move::PASS, |played| played.mv))
    }

    fn __repr__(&self) -> String {
        let [rows, columns] = self.shape_of();
        let size = if rows == columns { rows.to_string() } else { format!("({rows}, {columns})") };
        let (rules, komi, moves) = (self.rules(), self.komi(), self.move_number());
        format!("<Game size={size} rules='{rules}' komi={komi} moves={moves}>")
    }

    /// The position as a picture, which notebooks show.
    fn _repr_svg_(&self) -> String {
        let last = self.inner.last_move().map_or(Move::PASS, |played| played.mv);
        svg::draw(self.board_ref(), last, &svg::Overlay::default())
    }

    /// A pickle holds the rules, the position at the beginning and the moves.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let game = slf.try_borrow()?;
        let (py, start) = (slf.py(), game.inner.start());
        let state = (
            game.inner.rules().to_compact(),
            game.komi(),
            game.shape(),
            PyBytes::new(py, &stones(start)),
            number(start.to_play()),
            game.handicap(),
            game.moves(),
            game.to_play(),
            game.inner.outcome().filter(|_| game.inner.passes() < 2).map(|outcome| outcome.to_string()),
        );
        let restore = slf.get_type().getattr("_restore")?;
        Ok((restore, state.into_pyobject(py)?))
    }

    #[classmethod]
    #[pyo3(signature = (*state))]
    fn _restore(_class: &Bound<'_, PyType>, state: &Bound<'_, PyTuple>) -> PyResult<Game> {
        type State = (String, f32, (usize, usize), Vec<u8>, u8, usize, Vec<(u8, String)>, u8, Option<String>);
        let (rules, komi, (rows, columns), start, first, handicap, moves, to_play, outcome): State =
            state.extract()?;
        let mut board = Board::try_new(columns, rows).map_err(value_error)?;
        if start.len() != board.area() {
            return Err(value_error("the position at the beginning has another size"));
        }
        let mut set_up = Vec::new();
        for (action, &stone) in start.iter().enumerate().filter(|(_, stone)| **stone != 0) {
            let v = Vertex::new(action % columns, rows - 1 - action / columns);
            set_up.push((v, read_color(stone)?));
        }
        let without_liberty = |v: Vertex| value_error(format!("{v} has no liberty"));
        board.set_up(&set_up).map_err(without_liberty)?;
        board.set_to_play(read_color(first)?);
        let mut inner = tengen_board::Game::from_board(board, read_rules(&rules, Some(komi))?);
        inner.set_handicap(handicap);
        for (color, mv) in moves {
            let mv: Move = mv.parse().map_err(value_error)?;
            inner.try_play_as(read_color(color)?, mv).map_err(|reason| illegal(mv, reason))?;
        }
        inner.set_to_play(read_color(to_play)?);
        inner.set_outcome(outcome.map(|text| text.parse()).transpose().map_err(value_error)?);
        Ok(inner.into())
    }
}

impl Game {
    fn dead(&self, dead: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Vertex>> {
        let Some(dead) = dead else { return Ok(Vec::new()) };
        match dead.extract::<&str>() {
            Ok("playouts") => Ok(dead.py().detach(|| status::dead_stones(&self.inner))),
            Ok(other) => Err(PyValueError::new_err(format!(
                "dead stones {other:?}: give a list of points, or \"playouts\""
            ))),
            Err(_) => self.points_of(dead),
        }
    }
}

/// A colour: 1 black, 2 white.
pub(crate) fn read_color(color: u8) -> PyResult<Color> {
    match color {
        1 => Ok(Color::Black),
        2 => Ok(Color::White),
        _ => Err(PyValueError::new_err(format!("colour {color}: 1 is black, 2 is white"))),
    }
}

/// Planes by their name.
pub(crate) fn read_planes(kind: &str) -> PyResult<Planes> {
    match kind {
        "holmes" => Ok(Planes::Holmes),
        "tengen" => Ok(Planes::Tengen),
        "reduced" => Ok(Planes::Reduced),
        _ => Err(PyValueError::new_err(format!(
            "planes {kind:?}: choose \"holmes\", \"tengen\" or \"reduced\""
        ))),
    }
}

/// The name of planes.
pub(crate) fn planes_name(planes: Planes) -> &'static str {
    match planes {
        Planes::Holmes => "holmes",
        Planes::Tengen => "tengen",
        Planes::Reduced => "reduced",
    }
}

/// The planes of a position, each in the order of the board array.
pub(crate) fn plane_numbers(game: &tengen_board::Game, planes: Planes) -> Vec<f32> {
    let (board, count) = (game.board(), planes.count());
    let moves: Vec<Move> = game.moves().iter().map(|played| played.mv).collect();
    let mut by_point = vec![0.0; board.area() * count];
    let bonus = game.rules().handicap_bonus.points(game.compensated_handicap());
    let position = Position { board, moves: &moves, komi: game.rules().komi + bonus as f32, rank: None };
    PlaneWriter::new().write(planes, &position, &mut by_point, count);
    let mut out = vec![0.0; by_point.len()];
    for (v, numbers) in board.points().zip(by_point.chunks_exact(count)) {
        let place = index(board, v.into());
        numbers.iter().enumerate().for_each(|(plane, number)| out[plane * board.area() + place] = *number);
    }
    out
}
