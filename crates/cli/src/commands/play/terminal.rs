//! `tengen play --terminal`: a game against a player, in the terminal.

use std::{
    io::{self, BufRead, Write},
    path::Path,
};

use anyhow::{Context, Result};
use tengen_board::{
    Color, Game, Move, Outcome, Reason, Vertex,
    sgf::{GameInfo, Record},
};
use tengen_engine::{
    players::{Decision, Request, Seat},
    reading::status::dead_stones,
    whole_file::write_whole,
};
use tengen_web::{AutoLevel, HUMAN, Store};

use super::PlayArgs;
use crate::{board_view::BoardStyle, output::Output};

const HELP: &str = "\
  D4           play there (letter: column, number: row)
  pass         play no stone; two passes end the game
  undo         take back your last move and the answer to it
  hint         what the engine would play in your place
  score        count the board as it stands
  board        draw the board again
  save FILE    write the game to an SGF file
  resign       give up
  quit         leave without a result";

pub(super) fn run(args: &PlayArgs, output: &Output) -> Result<()> {
    let mut game = args.game.game(9)?;
    let (width, height) = (game.board().width(), game.board().height());
    let store = args.player.is_auto().then(|| Store::open(&Store::default_folder())).transpose();
    let store = store.context("cannot tell at which level you play: name one, such as --preset level-3")?;
    let level = store.as_ref().map(|store| AutoLevel::new(store, width, height));
    let mut spec = match &level {
        Some(level) => level.player()?.parse()?,
        None => args.player.spec()?,
    };
    spec.options.use_cores();
    if args.handicap > 0 {
        game.place_fixed_handicap(args.handicap).context("--handicap")?;
    }
    output.detail(format!("player:\n{}", spec.to_toml()));
    let session = Session {
        game,
        human: args.color,
        seat: spec.build(spec.options.seed_or_fresh())?,
        name: tengen_web::title(&spec.name).into_owned(),
        style: args.in_terminal.board.resolve(),
        dead: Vec::new(),
        level,
        output,
    };
    session.play(io::stdin().lock(), io::stdout().lock(), args.in_terminal.sgf.as_deref())
}

/// A game in progress.
struct Session<'a> {
    game: Game,
    human: Color,
    seat: Seat,
    name: String,
    style: BoardStyle,
    /// Stones that count as dead after the game: first our estimate, then what the human makes of it.
    dead: Vec<Vertex>,
    /// The level, if it is to follow the result.
    level: Option<AutoLevel<'a>>,
    output: &'a Output,
}

/// What a line typed by the human leads to.
enum Next {
    /// The position is as it was: ask again.
    Ask,
    /// The position has changed.
    Go,
    /// The game is over, or left.
    Leave,
}

