//! The GTP client against GNU Go, and against programs that misbehave.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use tengen_board::{Color, Game, Move, Rules};
use tengen_engine::{
    gtp::{Client, ClientError, ExternalPlayer, Server, Timeouts, find_executable},
    players::{Decision, Player, PlayerError, Request, Seat},
};
use tengen_testing::skipped;

/// For engines that will not answer.
const SHORT: Timeouts = Timeouts { command: Duration::from_millis(400), genmove: Duration::from_millis(400) };
/// For engines that will, even on a busy machine.
const LONG: Timeouts = Timeouts { command: Duration::from_secs(30), genmove: Duration::from_mins(1) };

/// A shell script that stands in for an engine; removed when the test ends.
struct Script(PathBuf);

impl Script {
    fn new(name: &str, body: &str) -> Script {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}.sh", std::process::id()));
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a temporary file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        Script(path)
    }

    /// Through the shell, because a file that was just written may still be busy in another thread's fork.
    fn command_line(&self) -> String {
        format!("sh {}", self.0.display())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// An engine that answers every command by `$answer` and remembers what it was told in its standard error.
const POLITE: &str = r#"while read command rest; do
  echo "got $command $rest" >&2
  case "$command" in
    genmove) printf '= %s\n\n' "${answer:-pass}" ;;
    name) printf '= Polite\n\n' ;;
    list_commands) printf '= name\nundo\n\n' ;;
    quit) printf '=\n\n'; exit 0 ;;
    refuse) printf '? I would rather not\n\n' ;;
    *) printf '=\n\n' ;;
  esac
done"#;

fn start(script: &Script, timeouts: Timeouts) -> Client {
    Client::start(&script.command_line(), timeouts).expect("sh starts")
}

#[test]
fn a_missing_program_is_named() {
    let error = Client::start("no-such-engine --mode gtp", SHORT).err().unwrap();
    assert!(matches!(error, ClientError::NotFound { .. }));
    let message = error.to_string();
    assert!(message.contains("no-such-engine was not found"), "{message}");
    assert!(message.contains("--mode gtp"), "{message}");
    for line in ["", "   ", "sh -c 'never closed"] {
        assert!(matches!(Client::start(line, SHORT), Err(ClientError::CommandLine(_))), "{line}");
    }
    assert!(matches!(Client::start("/etc/passwd", SHORT), Err(ClientError::Start { .. })));
}

#[test]
fn a_hanging_engine_is_killed_in_time() {
    let script = Script::new("hang", "echo 'thinking hard' >&2\nexec sleep 60");
    let mut client = start(&script, SHORT);
    let begin = Instant::now();
    let error = client.send("name").unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(5));
    let message = error.to_string();
    assert!(matches!(error, ClientError::TimedOut { .. }), "{message}");
    assert!(message.contains("`name`") && message.contains("thinking hard"), "{message}");
    // It stays dead, and says so at once.
    let begin = Instant::now();
    assert_eq!(client.send("version").unwrap_err().to_string(), message);
    assert!(begin.elapsed() < Duration::from_millis(100));
}

#[test]
fn an_engine_that_does_not_read_cannot_block_the_client() {
    let script = Script::new("deaf", "exec sleep 60");
    let mut client = start(&script, SHORT);
    let begin = Instant::now();
    let error = client.send(&format!("echo {}", "x".repeat(1 << 20))).unwrap_err();
    assert!(matches!(error, ClientError::TimedOut { .. }));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_dying_engine_leaves_its_last_words() {
    let script = Script::new("die", "read line\necho 'out of memory' >&2\nexit 3");
    let error = start(&script, LONG).send("genmove b").unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, ClientError::Died { .. }), "{message}");
    assert!(message.contains("exit status: 3") && message.contains("out of memory"), "{message}");
}

#[test]
fn endless_garbage_is_cut_off() {
    let lines = Script::new("garbage", "exec yes 'what do you mean?'");
    assert!(matches!(start(&lines, LONG).send("name"), Err(ClientError::Garbage { .. })));
    let one_line = Script::new("zeros", "exec cat /dev/zero");
    assert!(matches!(start(&one_line, SHORT).send("name"), Err(ClientError::TimedOut { .. })));
    let response = Script::new("endless", "printf '= '; exec yes");
    assert!(matches!(start(&response, LONG).send("name"), Err(ClientError::Garbage { .. })));
}

