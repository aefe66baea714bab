//! Scores of finished games, as tengen, GNU Go and the record itself have them: of our own games, and of people's games where
//! `$TENGEN_DATA` has them. In ours the result is GNU Go's, in theirs what the players agreed on.
//!
//! `TENGEN_SCORE_GAMES=100` compares more games than the few that fit into a test run; `--nocapture` shows where the three
//! differ.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;

use tengen_board::{Game, Outcome, Reason, Scoring, sgf};
use tengen_engine::{
    gtp::{ExternalPlayer, Timeouts, find_executable},
    reading::status::dead_stones,
};
use tengen_testing::skipped;

/// Games that ended with two passes and were counted, with the result that the record has.
fn counted_games(path: &Path, most: usize) -> Vec<(Game, f32)> {
    let bytes = sgf::read_file(path).unwrap();
    let text = sgf::text_of(&bytes).unwrap();
    let counted = sgf::games(&text).filter_map(|record| {
        let record = record.ok()?;
        let result = record.info().result?;
        let Outcome::Win { winner, by: Reason::Points(points) } = result else { return None };
        let game = record.main_line().ok().filter(|game| game.passes() >= 2)?;
        Some((game, points * winner.sign() as f32))
    });
    counted.take(most).collect()
}

/// The scores of a file's games must be right in three of four: of those who passed too early, none knows what is dead.
fn compare(path: &Path, most: usize, referees: &mut Option<[ExternalPlayer; 2]>) {
    let games = counted_games(path, most);
    assert!(games.len() >= 8, "{}: {} counted games", path.display(), games.len());
    let (mut with_gnugo, mut with_record) = (0, 0);
    for (index, (game, recorded)) in games.iter().enumerate() {
        let dead = dead_stones(game);
        let ours = game.score(&dead);
        with_record += usize::from(ours == *recorded);
        let Some(referees) = referees else { continue };
        let referee = &mut referees[usize::from(game.rules().scoring == Scoring::Territory)];
        let theirs = referee.sync(game).and_then(|()| referee.client().final_score()).unwrap();
        with_gnugo += usize::from(ours == theirs);
        if ours != theirs {
            let dead: Vec<_> = dead.iter().map(ToString::to_string).collect();
            println!(
                "game {index}: tengen {ours:+}, GNU Go {theirs:+}, record {recorded:+}, {:?}; dead: {}\n{}",
                game.rules().scoring,
                dead.join(" "),
                game.board()
            );
        }
    }
    let file = path.display();
    println!("{file}: {} games, {with_gnugo} as GNU Go, {with_record} as the record", games.len());
    assert!(with_record * 4 >= games.len() * 3, "{file}: {with_record} of {} as the record", games.len());
    if referees.is_some() {
        assert!(with_gnugo * 4 >= games.len() * 3, "{file}: {with_gnugo} of {} as GNU Go", games.len());
    }
}

#[test]
fn scores_agree_with_gnu_go_and_with_the_players() {
    let most = std::env::var("TENGEN_SCORE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let start =
        |rules| ExternalPlayer::start(&format!("gnugo --mode gtp {rules}"), Timeouts::default()).unwrap();
    let mut referees = find_executable("gnugo").map(|_| ["--chinese-rules", "--japanese-rules"].map(start));
    if referees.is_none() {
        skipped("scores against GNU Go itself", "install gnugo");
    }
    let own = ["9x9-chinese.sgf.gz", "9x9-japanese.sgf.gz"].map(|file| tengen_testing::records().join(file));
    let of_people = sgf::data_folder().map(|folder| folder.join("val9.sgf.gz")).filter(|path| path.exists());
    for path in own.into_iter().chain(of_people) {
        compare(&path, most, &mut referees);
    }
}
