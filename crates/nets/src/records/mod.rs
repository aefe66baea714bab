//! Games with what was thought about each position: self-play records (S5.4), and the answers of a teacher.
//!
//! An `.npz` file has games on boards of one size, every position of a game in order, so that numpy reads it in a line. With N
//! positions of G games on boards of H rows and W columns, row 0 being the top one:
//!
//! | array | shape | type | |
//! |---|---|---|---|
//! | `format` | () | uint8 | 1 |
//! | `boards` | (N, H, W) | uint8 | 0 empty, 1 black, 2 white: what the player saw |
//! | `moves` | (N,) | int16 | what was played: row · W + column, H · W for a pass |
//! | `colors` | (N,) | uint8 | who played: 1 black, 2 white |
//! | `rewards` | (N,) | int8 | 1 if Black won the game, −1 if White did, 0 if nobody did or the game was not finished |
//! | `weights` | (N,) | float32 | how much the position counts; 0 where nothing is to be learned from it |
//! | `policies` | (N, H · W + 1) | float16 | shares of the moves, by the search or the teacher; zeros where the weight is 0 |
//! | `values` | (N,) | float32 | expected reward, from −1 to 1, by the search or the teacher: Black's |
//! | `score` | (N,) | float32 | Black's lead in points, komi included |
//! | `ownership` | (N, H, W) | float16 | whose each point will be, from −1 (White's) to 1 (Black's) |
//! | `net_policies` | (N, H · W + 1) | float16 | the network's own shares, before any search; only if they were kept |
//! | `net_values` | (N,) | float32 | the network's own value; only with `net_policies` |
//! | `game_ids` | (N,) | uint32 | number of the game, from 0 to G − 1 |
//! | `komi` | (G,) | float32 | White's points in advance |
//! | `rules` | (G,) | bytes, up to 64 | in KataGo's compact form |
//! | `setup` | (G, H, W) | uint8 | the position before the first move |
//! | `net_hash` | (G,) | bytes, up to 64 | the network that played or taught |
//! | `behaviour` | (G,) | bytes, up to 64 | the player: its bench signature, or what it did |

mod npy;

use std::path::Path;

use half::f16;
use tengen_board::{Board, Color, Move, Rules, Vertex};
use tengen_engine::whole_file::write_whole;

use crate::{error::NetError, model::file::read_bytes};
use npy::{Reader, Text, Writer};

/// The version of the format.
const FORMAT: u8 = 1;

/// Games on boards of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// The boards' width.
    pub width: usize,
    /// The boards' height.
    pub height: usize,
    /// The games.
    pub games: Vec<RecordedGame>,
}

/// One game.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedGame {
    /// The rules and komi.
    pub rules: Rules,
    /// Stones before the first move.
    pub setup: Vec<(Vertex, Color)>,
    /// 1 if Black won, −1 if White did, 0 if nobody did or the game was not finished.
    pub reward: i8,
    /// The network that played or taught.
    pub net_hash: String,
    /// The player: its bench signature, or what it did.
    pub behaviour: String,
    /// The positions with the moves that followed.
    pub positions: Vec<RecordedPosition>,
}

/// A position of a game: what was thought, and what was played.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPosition {
    /// Whose turn it was.
    pub color: Color,
    /// What was played.
    pub mv: Move,
    /// How much it counts in learning; 0 if there are no opinions.
    pub weight: f32,
    /// What the search or the teacher said.
    pub opinion: Option<Opinion>,
    /// The network's own policy and value before any search, if they were kept.
    pub network: Option<(Shares, f32)>,
}

/// What is thought of a position. Values are Black's.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// Shares of the moves.
    pub policy: Shares,
    /// Expected reward, from −1 to 1.
    pub value: f32,
    /// The lead in points, komi included.
    pub score: f32,
    /// Each point's owner in the order of [`Board::points`], in steps of 1/127; empty if nobody said.
    pub ownership: Box<[i8]>,
}

/// Shares of moves: an index in the order of [`Board::points`], the area for a pass, and its share. What is not listed has none.
pub type Shares = Box<[(u16, f16)]>;

/// Shares below this are left out.
const LEAST_SHARE: f32 = 1e-4;

/// The shares of moves that are worth keeping, in the order of [`Board::points`] with the pass last.
pub fn shares(of_moves: impl Iterator<Item = f32>) -> Shares {
    let worth = of_moves.enumerate().filter(|(_, share)| *share >= LEAST_SHARE);
    worth.map(|(i, share)| (i as u16, f16::from_f32(share))).collect()
}

