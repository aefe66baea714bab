//! The GTP server: a game, a player, and the table of commands.
//!
//! [`Server::execute`] answers one line; [`Server::run`] serves a whole session. While a command runs, a thread of its
//! own goes on reading, so that a line such as `stop` reaches a search that is under way (`interrupts.rs` tells how).
//! Commands are answered in the order in which they came.

use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};

use tengen_board::{ColorMap, Game, Rules};

use super::{
    args::{Args, shorten},
    commands,
    interrupts::Interrupts,
    protocol::{Line, RawLine, Request, Response, parse_line, read_line},
};
use crate::{
    clock::{Clock, TimeSettings},
    configure::Configure,
    player::{Budget, Player},
};

/// Lines that may wait for an answer before the reader waits too.
const QUEUE: usize = 1024;

/// A GTP engine: a game and whoever plays it.
///
/// ```
/// use tengen_engine::{gtp::Server, player::RandomPlayer, playout::UniformConfig};
/// let mut server = Server::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1)));
/// let response = server.execute("1 boardsize 9").unwrap();
/// assert_eq!(response.to_string(), "=1\n\n");
/// ```
pub struct Server {
    pub(super) game: Game,
    pub(super) player: Box<dyn Player>,
    pub(super) parameters: Option<Box<dyn Configure>>,
    pub(super) time: TimeSettings,
    pub(super) clocks: ColorMap<Option<Clock>>,
    pub(super) seed: Option<u64>,
    pub(super) has_quit: bool,
    interrupts: Arc<Interrupts>,
    /// The number of the line that is being carried out.
    line: u64,
}

/// A line of input, numbered from 1.
struct Numbered {
    number: u64,
    line: Line,
}

impl Server {
    /// A server with an empty 19x19 board and Chinese rules.
    pub fn new(player: Box<dyn Player>) -> Server {
        let game = Game::new(19, 19, Rules::default()).expect("19x19 is a board");
        Server {
            game,
            player,
            parameters: None,
            time: TimeSettings::default(),
            clocks: ColorMap::default(),
            seed: None,
            has_quit: false,
            interrupts: Arc::default(),
            line: 0,
        }
    }

    /// Makes the player's parameters reachable through `kata-set-param` and its kin.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Box<dyn Configure>) -> Server {
        self.parameters = Some(parameters);
        self
    }

    /// Starts from this game instead of the empty 19x19 board.
    #[must_use]
    pub fn with_game(mut self, game: Game) -> Server {
        self.game = game;
        self
    }

    /// Says which seed the player has, for `get_random_seed`.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Server {
        self.seed = Some(seed);
        self
    }

    /// The game as it stands.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The time control that the front end announced.
    pub fn time_settings(&self) -> TimeSettings {
        self.time
    }

    /// Whether `quit` was received.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// Carries out one line; `None` if there is nothing to answer.
    pub fn execute(&mut self, line: &str) -> Option<Response> {
        let line = RawLine { bytes: line.as_bytes().to_vec(), is_cut: false };
        let number = self.line + 1;
        self.answer(Numbered { number, line: parse_line(&line) })
    }

    /// Answers every line until `quit` or the end of the input.
    ///
    /// The thread that reads is left behind if the output fails while the input stays open.
    pub fn run(&mut self, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<()> {
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let interrupts = Arc::clone(&self.interrupts);
        let first = self.line + 1;
        thread::spawn(move || read_all(input, first, &interrupts, &sender));
        self.answer_all(&receiver, &mut output)
    }

    fn answer_all(
        &mut self,
        lines: &Receiver<io::Result<Numbered>>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        while !self.has_quit {
            let Ok(line) = lines.recv() else { break };
            if let Some(response) = self.answer(line?) {
                write!(output, "{response}")?;
                output.flush()?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, line: Numbered) -> Option<Response> {
        self.line = line.number;
        match line.line {
            Line::Blank | Line::Interrupt => None,
            Line::Malformed(response) => Some(response),
            Line::Request(request) => Some(self.carry_out(request)),
        }
    }

    fn carry_out(&mut self, request: Request) -> Response {
        let Some(command) = commands::find(&request.name) else {
            return Response::failure(request.id, format!("unknown command: {}", shorten(&request.name)));
        };
        let args = Args { usage: command.usage, text: &request.arguments };
        match (command.run)(self, args) {
            Ok(text) => Response::success(request.id, text),
            Err(refusal) => Response::failure(request.id, refusal.0),
        }
    }

    /// How long the player may think about the move that is asked for.
    pub(super) fn budget(&self) -> Budget {
        Budget { stop: self.interrupts.signal_for(self.line), ..Budget::default() }
    }

    /// Puts another game on the board.
    pub(super) fn start(&mut self, game: Game) {
        self.game = game;
        self.clocks = ColorMap::default();
        self.player.new_game();
    }
}

/// Reads lines until `quit` or the end, and passes on interruptions at once.
fn read_all(
    mut input: impl BufRead,
    first: u64,
    interrupts: &Interrupts,
    sender: &SyncSender<io::Result<Numbered>>,
) {
    for number in first.. {
        let line = match read_line(&mut input) {
            Ok(Some(line)) => parse_line(&line),
            Ok(None) => return,
            Err(error) => {
                // Nobody is left to tell if the server has gone.
                let _ = sender.send(Err(error));
                return;
            }
        };
        let name = if let Line::Request(request) = &line { request.name.as_str() } else { "" };
        if line == Line::Interrupt || commands::is_interrupt(name) {
            interrupts.stop(number);
        }
        let is_last = name == "quit";
        if sender.send(Ok(Numbered { number, line })).is_err() || is_last {
            return;
        }
    }
}
