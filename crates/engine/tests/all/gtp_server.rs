//! The GTP server as a session: hostile input, reading ahead, interruption, parameters.

#![allow(clippy::unwrap_used)]

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use tengen_board::{Color, Game, Move};
use tengen_engine::{
    gtp::Server,
    players::{
        Configure, ConfigureError, Decision, Limits, Mcts, MctsConfig, Player, PlayerError, RandomPlayer,
        Request, Seat, StopSignal,
    },
    playout::UniformConfig,
    time::Clock,
};

fn random() -> Seat {
    Seat::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1)))
}

/// What a server with a random player answers to these bytes.
fn session(input: &[u8]) -> String {
    let mut output = Vec::new();
    Server::new(random()).run(io::Cursor::new(input.to_vec()), &mut output).expect("nothing fails in memory");
    String::from_utf8(output).expect("answers are UTF-8")
}

/// The responses of a well-formed output: each begins with `=` or `?`, ends with an empty line and contains none.
fn responses(output: &str) -> Vec<&str> {
    if output.is_empty() {
        return Vec::new();
    }
    let body = output.strip_suffix("\n\n").expect("output ends with an empty line");
    let responses: Vec<_> = body.split("\n\n").collect();
    for response in &responses {
        assert!(response.starts_with(['=', '?']), "{response:?}");
        assert!(response.chars().all(|c| c == '\n' || !c.is_control()), "{response:?}");
    }
    responses
}

#[test]
fn a_session_ends_with_its_input() {
    assert_eq!(session(b""), "");
    assert_eq!(session(b"1 name\n2 boardsize 9"), "=1 tengen\n\n=2\n\n");
}

#[test]
fn nothing_is_answered_after_quit() {
    assert_eq!(session(b"name\nquit\nname\n"), "= tengen\n\n=\n\n");
}

#[test]
fn quit_ends_a_session_whose_input_stays_open() {
    let (sender, input) = pipe();
    sender.send(b"quit\n".to_vec()).unwrap();
    let mut output = Vec::new();
    Server::new(random()).run(input, &mut output).unwrap();
    assert_eq!(output, b"=\n\n");
    drop(sender);
}

