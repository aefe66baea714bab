//! GTP regression files, as GNU Go's: commands that set up a position, a question with a number, and the answer.
//!
//! ```text
//! # A comment.
//! loadsgf games/example.sgf 37
//! 1 reg_genmove black
//! #? [C3|D4]
//! 2 reg_genmove white
//! #? [!B2]*
//! ```
//!
//! Understood are `boardsize`, `clear_board`, `komi`, `play`, `loadsgf` (the position before the move of that number) and the questions
//! `reg_genmove` and `genmove`. Other questions, such as GNU Go's `attack`, are counted as left out. An answer is one or more
//! points; `!` means any other. A star after it says that GNU Go is known to fail, and changes nothing here.

use std::path::Path;

use tengen_board::{Color, Game, Move, Rules, bounded, sgf::Record};

use super::{Expected, Problem, Suite, SuiteError};

/// Reads a file.
pub fn read(path: &Path) -> Result<Suite, SuiteError> {
    let text =
        bounded::read_text(path).map_err(|source| SuiteError::File { path: path.to_owned(), source })?;
    let mut game = new_game(19, 6.5).expect("19 is a size");
    let mut suite = Suite::default();
    // The question that waits for its answer; `None` inside if it cannot be asked.
    let mut open: Option<(String, Option<Game>)> = None;
    for (number, line) in text.lines().enumerate() {
        let error = |message: String| SuiteError::Content {
            path: path.to_owned(),
            place: format!("line {}", number + 1),
            message,
        };
        let line = line.trim();
        if let Some(answer) = line.strip_prefix("#?") {
            match (open.take(), parse_answer(answer)) {
                (Some((name, Some(game))), Some(answer)) => {
                    suite.problems.push(Problem { name, game, answer });
                }
                _ => suite.skipped += 1,
            }
            continue;
        }
        let command = line.split('#').next().unwrap_or_default().trim();
        if command.is_empty() {
            continue;
        }
        let mut words = command.split_whitespace().peekable();
        let id = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let name = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        match (name, &arguments[..]) {
            ("reg_genmove" | "genmove", [color]) => {
                let color: Color = color.parse().map_err(|problem| error(format!("{problem}")))?;
                let mut asked = game.clone();
                asked.set_to_play(color);
                let file = path.file_stem().unwrap_or_default().to_string_lossy();
                let id = id.map_or_else(|| format!("line {}", number + 1), str::to_owned);
                open = Some((format!("{file}:{id}"), Some(asked)));
            }
            // A question that we do not understand.
            _ if id.is_some() => open = Some((String::new(), None)),
            _ => set_up(&mut game, name, &arguments, path).map_err(error)?,
        }
    }
    Ok(suite)
}

fn new_game(size: usize, komi: f32) -> Option<Game> {
    Game::new(size, size, Rules::CHINESE.with_komi(komi)).ok()
}

/// Carries out a command that changes the position; others do not matter.
fn set_up(game: &mut Game, name: &str, arguments: &[&str], path: &Path) -> Result<(), String> {
    let komi = game.rules().komi;
    match (name, arguments) {
        ("boardsize", [size]) => {
            *game = size.parse().ok().and_then(|size| new_game(size, komi)).ok_or("not a board size")?;
        }
        ("clear_board", []) => *game = new_game(game.board().width(), komi).ok_or("not a board size")?,
        ("komi", [points]) => {
            let points = points.parse().map_err(|_| "not a number of points".to_owned())?;
            let rules = game.rules().try_with_komi(points).map_err(|problem| problem.to_string())?;
            game.set_rules(rules);
        }
        ("play", [color, mv]) => {
            let color: Color = color.parse().map_err(|problem| format!("{problem}"))?;
            let mv: Move = mv.parse().map_err(|problem| format!("{problem}"))?;
            game.try_play_as(color, mv).map_err(|problem| format!("{mv}: {problem}"))?;
        }
        ("loadsgf", [file, before @ ..]) => {
            let file = path.parent().unwrap_or(Path::new("")).join(file);
            let bytes = tengen_board::sgf::read_file(&file)
                .map_err(|problem| format!("{}: {problem}", file.display()))?;
            let record = Record::parse(&bytes).map_err(|problem| format!("{}: {problem}", file.display()))?;
            *game = record.main_line().map_err(|problem| format!("{}: {problem}", file.display()))?;
            if let Some(before) = before.first() {
                let before: usize = before.parse().map_err(|_| "not the number of a move".to_owned())?;
                game.undo_to(before.saturating_sub(1));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Reads `[C3|D4]`, `[!C3]` or `[(C3|D4)]`; nothing that needs a real regular expression.
fn parse_answer(text: &str) -> Option<Expected> {
    let inside = text.trim().strip_prefix('[')?.split_once(']')?.0;
    let (negated, inside) = match inside.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let inside = inside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inside);
    let moves: Option<Vec<Move>> = inside.split('|').map(|word| word.trim().parse().ok()).collect();
    moves.map(if negated { Expected::NoneOf } else { Expected::OneOf })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_points_or_their_absence() {
        let mv = |name: &str| name.parse::<Move>().unwrap();
        assert_eq!(parse_answer(" [C3|D4]*"), Some(Expected::OneOf(vec![mv("C3"), mv("D4")])));
        assert_eq!(parse_answer("[!(PASS|A1)]"), Some(Expected::NoneOf(vec![Move::PASS, mv("A1")])));
        assert_eq!(parse_answer("[1 C3]"), None);
        assert_eq!(parse_answer("C3"), None);
    }
}
