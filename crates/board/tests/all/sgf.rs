//! Game records: reading, writing, replaying, and all that can be wrong with a file.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use proptest::prelude::*;
use tengen_board::{
    Board, Color, Game, IllegalMove, KoRule, Move, Outcome, Rules, Vertex,
    sgf::{self, GameInfo, Place, Problem, Record},
};

fn record(text: &str) -> Record {
    Record::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn main_line(text: &str) -> Game {
    record(text).main_line().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn moves(game: &Game) -> String {
    game.moves().iter().map(|m| format!("{}{}", m.color.letter(), m.mv)).collect::<Vec<_>>().join(" ")
}

/// The line, the column and the complaint about a file.
fn complaint(text: &str) -> (u32, u32, Problem) {
    let error = Record::parse(text.as_bytes()).and_then(|record| record.main_line()).expect_err(text);
    let Place { line, column } = error.place.unwrap_or(Place { line: 0, column: 0 });
    (line, column, error.problem)
}

#[test]
fn moves_and_passes() {
    let game = main_line("(;SZ[9];B[ca];W[ii];B[];W[tt])");
    assert_eq!(moves(&game), "BC9 WJ1 Bpass Wpass");
    assert!(game.is_over());
    assert_eq!(main_line("(;)").board().area(), 361);
    let game = main_line("(;SZ[5:3];B[ea];B[ac])");
    assert_eq!((game.board().width(), game.board().height()), (5, 3));
    assert_eq!(moves(&game), "BE3 BA1");
}

#[test]
fn set_up_handicap_and_turn() {
    let game = main_line("(;SZ[9]HA[2]KM[0.5]AB[gc][cg])");
    assert_eq!((game.handicap(), game.to_play(), game.rules().komi), (2, Color::White, 0.5));
    assert_eq!(game.board().stones(Color::Black), 2);
    // Rectangles of points, stones in the middle of the game, the player to move.
    let game = main_line("(;SZ[5]AB[aa:cb];W[ee];AE[aa:ba]AW[ed]PL[B])");
    assert_eq!((game.board().stones(Color::Black), game.board().stones(Color::White)), (4, 2));
    assert_eq!(game.to_play(), Color::Black);
    // Without PL the next move tells; set-up and move in one node happen in that order.
    assert_eq!(record("(;SZ[5]AB[aa];W[bb])").game_at(record("(;)").root()).unwrap().to_play(), Color::White);
    assert_eq!(moves(&main_line("(;SZ[5]AB[aa]B[bb])")), "BB4");
    assert_eq!(main_line("(;SZ[5]AB[]AW[])").board().empties().len(), 25);
}

#[test]
fn info_is_understood() {
    let info = record(
        "(;GM[1]FF[4]PB[A\\]B]PW[C\nD]BR[9d]WR[ 3k ]KM[-5,5]RU[Japanese]RE[W+Resign]DT[2016-03-09]HA[0]EV[]\
         GN[x]PC[y])",
    )
    .info();
    assert_eq!((info.black.as_deref(), info.white.as_deref()), (Some("A]B"), Some("C D")));
    assert_eq!((info.black_rank.as_deref(), info.white_rank.as_deref()), (Some("9d"), Some("3k")));
    assert_eq!(
        (info.komi, info.rules, info.handicap, info.event),
        (Some(-5.5), Some(Rules::JAPANESE), 0, None)
    );
    assert_eq!(info.result.unwrap().to_string(), "W+R");
    for (text, komi) in [("375", Some(7.5)), ("650", Some(6.5)), ("7", Some(7.0)), ("x", None), ("NaN", None)]
    {
        assert_eq!(record(&format!("(;KM[{text}])")).info().komi, komi, "{text}");
    }
    for (text, rules) in [("NZ", Rules::NEW_ZEALAND), ("aga", Rules::AGA), ("GOE", Rules::ING)] {
        assert_eq!(record(&format!("(;RU[{text}])")).info().rules, Some(rules));
    }
}

#[test]
fn variations_and_unknown_properties_are_kept() {
    let text = "(;FF[4]XX[a\\]b][]ZZ[:]C[line\none\\\\]\n(;B[aa]LB[aa:1][bb:2]\n(;W[bb])\n(;W[cc];B[dd]))\n(;B[ee]))";
    let record = record(text);
    assert_eq!(record.to_sgf(), text);
    assert_eq!(record.len(), 6);
    assert_eq!(record.node(record.root()).text("C").unwrap(), "line\none\\");
    let branches: Vec<_> = record.children(record.root()).collect();
    assert_eq!(branches.len(), 2);
    let deep = record.children(branches[0]).nth(1).unwrap();
    let game = record.game_at(record.children(deep).next().unwrap()).unwrap();
    assert_eq!(moves(&game), "BA19 WC17 BD16");
}

#[test]
fn old_and_careless_files() {
    // FF[3]: small letters in identifiers do not count.
    assert_eq!(moves(&main_line("(;GaMe[1]SiZe[9]White[aa];Black[bb])")), "WA9 BB8");
    let text = "From: somebody (hello)\r\n\r\n ( \r\n; SZ [9] AB [aa]\n [bb] ; B\n[cc] ) \n-- \nregards :)";
    assert_eq!(moves(&main_line(text)), "BC7");
    let games = sgf::read_collection(b"\xef\xbb\xbfx(;SZ[9])\n\n(;SZ[13]) junk (;SZ[19])\n\0").unwrap();
    assert_eq!(games.iter().map(|game| game.size().unwrap().0).collect::<Vec<_>>(), [9, 13, 19]);
    let latin = Record::parse(b"(;PB[Ren\xe9])").unwrap();
    assert_eq!(latin.info().black.unwrap(), "Ren\u{e9}");
    let chinese = Record::parse(b"(;CA[GB2312]PB[\xb9\xc5\xc1\xa6])").unwrap();
    assert_eq!(chinese.info().black.unwrap(), "\u{53e4}\u{529b}");
    assert!(chinese.to_sgf().contains("CA[UTF-8]"));
}

#[test]
fn errors_tell_the_place() {
    assert_eq!(complaint(""), (1, 1, Problem::NoGame));
    assert_eq!(complaint("hello ("), (1, 1, Problem::NoGame));
    assert_eq!(complaint("(;SZ[9]\n;B[aa];\u{e9}"), (2, 8, Problem::Unexpected('\u{e9}')));
    assert_eq!(complaint("(;SZ[9]\n;B[aa"), (2, 3, Problem::UnclosedValue("B".to_owned())));
    assert_eq!(complaint("(;SZ[9]\n;B[aa\\]"), (2, 3, Problem::UnclosedValue("B".to_owned())));
    assert_eq!(complaint("(;SZ[9];B;"), (1, 10, Problem::NoValue("B".to_owned())));
    assert_eq!(complaint("(;SZ[9]"), (1, 8, Problem::UnclosedTree));
    assert_eq!(complaint("(;()"), (1, 4, Problem::EmptyTree));
    assert_eq!(complaint("(;xx[1])"), (1, 3, Problem::Unexpected('x')));
    assert_eq!(complaint("(;x8[1])"), (1, 3, Problem::Unexpected('x')));
    assert_eq!(complaint("(;GM[2])"), (1, 2, Problem::NotGo("2".to_owned())));
    assert!(matches!(complaint("(;SZ[20])"), (1, 2, Problem::Size(_))));
    assert!(matches!(complaint("(;SZ[9:])"), (1, 2, Problem::Value(..))));
    assert!(matches!(complaint("(;SZ[99999999999999999999])"), (1, 2, Problem::Value(..))));
    assert_eq!(complaint("(;SZ[9];B[jj])"), (1, 8, Problem::Value("B".to_owned(), "jj".to_owned())));
    assert!(matches!(complaint("(;SZ[9]AB[zz])"), (1, 2, Problem::Value(..))));
    assert!(matches!(complaint("(;SZ[9]PL[green])"), (1, 2, Problem::Value(..))));
    let corner: Vertex = "A9".parse().unwrap();
    assert_eq!(complaint("(;SZ[9]AW[aa]AB[ab][ba])"), (1, 2, Problem::SetUp(corner)));
    let illegal = Problem::Move(Color::White, corner.into(), IllegalMove::Occupied);
    assert_eq!(complaint("(;SZ[9]\n;B[aa]\n;W[aa])"), (3, 1, illegal));
    let error = Record::parse(b"(;SZ[9]\n;B[aa]\n;W[aa])").unwrap().main_line().unwrap_err();
    assert_eq!(error.to_string(), "line 3, column 1: white cannot play A9: the point is occupied");
}

#[test]
fn suicide_depends_on_the_rules_and_superko_is_not_asked() {
    let text = |rules| format!("(;SZ[3]{rules}AB[ab][ba]PL[W];W[aa])");
    assert!(record(&text("RU[NZ]")).main_line().is_ok());
    let game = main_line(&text(""));
    assert!(game.rules().suicide);
    assert_eq!(main_line(&Record::from_game(&game, &GameInfo::default()).to_sgf()).moves(), game.moves());
    assert!(record(&text("RU[Chinese]")).main_line().is_err());
}

#[test]
fn deep_and_long_files_do_no_harm() {
    let long = format!("({})", ";".repeat(300_000));
    assert_eq!(record(&long).len(), 300_000);
    assert_eq!(record(&long).to_sgf().matches(';').count(), 300_000);
    let deep = format!("{}{}", "(;".repeat(200_000), ")".repeat(200_000));
    let record = record(&deep);
    assert_eq!(record.main_line().unwrap().moves().len(), 0);
    assert_eq!(record.to_sgf().matches(';').count(), 200_000);
    assert!(Record::parse("(;".repeat(200_000).as_bytes()).is_err());
    assert!(Record::parse("(".repeat(1_000_000).as_bytes()).is_err());
    let passes = format!("(;{})", ";B[];W[]".repeat(20_000));
    assert_eq!(main_line(&passes).moves().len(), 40_000);
    let nodes = format!("({})", ";".repeat(sgf::MAX_NODES + 1));
    assert_eq!(Record::parse(nodes.as_bytes()).unwrap_err().problem, Problem::TooLarge);
}

#[test]
fn written_games_read_back() {
    let mut game = Game::new(9, 7, Rules::TROMP_TAYLOR.with_komi(-3.0)).unwrap();
    game.place_handicap(&["C3".parse().unwrap(), "G5".parse().unwrap()]).unwrap();
    for mv in ["A1", "J7", "pass", "E4"] {
        game.play(mv.parse().unwrap());
    }
    game.set_outcome(Some("W+R".parse::<Outcome>().unwrap()));
    let info = GameInfo {
        black: Some("a]b\\c: \u{53e4}".to_owned()),
        white_rank: Some("9d".to_owned()),
        date: Some("2026-01-31".to_owned()),
        ..GameInfo::default()
    };
    let mut record = Record::from_game(&game, &info);
    record.set_text(record.root(), "C", "two\nlines [with] \\ brackets\\");
    let again = Record::parse(record.to_sgf().as_bytes()).unwrap();
    assert_eq!(again.to_sgf(), record.to_sgf());
    assert_eq!(again.node(again.root()).text("C").unwrap(), "two\nlines [with] \\ brackets\\");
    let told = again.info();
    assert_eq!((told.black, told.white_rank, told.date), (info.black, info.white_rank, info.date));
    assert_eq!((told.result, told.handicap), (game.outcome(), 2));
    let replayed = again.main_line().unwrap();
    assert_eq!(replayed.rules(), game.rules());
    assert_eq!(replayed.moves(), game.moves());
    assert_eq!(replayed.board().hash(), game.board().hash());
}

#[test]
fn positions_and_unnamed_rules_read_back() {
    let board = Board::from_diagram(". X O . / X . X O / . X O . / . . . .").unwrap();
    let rules = Rules { ko: KoRule::Situational, ..Rules::JAPANESE };
    let mut game = Game::from_board(board, rules);
    game.set_to_play(Color::White);
    let again = main_line(&Record::from_game(&game, &GameInfo::default()).to_sgf());
    assert_eq!(
        (again.board().hash(), again.to_play(), again.rules()),
        (game.board().hash(), Color::White, &rules)
    );
}

/// What `sgf-parse` reads by itself is what we read.
#[test]
fn agrees_with_sgf_parse() {
    let text = "(;FF[4]GM[1]SZ[19]AB[dd][pp]AW[dp:dq]C[a \\] b];B[pd];W[];B[qc]BL[12.5](;W[cc])(;W[qd]))";
    let ours = record(text);
    let theirs = &sgf_parse::go::parse(text).unwrap()[0];
    let mut count = 0;
    for (id, node) in ours.main_nodes().zip(theirs.main_variation()) {
        let value = node.get_property("B").or(node.get_property("W")).map(ToString::to_string);
        let mine = ours.node(id).properties().iter().find(|p| p.identifier == "B" || p.identifier == "W");
        assert_eq!(value, mine.map(|p| format!("{}[{}]", p.identifier, p.values[0])));
        count += 1;
    }
    assert_eq!(count, 5);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = sgf::read_collection(&bytes).map(|games| games.iter().map(Record::main_line).count());
    }

    /// Text that is nearly SGF. Whatever is accepted is written and read back the same.
    #[test]
    fn nearly_sgf_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "(", "(;", ";", ")", "[", "]", "\\", ":", "B", "W", "AB", "AW", "AE", "PL[B]", "SZ[3]", "SZ[2:19]", "HA[2]", "KM[1]", "[aa]",
        "[ab]", "[ba:cc]", "[tt]", "[]", "B[bb]", "W[aa]", "B[ab]", "W[ba]", "RU[NZ]", "CA[gbk]", "GM[1]", "\n", " ", "\u{e9}", "x",
    ]), 0..60)) {
        let text = parts.concat();
        for game in sgf::games(&text).flatten() {
            let written = game.to_sgf();
            let again = Record::parse(written.as_bytes()).unwrap();
            prop_assert_eq!(again.len(), game.len());
            prop_assert_eq!(again.to_sgf(), written);
            for id in game.main_nodes() {
                let _ = game.game_at(id);
            }
        }
    }

    #[test]
    fn any_text_is_kept(text in "\\PC*") {
        let mut record = Record::new();
        record.set_text(record.root(), "PB", &text);
        let again = Record::parse(record.to_sgf().as_bytes()).unwrap();
        let expected: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        prop_assert_eq!(again.node(again.root()).simple_text("PB"), Some(expected));
    }

    #[test]
    fn random_games_read_back(width in 2..=19_usize, height in 2..=19_usize, picks in prop::collection::vec(any::<u32>(), 0..100)) {
        let mut game = Game::new(width, height, Rules::AGA).unwrap();
        for pick in picks {
            let legal: Vec<_> = game.board().points().filter(|&v| game.check(v.into()).is_ok()).collect();
            game.play(if legal.is_empty() { Move::PASS } else { legal[pick as usize % legal.len()].into() });
        }
        let again = main_line(&Record::from_game(&game, &GameInfo::default()).to_sgf());
        prop_assert_eq!(again.moves(), game.moves());
        prop_assert_eq!(again.board().hash(), game.board().hash());
        prop_assert_eq!(again.rules(), game.rules());
    }
}

