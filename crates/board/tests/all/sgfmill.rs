//! What we write opens in another program, Python's `sgfmill`, and what that writes opens here. It is looked for in the
//! virtual environment `target/venv`, which `make test` creates.

#![allow(clippy::unwrap_used)] // Helpers of tests may, like the tests themselves.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tengen_board::{
    Color, Game, Rules,
    sgf::{GameInfo, Record},
};
use tengen_testing::skipped;

/// Reads a record, prints what it understood, then writes it anew.
const SCRIPT: &str = r#"
import sys
from sgfmill import sgf
game = sgf.Sgf_game.from_bytes(open(sys.argv[1], "rb").read())
root = game.get_root()
print("size", game.get_size())
print("komi", game.get_komi())
print("handicap", game.get_handicap())
print("black", game.get_player_name("b"))
print("white", game.get_player_name("w"))
print("winner", game.get_winner())
print("rules", root.get("RU"))
print("setup", " ".join(str(sorted(points)) for points in root.get_setup_stones()))
print("comment", repr(root.get("C")))
for node in game.get_main_sequence():
    color, move = node.get_move()
    if color is not None:
        print("move", color, move)
print("variations", len(root))
open(sys.argv[2], "wb").write(game.serialise())
fresh = sgf.Sgf_game(size=13)
fresh.root.set("KM", 6.5)
fresh.root.set("PB", "] \\ : \u00e9")
fresh.root.set_setup_stones([(3, 3), (9, 9)], [(0, 12)])
for color, move in [("w", (12, 0)), ("b", None), ("w", (5, 6))]:
    fresh.extend_main_sequence().set_move(color, move)
open(sys.argv[3], "wb").write(fresh.serialise())
"#;

fn python() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/venv/bin/python");
    let status = Command::new(&path).args(["-c", "import sgfmill"]).output().ok()?.status;
    status.success().then_some(path)
}

#[test]
fn sgfmill_understands_our_records_and_we_understand_its() {
    let Some(python) = python() else {
        skipped("SGF against sgfmill", "no target/venv/bin/python with sgfmill (`make test` installs it)");
        return;
    };
    let mut game = Game::new(19, 19, Rules::JAPANESE.with_komi(0.5)).unwrap();
    game.place_fixed_handicap(2).unwrap();
    for mv in ["C16", "R4", "pass", "T1", "A19"] {
        game.play(mv.parse().unwrap());
    }
    let info = GameInfo {
        black: Some("Honinbo ] \\ \u{672c}\u{56e0}\u{574a}".to_owned()),
        white: Some("W".to_owned()),
        result: Some("B+R".parse().unwrap()),
        ..GameInfo::default()
    };
    let mut record = Record::from_game(&game, &info);
    record.set_text(record.root(), "C", "first\nsecond [x] \\");
    let root = record.root();
    record.add_move(root, Color::White, "K10".parse().unwrap());

    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [ours, again, fresh] = ["ours.sgf", "again.sgf", "fresh.sgf"].map(|name| directory.join(name));
    std::fs::write(&ours, record.to_sgf()).unwrap();
    let output = Command::new(python)
        .args(["-X", "utf8", "-c", SCRIPT])
        .args([&ours, &again, &fresh])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    let expected = "size 19\nkomi 0.5\nhandicap 2\nblack Honinbo ] \\ \u{672c}\u{56e0}\u{574a}\nwhite W\nwinner b\nrules Japanese\n\
                    setup [(3, 3), (15, 15)] [] []\ncomment 'first\\nsecond [x] \\\\'\n\
                    move w (15, 2)\nmove b (3, 16)\nmove w None\nmove b (0, 18)\nmove w (18, 0)\nvariations 2\n";
    assert_eq!(told.replace('\r', ""), expected);

    let again = Record::parse(&std::fs::read(again).unwrap()).unwrap();
    assert_eq!(again.info(), record.info());
    assert_eq!(again.len(), record.len());
    assert_eq!(again.main_line().unwrap().board().hash(), game.board().hash());

    let fresh = Record::parse(&std::fs::read(fresh).unwrap()).unwrap();
    assert_eq!(fresh.info().black.as_deref(), Some("] \\ : \u{e9}"));
    let game = fresh.main_line().unwrap();
    assert_eq!((game.board().area(), game.rules().komi), (169, 6.5));
    assert_eq!(game.start().color_at("N1".parse().unwrap()), Some(Color::White));
    let moves: Vec<_> = game.moves().iter().map(|m| format!("{} {}", m.color, m.mv)).collect();
    assert_eq!(moves, ["white A13", "black pass", "white G6"]);
}
