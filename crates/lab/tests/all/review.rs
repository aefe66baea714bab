//! Reviews of games, from the record to the files.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use tengen_board::{Color, sgf::Record};
use tengen_engine::players::StopSignal;
use tengen_lab::{
    PlayerSpec, notes,
    review::{Class, Review, ReviewError, ReviewSettings, find, review, stored},
};

/// White ignores an atari on five stones with move 12.
const GAME: &str = "(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]PB[Ann & Co]PW[Ben]RE[B+R]C[A friendly game\\]];B[ee];W[cc];B[gc];W[gg]\
    ;B[cg](;W[ge];B[dc]C[Good?]TE[1];W[cd];B[ff];W[fg];B[eg];W[hd];B[gf];W[];B[])(;W[cf]))";

fn settings(threads: usize) -> ReviewSettings {
    let spec: PlayerSpec = format!("zero,net=distilled,playouts=12,threads={threads}").parse().unwrap();
    ReviewSettings::new(spec, 4.0)
}

fn of(sgf: &str, settings: &ReviewSettings) -> Review {
    let record = Record::parse(sgf.as_bytes()).unwrap();
    review("game.sgf", &record, settings, &StopSignal::default(), |_| {}).unwrap().unwrap()
}

fn file(review: &Review, ending: &str) -> String {
    review.files().unwrap().into_iter().find(|(name, _)| *name == ending).unwrap().1
}

#[test]
fn every_move_has_figures_and_the_same_on_any_number_of_threads() {
    let one = of(GAME, &settings(1));
    assert_eq!(one.moves, of(GAME, &settings(3)).moves);
    assert_eq!(one.moves.len(), 15);
    for (i, m) in one.moves.iter().enumerate() {
        assert_eq!(m.number, i + 1);
        assert_eq!(m.color, Color::ALL[i % 2]);
        assert!((0.0..=1.0).contains(&m.win_rate) && m.points_lost >= 0.0 && m.win_rate_lost >= 0.0, "{m:?}");
        assert_eq!(m.class, Class::of(m.points_lost));
        assert_eq!(m.pv.first(), Some(&m.best));
        assert!(!m.is_first_choice() || m.points_lost == 0.0);
        // What a move leads to is where the next begins.
        assert!(one.moves.get(i + 1).is_none_or(|next| next.lead == m.lead_after));
    }
    let moves = |color| one.player(color).all.moves;
    assert_eq!((moves(Color::Black), moves(Color::White)), (8, 7));
    assert!(!one.key_moments.is_empty());
    assert!(one.key_moments.iter().all(|moment| Class::of(moment.points_lost) >= Class::Inaccuracy));
    assert!(one.key_moments.len() <= 3);
}

#[test]
fn the_annotated_record_keeps_what_was_there() {
    let review = of(GAME, &settings(2));
    let record = Record::parse(file(&review, "sgf").as_bytes()).unwrap();
    assert_eq!(record.info().black.as_deref(), Some("Ann & Co"));
    assert_eq!(record.main_line().unwrap().moves().len(), 15);
    assert!(record.play_all_lines(|| true).is_ok(), "the better lines can be played");
    let root = record.node(record.root());
    let comment = root.text("C").unwrap();
    assert!(comment.starts_with("A friendly game]\n\nReviewed by tengen: zero"), "{comment}");
    let nodes: Vec<_> = record.main_nodes().collect();
    for (m, &id) in review.moves.iter().zip(&nodes[1..]) {
        let node = record.node(id);
        let value: f64 = node.value("SBKV").unwrap().parse().unwrap();
        assert!((value - 100.0 * m.win_rate_after).abs() < 0.01);
        let marks = ["TE", "DO", "BM"].iter().filter(|mark| node.value(mark).is_some()).count();
        assert!(marks <= 1);
        let is_bad = m.class >= Class::Mistake;
        assert_eq!(node.value("BM").is_some(), is_bad);
        // The better line stands beside the move.
        let beside = record.children(record.parent(id).unwrap()).count();
        let own = if m.number == 6 { 2 } else { 1 };
        assert_eq!(beside, own + usize::from(m.class >= Class::Inaccuracy), "move {}", m.number);
    }
    // The page reads the same from it.
    for (m, &id) in review.moves.iter().zip(&nodes[1..]) {
        let before = record.parent(id).unwrap();
        assert_eq!(notes::expected(&record, before), m.pv, "move {}", m.number);
        if let Some(lost) = notes::points_lost(&record, id) {
            assert!((f64::from(lost) - m.points_lost).abs() < 0.02, "{lost} {m:?}");
        }
    }
    assert!(
        review
            .moves
            .iter()
            .zip(&nodes[1..])
            .filter(|(_, id)| notes::points_lost(&record, **id).is_some())
            .count()
            >= 14
    );
    let eighth = record.node(nodes[7]).text("C").unwrap();
    assert!(eighth.starts_with("Good?\n\n"), "{eighth}");
    let hot = nodes.iter().filter(|&&id| record.node(id).value("HO").is_some()).count();
    assert_eq!(hot, review.key_moments.len());
}

