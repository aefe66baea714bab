//! How well the lead that players report meets the result of finished games, just after the first pass.
//!
//! The figures are printed. Of games whose result is beyond doubt (`tests/records`), 95 in 100 have to be met on each size. The other floors
//! are what was measured, less a margin for the noise of so few games: some of those records end where what is alive is in doubt.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use tengen_board::{Game, Move, Outcome, Reason, sgf};
use tengen_engine::{
    players::{Request, Seat},
    reading::status::dead_stones,
};
use tengen_lab::PlayerSpec;

/// Games that were counted: the position after the first of the last passes, and Black's score.
fn finished(path: &Path, most: usize) -> Vec<(Game, f32)> {
    let bytes = sgf::read_file(path).unwrap();
    let text = sgf::text_of(&bytes).unwrap();
    let counted = sgf::games(&text).filter_map(|record| {
        let record = record.unwrap();
        let Some(Outcome::Win { winner, by: Reason::Points(points) }) = record.info().result else {
            return None;
        };
        let mut game = record.main_line().unwrap();
        while game.passes() > 1 {
            game.undo();
        }
        // On some servers games end by agreement.
        if game.passes() == 0 {
            game.play(Move::PASS);
        }
        Some((game, points * winner.sign() as f32))
    });
    counted.take(most).collect()
}

/// The lead that page, GTP and reviews tell.
fn lead(seat: &mut Seat, game: &Game) -> f32 {
    seat.analyse(game, &Request::playouts(50)).unwrap().unwrap().score
}

/// The share of games in which the error is at most 1.5 points.
fn within(errors: &[f32]) -> f32 {
    errors.iter().filter(|error| error.abs() <= 1.5).count() as f32 / errors.len() as f32
}

#[test]
fn the_final_lead_meets_the_result() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/records");
    // The least shares within 1.5 points: of the lead, of the count.
    let mut files: Vec<(PathBuf, f32, f32)> = vec![
        (own.join("9x9-ended.sgf.gz"), 0.95, 0.9),
        (own.join("13x13-ended.sgf.gz"), 0.95, 0.8),
        (own.join("19x19-ended.sgf.gz"), 0.95, 0.9),
        (own.join("9x9-chinese.sgf.gz"), 0.83, 0.8),
        (own.join("9x9-japanese.sgf.gz"), 0.8, 0.8),
    ];
    match sgf::data_folder() {
        Some(data) => {
            files.extend([(data.join("val9.sgf.gz"), 0.92, 0.9), (data.join("val19.sgf.gz"), 0.9, 0.85)]);
        }
        None => tengen_testing::skipped(
            "the lead at the end of people's games",
            "set $TENGEN_DATA to a folder with them",
        ),
    }
    let mut seat = "default,seed=1,threads=1".parse::<PlayerSpec>().unwrap().build(1).unwrap();
    for (path, least, least_of_count) in files {
        let games = finished(&path, 110);
        let leads: Vec<_> = games.iter().map(|(game, score)| lead(&mut seat, game) - score).collect();
        let counts: Vec<_> =
            games.iter().map(|(game, score)| game.score(&dead_stones(game)) - score).collect();
        let name = path.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: {} games; within 1.5 points: the lead in {:.1}%, the count in {:.1}%",
            games.len(),
            100.0 * within(&leads),
            100.0 * within(&counts)
        );
        assert!(within(&leads) >= least, "{name}: the lead");
        assert!(within(&counts) >= least_of_count, "{name}: the count");
    }
}
