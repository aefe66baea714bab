//! Matches: the same games every time, also after an interruption, and engines that misbehave.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use tengen_board::{Game, Rules};
use tengen_engine::{
    gtp::find_executable,
    players::{Book, StopSignal},
    time::TimeSettings,
};
use tengen_lab::{
    PlayerSpec,
    journal::JournalError,
    matches::{Ending, GameRecord, Journal, MatchConfig, MatchError, Openings, Referee, Side, Summary, run},
    provenance::Provenance,
    venue::Here,
};
use tengen_testing::skipped;

/// A directory of its own for each test, removed before it is used.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("match-{name}"));
    let _ = fs::remove_dir_all(&path);
    path
}

fn spec(text: &str) -> PlayerSpec {
    text.parse().expect("a valid spec")
}

fn config(a: PlayerSpec, b: PlayerSpec) -> MatchConfig {
    let rules = Rules::CHINESE;
    let referee = Referee::choose(&rules, a.is_external() || b.is_external());
    let (clock_a, clock_b) = (TimeSettings::Unlimited, TimeSettings::Unlimited);
    let openings = Openings::None;
    MatchConfig {
        a,
        b,
        width: 5,
        height: 5,
        rules,
        black: None,
        openings,
        clock_a,
        clock_b,
        referee,
        seed: 3,
    }
}

fn play(config: &MatchConfig, games: usize, concurrency: usize, journal: &mut Journal) -> Vec<GameRecord> {
    run(config, games, &Here(concurrency), journal, &StopSignal::default(), |_| {})
        .expect("the match is played")
}

/// Without what differs from run to run.
fn timeless(records: &[GameRecord]) -> Vec<GameRecord> {
    let strip = |record: &GameRecord| GameRecord { seconds: 0.0, cpu_a: None, cpu_b: None, ..record.clone() };
    records.iter().map(strip).collect()
}