impl Records {
    fn area(&self) -> usize {
        self.width * self.height
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.games.iter().map(|game| game.positions.len()).sum()
    }

    /// The index in a file of a point in the order of [`Board::points`], or of the pass.
    fn file_index(&self, index: usize) -> usize {
        match index {
            pass if pass == self.area() => pass,
            point => {
                Vertex::new(point % self.width, point / self.width).place_from_top(self.width, self.height)
            }
        }
    }

    /// Writes a file, completely or not at all.
    pub fn save(&self, path: &Path) -> Result<(), NetError> {
        let bytes = self.to_bytes().map_err(NetError::io("cannot write", path))?;
        write_whole(path, bytes).map_err(NetError::io("cannot write", path))
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Records, NetError> {
        let bytes = read_bytes(path)?;
        Records::from_bytes(&bytes).map_err(|message| NetError::Data { path: path.to_owned(), message })
    }

    fn all(&self) -> impl Iterator<Item = &RecordedPosition> {
        self.games.iter().flat_map(|game| &game.positions)
    }

    /// Stones as a file shows them, from the top row down.
    fn picture(&self, stone: impl Fn(Vertex) -> Option<Color>) -> impl Iterator<Item = u8> {
        let mut rows = Vec::with_capacity(self.area());
        for row in (0..self.height).rev() {
            for col in 0..self.width {
                rows.push(stone(Vertex::new(col, row)).map_or(0, code));
            }
        }
        rows.into_iter()
    }

    /// Shares as a file shows them.
    fn row(&self, shares: Option<&Shares>) -> Vec<f16> {
        let mut row = vec![f16::ZERO; self.area() + 1];
        for &(index, share) in shares.into_iter().flatten() {
            row[self.file_index(index as usize)] = share;
        }
        row
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let (n, area, g) = (self.positions(), self.area(), self.games.len());
        let (rows, columns) = (self.height, self.width);
        let mut boards = Vec::with_capacity(n * area);
        for game in &self.games {
            let mut board = Board::new(columns, rows);
            board.set_up(&game.setup).expect("a game begins with a legal position");
            for position in &game.positions {
                boards.extend(self.picture(|v| board.color_at(v)));
                board.set_to_play(position.color);
                board.play_unchecked(position.mv);
            }
        }
        let opinions = || self.all().map(|position| position.opinion.as_ref());
        let mut file = Writer::new();
        file.array("format", &[], std::iter::once(FORMAT))?;
        file.array("boards", &[n, rows, columns], boards.into_iter())?;
        let index = |mv: Move| mv.vertex().map_or(area, |v| v.place_from_top(columns, rows));
        file.array("moves", &[n], self.all().map(|p| index(p.mv) as i16))?;
        file.array("colors", &[n], self.all().map(|p| code(p.color)))?;
        let rewards = self.games.iter().flat_map(|game| game.positions.iter().map(|_| game.reward));
        file.array("rewards", &[n], rewards)?;
        file.array("weights", &[n], self.all().map(|p| p.weight))?;
        file.array("policies", &[n, area + 1], opinions().flat_map(|o| self.row(o.map(|o| &o.policy))))?;
        file.array("values", &[n], opinions().map(|o| o.map_or(0.0, |o| o.value)))?;
        file.array("score", &[n], opinions().map(|o| o.map_or(0.0, |o| o.score)))?;
        let owners = opinions().flat_map(|opinion| {
            let mut row = vec![f16::ZERO; area];
            for (point, &owner) in opinion.iter().flat_map(|o| o.ownership.iter()).enumerate() {
                row[self.file_index(point)] = f16::from_f32(f32::from(owner) / 127.0);
            }
            row
        });
        file.array("ownership", &[n, rows, columns], owners)?;
        if self.all().any(|position| position.network.is_some()) {
            let policies = self.all().flat_map(|p| self.row(p.network.as_ref().map(|n| &n.0)));
            file.array("net_policies", &[n, area + 1], policies)?;
            file.array("net_values", &[n], self.all().map(|p| p.network.as_ref().map_or(0.0, |n| n.1)))?;
        }
        let ids = self
            .games
            .iter()
            .enumerate()
            .flat_map(|(id, game)| game.positions.iter().map(move |_| id as u32));
        file.array("game_ids", &[n], ids)?;
        file.array("komi", &[g], self.games.iter().map(|game| game.rules.komi))?;
        file.array("rules", &[g], self.games.iter().map(|game| Text(game.rules.to_compact())))?;
        let setups = self.games.iter().flat_map(|game| {
            self.picture(|v| game.setup.iter().find(|(at, _)| *at == v).map(|(_, color)| *color))
        });
        file.array("setup", &[g, rows, columns], setups)?;
        file.array("net_hash", &[g], self.games.iter().map(|game| Text(game.net_hash.clone())))?;
        file.array("behaviour", &[g], self.games.iter().map(|game| Text(game.behaviour.clone())))?;
        file.finish()
    }

    /// Reads what [`Records::save`] wrote, or says what is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Records, String> {
        let mut file = Reader::new(bytes)?;
        let (_, format) = file.array::<u8>("format")?;
        if format != [FORMAT] {
            return Err(format!("records of format {format:?}: this program reads {FORMAT}"));
        }
        let (shape, setups) = file.array::<u8>("setup")?;
        let [count, height, width] = shape[..] else { return Err(format!("setup has the shape {shape:?}")) };
        if Board::try_new(width, height).is_err() {
            return Err(format!("boards of {width}x{height} points: sizes from 2x2 to 19x19 are supported"));
        }
        let mut records = Records { width, height, games: Vec::new() };
        let area = records.area();
        let mut column = Column { file: &mut file, n: count };
        let komi = column.read::<f32>("komi", 1)?;
        let rules = column.read::<Text>("rules", 1)?;
        let hashes = column.read::<Text>("net_hash", 1)?;
        let behaviours = column.read::<Text>("behaviour", 1)?;
        for id in 0..count {
            let rules: Rules = rules[id].0.parse().map_err(|error| format!("game {id}: {error}"))?;
            let rules = rules.try_with_komi(komi[id]).map_err(|error| format!("game {id}: {error}"))?;
            let stones = (0..area).filter_map(|i| Some((i, color(setups[id * area + i])?)));
            let setup = stones.map(|(i, color)| (vertex(i, width, height), color)).collect();
            records.games.push(RecordedGame {
                rules,
                setup,
                reward: 0,
                net_hash: hashes[id].0.clone(),
                behaviour: behaviours[id].0.clone(),
                positions: Vec::new(),
            });
        }
        records.read_positions(&mut file)?;
        records.check()?;
        Ok(records)
    }

