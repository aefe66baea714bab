//! The documentation: its command lines run, and its links lead somewhere.
//!
//! Every line of a code block in README.md and docs/ that begins with `tengen` is run in a scratch folder that has small files of
//! the names used there, with settings that make it quick. The lines of a page are run in order, so one can use what another
//! has made. Other engines and KataGo's network, which may not be at hand, are replaced by ours; the browser is not started, and of what needs a
//! NATS server only the flags are read.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use flate2::{Compression, write::GzEncoder};

/// What makes a command quick. A command that is not listed must be added before it is documented.
const QUICK: [(&str, &[&str]); 34] = [
    ("analysis", &[]),
    ("bench env", &["--seconds=0.01", "--size=5"]),
    ("bench net", &["--seconds=0.01"]),
    ("bench playout", &["--playouts=2"]),
    ("bench rollout", &["--seconds=0.01"]),
    ("bench search", &["--playouts=2", "--size=5"]),
    ("bench selfplay", &["--seconds=0.01", "--size=3", "--games=2", "--simulations=2"]),
    ("book", &[]),
    ("completions", &[]),
    ("doctor", &[]),
    ("export", &[]),
    ("gtp", &[]),
    ("jobs", &[]),
    ("lab list", &[]),
    ("lab queue", &["--status"]),
    ("lab report", &[]),
    ("lab run", &["--dummy"]),
    ("lab suite", &["--playouts=2"]),
    ("lab tune", &["--playouts=2", "--size=5", "--iterations=1"]),
    ("match", &["--games=2", "--size=5"]),
    ("perft", &["--depth=2"]),
    ("play", &["--playouts=2"]),
    ("presets", &[]),
    ("review", &["--playouts=2"]),
    ("serve-jobs", &[]),
    ("selfplay", &["--games=2", "--simulations=2", "--threads=1"]),
    ("train actor-critic", &["--iterations=1", "--games=2", "--threads=1", "--set=anchors.games=0"]),
    ("train reinforce", &["--iterations=1", "--games=2", "--threads=1", "--set=anchors.games=0"]),
    (
        "train zero",
        &["--generations=1", "--games=2", "--simulations=2", "--threads=1", "--set=anchors.games=0"],
    ),
    (
        "train balance",
        &["--steps=1", "--batch=1", "--rollouts=2", "--gradient-rollouts=1", "--teacher=uct,playouts=2"],
    ),
    ("train label", &["--files=1", "--file-positions=1", "--threads=1"]),
    ("train knowledge", &["--epochs=1"]),
    ("train policy", &["--positions=8", "--batch=8", "--threads=1"]),
    ("work", &[]),
];

/// A network that does not ship with tengen.
const KATAGO: &str = "g170-b6c96-s175395328-d26788732.bin.gz";

const GAMES: &str = "\
(;GM[1]SZ[9]KM[7.5]RE[B+R];B[ee];W[ec];B[eg];W[gc];B[cg];W[ge];B[gf];W[he];B[dc])
(;GM[1]SZ[9]KM[7.5]RE[W+R];B[ee];W[ce];B[gc];W[gg];B[cc];W[dd];B[de];W[cd];B[bd])
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files in a folder of the repository.
fn pages(folder: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The lines in the code blocks of a page that begin with `tengen`.
fn command_lines(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || line.starts_with("    ") {
            let program = line.split_whitespace().next().unwrap_or_default();
            if Path::new(program).ends_with("tengen") {
                lines.push(line.to_owned());
            }
        }
    }
    lines
}

/// The arguments of a command line, as a shell in this folder passes them.
fn words(folder: &Path, line: &str) -> Vec<String> {
    let mut shell = Command::new("sh");
    let split = shell.args(["-c", &format!("printf '%s\\n' {line}")]).current_dir(folder).output().unwrap();
    assert!(split.status.success(), "{line}");
    String::from_utf8(split.stdout).unwrap().lines().skip(1).map(str::to_owned).collect()
}