#[test]
fn the_other_files_tell_the_same() {
    let review = of(GAME, &settings(2));
    let json: serde_json::Value = serde_json::from_str(&file(&review, "json")).unwrap();
    assert_eq!(json["file"], "game.sgf");
    for key in
        ["number", "color", "move", "lead", "win_rate", "points_lost", "win_rate_lost", "class", "best", "pv"]
    {
        assert!(!json["moves"][0][key].is_null(), "{key}");
    }
    for key in ["mean_loss", "accuracy", "first_choices"] {
        assert!(json["players"]["white"][key].is_number(), "{key}");
        assert!(json["players"]["black"]["phases"]["opening"][key].is_number(), "{key}");
    }
    assert!(json["players"]["black"]["rank"].is_null());
    assert_eq!(file(&review, "csv").lines().count(), 16);
    let page = file(&review, "html");
    assert!(page.contains("Ann &amp; Co") && !page.contains("Ann & Co"));
    assert!(page.contains("<svg") && !page.contains("http://") || page.contains("www.w3.org"));
    assert!(page.contains("KaTrain's formula"), "the formula is printed");
}

#[test]
fn a_review_is_found_again_only_for_the_same_game_and_analyst() {
    let folder = std::env::temp_dir().join(format!("tengen-review-{}", std::process::id()));
    fs::create_dir_all(folder.join("more")).unwrap();
    let review = of(GAME, &settings(1));
    for (ending, text) in review.files().unwrap() {
        fs::write(folder.join(format!("a-review.{ending}")), text).unwrap();
    }
    fs::write(folder.join("a.sgf"), GAME).unwrap();
    fs::write(folder.join("more/b.sgf"), GAME).unwrap();
    assert_eq!(find(&folder).unwrap(), [folder.join("a.sgf"), folder.join("more/b.sgf")]);
    let stored = |sgf: &str, settings: &ReviewSettings, path: &Path| {
        stored(path, &Record::parse(sgf.as_bytes()).unwrap(), settings).unwrap().is_some()
    };
    let json = folder.join("a-review.json");
    assert!(stored(GAME, &settings(2), &json));
    // Another build of the program that plays alike is no other analyst.
    let text = settings(2).to_text().unwrap();
    assert!(text.contains("signature") && !text.contains("commit"), "{text}");
    assert!(!stored(&GAME.replace("B[ee]", "B[ed]"), &settings(2), &json));
    assert!(!stored(GAME, &ReviewSettings { deeper: 2.0, ..settings(2) }, &json));
    fs::write(&json, "{\"moves\":").unwrap();
    assert!(!stored(GAME, &settings(2), &json), "half a file is none");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_reviewed_is_said() {
    let refused = |sgf: &str, player: &str| {
        let record = Record::parse(sgf.as_bytes()).unwrap();
        let settings = ReviewSettings::new(player.parse().unwrap(), 4.0);
        review("game.sgf", &record, &settings, &StopSignal::default(), |_| {}).unwrap_err()
    };
    assert!(matches!(refused("(;SZ[9])", "zero"), ReviewError::NoMoves));
    assert!(matches!(refused(GAME, "random"), ReviewError::NoOpinion(_)));
    assert!(matches!(refused("(;SZ[5];B[aa];W[aa])", "zero"), ReviewError::Record(_)));
    let stopped = StopSignal::default();
    stopped.stop();
    let record = Record::parse(GAME.as_bytes()).unwrap();
    assert!(review("game.sgf", &record, &settings(1), &stopped, |_| {}).unwrap().is_none());
}

#[test]
fn unusual_records_are_reviewed() {
    // A set-up in the middle, two moves of one colour, a handicap, moves after the end.
    for sgf in [
        "(;SZ[5];B[bb];W[dd];AW[cc]AB[db];B[bd];B[dc])",
        "(;SZ[9]HA[2]AB[gc][cg];W[ee];B[ce];B[ge])",
        "(;SZ[5];B[cc];W[];B[];W[bb])",
        "(;SZ[7:5];W[cc])",
    ] {
        let review = of(sgf, &settings(1));
        assert!(!review.moves.is_empty());
        assert_eq!(review.files().unwrap().len(), 4);
    }
}
