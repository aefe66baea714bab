//! The analysis commands of GTP, as graphical boards use them.
#![allow(clippy::unwrap_used)]

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tengen_engine::{
    gtp::Server,
    players::{Limits, Mcts, MctsConfig, Player, RandomPlayer, Seat},
    playout::{LgrConfig, PlayoutConfig, PlayoutsConfig, UniformConfig},
    prior::{GcmbConfig, KnowledgeConfig},
    search::SearchConfig,
};

fn seat(player: impl Player + 'static, playouts: u64) -> Seat {
    Seat::new(Box::new(player)).with_limits(Limits::playouts(playouts))
}

fn mcts() -> Seat {
    let config = SearchConfig { knowledge: Some(KnowledgeConfig::default()), ..SearchConfig::default() };
    seat(Mcts::new("test", &config.into(), 1, 1), 500)
}

/// A server whose input stays open and whose output is read as it comes.
struct Session {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    server: Option<JoinHandle<io::Result<()>>>,
}

struct Pipe(Receiver<Vec<u8>>);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.recv().unwrap_or_default();
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

struct Lines(Sender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.0.send(text).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Session {
    fn new(seat: Seat) -> Session {
        let (input, read) = channel();
        let (written, output) = channel();
        let server = thread::spawn(move || Server::new(seat).run(BufReader::new(Pipe(read)), Lines(written)));
        Session { input: Some(input), output, server: Some(server) }
    }

    fn send(&self, line: &str) {
        self.input.as_ref().unwrap().send(format!("{line}\n").into_bytes()).unwrap();
    }

    fn next(&self) -> String {
        self.output.recv_timeout(Duration::from_mins(1)).expect("an answer")
    }

    /// The rest of a response, until the empty line that ends it.
    fn response(&self) -> String {
        let mut text = String::new();
        loop {
            let part = self.next();
            text += &part;
            if part == "\n" || part.ends_with("\n\n") {
                return text;
            }
        }
    }

    fn ask(&self, line: &str) -> String {
        self.send(line);
        self.response()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        self.server.take().unwrap().join().unwrap().unwrap();
    }
}

/// The words after `key`, up to the next word that is not a number or point.
fn value<'a>(info: &'a str, key: &str) -> &'a str {
    let mut words = info.split(' ');
    words.find(|word| *word == key).unwrap_or_else(|| panic!("no {key} in {info}"));
    words.next().unwrap().trim_end()
}

fn infos(line: &str) -> Vec<&str> {
    line.split("info ").skip(1).collect()
}

#[test]
fn analysis_goes_on_until_any_line_arrives() {
    let session = Session::new(mcts());
    session.ask("boardsize 9");
    for (command, line) in [
        ("7 lz-analyze 3", "8 protocol_version"),
        ("7 kata-analyze b interval 3", "8 name"),
        ("7 analyze interval 3", "8 stop"),
        ("7 lz-analyze b 3", "8 nonsense"),
    ] {
        session.send(command);
        assert_eq!(session.next(), "=7\n");
        let reports: Vec<_> = (0..3).map(|_| session.next()).collect();
        for report in &reports {
            assert!(report.starts_with("info move ") && report.ends_with('\n'), "{report}");
        }
        let visits =
            |report: &String| infos(report).iter().map(|i| value(i, "visits").parse::<u32>().unwrap()).sum();
        assert!(reports.iter().map(visits).is_sorted_by(|a: &u32, b| a < b));
        session.send(line);
        session.response();
        assert!(session.response().contains('8'));
    }
    // An empty line ends it too, and is not answered.
    session.send("lz-analyze 3");
    assert_eq!(session.next(), "=\n");
    session.send("");
    session.response();
    assert_eq!(session.ask("9 name"), "=9 tengen\n\n");
}

/// The time from a line to its answer while an analysis runs.
#[test]
fn analysis_stops_at_once() {
    let session = Session::new(Seat::new(Box::new(Mcts::new("two", &MctsConfig::default(), 2, 1))));
    let mut delays = Vec::new();
    for _ in 0..9 {
        session.send("kata-analyze interval 2 ownership true");
        assert_eq!(session.next(), "=\n");
        session.next();
        thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        session.send("protocol_version");
        session.response();
        assert_eq!(session.response(), "= 2\n\n");
        delays.push(start.elapsed());
    }
    // A busy machine may delay one answer or the other.
    delays.sort_unstable();
    assert!(delays[4] < Duration::from_millis(50), "{delays:?}");
}

