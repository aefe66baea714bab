//! `tengen book`: opening books from game records.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use tengen_board::{Game, Move, Rules, sgf};
use tengen_engine::{players::Book, whole_file::write_whole};

use crate::output::{Output, counted};

const EXAMPLES: &str = "\
Examples:
  tengen book build games.sgf.gz --size 9 --out 9x9.book
  tengen book show 9x9.book                what is played first
  tengen book show 9x9.book E5 C3          what is played after these moves
  tengen play --size 9 --preset default,book=9x9.book

A book is a text file: a position a line, with its moves as MOVE:GAMES:WINS.";

/// Build an opening book from game records, or look into one
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand)]
enum BookCommand {
    Build(BuildArgs),
    Show(ShowArgs),
}

/// Build a book from game records
#[derive(Args)]
struct BuildArgs {
    /// Game records: .sgf files of one game or many, also packed (.sgf.gz)
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Board size; games on other boards are passed over
    #[arg(short, long, default_value_t = 19, value_name = "N")]
    size: usize,
    /// Moves of each game
    #[arg(long, default_value_t = 20, value_name = "N")]
    moves: usize,
    /// Leave out moves that were played in fewer games
    #[arg(long, default_value_t = 5, value_name = "N")]
    min_games: u32,
}

/// Show what a book knows about a position
#[derive(Args)]
struct ShowArgs {
    /// The book
    book: PathBuf,
    /// The moves that lead to the position, Black's first
    moves: Vec<Move>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BookArgs, output: &mut Output) -> Result<()> {
    match &args.command {
        BookCommand::Build(args) => build(args, output),
        BookCommand::Show(args) => show(args, output),
    }
}

fn build(args: &BuildArgs, output: &mut Output) -> Result<()> {
    ensure!((2..=19).contains(&args.size), "--size {}: must be from 2 to 19", args.size);
    let mut book = Book::new(args.size);
    let (mut others, mut broken) = (0, 0);
    for path in &args.records {
        let bytes = sgf::read_file(path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = sgf::text_of(&bytes).with_context(|| format!("{}", path.display()))?;
        for record in sgf::games(&text) {
            let winner = record.as_ref().ok().and_then(|r| r.info().result?.winner());
            match record.and_then(|record| record.main_line()) {
                Ok(game) if (game.board().width(), game.board().height()) == (args.size, args.size) => {
                    book.add(&game, winner, args.moves);
                }
                Ok(_) => others += 1,
                Err(error) => {
                    broken += 1;
                    if broken == 1 {
                        output.detail(format!("{}: {error}", path.display()));
                    }
                }
            }
        }
    }
    ensure!(book.games > 0, "no game on {0}x{0} in these records ({others} on other boards)", args.size);
    book.prune(args.min_games);
    ensure!(
        !book.is_empty(),
        "no move was played in {} of these {} games: name more records, or a smaller --min-games",
        args.min_games,
        book.games
    );
    write_whole(&args.out, book.to_text()).with_context(|| format!("cannot write {}", args.out.display()))?;
    let (positions, games) = (counted(book.len() as u64, "position"), counted(book.games as u64, "game"));
    output.line(format!("{positions} from {games} in {}", args.out.display()))?;
    if others + broken > 0 {
        let others = counted(others, "game");
        output.line(format!("passed over: {others} on other boards, {broken} that cannot be read"))?;
    }
    Ok(())
}

fn show(args: &ShowArgs, output: &mut Output) -> Result<()> {
    let book = Book::read(&args.book)?;
    let mut game = Game::new(book.size, book.size, Rules::default())?;
    for &mv in &args.moves {
        game.try_play(mv).with_context(|| format!("{mv}"))?;
    }
    let moves = book.moves(game.board());
    if args.json {
        let moves: Vec<_> = moves
            .iter()
            .map(|m| serde_json::json!({"move": m.mv.to_string(), "games": m.games, "wins": m.wins}))
            .collect();
        return output.json(&serde_json::json!({
            "size": book.size, "games": book.games, "positions": book.len(), "moves": moves,
        }));
    }
    output.line(format!("{0}x{0}, {1} positions from {2} games", book.size, book.len(), book.games))?;
    if moves.is_empty() {
        return output.line("the book does not know this position");
    }
    output.line("move  games  won")?;
    for m in moves {
        let won = 100.0 * f64::from(m.wins) / f64::from(m.games);
        output.line(format!("{:<4} {:>6}  {won:.0}%", m.mv.to_string(), m.games))?;
    }
    Ok(())
}
