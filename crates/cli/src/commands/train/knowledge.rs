//! `tengen train knowledge`: the weights of move features that guide the classic search.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;
use tengen_board::{Game, sgf};
use tengen_engine::{
    prior::{FeatureWeights, Features},
    whole_file::write_whole,
};
use tengen_lab::{
    learn::knowledge::{LearnConfig, Lesson, ask, improve, learn, played_moves, predict, weigh},
    with_settings,
};
use tengen_nets::{AnyNetwork, train::DataFile};

use crate::{
    args::from_file,
    output::{Output, counted},
};

const EXAMPLES: &str = "\
Examples:
  tengen train knowledge --data train9.sgf.gz --held-out val9.sgf.gz --out knowledge.weights
  tengen train knowledge --data train9.sgf.gz train19.sgf.gz --games 3000 --out knowledge.weights
  tengen train knowledge --data train9.sgf.gz --teacher network.bin.gz --out knowledge.weights

The weights that come with the program are the files knowledge.weights and knowledge.shapes in \
crates/engine/src/prior.";

/// Learn the weights of move features (captures, ladders, shapes, distances) from game records.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct KnowledgeArgs {
    /// Files of game records, .sgf or .sgf.gz; FILE:3 counts three times as much
    #[arg(long, required = true, num_args = 1.., value_name = "FILES")]
    data: Vec<DataFile>,
    /// Games on which to measure how well moves are predicted
    #[arg(long, num_args = 1.., value_name = "FILES")]
    held_out: Vec<PathBuf>,
    /// Use only the first N games of each file [default: all]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Learn from what this network would play, in some of the positions and after stray moves, instead of from the moves played
    #[arg(long, value_name = "FILE")]
    teacher: Option<PathBuf>,
    /// Learn only the weights of features whose names begin with this, such as `open`; the others stay as they come with the program
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Learn only from the first N moves of each game
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true, value_name = "N")]
    moves: usize,
    /// Passes over the training positions [default: 4]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Learning rate of the first pass; raise it when few weights are learned [default: 0.1]
    #[arg(long, value_name = "X")]
    rate: Option<f32>,
    /// Learn the wide shapes that were played at least this often [default: 10]
    #[arg(long, value_name = "TIMES")]
    played: Option<u32>,
    /// Read parameters from a TOML file; other options take precedence
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set any parameter: epochs, rate or played
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Where to write the weights; those of wide shapes are written beside them, to a file that ends in .shapes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &KnowledgeArgs, output: &mut Output) -> Result<()> {
    ensure!(
        args.out.extension().is_none_or(|extension| extension != "shapes"),
        "--out {}: wide shapes are written to a second file with this ending; choose another one, such as .weights",
        args.out.display()
    );
    let mut config = from_file(LearnConfig::default(), args.config.as_deref())?;
    config.epochs = args.epochs.unwrap_or(config.epochs);
    config.rate = args.rate.unwrap_or(config.rate);
    config.played = args.played.unwrap_or(config.played);
    let config = with_settings(&config, &args.settings, "this training")?;
    ensure!(args.moves > 0, "--moves 0: must be at least 1");
    let names = Features::names();
    if let Some(only) = &args.only {
        ensure!(
            names.iter().any(|name| name.starts_with(only)),
            "--only {only}: no feature has a name that begins with this; knowledge.weights lists the names"
        );
    }
    let (mut games, mut weights) = (Vec::new(), Vec::new());
    for DataFile { path, weight } in &args.data {
        games.extend(read_games(path, args.games)?);
        weights.resize(games.len(), *weight as f32);
    }
    let teacher = args.teacher.as_deref().map(AnyNetwork::load).transpose()?;
    let lessons = |games: &[Game], output: &mut Output| -> Vec<Lesson> {
        let Some(teacher) = &teacher else { return played_moves(games, args.moves) };
        let bar = output.bar(games.len() as u64, None, "games");
        let lessons = ask(games, args.moves, teacher, || bar.inc(1));
        bar.finish_and_clear();
        lessons
    };
    let held_out = args
        .held_out
        .iter()
        .map(|file| Ok((file, read_games(file, args.games)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut learned = lessons(&games, output);
    weigh(&mut learned, &weights);
    let bar = output.bar(config.epochs as u64, None, "epochs");
    bar.tick();
    let weights = match &args.only {
        None => learn(&games, learned, &config, |_, _| bar.inc(1)),
        Some(only) => {
            let is_learned = |feature: usize| names.get(feature).is_some_and(|name| name.starts_with(only));
            improve(FeatureWeights::standard(), is_learned, &games, learned, &config, |_, _| bar.inc(1))
        }
    };
    bar.finish_and_clear();
    save(args, &config, games.len(), &weights)?;
    let mut results = Vec::new();
    for (file, games) in &held_out {
        let prediction = predict(games, &lessons(games, output), &weights);
        if args.json {
            results.push(json!({"file": file, "positions": prediction.positions, "top1": prediction.top1, "loss": prediction.loss}));
        } else {
            output.line(format!(
                "{}: {:.1}% of {} moves are the likeliest, loss {:.3}",
                file.display(),
                100.0 * prediction.top1,
                prediction.positions,
                prediction.loss
            ))?;
        }
    }
    if args.json {
        return output.json(&json!({"games": games.len(), "out": args.out, "held_out": results}));
    }
    output.line(format!("{}, weights in {}", counted(games.len() as u64, "game"), args.out.display()))
}

/// The games of a file, or so many of them.
pub(super) fn read_games(path: &Path, most: Option<usize>) -> Result<Vec<Game>> {
    let name = path.display();
    let bytes = sgf::read_file(path).with_context(|| format!("cannot read {name}"))?;
    let text = sgf::text_of(&bytes).with_context(|| name.to_string())?;
    let mut games = Vec::new();
    for (number, record) in sgf::games(&text).take(most.unwrap_or(usize::MAX)).enumerate() {
        let game = record.and_then(|record| record.main_line());
        games.push(game.with_context(|| format!("{name}, game {}", number + 1))?);
    }
    if games.is_empty() {
        bail!("{name} has no games; it should be a file of SGF records");
    }
    Ok(games)
}

fn save(args: &KnowledgeArgs, config: &LearnConfig, games: usize, weights: &FeatureWeights) -> Result<()> {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().display().to_string();
    let names: Vec<_> = args.data.iter().map(|file| name(&file.path)).collect();
    let teacher = args.teacher.as_ref().map(name);
    let text = format!(
        "# Logarithms of the weights of move features, learned by `tengen train knowledge` from {games} games\n\
         # ({}), {} epochs{}.\n{}{weights}",
        names.join(", "),
        config.epochs,
        teacher.map_or(String::new(), |net| format!(", taught by {net}")),
        args.only.as_ref().map_or(String::new(), |only| format!(
            "# So learned are only those that begin with `{only}`; the others are those that came with the program.\n"
        )),
    );
    let write = |path: &Path, bytes: &[u8]| {
        write_whole(path, bytes)
            .with_context(|| format!("cannot write {}; choose another place with --out", path.display()))
    };
    write(&args.out.with_extension("shapes"), &weights.shape_bytes())?;
    write(&args.out, text.as_bytes())
}