#[test]
fn hostile_lines_are_refused_and_the_server_goes_on() {
    let long = "x".repeat(100_000);
    let many_arguments = format!("play{}", " b".repeat(40_000));
    let hostile: Vec<Vec<u8>> = vec![
        long.clone().into_bytes(),
        format!("9 {long}").into_bytes(),
        format!("play b {long}").into_bytes(),
        many_arguments.into_bytes(),
        "1".repeat(100_000).into_bytes(),
        b"\xff\xfe\xfd".to_vec(),
        b"play b \xc3\x28".to_vec(),
        b"komi nan".to_vec(),
        b"komi 1e40".to_vec(),
        b"boardsize 99999999999999999999999".to_vec(),
        b"play b A0".to_vec(),
        b"play b Z99999999999".to_vec(),
        b"gg-undo 18446744073709551615".to_vec(),
        b"gg-undo 18446744073709551616".to_vec(),
        b"fixed_handicap -1".to_vec(),
        b"time_settings nan nan nan".to_vec(),
        b"-1 name".to_vec(),
        b"= name".to_vec(),
        b"? what".to_vec(),
        b"loadsgf /dev/null".to_vec(),
        b"loadsgf /does/not/exist.sgf".to_vec(),
        b"kata-set-rules {\"ko\":".to_vec(),
    ];
    for line in hostile {
        let mut input = line.clone();
        input.extend(b"\r\n\x00\x07\r\n77 name\r\n");
        let output = session(&input);
        let start = String::from_utf8_lossy(&line).chars().take(40).collect::<String>();
        let all = responses(&output);
        assert_eq!(all.len(), 2, "{start:?}: {output}");
        assert!(all[0].starts_with('?'), "{start:?}: {output}");
        assert!(all[0].len() < 300, "{start:?}: {output}");
        assert_eq!(all[1], "=77 tengen");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_response_is_well_formed(lines in proptest::collection::vec(line(), 1..12)) {
        let mut input = b"boardsize 5\n".to_vec();
        let mut expected = 1;
        for (has_answer, line) in lines {
            expected += usize::from(has_answer);
            input.extend(line.as_bytes());
            input.push(b'\n');
        }
        let output = session(&input);
        prop_assert_eq!(responses(&output).len(), expected, "{}", output);
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut input = bytes;
        input.retain(|&byte| byte != b'q');
        input.extend(b"\n5 name\n");
        let output = session(&input);
        prop_assert_eq!(responses(&output).last().copied(), Some("=5 tengen"));
    }
}

/// A line of command names, values that commands take, and junk; and whether it has to be answered.
fn line() -> impl Strategy<Value = (bool, String)> {
    let commands = Server::new(random()).execute("list_commands").expect("an answer").text().to_owned();
    // `quit` ends the session, and `printsgf` and `savesgf` write the file that they are given.
    let commands: Vec<String> = commands
        .lines()
        .filter(|name| !matches!(*name, "quit" | "printsgf" | "savesgf"))
        .map(str::to_owned)
        .collect();
    let values = [
        "b", "w", "black", "white", "A1", "C3", "E5", "Q16", "pass", "resign", "0", "1", "2", "5", "7", "19",
    ]
    .into_iter()
    .chain([
        "-1", "6.5", "1e9", "nan", "dead", "alive", "none", "japanese", "ko", "SIMPLE", "{", "\"", "=", "?",
    ]);
    let word = prop_oneof![
        4 => proptest::sample::select(commands),
        6 => proptest::sample::select(values.map(str::to_owned).collect::<Vec<_>>()),
        1 => "[^#\n]{0,8}",
    ];
    proptest::collection::vec(word, 0..6).prop_map(|words| {
        let line = words.join(" ");
        let is_visible = |c: char| !c.is_control() && !c.is_whitespace();
        let has_answer = line.chars().any(is_visible);
        let is_quit = line.split_whitespace().any(|word| word.replace(char::is_control, "") == "quit");
        if is_quit { (false, String::new()) } else { (has_answer, line) }
    })
}

/// An input that stays open until its sender is dropped.
struct Pipe(Receiver<Vec<u8>>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.recv().unwrap_or_default();
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

fn pipe() -> (Sender<Vec<u8>>, BufReader<Pipe>) {
    let (sender, receiver) = channel();
    (sender, BufReader::new(Pipe(receiver)))
}

/// Thinks until it is stopped, then passes; resigns if nobody stops it.
struct Patient;

impl Player for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn decide(&mut self, _game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(2) {
            if request.stop.is_stopped() {
                return Ok(Decision::Play(Move::PASS));
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Decision::Resign)
    }

    fn set_seed(&mut self, _seed: u64) {}
}

#[test]
fn a_line_stops_the_search_that_is_running() {
    for interrupt in ["stop\n", "gogui-interrupt\n", "# interrupt\nname\n"] {
        let (sender, input) = pipe();
        let feeder = thread::spawn(move || {
            sender.send(b"genmove b\n".to_vec()).unwrap();
            thread::sleep(Duration::from_millis(50));
            sender.send(interrupt.into()).unwrap();
        });
        let mut output = Vec::new();
        let start = Instant::now();
        Server::new(Seat::new(Box::new(Patient))).run(input, &mut output).unwrap();
        feeder.join().unwrap();
        assert!(start.elapsed() < Duration::from_millis(1900));
        assert!(String::from_utf8(output).unwrap().starts_with("= pass\n\n="), "{interrupt}");
    }
}

/// Cannot be written to.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_search_ends_when_answers_cannot_be_written() {
    let (sender, input) = pipe();
    sender.send(b"name\ngenmove b\n".to_vec()).unwrap();
    let start = Instant::now();
    let error = Server::new(Seat::new(Box::new(Patient))).run(input, Closed).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(
        start.elapsed() < Duration::from_millis(1900),
        "the search was stopped, though the input stays open"
    );
    drop(sender);
}

#[test]
fn a_stop_that_is_read_early_still_counts_and_an_old_one_does_not() {
    let mut output = Vec::new();
    Server::new(Seat::new(Box::new(Patient))).run(&b"genmove b\nstop\n"[..], &mut output).unwrap();
    assert_eq!(String::from_utf8_lossy(&output), "= pass\n\n=\n\n");
    output.clear();
    Server::new(Seat::new(Box::new(Patient))).run(&b"stop\ngenmove b\n"[..], &mut output).unwrap();
    assert_eq!(String::from_utf8_lossy(&output), "=\n\n= resign\n\n");
}

/// Notes the clock that it is given and takes its time; ponders until it is stopped.
struct Watcher {
    clocks: Sender<Option<Clock>>,
    pondered: Sender<bool>,
}

impl Player for Watcher {
    fn name(&self) -> &'static str {
        "watcher"
    }

    fn decide(&mut self, _game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        self.clocks.send(request.limits.clock).unwrap();
        thread::sleep(Duration::from_millis(30));
        Ok(Decision::Play(Move::PASS))
    }

    fn ponder(&mut self, game: &Game, stop: &StopSignal) {
        assert_eq!(game.to_play(), Color::White, "the opponent's turn");
        let start = Instant::now();
        while !stop.is_stopped() && start.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(1));
        }
        self.pondered.send(stop.is_stopped()).unwrap();
    }

    fn set_seed(&mut self, _seed: u64) {}
}