/// The same command in a form that takes a moment.
fn quick(words: &[String]) -> Vec<String> {
    let line = words.join(" ");
    let (command, settings) =
        QUICK.iter().find(|(command, _)| line.starts_with(command)).unwrap_or_else(|| {
            panic!("`tengen {line}`: say in QUICK how it is run in a moment");
        });
    let mut words: Vec<String> =
        words.iter().map(|word| word.replace(KATAGO, "my-net.safetensors")).collect();
    for word in words.iter_mut().filter(|word| word.starts_with("gtp:")) {
        "random".clone_into(word);
    }
    if words.iter().any(|word| word == "--nats") {
        // The flags are read, but no server is at hand.
        words.push("--help".to_owned());
        return words;
    }
    if *command == "match" {
        let players = words[1..].iter_mut().take_while(|word| !word.starts_with('-'));
        players.for_each(|word| word.push_str(",playouts=2"));
    }
    let resumed = line.contains("--resume") && command.starts_with("train");
    for setting in *settings {
        // A run that goes on has these already.
        if resumed && ["--games", "--simulations"].iter().any(|flag| setting.starts_with(flag)) {
            continue;
        }
        let (flag, values) = setting.split_once('=').map_or((*setting, 0), |(flag, _)| (flag, 1));
        if let Some(at) = words.iter().position(|word| word == flag) {
            words.drain(at..=at + values);
        }
        words.push((*setting).to_owned());
    }
    if *command == "play" && !words.iter().any(|word| word == "--terminal") {
        // The browser's own flags are read, but no server is started.
        let for_the_browser = ["--clock", "--engine", "--listen", "--problems"]
            .iter()
            .any(|flag| words.iter().any(|word| word == flag));
        words.push(if for_the_browser { "--help" } else { "--terminal" }.to_owned());
    }
    words
}

/// A fresh folder with everything that the command lines name.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{name}"));
    let _ = fs::remove_dir_all(&folder);
    let learning = ["s5-gradient-5x5", "s5-variance", "s5-gradient-9x9"];
    for experiment in ["s1-corners", "s1-9x9-direct"].into_iter().chain(learning) {
        let place = format!("experiments/{experiment}");
        fs::create_dir_all(folder.join(&place)).unwrap();
        let file = format!("{place}/experiment.toml");
        fs::copy(root().join(&file), folder.join(&file)).unwrap();
    }
    fs::write(
        folder.join("experiments/queue.toml"),
        "[[run]]\nexperiment = \"s1-9x9-direct\"\nscale = 0.005\n",
    )
    .unwrap();
    fs::create_dir(folder.join("suites")).unwrap();
    fs::copy(root().join("suites/basics.sgf"), folder.join("suites/basics.sgf")).unwrap();
    for (from, to) in [("default", "my-net"), ("rollout-a-reduced", "my-rollouts")] {
        let from = root().join(format!("networks/{from}.safetensors"));
        fs::copy(from, folder.join(format!("{to}.safetensors"))).unwrap();
    }
    for name in ["games", "games9", "more", "train", "train19", "train9", "val", "val9"] {
        let file = fs::File::create(folder.join(format!("{name}.sgf.gz"))).unwrap();
        let mut packed = GzEncoder::new(file, Compression::fast());
        packed.write_all(GAMES.repeat(6).as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    fs::create_dir(folder.join("games")).unwrap();
    for name in ["game.sgf", "games/one.sgf"] {
        fs::write(folder.join(name), GAMES.lines().next().unwrap()).unwrap();
    }
    let player = run(&folder, &["presets".to_owned(), "uct,playouts=2".to_owned()]).unwrap();
    for name in ["my.toml", "my-player.toml"] {
        fs::write(folder.join(name), &player).unwrap();
    }
    folder
}

/// Runs `tengen` in a folder: its output, or what went wrong.
fn run(folder: &Path, words: &[String]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.env("XDG_STATE_HOME", folder);
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(format!("tengen {}\n{}", words.join(" "), String::from_utf8_lossy(&output.stderr)))
    }
}

#[test]
fn command_lines_run() {
    let mut pages = pages("docs");
    pages.push(root().join("README.md"));
    assert!(pages.iter().map(|page| command_lines(page).len()).sum::<usize>() > 50);
    let failures: Vec<String> = thread::scope(|scope| {
        let page = |page: PathBuf| {
            let folder = scratch(&page.file_stem().unwrap().to_string_lossy());
            let result = |line: &String| run(&folder, &quick(&words(&folder, line)));
            command_lines(&page).iter().filter_map(|line| result(line).err()).collect::<Vec<_>>()
        };
        let threads: Vec<_> = pages.into_iter().map(|path| scope.spawn(move || page(path))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The cards' records are not at hand, so their commands are only read.
#[test]
fn command_lines_of_the_networks_cards_are_understood() {
    let lines: Vec<_> = pages("networks").iter().flat_map(|page| command_lines(page)).collect();
    assert!(lines.len() > 10);
    for line in lines {
        run(&root(), &words(&root(), &format!("{line} --help"))).unwrap();
    }
}

#[test]
fn links_lead_to_files() {
    for folder in ["", "docs", "networks", "suites"] {
        for page in pages(folder) {
            let text = fs::read_to_string(&page).unwrap();
            for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                let leads_outside = link.is_empty() || link.contains("://");
                assert!(leads_outside || page.with_file_name(link).exists(), "{}: {link}", page.display());
            }
        }
    }
}