impl Session<'_> {
    fn play(mut self, mut input: impl BufRead, mut out: impl Write, sgf: Option<&Path>) -> Result<()> {
        writeln!(out, "You play {}. Type a point such as D4, or help.\n", self.human)?;
        let mut line = String::new();
        let mut is_counted = false;
        'game: loop {
            if !self.game.is_over() && self.game.to_play() != self.human {
                self.answer(&mut out)?;
                continue;
            }
            if self.game.passes() >= 2 && !is_counted {
                self.dead = dead_stones(&self.game);
                is_counted = true;
            }
            self.show(&mut out)?;
            if self.game.outcome().is_some() && self.game.passes() < 2 {
                break;
            }
            loop {
                write!(out, "> ")?;
                out.flush()?;
                line.clear();
                if input.read_line(&mut line)? == 0 {
                    writeln!(out)?;
                    break 'game;
                }
                let next = if self.game.is_over() {
                    self.after_the_end(line.trim(), &mut out)?
                } else {
                    self.turn(line.trim(), &mut out)?
                };
                match next {
                    Next::Ask => {}
                    Next::Go => {
                        is_counted &= self.game.passes() >= 2;
                        continue 'game;
                    }
                    Next::Leave => break 'game,
                }
            }
        }
        if let Some(outcome) = self.outcome() {
            writeln!(out, "Result: {outcome}{}", self.verdict(outcome))?;
            if let (Some(level), Some(winner)) = (&self.level, outcome.winner()) {
                level.note(winner == self.human)?;
                writeln!(out, "Next time you play {}.", tengen_web::title(&level.player()?))?;
            }
        }
        sgf.map_or(Ok(()), |path| self.save(path, &mut out))
    }

    /// What the engine would do.
    fn think(&mut self) -> Result<Decision> {
        let _spinner = self.output.spinner("thinking");
        let decision = self.seat.decide(&self.game, &Request::default());
        decision.with_context(|| format!("{} cannot go on", self.name))
    }

    /// The engine's move.
    fn answer(&mut self, out: &mut impl Write) -> Result<()> {
        let color = self.game.to_play();
        match self.think()? {
            Decision::Play(mv) => {
                self.game.play_unchecked(mv);
                writeln!(out, "{} {} plays {mv}\n", self.style.stone(color), self.name)?;
            }
            Decision::Resign => {
                self.game.set_outcome(Some(Outcome::Win { winner: !color, by: Reason::Resignation }));
                writeln!(out, "{} {} resigns\n", self.style.stone(color), self.name)?;
            }
        }
        Ok(())
    }

    /// The human's turn.
    fn turn(&mut self, line: &str, out: &mut impl Write) -> Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word.to_ascii_lowercase().as_str() {
            "" => {}
            "help" | "?" => writeln!(out, "{HELP}")?,
            "quit" | "exit" | "q" => return Ok(Next::Leave),
            "board" => self.show(out)?,
            "undo" => return self.undo(out),
            "save" | "sgf" => self.save_as(rest, out)?,
            "score" => {
                let outcome = Outcome::from_score(self.game.score(&[]));
                writeln!(out, "{outcome}, if every stone on the board is alive")?;
            }
            "hint" => match self.think()? {
                Decision::Play(mv) => writeln!(out, "{} would play {mv}", self.name)?,
                Decision::Resign => writeln!(out, "{} would resign", self.name)?,
            },
            "resign" => {
                let outcome = Outcome::Win { winner: !self.human, by: Reason::Resignation };
                self.game.set_outcome(Some(outcome));
                return Ok(Next::Leave);
            }
            _ => match line.parse::<Move>() {
                Err(_) => {
                    let board = self.game.board();
                    let corner = Vertex::new(board.width() - 1, board.height() - 1);
                    writeln!(
                        out,
                        "{line:?} is not a move: type a point from A1 to {corner} (there is no column I), or help"
                    )?;
                }
                Ok(mv) => match self.game.try_play(mv) {
                    Ok(()) => return Ok(Next::Go),
                    Err(error) => writeln!(out, "{mv} is not possible: {error}")?,
                },
            },
        }
        Ok(Next::Ask)
    }

    /// Both have passed: dead stones are marked, then the board is counted.
    fn after_the_end(&mut self, line: &str, out: &mut impl Write) -> Result<Next> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word.to_ascii_lowercase().as_str() {
            "" | "done" | "quit" | "exit" | "q" => return Ok(Next::Leave),
            "undo" => return self.undo(out),
            "save" | "sgf" => self.save_as(rest, out)?,
            "dead" => match rest.trim().parse::<Vertex>() {
                Err(_) => writeln!(out, "name a stone, as in dead D4")?,
                Ok(v) if self.game.board().color_at(v).is_none() => {
                    writeln!(out, "there is no stone on {v}")?;
                }
                Ok(v) => {
                    self.toggle_dead(v);
                    return Ok(Next::Go);
                }
            },
            _ => writeln!(out, "type: dead D4, undo, save FILE, or done")?,
        }
        Ok(Next::Ask)
    }

    fn list_dead(&self) -> String {
        if self.dead.is_empty() {
            return "none".to_owned();
        }
        self.dead.iter().map(Vertex::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Marks the chain at `v` as dead, or as alive again.
    fn toggle_dead(&mut self, v: Vertex) {
        let board = self.game.board();
        let chain: Vec<_> = board.chain_stones(board.chain(v)).collect();
        if self.dead.contains(&v) {
            self.dead.retain(|stone| !chain.contains(stone));
        } else {
            self.dead.extend(chain);
        }
    }

    /// Takes back the human's last move and what came after.
    fn undo(&mut self, out: &mut impl Write) -> Result<Next> {
        let Some(at) = self.game.moves().iter().rposition(|played| played.color == self.human) else {
            writeln!(out, "there is nothing to take back")?;
            return Ok(Next::Ask);
        };
        self.game.undo_to(at);
        self.dead.clear();
        Ok(Next::Go)
    }

    fn show(&self, out: &mut impl Write) -> Result<()> {
        let board = self.game.board();
        let last = self.game.last_move();
        writeln!(out, "{}", self.style.draw(board, last.map_or(Move::PASS, |played| played.mv)))?;
        for color in Color::ALL {
            let who = if color == self.human { "you" } else { &self.name };
            let captured = board.prisoners(color);
            writeln!(out, "{} {color} ({who}), {captured} captured", self.style.stone(color))?;
        }
        if let Some(outcome) = self.outcome() {
            if self.game.passes() >= 2 {
                writeln!(out, "Both passed. Score: {outcome}. Dead stones: {}.", self.list_dead())?;
                writeln!(out, "dead D4 marks a chain as dead or alive; done ends the game, undo goes back.")?;
            }
        } else {
            let passed = if self.game.passes() > 0 {
                " Your opponent passed: a pass of yours ends the game."
            } else {
                ""
            };
            writeln!(out, "Move {}, {} to play.{passed}", self.game.moves().len() + 1, self.game.to_play())?;
        }
        Ok(())
    }

    /// The outcome, dead stones taken off.
    fn outcome(&self) -> Option<Outcome> {
        if self.game.passes() >= 2 {
            return Some(Outcome::from_score(self.game.score(&self.dead)));
        }
        self.game.outcome()
    }

    fn verdict(&self, outcome: Outcome) -> String {
        match outcome.winner() {
            Some(winner) if winner == self.human => ". You win!".to_owned(),
            Some(_) => format!(". {} wins.", self.name),
            None => ". Nobody wins.".to_owned(),
        }
    }

    fn save_as(&self, file: &str, out: &mut impl Write) -> Result<()> {
        if file.trim().is_empty() {
            writeln!(out, "name a file: save game.sgf")?;
        } else if let Err(error) = self.save(Path::new(file.trim()), out) {
            writeln!(out, "{error:#}")?;
        }
        Ok(())
    }

    fn save(&self, path: &Path, out: &mut impl Write) -> Result<()> {
        let names = Color::ALL.map(|color| if color == self.human { HUMAN } else { &*self.name });
        let [black, white] = names.map(|name| Some(name.to_owned()));
        let info = GameInfo {
            black,
            white,
            date: tengen_web::today(),
            result: self.outcome(),
            ..GameInfo::default()
        };
        let sgf = Record::from_game(&self.game, &info).to_sgf();
        write_whole(path, sgf).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(writeln!(out, "saved {}", path.display())?)
    }
}