fn watcher() -> (Watcher, Receiver<Option<Clock>>, Receiver<bool>) {
    let (clocks, seen) = channel();
    let (pondered, stops) = channel();
    (Watcher { clocks, pondered }, seen, stops)
}

#[test]
fn the_server_keeps_the_clock_of_the_player() {
    let (player, clocks, _) = watcher();
    let mut server = Server::new(Seat::new(Box::new(player)));
    let mut think = |lines: &[&str]| {
        for line in lines {
            assert!(!server.execute(line).unwrap().to_string().starts_with('?'), "{line}");
        }
        server.execute("genmove b").unwrap();
        clocks.recv().unwrap().map(|clock| (clock.left.as_secs_f32(), clock.stones))
    };
    assert_eq!(think(&[]), None, "no limit");
    assert_eq!(think(&["time_settings 10 0 0"]), Some((10.0, 0)));
    let (left, _) = think(&["clear_cache"]).unwrap();
    assert!(left < 9.975 && left > 5.0, "{left}: what the first move took is gone");
    assert_eq!(think(&["time_left b 7 0", "time_left w 3 0"]), Some((7.0, 0)));
    assert_eq!(think(&["kgs-time_settings byoyomi 0 5 3"]), Some((5.0, 3)));
    assert_eq!(think(&["time_left b 2.5 2"]), Some((2.5, 2)));
    assert_eq!(think(&[]), Some((5.0, 2)), "the period begins again");
    assert_eq!(think(&["kata-time_settings fischer 20 1"]), Some((20.0, 0)));
    assert_eq!(think(&["clear_board"]), Some((20.0, 0)), "a game begins with full clocks");
    let capped = "kata-time_settings fischer-capped 20 1 15 -1";
    assert_eq!(think(&[capped, "time_left b 12 0"]), Some((12.0, 0)));
    assert_eq!(
        think(&[capped, "time_left b 11 0"]),
        Some((11.0, 0)),
        "said again before each move, as gtp2ogs does"
    );
    assert_eq!(think(&["time_settings 0 1 0"]), None);
}

#[test]
fn the_player_ponders_until_a_line_arrives() {
    let (player, _clocks, stops) = watcher();
    let (sender, input) = pipe();
    let server = thread::spawn(move || Server::new(Seat::new(Box::new(player))).run(input, io::sink()));
    sender.send(b"name\ngenmove b\n".to_vec()).unwrap();
    thread::sleep(Duration::from_millis(100));
    // A line that leaves the game as it is only interrupts.
    sender.send(b"# a remark\n".to_vec()).unwrap();
    assert!(stops.recv().unwrap());
    sender.send(b"showboard\n".to_vec()).unwrap();
    assert!(stops.recv().unwrap());
    sender.send(b"play w D4\n".to_vec()).unwrap();
    assert!(stops.recv().unwrap());
    thread::sleep(Duration::from_millis(20));
    assert!(stops.try_recv().is_err(), "it is the player's own turn");
    sender.send(b"quit\n".to_vec()).unwrap();
    server.join().unwrap().unwrap();
}

/// The time from a command to its answer while the player ponders.
#[test]
fn pondering_stops_within_50_ms_of_a_command() {
    let config = MctsConfig { ponder: true, ..MctsConfig::default() };
    let player = Mcts::new("mcts", &config, 2, 1);
    let seat = Seat::new(Box::new(player)).with_limits(Limits::playouts(50));
    let (sender, input) = pipe();
    let (answers, answered) = channel();
    let server = thread::spawn(move || Server::new(seat).run(input, Answers(answers)));
    let mut delays = Vec::new();
    for _ in 0..9 {
        sender.send(b"genmove b\n".to_vec()).unwrap();
        answered.recv_timeout(Duration::from_mins(1)).unwrap();
        thread::sleep(Duration::from_millis(60));
        let start = Instant::now();
        sender.send(b"undo\n".to_vec()).unwrap();
        answered.recv_timeout(Duration::from_mins(1)).unwrap();
        delays.push(start.elapsed());
    }
    drop(sender);
    server.join().unwrap().unwrap();
    // A busy machine may delay one answer or the other.
    delays.sort_unstable();
    assert!(delays[4] < Duration::from_millis(50), "{delays:?}");
}