#[test]
fn a_move_that_is_none_is_garbage() {
    let script = Script::new("answer", &format!("answer=banana\n{POLITE}"));
    let error = start(&script, LONG).genmove(Color::Black).unwrap_err();
    assert!(error.to_string().contains("banana"), "{error}");
}

#[test]
fn a_refusal_does_not_end_the_engine() {
    let script = Script::new("refuse", &format!("echo 'Welcome!'\n{POLITE}"));
    let mut client = start(&script, LONG);
    let error = client.send("refuse").unwrap_err();
    assert!(!error.is_fatal());
    assert!(error.to_string().contains("I would rather not"), "{error}");
    assert_eq!(client.name().unwrap(), "Polite");
    client.quit();
}

#[test]
fn dropping_the_client_ends_the_engine() {
    let script = Script::new("drop", "echo \"= $$\"; echo; exec sleep 60");
    let mut client = start(&script, LONG);
    let pid = client.send("pid").unwrap();
    assert!(std::path::Path::new(&format!("/proc/{pid}")).exists() || cfg!(not(target_os = "linux")));
    drop(client);
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn an_engine_that_fails_is_an_error() {
    let script = Script::new("brief", "read line; printf '= Brief\\n\\n'");
    let mut player = ExternalPlayer::start(&script.command_line(), LONG).unwrap();
    assert_eq!(player.name(), "Brief");
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let error = player.decide(&game, &Request::default()).unwrap_err();
    assert!(matches!(error, PlayerError::Engine(ClientError::Died { .. })), "{error}");
    // A front end is told so.
    let mut server = Server::new(Seat::new(Box::new(player)));
    let response = server.execute("genmove b").unwrap().to_string();
    assert!(response.starts_with("? ") && response.contains("ended at"), "{response}");
}

#[test]
fn only_the_difference_is_sent() {
    let log = std::env::temp_dir().join(format!("tengen-log-{}", std::process::id()));
    let script = Script::new("log", &format!("exec 2>{}\n{POLITE}", log.display()));
    let mut player = ExternalPlayer::start(&script.command_line(), LONG).unwrap();
    let mut told = 0;
    let mut news = |player: &mut ExternalPlayer, game: &Game| {
        player.sync(game).unwrap();
        let all = fs::read_to_string(&log).unwrap();
        let lines: Vec<String> = all.lines().skip(told).map(|line| line.replace("got ", "")).collect();
        told += lines.len();
        lines.iter().map(|line| line.trim().to_owned()).filter(|line| line != "name").collect::<Vec<_>>()
    };
    let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
    for point in ["C3", "B2", "D2"] {
        game.play(point.parse().unwrap());
    }
    assert_eq!(
        news(&mut player, &game),
        ["boardsize 5", "clear_board", "komi 7.5", "play black C3", "play white B2", "play black D2"]
    );
    assert_eq!(news(&mut player, &game), Vec::<String>::new());
    game.play(Move::PASS);
    assert_eq!(news(&mut player, &game), ["play white pass"]);
    game.undo();
    game.play("B4".parse().unwrap());
    assert_eq!(news(&mut player, &game), ["list_commands", "undo", "play white B4"]);
    game.undo_to(0);
    assert_eq!(news(&mut player, &game), ["boardsize 5", "clear_board", "komi 7.5"]);
    fs::remove_file(&log).unwrap();
}

fn gnugo() -> Option<String> {
    let path = find_executable("gnugo");
    if path.is_none() {
        skipped("GNU Go as a GTP client's engine", "install gnugo");
    }
    path.map(|path| format!("{} --mode gtp --level 1 --chinese-rules --seed 1", path.display()))
}

#[test]
fn gnugo_plays_a_game_with_itself() {
    let Some(command_line) = gnugo() else { return };
    let mut player = ExternalPlayer::start(&command_line, LONG).unwrap();
    assert_eq!(player.name(), "GNU Go");
    let mut game = Game::new(7, 7, Rules::CHINESE.with_komi(5.5)).unwrap();
    while !game.is_over() && game.moves().len() < 200 {
        match player.decide(&game, &Request::default()).unwrap() {
            Decision::Play(mv) => game.try_play(mv).unwrap(),
            Decision::Resign => break,
        }
    }
    assert!(game.moves().len() > 10);
    player.sync(&game).unwrap();
    let score = player.client().final_score().unwrap();
    assert!((score + 5.5).fract() == 0.0, "{score}");
}

#[test]
fn gnugo_follows_undo_handicap_and_other_sizes() {
    let Some(command_line) = gnugo() else { return };
    let mut player = ExternalPlayer::start(&command_line, LONG).unwrap();
    let mut game = Game::new(9, 9, Rules::CHINESE).unwrap();
    game.place_fixed_handicap(3).unwrap();
    let stones = |player: &mut ExternalPlayer, color: &str| {
        let answer = player.client().send(&format!("list_stones {color}")).unwrap();
        let mut points: Vec<Move> = answer.split_whitespace().map(|point| point.parse().unwrap()).collect();
        points.sort();
        points
    };
    let expected = |game: &Game, color: Color| {
        let board = game.board();
        let mut points: Vec<Move> =
            board.points().filter(|&v| board.is_color(v, color)).map(Move::from).collect();
        points.sort();
        points
    };
    for turn in 0..6 {
        let decision = player.decide(&game, &Request::default()).unwrap();
        let Decision::Play(mv) = decision else { panic!("it resigned") };
        game.try_play(mv).unwrap();
        if turn % 3 == 2 {
            game.undo_to(game.moves().len() - 2);
            player.sync(&game).unwrap();
        }
        assert_eq!(stones(&mut player, "black"), expected(&game, Color::Black));
        assert_eq!(stones(&mut player, "white"), expected(&game, Color::White));
    }
    let small = Game::new(5, 5, Rules::CHINESE).unwrap();
    assert!(matches!(player.decide(&small, &Request::default()), Ok(Decision::Play(_))));
    // GNU Go has no rectangular boards: it refuses, and goes on.
    let rectangle = Game::new(5, 7, Rules::CHINESE).unwrap();
    let error = player.decide(&rectangle, &Request::default()).unwrap_err();
    assert!(matches!(error, PlayerError::Engine(error) if !error.is_fatal()));
    assert!(player.decide(&small, &Request::default()).is_ok());
}

/// An engine that thinks about its first move for a minute, and passes when it is started again.
fn slow_at_first(name: &str) -> (Script, PathBuf) {
    let mark = std::env::temp_dir().join(format!("tengen-{name}-{}.mark", std::process::id()));
    let think = format!("if ! [ -e {0} ]; then touch {0}; exec sleep 60; fi", mark.display());
    let body = POLITE.replace("genmove) ", &format!("genmove) {think}; "));
    (Script::new(name, &body), mark)
}

#[test]
fn a_stop_ends_an_engine_that_thinks_and_the_next_request_starts_it_again() {
    let (script, mark) = slow_at_first("slow");
    let mut player = ExternalPlayer::start(&script.command_line(), LONG).unwrap();
    let (pid, killer) = (player.client().pid(), player.killer().unwrap());
    let game = Game::new(9, 9, Rules::CHINESE).unwrap();
    let request = Request::default();
    let begin = Instant::now();
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            while !mark.exists() {
                thread::sleep(Duration::from_millis(5));
            }
            request.stop.stop();
        });
        player.decide(&game, &request).unwrap_err()
    });
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert!(matches!(error, PlayerError::Engine(ClientError::Stopped { .. })), "{error}");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(player.decide(&game, &Request::default()).unwrap(), Decision::Play(Move::PASS));
    killer.kill();
    let error = player.decide(&game, &Request::default()).unwrap_err();
    assert!(matches!(error, PlayerError::Engine(ClientError::Died { .. })), "{error}");
    fs::remove_file(&mark).unwrap();
}

#[test]
fn the_line_stop_ends_the_move_of_an_engine() {
    let (script, mark) = slow_at_first("halt");
    let player = ExternalPlayer::start(&script.command_line(), LONG).unwrap();
    let begin = Instant::now();
    let mut output = Vec::new();
    Server::new(Seat::new(Box::new(player)))
        .run(&b"boardsize 9\ngenmove b\nstop\n"[..], &mut output)
        .unwrap();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("? sh") && output.contains("was stopped at"), "{output}");
    let _ = fs::remove_file(&mark);
}