    fn read_positions(&mut self, file: &mut Reader<'_>) -> Result<(), String> {
        let area = self.area();
        let (_, moves) = file.array::<i16>("moves")?;
        let mut column = Column { file, n: moves.len() };
        let colors = column.read::<u8>("colors", 1)?;
        let rewards = column.read::<i8>("rewards", 1)?;
        let weights = column.read::<f32>("weights", 1)?;
        let policies = column.read::<f16>("policies", area + 1)?;
        let values = column.read::<f32>("values", 1)?;
        let scores = column.read::<f32>("score", 1)?;
        let owners = column.read::<f16>("ownership", area)?;
        let ids = column.read::<u32>("game_ids", 1)?;
        let own = if column.file.has("net_policies") {
            Some((column.read::<f16>("net_policies", area + 1)?, column.read::<f32>("net_values", 1)?))
        } else {
            None
        };
        for i in 0..moves.len() {
            let wrong = |what: &str| format!("position {i}: {what}");
            let color = color(colors[i]).ok_or_else(|| wrong("not a color"))?;
            let mv = match usize::try_from(moves[i]) {
                Ok(index) if index < area => Move::from(vertex(index, self.width, self.height)),
                Ok(index) if index == area => Move::PASS,
                _ => return Err(wrong("not a move")),
            };
            let (weight, value, score) = (weights[i], values[i], scores[i]);
            if !(weight.is_finite() && weight >= 0.0 && value.abs() <= 1.0 && score.abs() <= 1e4) {
                return Err(wrong("a weight, value or score that is out of range"));
            }
            let row = |policies: &[f16]| {
                let shares = self.read_shares(&policies[i * (area + 1)..][..=area]);
                shares.ok_or_else(|| wrong("shares of moves that are out of range"))
            };
            let opinion = if weight > 0.0 {
                let of = |p: usize| owners[i * area + self.file_index(p)].to_f32().clamp(-1.0, 1.0);
                let mut ownership: Box<[i8]> = (0..area).map(|p| (of(p) * 127.0).round() as i8).collect();
                // A board without any owner is one that nobody said anything about.
                if ownership.iter().all(|owner| *owner == 0) {
                    ownership = Box::default();
                }
                Some(Opinion { policy: row(&policies)?, value, score, ownership })
            } else {
                None
            };
            let network = match &own {
                Some((policies, values)) => Some((row(policies)?, values[i])),
                None => None,
            };
            let game = self.games.get_mut(ids[i] as usize).ok_or_else(|| wrong("no such game"))?;
            game.reward = rewards[i].signum();
            game.positions.push(RecordedPosition { color, mv, weight, opinion, network });
        }
        Ok(())
    }

