//! `tengen export`: networks for other programs.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;
use tengen_nets::AnyNetwork;

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen export onnx default                   writes default.onnx
  tengen export onnx my-net.safetensors --out net.onnx

The file takes planes (positions, planes, rows, columns), row 0 being the top row, and tells what the player \
to move expects: policy (logits of the points and of the pass), value, score, ownership.";

/// Write a network for other programs.
#[derive(Args)]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    format: Format,
}

#[derive(Subcommand)]
enum Format {
    Onnx(OnnxArgs),
}

/// Write an ONNX file, for ONNX Runtime and most other libraries.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
struct OnnxArgs {
    /// The network: a file, or one that comes with tengen by its name
    net: PathBuf,
    /// The file to write [default: the network's name with .onnx]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What is printed with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    net: &'a Path,
    file: &'a Path,
}

pub(crate) fn run(args: &ExportArgs, output: &mut Output) -> Result<()> {
    let Format::Onnx(args) = &args.format;
    let network = AnyNetwork::load(&args.net)?;
    let in_this_folder = || Path::new(args.net.file_name().unwrap_or_default()).with_extension("onnx");
    let file = args.out.clone().unwrap_or_else(in_this_folder);
    network.save_onnx(&file)?;
    if args.json {
        return output.json(&Report { net: &args.net, file: &file });
    }
    output.line(format!("written to {}", file.display()))
}
