//! The GTP server: a game, a player, and the table of commands.
//!
//! [`Server::execute`] answers one line; [`Server::run`] serves a whole session. While a command runs, a thread of its
//! own goes on reading, so that a line such as `stop` reaches a search that is under way (`interrupts.rs` tells how).
//! Commands are answered in the order in which they came. After a move of its own the player may ponder until the next
//! line arrives. A fault in the program fails the command that met it, not the session.

use std::{
    io::{self, BufRead, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
};

use tengen_board::{Game, Rules};

use super::{
    args::{Args, Refusal, shorten},
    commands,
    interrupts::Interrupts,
    live::Live,
    protocol::{Line, RawLine, Request, Response, parse_line, read_line},
};
use crate::{
    players::{self, Configure, Decision, PlayerError, Seat},
    time::TimeSettings,
};

/// Lines that may wait for an answer before the reader waits too.
const QUEUE: usize = 1024;
/// Answers that may wait to be read before the server waits too. A line of an analysis can be a megabyte long.
const MOST_ANSWERS: usize = 16;

/// A GTP engine: a game and whoever plays it.
///
/// ```
/// use tengen_engine::{gtp::Server, players::{RandomPlayer, Seat}, playout::UniformConfig};
/// let player = RandomPlayer::new(&UniformConfig::default(), 1);
/// let mut server = Server::new(Seat::new(Box::new(player)));
/// let response = server.execute("1 boardsize 9").unwrap();
/// assert_eq!(response.to_string(), "=1\n\n");
/// ```
pub struct Server {
    pub(super) game: Game,
    pub(super) seat: Seat,
    pub(super) parameters: Option<Box<dyn Configure>>,
    pub(super) time: TimeSettings,
    pub(super) seed: Option<u64>,
    pub(super) version: Option<String>,
    pub(super) may_use_files: bool,
    pub(super) has_quit: bool,
    /// How many moves there were after the player's last one: as long as there are no others, the opponent thinks.
    replied: Option<usize>,
    interrupts: Arc<Interrupts>,
    /// Where the answers of a session go.
    output: Option<SyncSender<String>>,
    /// The number of the line that is being carried out.
    line: u64,
    /// Its id.
    id: Option<String>,
    /// Its response, if that is written line by line.
    live: Option<Live>,
}

/// A line of input, numbered from 1.
struct Numbered {
    number: u64,
    line: Line,
}

impl Server {
    /// A server with an empty 19x19 board and Chinese rules.
    pub fn new(seat: Seat) -> Server {
        let game = Game::new(19, 19, Rules::default()).expect("19x19 is a board");
        Server {
            game,
            seat,
            parameters: None,
            time: TimeSettings::default(),
            seed: None,
            version: None,
            may_use_files: true,
            has_quit: false,
            replied: None,
            interrupts: Arc::default(),
            output: None,
            line: 0,
            id: None,
            live: None,
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

    /// Says which version it is, where a front end asks for that of another program.
    #[must_use]
    pub fn with_version(mut self, version: String) -> Server {
        self.version = Some(version);
        self
    }

    /// Refuses commands that read or write files.
    #[must_use]
    pub fn without_files(mut self) -> Server {
        self.may_use_files = false;
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

    /// Answers every line until `quit` or the end of the input. What was asked for before the end is still answered; analyses and
    /// thinking on the opponent's time end with it, and when answers cannot be written any more every search does.
    ///
    /// The thread that reads is left behind if the output fails while the input stays open.
    pub fn run(&mut self, input: impl BufRead + Send + 'static, output: impl Write + Send) -> io::Result<()> {
        let (sender, receiver) = mpsc::sync_channel(QUEUE);
        let interrupts = Arc::clone(&self.interrupts);
        let first = self.line + 1;
        thread::spawn(move || read_all(input, first, &interrupts, &sender));
        thread::scope(|scope| {
            let (texts, waiting) = mpsc::sync_channel(MOST_ANSWERS);
            let interrupts = Arc::clone(&self.interrupts);
            let writer = scope.spawn(move || {
                let written = write_all(output, waiting);
                if written.is_err() {
                    interrupts.hung_up();
                }
                written
            });
            self.output = Some(texts.clone());
            let answered = self.answer_all(&receiver, &texts);
            self.output = None;
            drop(texts);
            let written = writer.join().expect("writing does not panic");
            answered.and(written)
        })
    }

    fn answer_all(
        &mut self,
        lines: &Receiver<io::Result<Numbered>>,
        output: &SyncSender<String>,
    ) -> io::Result<()> {
        while !self.has_quit {
            let Ok(line) = lines.recv() else { break };
            if let Some(response) = self.answer(line?)
                && output.send(response.to_string()).is_err()
            {
                break;
            }
            self.ponder();
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
        self.id.clone_from(&request.id);
        let reply = catch_unwind(AssertUnwindSafe(|| (command.run)(self, args)));
        let reply = reply.unwrap_or_else(|_| {
            // If even this fails, so will the next request.
            let _ = self.seat.forget();
            let name = &request.name;
            Err(Refusal::new(format!(
                "internal error in {name}: please report what standard error says about it"
            )))
        });
        match (reply, self.live.take()) {
            (Ok(text), None) => Response::success(request.id, text),
            (Err(refusal), None) => Response::failure(request.id, refusal.0),
            // What was begun as a success can only end as one.
            (reply, Some(live)) => {
                let last = reply.unwrap_or_else(|refusal| format!("error {}", refusal.0));
                if live.is_read() {
                    Response::end(request.id, last)
                } else {
                    Response::success(request.id, format!("\n{}\n{last}", live.into_text()))
                }
            }
        }
    }

    /// Begins a response that is written line by line. What the command returns becomes its last lines.
    pub(super) fn begin_response(&mut self) -> Live {
        if let Some(output) = &self.output {
            // If nobody reads any more, the first line will tell.
            let _ = output.send(Response::beginning(self.id.as_deref()));
        }
        self.live.insert(Live::new(self.output.clone())).clone()
    }

    /// The time control of the game, for both players.
    pub(super) fn set_time(&mut self, settings: TimeSettings) {
        self.time = settings;
        self.seat.set_time(settings);
    }

    /// A question that ends with the next line which interrupts.
    pub(super) fn request(&self) -> players::Request {
        players::Request::until(&self.interrupts.signal_for(self.line))
    }

    /// A question that ends with the next line, whatever that is, as an analysis does.
    pub(super) fn request_until_next_line(&self) -> players::Request {
        players::Request::until(&self.interrupts.signal_until_next(self.line))
    }

    /// The player's choice for the side to move in the game, while its clock runs.
    pub(super) fn decide(&mut self, request: &players::Request) -> Result<Decision, PlayerError> {
        // A fallen flag is for the front end to claim.
        Ok(self.seat.play(&self.game, request)?.decision)
    }

    /// Says that the last move was the player's own.
    pub(super) fn has_replied(&mut self) {
        self.replied = Some(self.game.moves().len());
    }

    /// Lets the player think while the opponent does, until the next line arrives.
    fn ponder(&mut self) {
        if self.replied == Some(self.game.moves().len()) && !self.game.is_over() && !self.has_quit {
            let signal = self.interrupts.signal_until_next(self.line);
            // Nobody has asked: whoever asks next will be told.
            let _ = self.seat.ponder(&self.game, &signal);
        }
    }

    /// Puts another game on the board.
    pub(super) fn start(&mut self, game: Game) -> Result<(), PlayerError> {
        self.game = game;
        self.replied = None;
        self.seat.set_time(self.time);
        self.seat.new_game()
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
            Ok(None) => {
                // Nobody will answer: thinking on is of no use.
                interrupts.arrived(number, false);
                return;
            }
            Err(error) => {
                interrupts.arrived(number, false);
                // Nobody is left to tell if the server has gone.
                let _ = sender.send(Err(error));
                return;
            }
        };
        let name = if let Line::Request(request) = &line { request.name.as_str() } else { "" };
        interrupts.arrived(number, line == Line::Interrupt || commands::is_interrupt(name));
        let is_last = name == "quit";
        if sender.send(Ok(Numbered { number, line })).is_err() || is_last {
            return;
        }
    }
}

/// Writes whatever is said, by the server or by a search that is under way.
fn write_all(mut output: impl Write, texts: Receiver<String>) -> io::Result<()> {
    for text in texts {
        output.write_all(text.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}