#[test]
fn analysis_ends_with_the_input() {
    let mut session = Session::new(mcts());
    session.send("lz-analyze 5");
    assert_eq!(session.next(), "=\n");
    drop(session.input.take());
    session.response();
}

#[test]
fn win_rates_are_whole_numbers_for_leela_and_fractions_for_kata() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 9");
    let leela = ask("lz-analyze b 20");
    for (order, info) in infos(&leela).iter().enumerate() {
        for key in ["visits", "winrate", "prior", "lcb"] {
            assert!(value(info, key).parse::<u32>().unwrap() <= 1_000_000, "{info}");
        }
        assert_eq!(value(info, "order").parse(), Ok(order));
        assert_eq!(value(info, "pv"), value(info, "move"));
    }
    let kata =
        ask("kata-analyze b 20 ownership true rootInfo true pvVisits true movesOwnership true minmoves 90");
    let first = infos(&kata)[0];
    for key in
        ["winrate", "scoreLead", "scoreMean", "scoreStdev", "prior", "lcb", "utility", "utilityLcb", "weight"]
    {
        assert!(value(first, key).contains('.'), "{key}");
        value(first, key).parse::<f32>().unwrap();
    }
    assert_eq!(value(first, "pvVisits"), value(first, "visits"));
    assert_eq!(infos(&kata).len(), 81, "every move is listed");
    value(&kata, "rootInfo");
    let (_, ownership) = kata.trim_end().rsplit_once(" ownership ").unwrap();
    let ownership: Vec<f32> = ownership.split(' ').map(|n| n.parse().unwrap()).collect();
    assert_eq!(ownership.len(), 81);
    assert!(ownership.iter().all(|n| (-1.0..=1.0).contains(n)));
}

/// Black owns the top, White the bottom; each sees the board from its own side.
#[test]
fn values_are_those_of_the_player_who_is_asked_about() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 5");
    ask("komi 0.5");
    ask("set_position b A4 b B4 b C4 b D4 b E4 w A2 w B2 w C2 w D2 w E2 b A3 b B3 b C3 b D3 b E3");
    let top_left = |line: &str| {
        let (_, ownership) = line.trim_end().rsplit_once(" ownership ").unwrap();
        ownership.split(' ').next().unwrap().parse::<f32>().unwrap()
    };
    let black = ask("kata-analyze b 20 ownership true");
    let white = ask("kata-analyze w 20 ownership true");
    assert!(top_left(&black) > 0.5, "{black}");
    assert!(top_left(&white) < -0.5, "{white}");
    let rate = |line: &str| value(infos(line)[0], "winrate").parse::<f32>().unwrap();
    assert!(rate(&black) > 0.7 && rate(&white) < 0.3);
}

#[test]
fn moves_are_allowed_avoided_and_limited_in_number() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 9");
    let moves = |line: &str| {
        let mut moves: Vec<_> = infos(line).iter().map(|info| value(info, "move").to_owned()).collect();
        moves.sort();
        moves
    };
    assert_eq!(moves(&ask("lz-analyze 20 minmoves 9 allow b A1,pass 1 allow b e5 1")), ["A1", "E5", "pass"]);
    let avoided = ask("kata-analyze b interval 20 avoid b E5,E4,D5 1 avoid w C3 3");
    assert!(!moves(&avoided).iter().any(|mv| ["E5", "E4", "D5"].contains(&mv.as_str())));
    assert_eq!(infos(&ask("kata-analyze 20 maxmoves 3")).len(), 3);
}

#[test]
fn a_move_is_chosen_while_the_search_is_shown() {
    let session = Session::new(mcts());
    session.ask("boardsize 9");
    for command in
        ["lz-genmove_analyze b 2", "kata-genmove_analyze w 2 ownership true", "genmove_analyze B 2"]
    {
        let response = session.ask(command);
        let (infos, last) = response.trim_end().rsplit_once('\n').unwrap();
        assert!(infos.starts_with("=\ninfo move"), "{response}");
        let played = last.strip_prefix("play ").unwrap();
        assert!(session.ask("last_move").contains(played));
        assert!(infos.lines().last().unwrap().starts_with(&format!("info move {played} ")), "{response}");
    }
    // The interval is longer than the search: the last report comes all the same.
    let response = session.ask("lz-genmove_analyze w 100000 allow w A9 1");
    assert!(response.starts_with("=\ninfo move A9 "), "{response}");
    assert!(response.ends_with("\nplay A9\n\n"), "{response}");
}