#[test]
fn a_variation_can_become_the_main_line() {
    let mut record = Record::parse(b"(;SZ[9];B[aa](;W[bb])(;W[cc];B[ee])(;W[dd]))").unwrap();
    let last = record.find(4).unwrap();
    assert_eq!(record.node(last).value("B"), Some("ee"));
    record.promote(record.parent(last).unwrap());
    assert_eq!(record.to_sgf(), "(;SZ[9];B[aa]\n(;W[cc];B[ee])\n(;W[bb])\n(;W[dd]))");
    record.promote(record.root());
    record.promote(record.find(5).unwrap());
    assert_eq!(record.to_sgf(), "(;SZ[9];B[aa]\n(;W[dd])\n(;W[cc];B[ee])\n(;W[bb]))");
    record.add_move(record.find(1).unwrap(), Color::White, "A1".parse().unwrap());
    assert!(record.to_sgf().ends_with("(;W[bb])\n(;W[ai]))"));
    assert_eq!(record.find(7), None);
}

/// Records in which going back to the root for every line would take hours.
#[test]
fn all_lines_of_a_record_are_played_with_each_move_played_once() {
    let point = |n: usize| {
        let letter = |n: usize| (b'a' + n as u8) as char;
        [letter(n % 19), letter(n / 19)].iter().collect::<String>()
    };
    let color = |n: usize| if n.is_multiple_of(2) { 'B' } else { 'W' };
    let many = |text: &dyn Fn(usize) -> String| (0..8000).map(text).collect::<String>();
    let trunk = many(&|n| format!(";{}[]", color(n)));
    let bushy = "(;B[aa])".repeat(8000);
    let comb = many(&|n| format!("(;{}[]", color(n)));
    let comb_end = many(&|n| format!(")(;{}[{}])", color(n), point(n % 300)));
    let turns = ";PL[W];PL[B]".repeat(4000);
    let shapes = [
        (format!("(;SZ[19]{trunk})"), 8000),
        (format!("(;SZ[19]{trunk}{bushy})"), 16_000),
        (format!("(;SZ[19]{comb};B[ss]{comb_end})"), 16_001),
        (format!("(;SZ[19]{trunk}{turns})"), 8000),
        (format!("(;SZ[19]AW{}AB{})", "[aa:sr]".repeat(20_000), "[as]".repeat(20_000)), 0),
    ];
    for (text, moves) in shapes {
        let record = Record::parse(text.as_bytes()).unwrap();
        assert_eq!(record.play_all_lines(|| true), Ok(moves), "{}", &text[..40]);
        let mut nodes = 0;
        let stopped = record.play_all_lines(|| {
            nodes += 1;
            nodes < 10
        });
        assert!(stopped.unwrap() < 10, "it ends when it is told to");
    }
}