    /// Shares as a file shows them; none if one is out of range.
    fn read_shares(&self, row: &[f16]) -> Option<Shares> {
        let share = |index: usize| row[self.file_index(index)];
        let in_range = row.iter().all(|share| (0.0..=1.001).contains(&share.to_f32()));
        let listed = (0..row.len()).filter(|&index| share(index) > f16::ZERO);
        in_range.then(|| listed.map(|index| (index as u16, share(index))).collect())
    }

    /// Whether every game can be replayed.
    fn check(&self) -> Result<(), String> {
        for (number, game) in self.games.iter().enumerate() {
            let mut board = Board::new(self.width, self.height);
            if board.set_up(&game.setup).is_err() {
                return Err(format!("game {number} begins with a stone without liberties"));
            }
            for (at, position) in game.positions.iter().enumerate() {
                board.set_to_play(position.color);
                let wrong = |error| format!("move {} of game {number}, {}: {error}", at + 1, position.mv);
                // The rules may forbid more (superko); the board only has to stay a board.
                board.check(position.mv, true).or_else(|error| match error {
                    tengen_board::IllegalMove::Ko => Ok(()),
                    error => Err(wrong(error)),
                })?;
                board.play_unchecked(position.mv);
            }
        }
        Ok(())
    }
}

/// Reads arrays with so many rows.
struct Column<'a, 'b> {
    file: &'a mut Reader<'b>,
    n: usize,
}

impl Column<'_, '_> {
    fn read<T: npy::Element>(&mut self, name: &str, row: usize) -> Result<Vec<T>, String> {
        let (shape, data) = self.file.array::<T>(name)?;
        let expected = self.n.checked_mul(row);
        if shape.first() != Some(&self.n) || expected != Some(data.len()) {
            return Err(format!(
                "the array {name} has the shape {shape:?} instead of {} rows of {row}",
                self.n
            ));
        }
        Ok(data)
    }
}

fn code(color: Color) -> u8 {
    1 + color.index() as u8
}

fn color(code: u8) -> Option<Color> {
    match code {
        1 => Some(Color::Black),
        2 => Some(Color::White),
        _ => None,
    }
}

/// The point with this index in a file.
fn vertex(index: usize, width: usize, height: usize) -> Vertex {
    Vertex::from_top(index, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> RecordedGame {
        let opinion = |point: u16, value| Opinion {
            policy: shares((0..13).map(|i| {
                if i == point {
                    0.75
                } else if i == 12 {
                    0.25
                } else {
                    0.0
                }
            })),
            value,
            score: 3.5,
            ownership: (0..12).map(|i| if i < 6 { 127 } else { -127 }).collect(),
        };
        let position = |color, mv: &str, weight, opinion| RecordedPosition {
            color,
            mv: mv.parse().unwrap(),
            weight,
            opinion,
            network: None,
        };
        RecordedGame {
            rules: Rules::CHINESE.with_komi(5.5),
            setup: vec![("A1".parse().unwrap(), Color::Black)],
            reward: -1,
            net_hash: "abc".to_owned(),
            behaviour: "teacher".to_owned(),
            positions: vec![
                position(Color::White, "B2", 0.0, None),
                position(Color::Black, "D3", 1.0, Some(opinion(11, 0.5))),
                position(Color::White, "pass", 1.0, Some(opinion(2, -1.0))),
            ],
        }
    }

    #[test]
    fn records_survive_a_round_trip_and_lies_are_refused() {
        let records = Records { width: 4, height: 3, games: vec![game(), game()] };
        let bytes = records.to_bytes().unwrap();
        assert_eq!(Records::from_bytes(&bytes).unwrap(), records);
        assert_eq!(records.to_bytes().unwrap(), bytes, "equal records make equal files");
        for length in [0, 10, 500, bytes.len() / 2, bytes.len() - 10] {
            assert!(Records::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        let mut illegal = records.clone();
        illegal.games[0].positions[1].mv = "B2".parse().unwrap();
        let error = illegal.check().unwrap_err();
        assert!(error.contains("move 2 of game 0, B2"), "{error}");
    }
}