fn first_two(moves: &str) -> String {
    moves.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn who_always_has_black_has_it_in_every_game() {
    let black = |black: Option<Side>| {
        let config = MatchConfig { black, openings: Openings::Random(2), ..searchers() };
        let records = play(&config, 4, 1, &mut Journal::in_memory());
        let openings = records.iter().map(|record| first_two(&record.moves)).collect::<BTreeSet<_>>();
        (records.iter().map(|record| record.black).collect::<Vec<_>>(), openings.len())
    };
    assert_eq!(black(Some(Side::B)), (vec![Side::B; 4], 4));
    assert_eq!(black(None), (vec![Side::A, Side::B, Side::A, Side::B], 2));
}

fn searchers() -> MatchConfig {
    config(spec("rave-lgrf,playouts=30"), spec("uct,playouts=40"))
}

#[test]
fn the_same_seed_plays_the_same_match_whatever_the_concurrency() {
    for config in [config(spec("random"), spec("random")), searchers()] {
        let one = timeless(&play(&config, 6, 1, &mut Journal::in_memory()));
        let two = timeless(&play(&config, 6, 2, &mut Journal::in_memory()));
        assert_eq!(one, two);
        assert_eq!(one.iter().map(|record| record.game).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(one.iter().all(|record| record.black == [Side::A, Side::B][record.game % 2]));
        let other = MatchConfig { seed: 4, ..config };
        assert_ne!(one, timeless(&play(&other, 6, 1, &mut Journal::in_memory())));
    }
}

#[test]
fn a_killed_match_goes_on_without_losing_or_repeating_a_game() {
    let config = searchers();
    let whole = directory("whole");
    let mut journal = Journal::create(&whole, &config, 6).unwrap().with_sgf(&whole.join("sgf")).unwrap();
    let expected = play(&config, 6, 1, &mut journal);
    let text = fs::read_to_string(whole.join(Journal::FILE)).unwrap();
    assert_eq!(text.lines().count(), 7);
    assert_eq!(fs::read_dir(whole.join("sgf")).unwrap().count(), 6);

    // Cut anywhere after the first line, as `kill -9` might do.
    let first = text.find('\n').unwrap() + 1;
    for cut in [first, first + 10, text.len() / 2, text.len() - 1] {
        let broken = directory("broken");
        fs::create_dir_all(&broken).unwrap();
        fs::write(broken.join(Journal::FILE), &text[..cut]).unwrap();
        let mut journal = Journal::resume(&broken, &config, 6).unwrap();
        let kept = journal.records().len();
        assert_eq!(kept, text[first..cut].matches('\n').count());
        let mut played = 0;
        let records =
            run(&config, 6, &Here(1), &mut journal, &StopSignal::default(), |_| played += 1).unwrap();
        assert_eq!(kept + played, 6);
        assert_eq!(timeless(&records), timeless(&expected));
        let busy = Journal::resume(&broken, &config, 6).err().unwrap();
        assert!(matches!(busy, MatchError::Journal(JournalError::Busy(_))), "{busy}");
        drop(journal);
        let again = Journal::resume(&broken, &config, 6).unwrap();
        assert_eq!(timeless(again.records()), timeless(&expected));
    }
    // Cut in the first line: nothing is lost.
    let broken = directory("begun");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join(Journal::FILE), &text[..first / 2]).unwrap();
    Journal::resume(&broken, &config, 6).unwrap();
    assert_eq!(fs::read_to_string(broken.join(Journal::FILE)).unwrap().lines().count(), 1);
}

#[test]
fn a_match_can_be_made_longer() {
    let config = searchers();
    let path = directory("longer");
    play(&config, 2, 1, &mut Journal::resume(&path, &config, 2).unwrap());
    let records = play(&config, 5, 1, &mut Journal::resume(&path, &config, 5).unwrap());
    assert_eq!(timeless(&records), timeless(&play(&config, 5, 1, &mut Journal::in_memory())));
}

#[test]
fn another_match_is_not_continued() {
    let config = searchers();
    let path = directory("other");
    play(&config, 1, 1, &mut Journal::create(&path, &config, 1).unwrap());
    let error = Journal::create(&path, &config, 1).err().unwrap();
    assert!(matches!(&error, MatchError::Journal(JournalError::Exists(_))), "{error}");
    let mut other = config.clone();
    other.b.set("playouts", "41").unwrap();
    let message = Journal::resume(&path, &other, 1).err().unwrap().to_string();
    assert!(message.contains("b.parameters.playouts is 40, not 41"), "{message}");
    let other = MatchConfig { rules: config.rules.with_komi(0.5), ..config };
    let message = Journal::resume(&path, &other, 1).err().unwrap().to_string();
    assert!(message.contains("rules.komi is 7.5, not 0.5"), "{message}");

    // Other versions go on as long as the players behave as before.
    let file = path.join(Journal::FILE);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(Provenance::current().commit, "another")).unwrap();
    Journal::resume(&path, &searchers(), 1).unwrap();
    let behaviour = searchers().a.behaviour(5, 5).unwrap();
    fs::write(&file, text.replace(behaviour["signature"].as_str().unwrap(), "another")).unwrap();
    let message = Journal::resume(&path, &searchers(), 1).err().unwrap().to_string();
    assert!(message.contains("behave differently (its behaviour.a.signature is \"another\""), "{message}");

    fs::write(&file, text + "nonsense\n").unwrap();
    let message = Journal::resume(&path, &searchers(), 1).err().unwrap().to_string();
    assert!(message.contains("line 3"), "{message}");
}

#[test]
fn a_stop_abandons_the_games_under_way() {
    let config = searchers();
    let stop = StopSignal::default();
    let records = run(&config, 100, &Here(1), &mut Journal::in_memory(), &stop, |record| {
        if record.game == 1 {
            stop.stop();
        }
    })
    .unwrap();
    // The next game may have been over before the signal was seen.
    assert!((2..=3).contains(&records.len()), "{}", records.len());
}

