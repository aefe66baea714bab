//! From a record to a game.

use sgf_parse::{
    SgfProp,
    go::{Point, Prop},
};

use super::{Node, NodeId, Problem, Record, SgfError, info::invalid};
use crate::{board::IllegalMove, color::Color, game::Game, moves::Move, rules::Rules, vertex::Vertex};

impl Record {
    /// The game of the main line, to its end. Superko is not enforced, since servers differ. Where the record does not
    /// name known rules, a suicide is accepted and shows that they allow it. The result is in [`Record::info`], not in
    /// the game.
    pub fn main_line(&self) -> Result<Game, SgfError> {
        self.replay(self.main_nodes())
    }

    /// The game up to a node. Stones set up after moves begin it anew, as [`Game::set_up`] says.
    pub fn game_at(&self, id: NodeId) -> Result<Game, SgfError> {
        self.replay(self.path(id).into_iter())
    }

    fn replay(&self, nodes: impl Iterator<Item = NodeId>) -> Result<Game, SgfError> {
        let root = self.node(self.root());
        if let Some(kind) = root.value("GM").map(str::trim).filter(|kind| *kind != "1") {
            let problem = Problem::NotGo(kind.chars().take(20).collect());
            return Err(SgfError { place: root.place(), problem });
        }
        let (width, height) = self.size()?;
        let info = self.info();
        let mut game = Game::new(width, height, info.rules_and_komi())
            .map_err(|why| SgfError { place: root.place(), problem: Problem::Size(why) })?;
        for id in nodes {
            let node = self.node(id);
            self.set_up(id, info.handicap, &mut game)
                .and_then(|()| play(node, info.rules.is_none(), &mut game))
                .map_err(|problem| SgfError { place: node.place(), problem })?;
        }
        game.set_handicap(info.handicap);
        Ok(game)
    }

    /// Applies `AB`, `AW`, `AE` and `PL`.
    fn set_up(&self, id: NodeId, handicap: usize, game: &mut Game) -> Result<(), Problem> {
        let node = self.node(id);
        let mut edits = Vec::new();
        for property in node.properties() {
            let color = match &*property.identifier {
                "AB" => Some(Color::Black),
                "AW" => Some(Color::White),
                "AE" => None,
                _ => continue,
            };
            let values: Vec<_> =
                property.values.iter().map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()).collect();
            let points = match Prop::new(property.identifier.to_string(), values.clone()) {
                Prop::AB(points) | Prop::AW(points) | Prop::AE(points) => points,
                _ if values.is_empty() => continue,
                _ => return Err(invalid(node, &property.identifier)),
            };
            let mut points: Vec<_> = points.into_iter().map(|Point { x, y }| (y, x)).collect();
            points.sort_unstable();
            for (y, x) in points {
                let v = vertex(game, x as usize, y as usize)
                    .ok_or_else(|| invalid(node, &property.identifier))?;
                edits.push((v, color));
            }
        }
        if !edits.is_empty() {
            game.set_up(&edits).map_err(Problem::SetUp)?;
        }
        let player = match node.value("PL").map(str::trim) {
            Some("B" | "b" | "black" | "Black" | "1") => Some(Color::Black),
            Some("W" | "w" | "white" | "White" | "2") => Some(Color::White),
            Some(_) => return Err(invalid(node, "PL")),
            None if edits.is_empty() => None,
            // Not told: the colour of the next move, and White after handicap stones.
            None => self
                .children(id)
                .next()
                .and_then(|next| self.node(next).properties().iter().find_map(|p| color_of(&p.identifier)))
                .or((id == self.root() && handicap >= 2).then_some(Color::White)),
        };
        if let Some(color) = player {
            game.set_to_play(color);
        }
        Ok(())
    }

    /// The value of a move property.
    pub(super) fn move_value(&self, mv: Move) -> String {
        let height = self.size().map_or(19, |(_, height)| height);
        mv.vertex().map_or_else(String::new, |v| point_value(v, height))
    }
}

/// The letters of a point on a board of this height; off it, nothing sensible.
pub(super) fn point_value(v: Vertex, height: usize) -> String {
    let letter = |n: usize| (b'a' + (n % 26) as u8) as char;
    [letter(v.col()), letter((height + 25 - v.row()) % 26)].iter().collect()
}

fn color_of(identifier: &str) -> Option<Color> {
    match identifier {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// Plays the moves of a node, normally one.
fn play(node: &Node, rules_unknown: bool, game: &mut Game) -> Result<(), Problem> {
    for property in node.properties() {
        let Some(color) = color_of(&property.identifier) else { continue };
        let value = property.values.first().map_or("", |value| value.trim());
        let mv = match *value.as_bytes() {
            // `tt` is a pass on all boards that are not larger than 19x19.
            [] | [b't', b't'] => Move::PASS,
            [x @ b'a'..=b's', y @ b'a'..=b's'] => {
                let v = vertex(game, (x - b'a') as usize, (y - b'a') as usize);
                v.ok_or_else(|| invalid(node, &property.identifier))?.into()
            }
            _ => return Err(invalid(node, &property.identifier)),
        };
        game.set_to_play(color);
        match game.board().check(mv, game.rules().suicide) {
            Ok(()) => {}
            Err(IllegalMove::Suicide) if rules_unknown => {
                game.set_rules(Rules { suicide: true, ..*game.rules() });
            }
            Err(why) => return Err(Problem::Move(color, mv, why)),
        }
        game.play_unchecked(mv);
    }
    Ok(())
}

/// The point in column `x` from the left and row `y` from the top.
fn vertex(game: &Game, x: usize, y: usize) -> Option<Vertex> {
    let (width, height) = (game.board().width(), game.board().height());
    (x < width && y < height).then(|| Vertex::new(x, height - 1 - y))
}
