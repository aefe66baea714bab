//! Scores of finished games of people, as tengen, GNU Go and the players themselves counted them.
//!
//! The records are in `$TENGEN_DATA`, else in `../shared/data` beside the workspace. `TENGEN_SCORE_GAMES=100` compares more
//! games than the few that fit into a test run; `--nocapture` shows where the three differ.
#![allow(clippy::unwrap_used)]

use tengen_board::{Game, Outcome, Reason, Scoring, sgf};
use tengen_engine::{
    gtp::{ExternalPlayer, Timeouts, find_executable},
    status::dead_stones,
};

/// Games that ended with two passes and were counted, with the result that the players agreed on.
fn counted_games(file: &str, most: usize) -> Vec<(Game, f32)> {
    let bytes = sgf::data_folder().and_then(|folder| sgf::read_file(&folder.join(file)).ok());
    let Some(bytes) = bytes else { return Vec::new() };
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

#[test]
fn scores_agree_with_gnu_go() {
    let most = std::env::var("TENGEN_SCORE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let games = counted_games("val9.sgf.gz", most);
    if games.is_empty() || find_executable("gnugo").is_none() {
        eprintln!("SKIPPED: needs gnugo and game records (val9.sgf.gz in $TENGEN_DATA)");
        return;
    }
    let start =
        |rules| ExternalPlayer::start(&format!("gnugo --mode gtp {rules}"), Timeouts::default()).unwrap();
    let mut referees = ["--chinese-rules", "--japanese-rules"].map(start);
    let (mut with_gnugo, mut with_players) = (0, 0);
    for (index, (game, agreed)) in games.iter().enumerate() {
        let dead = dead_stones(game);
        let ours = game.score(&dead);
        let referee = &mut referees[usize::from(game.rules().scoring == Scoring::Territory)];
        let theirs = referee.sync(game).and_then(|()| referee.client().final_score()).unwrap();
        with_gnugo += usize::from(ours == theirs);
        with_players += usize::from(ours == *agreed);
        if ours != theirs {
            let dead: Vec<_> = dead.iter().map(ToString::to_string).collect();
            println!(
                "game {index}: tengen {ours:+}, GNU Go {theirs:+}, players {agreed:+}, {:?}; dead: {}\n{}",
                game.rules().scoring,
                dead.join(" "),
                game.board()
            );
        }
    }
    println!("{} games: {with_gnugo} as GNU Go, {with_players} as the players", games.len());
    assert!(with_gnugo * 4 >= games.len() * 3, "{with_gnugo} of {} as GNU Go", games.len());
    assert!(with_players * 4 >= games.len() * 3, "{with_players} of {} as the players", games.len());
}