/// Tells when an answer was written.
struct Answers(Sender<()>);

impl io::Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.send(()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn resigning_is_answered_and_settles_the_score() {
    let mut server = Server::new(Seat::new(Box::new(Resigner)));
    assert_eq!(server.execute("genmove w").unwrap().text(), "resign");
    assert_eq!(server.execute("final_score").unwrap().text(), "B+R");
    server.execute("play w D4");
    assert_ne!(server.execute("final_score").unwrap().text(), "B+R");
}

#[test]
fn a_saved_game_is_loaded_again() {
    let path = std::env::temp_dir().join(format!("tengen save {}.sgf", std::process::id()));
    let mut server = Server::new(random());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    for line in ["boardsize 9", "komi 0.5", "kgs-rules aga", "fixed_handicap 3", "play w E5", "genmove b"] {
        ask(line);
    }
    let commands = ["showboard", "move_history", "get_komi", "kata-get-rules"];
    let before = commands.map(&mut ask);
    for save in ["savesgf", "printsgf"] {
        assert_eq!(ask(&format!("{save} {}", path.display())), "=\n\n");
        ask("boardsize 5");
        ask("kgs-rules japanese");
        assert_eq!(ask(&format!("loadsgf {}", path.display())), "=\n\n");
        assert_eq!(commands.map(&mut ask), before);
        std::fs::remove_file(&path).unwrap();
    }
    // Shown, it is the same text: a record has no empty line.
    assert!(responses(&ask("printsgf"))[0].starts_with("= (;"));
}

#[test]
fn an_illegal_choice_of_the_player_is_an_error() {
    let mut server = Server::new(Seat::new(Box::new(Stubborn)));
    assert_eq!(server.execute("genmove b").unwrap().text(), "A1");
    let response = server.execute("genmove w").unwrap();
    assert_eq!(response.to_string(), "? the player stubborn chose A1: the point is occupied\n\n");
}

/// A player with a fault.
struct Faulty;

impl Player for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }
    fn decide(&mut self, _game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        panic!("a fault that the test needs");
    }
    fn set_seed(&mut self, _seed: u64) {}
}