#[test]
fn openings_come_in_pairs() {
    let empty = Game::new(5, 5, Rules::CHINESE).unwrap();
    let path = directory("openings");
    fs::create_dir_all(&path).unwrap();
    let file = path.join("openings.txt");
    fs::write(&file, "# two of them\nC3 B2 # diagonal\n\nc3 c2 d2\n").unwrap();
    let openings = Openings::parse(file.to_str().unwrap(), &empty).unwrap();
    let records = play(&MatchConfig { openings, ..searchers() }, 6, 1, &mut Journal::in_memory());
    let starts: Vec<_> = records.iter().map(|record| (&record.moves[..5], record.opening)).collect();
    let (first, second) = (("C3 B2", 2), ("C3 C2", 3));
    assert_eq!(starts, [first, first, second, second, first, first]);

    let openings = Openings::parse("random:6", &empty).unwrap();
    let records = play(&MatchConfig { openings, ..searchers() }, 4, 1, &mut Journal::in_memory());
    let starts: Vec<_> = records.iter().map(|record| &record.moves[..17]).collect();
    assert!(starts[0] == starts[1] && starts[2] == starts[3] && starts[0] != starts[2], "{starts:?}");

    for (text, problem) in
        [("C3 C3", "occupied"), ("C3 Z9", "line 1"), ("pass pass", "over"), ("", "no opening")]
    {
        fs::write(&file, text).unwrap();
        let message = Openings::parse(file.to_str().unwrap(), &empty).unwrap_err().to_string();
        assert!(message.contains(problem), "{message}");
    }
    assert!(Openings::parse("random:x", &empty).is_err());
    assert!(Openings::parse("no/such/file", &empty).is_err());
}

#[test]
fn a_player_that_cannot_be_started_ends_the_match() {
    let config = config(spec("gtp:no-such-engine"), spec("random"));
    let result = run(&config, 2, &Here(1), &mut Journal::in_memory(), &StopSignal::default(), |_| {});
    let message = result.err().unwrap().to_string();
    assert!(message.contains("no-such-engine"), "{message}");
}

/// An engine that does `$on_genmove` when it is asked for a move and answers everything else politely.
#[cfg(unix)]
fn stand_in(name: &str, on_genmove: &str) -> PlayerSpec {
    let path = directory(&format!("stand-in-{name}"));
    fs::create_dir_all(&path).expect("a stand-in can be set up");
    let script = path.join("engine.sh");
    let body = format!(
        "while read command rest; do\n case \"$command\" in\n  genmove) {on_genmove} ;;\n  \
         name) printf '= Stand-in\\n\\n' ;;\n  list_commands) printf '= name\\n\\n' ;;\n  \
         quit) exit 0 ;;\n  *) printf '=\\n\\n' ;;\n esac\ndone\n"
    );
    fs::write(&script, body).expect("a stand-in can be set up");
    let mut spec = spec(&format!("gtp:sh {}", script.display()));
    spec.set_all(["move_seconds=0.4", "command_seconds=30"]).expect("a stand-in can be set up");
    spec
}

