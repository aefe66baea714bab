#![doc = include_str!("../README.md")]

mod benson;
mod board;
pub mod bounded;
mod color;
mod diagram;
mod game;
mod handicap;
mod moves;
mod outcome;
mod past;
mod perft;
mod rule_strings;
mod rules;
mod score;
pub mod sgf;
mod splitmix;
mod symmetry;
mod vertex;
pub mod zobrist;

pub use benson::{UnconditionalLife, unconditional_life};
pub use board::{Board, IllegalMove, InvalidSize, Liberties, MIN_SIZE, OtherLiberties};
pub use color::{Color, ColorMap, ParseColorError};
pub use diagram::ParseDiagramError;
pub use game::{Game, PlayedMove};
pub use handicap::{HandicapError, handicap_points};
pub use moves::Move;
pub use outcome::{Outcome, ParseOutcomeError, Reason};
pub use perft::{legal_positions, perft};
pub use rule_strings::ParseRulesError;
pub use rules::{HandicapBonus, InvalidKomi, KoRule, MAX_KOMI, Rules, Scoring, Tax};
pub use score::{
    Count, area_owners, area_score, count, final_score, groups, playout_score, seki_groups, without_chains,
};
pub use splitmix::splitmix;
pub use symmetry::Symmetry;
pub use vertex::{CELLS, MAX_AREA, MAX_SIZE, ParseVertexError, Vertex, VertexMap, column_letter};