#[test]
fn the_computer_go_server_gets_json() {
    let session = Session::new(mcts());
    session.ask("boardsize 9");
    let response = session.ask("cgos-genmove_analyze b");
    let lines: Vec<_> = response.trim_end().lines().collect();
    let analysis: serde_json::Value = serde_json::from_str(lines[lines.len() - 2]).unwrap();
    let played = lines[lines.len() - 1].strip_prefix("play ").unwrap();
    assert_eq!(analysis["moves"][0]["move"], played);
    assert!(analysis["winrate"].as_f64().unwrap() > 0.0);
    assert_eq!(analysis["visits"], 500);
}

#[test]
fn a_search_can_be_looked_at_and_broken_off() {
    let session = Session::new(mcts());
    session.ask("boardsize 9");
    let response = session.ask("kata-search_analyze b 2");
    assert!(response.trim_end().lines().last().unwrap().starts_with("play "));
    assert_eq!(session.ask("move_history"), "=\n\n", "the move is not played");
    assert!(session.ask("kata-search_analyze_cancellable b").contains("\nplay "));
    let slow = seat(Mcts::new("slow", &MctsConfig::default(), 1, 1), 100_000_000);
    let session = Session::new(slow);
    session.send("kata-search_analyze_cancellable b 2 maxmoves 1");
    assert_eq!(session.next(), "=\n");
    session.next();
    session.send("name");
    assert!(session.response().ends_with("play cancelled\n\n"));
    assert_eq!(session.response(), "= tengen\n\n");
    session.send("kata-search_cancellable b");
    session.send("name");
    assert_eq!(session.response(), "= cancelled\n\n");
    assert_eq!(session.response(), "= tengen\n\n");
    session.ask("time_settings 0 1 1");
    for command in ["kata-search b", "kata-search_cancellable", "kata-search_analyze w 1000"] {
        let response = session.ask(command);
        assert!(
            !["?", "cancelled", "pass"].iter().any(|word| response.contains(word)),
            "the clock ends it: {response}"
        );
    }
    assert_eq!(session.ask("move_history"), "=\n\n", "none of these moves is played");
}

#[test]
fn a_stop_before_the_first_playout_is_no_pass() {
    let inputs = [
        "genmove b\nstop\nquit\n",
        "genmove w\ngogui-interrupt\nquit\n",
        "lz-genmove_analyze b 10\nstop\nquit\n",
    ];
    for input in inputs {
        let mut output = Vec::new();
        Server::new(mcts()).run(input.as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.starts_with('=') && !output.contains("pass"), "{input}: {output}");
    }
}

#[test]
fn what_cannot_be_analysed_is_refused() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    for (line, part) in [
        ("lz-analyze colour", "unknown option \"colour\""),
        ("lz-analyze b -1", "centiseconds"),
        ("lz-analyze b nan", "centiseconds"),
        ("lz-analyze interval", "write lz-analyze"),
        ("kata-analyze ownership maybe", "true or false"),
        ("kata-analyze maxmoves x", "maxmoves"),
        ("kata-analyze avoid b D4", "write kata-analyze"),
        ("kata-analyze avoid b D44 1", "invalid coordinate"),
    ] {
        let answer = ask(line);
        assert!(answer.starts_with("? ") && answer.contains(part), "{line}: {answer}");
    }
    ask("boardsize 5");
    assert!(ask("kata-analyze allow b Q16 1").contains("not on the board"));
    let mut server = Server::new(Seat::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1))));
    assert!(server.execute("lz-analyze").unwrap().to_string().contains("random does not search"));
}

fn with_tables() -> Server {
    let config = MctsConfig {
        search: SearchConfig {
            knowledge: Some(KnowledgeConfig::default()),
            gcmb: Some(GcmbConfig::default()),
            ..SearchConfig::default()
        },
        playouts: PlayoutsConfig {
            policy: PlayoutConfig::Lgr(LgrConfig::default()),
            ..PlayoutsConfig::default()
        },
        ..MctsConfig::default()
    };
    let mut server = Server::new(seat(Mcts::new("tables", &config, 1, 1), 800));
    for line in ["boardsize 9", "play b E5"] {
        server.execute(line);
    }
    server
}