#[cfg(unix)]
#[test]
fn engines_that_misbehave_lose_and_are_counted_and_restarted() {
    for (name, on_genmove, ending, count) in [
        ("dies", "echo sorry >&2; exit 3", Ending::Crash, [0, 1, 0]),
        ("babbles", "printf '= quite a good move\\n\\n'", Ending::Crash, [0, 1, 0]),
        ("refuses", "printf '? no idea\\n\\n'", Ending::Crash, [0, 1, 0]),
        ("hangs", "exec sleep 60", Ending::Time, [0, 0, 1]),
        ("cheats", "printf '= T19\\n\\n'", Ending::Illegal, [1, 0, 0]),
    ] {
        let config = config(stand_in(name, on_genmove), spec("random"));
        let records = play(&config, 2, 1, &mut Journal::in_memory());
        for record in &records {
            assert_eq!((record.winner, record.ending), (Some(Side::B), ending), "{name}: {record:?}");
            assert!(record.message.is_some() && record.score.is_none());
        }
        let summary = Summary::new("a", "b", &records);
        let [illegal, crashes, time_losses] = count.map(|n: usize| 2 * n);
        assert_eq!((summary.games, summary.wins_b), (2, 2));
        assert_eq!(
            (summary.illegal, summary.crashes, summary.time_losses),
            (illegal, crashes, time_losses),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn another_program_plays_from_its_book_too() {
    let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
    game.play("C3".parse().unwrap());
    let mut book = Book::new(5);
    book.add(&game, None, 10);
    book.prune(1);
    let mut passes = stand_in("book", "printf '= pass\\n\\n'");
    let file = directory("book").with_extension("book");
    fs::write(&file, book.to_text()).unwrap();
    passes.options.book = Some(file);
    let config = MatchConfig { referee: Referee::Board, ..config(passes, spec("random")) };
    let records = play(&config, 1, 1, &mut Journal::in_memory());
    assert!(records[0].moves.starts_with("C3 "), "{records:?}");
}

#[cfg(unix)]
#[test]
fn who_overruns_the_clock_loses() {
    let mut slow = stand_in("slow", "sleep 0.2; printf '= pass\\n\\n'");
    slow.set("move_seconds", "30").unwrap();
    let clock_a = "0.15".parse().unwrap();
    let config = MatchConfig { clock_a, ..config(slow.clone(), spec("random")) };
    let records = play(&config, 2, 1, &mut Journal::in_memory());
    for record in &records {
        assert_eq!((record.winner, record.ending), (Some(Side::B), Ending::Time), "{record:?}");
        assert_eq!((record.left_a, record.left_b), (Some(0.0), None));
    }
    let clock_a = "canadian 0 20 1".parse().unwrap();
    let config = MatchConfig { clock_a, referee: Referee::Board, ..config };
    let records = play(&config, 1, 1, &mut Journal::in_memory());
    assert_eq!(records[0].ending, Ending::Passes, "{records:?}");
}

#[test]
fn searches_keep_within_their_clocks() {
    let clock: TimeSettings = "absolute 1".parse().unwrap();
    let config = config(spec("rave-lgrf"), spec("uct,threads=2"));
    let config = MatchConfig { clock_a: clock, clock_b: clock, ..config };
    let records = play(&config, 2, 1, &mut Journal::in_memory());
    assert!(records.iter().all(|record| record.ending != Ending::Time), "{records:?}");
    for left in records.iter().flat_map(|record| [record.left_a, record.left_b]) {
        assert!(left.is_some_and(|left| left < 0.9), "the time is used: {records:?}");
    }
}

#[cfg(unix)]
#[test]
fn passing_resigning_and_seeds_in_the_command_line() {
    let mut passer = stand_in("passes", "printf '= pass\\n\\n'");
    passer.set("command", &format!("{} {{seed}}", passer.get("command").unwrap())).unwrap();
    let rules = Rules::CHINESE;
    let both =
        MatchConfig { referee: Referee::Board, ..config(passer, stand_in("p2", "printf '= PASS\\n\\n'")) };
    let records = play(&both, 2, 1, &mut Journal::in_memory());
    assert_eq!(records[0].result, "W+7.5");
    assert_eq!((records[0].score, records[1].score), (Some(-7.5), Some(7.5)));
    assert_eq!(Summary::new("a", "b", &records).distinct_games, 1);
    let draw = MatchConfig { rules: rules.with_komi(0.0), ..both };
    let summary = Summary::new("a", "b", &play(&draw, 2, 1, &mut Journal::in_memory()));
    assert_eq!((summary.draws, summary.win_rate_a, summary.elo), (2, Some(0.5), Some(0.0)));
    assert_eq!(summary.p_value, 1.0);

    let config = config(stand_in("resigns", "printf '= resign\\n\\n'"), spec("random"));
    let records = play(&config, 2, 1, &mut Journal::in_memory());
    assert_eq!((records[0].result.as_str(), records[1].result.as_str()), ("W+R", "B+R"));
}

#[test]
fn gnu_go_is_an_opponent_and_a_referee() {
    if find_executable("gnugo").is_none() {
        skipped("GNU Go as an opponent and a referee", "install gnugo");
        return;
    }
    let config = config(spec("gtp:gnugo --mode gtp --level 1 --chinese-rules --seed {seed}"), spec("random"));
    assert!(matches!(config.referee, Referee::Gtp(_)));
    let records = play(&config, 2, 1, &mut Journal::in_memory());
    let summary = Summary::new("gnugo", "random", &records);
    assert_eq!((summary.illegal, summary.crashes, summary.time_losses), (0, 0, 0), "{records:?}");
    assert_eq!(summary.wins_a, 2, "{records:?}");
    assert!(summary.cpu_seconds_a.is_some() && summary.cpu_seconds_b.is_some());
}
