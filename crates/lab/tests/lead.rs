//! How well the lead meets the result of finished games: that of the network that ships, and the count.
//!
//! The figures are printed. The floors are what was measured, less a margin for the noise of so few games: our own records end
//! where weak players passed, and what is alive there is in doubt.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use tengen_board::{Game, Outcome, Reason, sgf};
use tengen_engine::{players::Seat, reading::status::dead_stones};
use tengen_lab::PlayerSpec;

/// Games that were counted: the position before the last passes, and Black's score.
fn finished(path: &Path, most: usize) -> Vec<(Game, f32)> {
    let bytes = sgf::read_file(path).unwrap();
    let text = sgf::text_of(&bytes).unwrap();
    let counted = sgf::games(&text).filter_map(|record| {
        let record = record.unwrap();
        let Some(Outcome::Win { winner, by: Reason::Points(points) }) = record.info().result else {
            return None;
        };
        let mut game = record.main_line().unwrap();
        while game.last_move().is_some_and(|m| m.mv.is_pass()) {
            game.undo();
        }
        Some((game, points * winner.sign() as f32))
    });
    counted.take(most).collect()
}

/// The network's lead, seen in four symmetries.
fn lead(seat: &mut Seat, game: &Game) -> f32 {
    [0, 3, 5, 6]
        .iter()
        .map(|&symmetry| seat.raw_evaluation(game, symmetry).unwrap().unwrap().lead / 4.0)
        .sum()
}

/// The share of games in which the error is at most 1.5 points.
fn within(errors: &[f32]) -> f32 {
    errors.iter().filter(|error| error.abs() <= 1.5).count() as f32 / errors.len() as f32
}

#[test]
fn the_final_lead_meets_the_result() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/records");
    // The least shares within 1.5 points: of the network, of the count.
    let mut files: Vec<(PathBuf, f32, f32)> =
        vec![(own.join("9x9-chinese.sgf.gz"), 0.7, 0.8), (own.join("9x9-japanese.sgf.gz"), 0.75, 0.8)];
    match sgf::data_folder() {
        Some(data) => {
            files.extend([(data.join("val9.sgf.gz"), 0.9, 0.9), (data.join("val19.sgf.gz"), 0.5, 0.85)]);
        }
        None => tengen_testing::skipped(
            "the lead at the end of people's games",
            "set $TENGEN_DATA to a folder with them",
        ),
    }
    let mut seat = "zero,net=distilled,seed=1".parse::<PlayerSpec>().unwrap().build(1).unwrap();
    for (path, network, count) in files {
        let games = finished(&path, 60);
        let leads: Vec<_> = games.iter().map(|(game, score)| lead(&mut seat, game) - score).collect();
        let counts: Vec<_> =
            games.iter().map(|(game, score)| game.score(&dead_stones(game)) - score).collect();
        let name = path.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: {} games; within 1.5 points: the network in {:.1}%, the count in {:.1}%",
            games.len(),
            100.0 * within(&leads),
            100.0 * within(&counts)
        );
        assert!(within(&leads) >= network, "{name}: the network");
        assert!(within(&counts) >= count, "{name}: the count");
    }
}