#[test]
fn every_overlay_of_gogui_can_be_drawn() {
    let mut server = with_tables();
    let menu = server.execute("gogui-analyze_commands").unwrap().text().to_owned();
    for entry in menu.lines() {
        let [kind, label, command] = entry.splitn(3, '/').collect::<Vec<_>>()[..] else { panic!("{entry}") };
        let command = command.replace("%c", "w").replace("%p", "E5");
        if kind == "param" {
            continue;
        }
        let answer = server.execute(&command).unwrap();
        assert!(answer.is_success(), "{label}: {answer}");
        let rows: Vec<_> = answer.text().trim().lines().collect();
        match kind {
            "dboard" | "sboard" => {
                assert_eq!(rows.len(), 9, "{label}: {answer}");
                assert!(rows.iter().all(|row| row.split(' ').count() == 9), "{label}: {answer}");
            }
            "gfx" => assert!(rows.iter().any(|row| row.starts_with("LABEL ")), "{label}: {answer}"),
            "var" => assert!(answer.text().starts_with("w "), "{label}: {answer}"),
            _ => {}
        }
    }
    // Overlays of the same position show the same search.
    let visits = server.execute("tengen-visits").unwrap();
    assert_eq!(server.execute("tengen-visits").unwrap(), visits);
    assert!(visits.text().contains("of 800 playouts"), "{visits}");
}

#[test]
fn overlays_say_what_is_missing() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 5");
    assert!(ask("tengen-replies b").contains("rave-lgr"));
    assert!(ask("tengen-gcmb C3 b").contains("no replies are known"));
    assert!(ask("tengen-gcmb T19 b").contains("not on the board"));
    assert_eq!(ask("gomill-explain_last_move"), "=\n\n");
    ask("genmove b");
    assert!(ask("gomill-explain_last_move").starts_with("= black wins "));
    assert!(ask("tengen-param").contains("has no parameters"));
    let mut server = Server::new(Seat::new(Box::new(RandomPlayer::new(&UniformConfig::default(), 1))));
    assert!(server.execute("tengen-ownership").unwrap().to_string().contains("does not search"));
}

#[test]
fn a_restricted_move_is_one_of_those_allowed() {
    let mut server = Server::new(mcts());
    let mut ask = |line: &str| server.execute(line).unwrap().to_string();
    ask("boardsize 9");
    assert_eq!(ask("restricted_genmove b A1"), "= A1\n\n");
    let answer = ask("restricted_genmove w J9 A9");
    assert!(["= J9\n\n", "= A9\n\n"].contains(&answer.as_str()), "{answer}");
    assert!(ask("restricted_genmove b A1").contains("none of these points"));
    assert!(ask("restricted_genmove").contains("write restricted_genmove"));
}

/// Every command that front ends use, as far as it does not need a network.
#[test]
fn front_ends_find_their_commands() {
    let expected = "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove \
        undo gg-undo fixed_handicap place_free_handicap set_free_handicap get_komi time_settings kgs-time_settings \
        kata-time_settings kata-list_time_settings time_left final_score final_status final_status_list loadsgf printsgf \
        savesgf reg_genmove restricted_genmove showboard is_legal all_legal list_stones captures move_history last_move \
        cputime gomill-cpu_time gomill-explain_last_move get_random_seed set_random_seed clear_cache stop kgs-rules \
        kgs-chat kgs-game_over kata-get-rules kata-set-rules kata-set-rule kata-get-param kata-set-param \
        kata-list-params lz-analyze kata-analyze analyze lz-genmove_analyze kata-genmove_analyze genmove_analyze \
        kata-search_analyze kata-search_analyze_cancellable rectangular_boardsize set_position gogui-analyze_commands \
        gogui-interrupt gogui-play_sequence gogui-setup gogui-setup_player gogui-title gogui-version \
        cgos-genmove_analyze cgos-gameover cgos-opponent_name cgos-opponent_rating";
    let commands = Server::new(mcts()).execute("list_commands").unwrap().text().to_owned();
    let missing: Vec<_> =
        expected.split_whitespace().filter(|name| !commands.lines().any(|known| known == *name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
