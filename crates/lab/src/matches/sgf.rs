//! Game records of a match.

use tengen_board::{
    Color,
    sgf::{GameInfo, Record},
};

use super::{
    config::{MatchConfig, Side},
    error::MatchError,
    record::GameRecord,
};

/// The SGF text of a game: its players, result and moves, and in the comment of the root what it takes to repeat it.
pub(super) fn of_game(config: &MatchConfig, record: &GameRecord) -> Result<String, MatchError> {
    let mut game = config.empty_game()?;
    for word in record.moves.split_whitespace() {
        let played = word.parse().ok().and_then(|mv| game.try_play(mv).ok());
        played.expect("the moves of a record were played on the same board");
    }
    let name = |color| Some(config.spec(record.side(color)).name.clone());
    let info = GameInfo {
        black: name(Color::Black),
        white: name(Color::White),
        name: Some(format!("game {}", record.game)),
        result: record.result.parse().ok(),
        ..GameInfo::default()
    };
    let mut sgf = Record::from_game(&game, &info);
    let seed = |color| if record.side(color) == Side::A { record.seed_a } else { record.seed_b };
    let mut comment = format!(
        "game {} of the match with seed {}\nBlack: {}, seed {}\nWhite: {}, seed {}\nended by {}",
        record.game,
        config.seed,
        config.spec(record.side(Color::Black)).name,
        seed(Color::Black),
        config.spec(record.side(Color::White)).name,
        seed(Color::White),
        record.ending,
    );
    if record.opening > 0 {
        comment += &format!("\nthe first {} moves are the opening", record.opening);
    }
    if let Some(referee) = &record.referee {
        comment += &format!("\ncounted by {referee}");
    }
    if let Some(message) = &record.message {
        comment += &format!("\n{message}");
    }
    let root = sgf.root();
    sgf.set_text(root, "C", &comment);
    Ok(sgf.to_sgf())
}
