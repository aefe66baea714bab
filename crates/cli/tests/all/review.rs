//! `tengen review`: files, folders, going on after an interruption, errors.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::tengen;

const GAME: &str = "(;GM[1]SZ[7]KM[9]PB[Ann]PW[Ben]RE[W+R];B[dd];W[df];B[cf];W[ce];B[aa];W[be])";

/// A folder with a game, a collection of two in a folder of its own, and something that is no game.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("review-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("club")).unwrap();
    fs::write(folder.join("game.sgf"), GAME).unwrap();
    fs::write(folder.join("club/two.sgf"), format!("{GAME}\n{}", GAME.replace("B[dd]", "B[cc]"))).unwrap();
    fs::write(folder.join("notes.txt"), "no game").unwrap();
    folder
}

fn review(arguments: &[&str]) -> crate::common::Run {
    tengen(&[&["review", "--playouts=4"], arguments].concat())
}

#[test]
fn a_game_is_reviewed_beside_it() {
    let folder = folder("one");
    let game = folder.join("game.sgf");
    let run = review(&[game.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("6 moves, W+R") && run.stdout.contains("Ann"), "{}", run.stdout);
    assert!(
        run.stdout.contains("Black 5 A7 lost") && run.stdout.contains("accuracy = 100"),
        "{}",
        run.stdout
    );
    for ending in ["sgf", "html", "csv", "json"] {
        assert!(folder.join(format!("game-review.{ending}")).exists(), "{ending}");
    }
    assert_eq!(fs::read_to_string(&game).unwrap(), GAME, "the game itself is not touched");
    let again = review(&[folder.join("game-review.sgf").to_str().unwrap()]);
    assert!(again.code == 1 && again.stderr.contains("name the game itself"), "{}", again.stderr);
}

#[test]
fn json_has_the_documented_fields_and_writes_no_files() {
    let folder = folder("json");
    let json = review(&[folder.join("game.sgf").to_str().unwrap(), "--json"]).json();
    assert_eq!(json["moves"].as_array().unwrap().len(), 6);
    assert_eq!(json["moves"][4]["move"], "A7");
    assert_eq!(json["players"]["black"]["phases"]["opening"]["moves"], 3);
    assert!(json["key_moments"][0]["text"].is_string());
    assert!(!folder.join("game-review.json").exists());
}

#[test]
fn folders_are_reviewed_and_gone_on_with() {
    let folder = folder("all");
    let (out, path) = (folder.join("out"), folder.to_str().unwrap());
    let options = [path, "--out", out.to_str().unwrap()];
    let first = review(&options);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let names = ["game-review", "club/two-1-review", "club/two-2-review"];
    let json = |name: &str| out.join(format!("{name}.json"));
    assert!(names.iter().all(|name| json(name).exists()));
    // As if it had been interrupted during the second game.
    let kept = fs::metadata(json(names[0])).unwrap().modified().unwrap();
    fs::remove_file(json(names[1])).unwrap();
    let second = review(&options);
    assert!(second.stderr.contains("2 of 3 games were reviewed before"), "{}", second.stderr);
    assert!(json(names[1]).exists());
    assert_eq!(fs::metadata(json(names[0])).unwrap().modified().unwrap(), kept);
    let lines = review(&[&options[..], &["--json"]].concat()).stdout;
    assert_eq!(lines.lines().count(), 3, "an object a game");
}

#[test]
fn games_of_the_same_name_keep_their_own_reviews() {
    let folder = folder("same");
    fs::write(folder.join("club/game.sgf"), GAME.replace("B[dd]", "B[cc]")).unwrap();
    let out = folder.join("out");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let run = review(&[&path("game.sgf"), &path("club/game.sgf"), "--out", out.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let first_move = |name: &str| {
        let json: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(out.join(name)).unwrap()).unwrap();
        json["moves"][0]["move"].as_str().unwrap().to_owned()
    };
    assert_eq!([first_move("game-review.json"), first_move("game-2-review.json")], ["D4", "C5"]);
}

#[test]
fn one_bad_game_does_not_end_a_folder() {
    let folder = folder("bad");
    fs::write(folder.join("a.sgf"), "(;GM[1]SZ[9];B[aa];W[aa])").unwrap();
    fs::write(folder.join("b.sgf"), "nothing").unwrap();
    let run = review(&[folder.to_str().unwrap()]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("a.sgf") && run.stderr.contains("b.sgf"), "{}", run.stderr);
    assert!(run.stderr.contains("2 games could not be reviewed"), "{}", run.stderr);
    assert!(folder.join("game-review.json").exists());
}

#[test]
fn errors_name_the_remedy() {
    let folder = folder("errors");
    let game = folder.join("game.sgf");
    let game = game.to_str().unwrap();
    let fails = |arguments: &[&str]| {
        let run = review(arguments);
        assert_eq!(run.code, 1, "{}", run.stdout);
        run.stderr
    };
    assert!(fails(&["no-such.sgf"]).contains("cannot read no-such.sgf"));
    assert!(fails(&[game, "--deeper=0"]).contains("from 1 to 10000"));
    assert!(fails(&[game, "--preset", "random"]).contains("choose a player that searches"));
    let empty = folder.join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(fails(&[empty.to_str().unwrap()]).contains("no game records found"));
}