#[test]
fn a_fault_fails_the_command_and_not_the_session() {
    let mut output = Vec::new();
    let input = io::Cursor::new(b"1 genmove b\n2 boardsize 9\n3 quit\n".to_vec());
    Server::new(Seat::new(Box::new(Faulty))).run(input, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let [fault, others @ ..] = &responses(&output)[..] else { panic!("{output}") };
    assert!(fault.starts_with("?1 internal error in faulty"), "{fault}");
    assert_eq!(others, ["=2", "=3"]);
}

#[test]
fn forms_that_front_ends_send() {
    let mut server = Server::new(random());
    let mut ask = |line: &str| server.execute(line).unwrap().text().to_owned();
    for size in ["boardsize 9:7", "boardsize 9 7", "rectangular_boardsize 9 7"] {
        ask("boardsize 5");
        assert_eq!(ask(size), "");
        assert_eq!(ask("play b J7"), "", "{size}");
    }
    ask("kgs-rules chinese");
    assert!(ask("kata-get-rules").contains("POSITIONAL"));
    ask("kata-set-rules chinese");
    assert!(ask("kata-get-rules").contains("SIMPLE"));
}

#[test]
fn what_a_record_does_not_tell_stays() {
    let path = std::env::temp_dir().join(format!("tengen silent {}.sgf", std::process::id()));
    std::fs::write(&path, "(;GM[1]SZ[9];B[ee])").unwrap();
    let mut server = Server::new(random());
    let mut ask = |line: &str| server.execute(line).unwrap().text().to_owned();
    ask("komi 5.5");
    ask("kata-set-rules japanese");
    let rules = ask("kata-get-rules");
    assert_eq!(ask(&format!("loadsgf {}", path.display())), "");
    assert_eq!((ask("get_komi"), ask("kata-get-rules")), ("5.5".to_owned(), rules));
    std::fs::write(&path, "(;GM[1]SZ[9]KM[6.5]RU[AGA];B[ee])").unwrap();
    ask(&format!("loadsgf {}", path.display()));
    assert_eq!(ask("get_komi"), "6.5");
    assert!(ask("kata-get-rules").contains("SITUATIONAL"));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_handicap_is_compensated_however_it_is_sent() {
    let score = |handicap: &[&str]| {
        let mut server = Server::new(random());
        let mut ask = |line: &str| server.execute(line).unwrap().text().to_owned();
        ask("boardsize 9");
        ask("komi 0.5");
        for line in handicap {
            assert_eq!(ask(line), "", "{line}");
        }
        for v in ["B5", "E5", "H5", "B2", "H8"] {
            assert_eq!(ask(&format!("play w {v}")), "");
        }
        ask("final_score")
    };
    let placed = score(&["set_free_handicap D4 D7 D2"]);
    assert_eq!(score(&["play b D4", "play b D7", "play b D2"]), placed);
}

#[test]
fn each_side_resigns_for_itself_and_asking_twice_does_not_count() {
    let config = MctsConfig::default();
    let player = Mcts::new("test", &config, 1, 2);
    let mut server = Server::new(Seat::new(Box::new(player)).with_limits(Limits::playouts(200)));
    let mut ask = |line: &str| server.execute(line).unwrap().text().to_owned();
    ask("boardsize 5");
    ask("komi 300");
    for _ in 0..5 {
        assert_ne!(ask("reg_genmove b"), "resign");
    }
    for color in ["b", "w", "b", "w"] {
        assert_ne!(ask(&format!("genmove {color}")), "resign");
    }
    assert_eq!(ask("genmove b"), "resign");
}

struct Resigner;

impl Player for Resigner {
    fn name(&self) -> &'static str {
        "resigner"
    }
    fn decide(&mut self, _game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        Ok(Decision::Resign)
    }
    fn set_seed(&mut self, _seed: u64) {}
}

struct Stubborn;

impl Player for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }
    fn decide(&mut self, _game: &Game, _request: &Request) -> Result<Decision, PlayerError> {
        Ok(Decision::Play("A1".parse().expect("a point")))
    }
    fn set_seed(&mut self, _seed: u64) {}
}

/// One parameter that chooses between two players.
struct Temper {
    resigns: bool,
}

impl Configure for Temper {
    fn keys(&self) -> Vec<String> {
        vec!["temper.resigns".to_owned()]
    }

    fn get(&self, key: &str) -> Result<String, ConfigureError> {
        match key {
            "temper.resigns" => Ok(self.resigns.to_string()),
            _ => Err(ConfigureError::UnknownKey { key: key.to_owned(), valid: self.keys() }),
        }
    }

    fn with(&self, settings: &[(String, String)]) -> Result<Box<dyn Configure>, ConfigureError> {
        let mut resigns = self.resigns;
        for (key, value) in settings {
            self.get(key)?;
            resigns = value
                .parse()
                .map_err(|_| ConfigureError::Refused(format!("{key}: write true or false, not {value}")))?;
        }
        Ok(Box::new(Temper { resigns }))
    }

    fn build(&self) -> Result<Seat, ConfigureError> {
        Ok(Seat::new(if self.resigns { Box::new(Resigner) } else { Box::new(Stubborn) }))
    }
}

#[test]
fn parameters_are_listed_read_and_changed() {
    let mut server =
        Server::new(Seat::new(Box::new(Stubborn))).with_parameters(Box::new(Temper { resigns: false }));
    let mut ask = |line: &str| server.execute(line).unwrap().to_string().trim_end().to_owned();
    assert_eq!(ask("kata-list-params"), "= temper.resigns");
    assert_eq!(ask("kata-get-param temper.resigns"), "= false");
    assert_eq!(ask("genmove b"), "= A1");
    assert_eq!(ask("kata-set-param temper.resigns true"), "=");
    assert_eq!(ask("genmove w"), "= resign");
    assert_eq!(
        ask("kata-set-param temper.resigns maybe"),
        "? temper.resigns: write true or false, not maybe"
    );
    assert_eq!(ask("kata-get-param mood"), "? unknown parameter \"mood\": choose one of temper.resigns");
    assert_eq!(ask("kata-set-param temper.resigns"), "? syntax error: write kata-set-param KEY VALUE");
}