#[test]
fn all_lines_fail_where_one_of_them_fails() {
    let check = |text: &str| Record::parse(text.as_bytes()).unwrap().play_all_lines(|| true);
    assert_eq!(check("(;SZ[9];B[ee](;W[ef])(;W[eg];B[eh]))"), Ok(4));
    assert!(check("(;SZ[9];B[ee](;W[ef])(;W[eg];B[ee]))").is_err());
    assert!(check("(;SZ[9];B[ee](;W[ee])(;W[eg];B[eh]))").is_err());
    assert!(check("(;SZ[9]AB[aa:zz])").is_err());
    assert!(check("(;SZ[9]AB[cc:aa])").is_err());
    // A ko that giving the turn away ends, and giving it back restores.
    let ko = "(;SZ[5]AB[ba][ab][bc][bb]AW[ca][db][cc]PL[W]AE[bb]AB[cb];W[bb]";
    assert!(check(&format!("{ko};B[cb])")).is_err(), "it is a ko");
    assert!(check(&format!("{ko};PL[W];PL[B];B[cb])")).is_err(), "it is still a ko");
    assert_eq!(check(&format!("{ko};W[ee];B[cb])")), Ok(3));
}

#[test]
fn a_variation_can_be_taken_out() {
    let mut record = Record::parse(b"(;SZ[9](;B[aa];W[bb])(;B[cc](;W[dd])(;W[ee]))(;B[ff]))").unwrap();
    let last = record.children(record.root()).last().unwrap();
    record.promote(last);
    let gone = record.children(record.root()).nth(2).unwrap();
    let (rest, places) = record.without(gone);
    assert_eq!(rest.to_sgf().replace('\n', ""), "(;SZ[9](;B[ff])(;B[aa];W[bb]))");
    assert_eq!(places.iter().flatten().count(), rest.len());
    assert_eq!(places[gone.number() as usize], None);
    assert_eq!(record.without(record.root()).0.to_sgf(), record.to_sgf());
}
