//! `tengen lab report`: tables and plots from the results that are there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tengen_lab::experiments::{
    Experiment, Results,
    report::{self, Story},
};

use super::DirectoryArgs;
use crate::output::Output;

/// Write the pages of experiments again; of all of them, and EXPERIMENTS.md, if none is named.
#[derive(Args)]
pub(super) struct ReportArgs {
    /// The experiments
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    directory: DirectoryArgs,
}

pub(super) fn run(args: &ReportArgs, output: &mut Output) -> Result<()> {
    let root = args.directory.path();
    let experiments =
        if args.names.is_empty() { args.directory.all()? } else { args.directory.named(&args.names)? };
    let mut all = Vec::new();
    for experiment in experiments {
        let results = Results::read(&experiment)?;
        output.line(report::write(&experiment, &results)?.display().to_string())?;
        all.push((experiment, results));
    }
    if args.names.is_empty() {
        output.line(collect(root, &all)?.display().to_string())?;
    }
    Ok(())
}

/// Writes EXPERIMENTS.md, beside the directory of all these experiments, and says where it is.
pub(super) fn collect(root: &Path, all: &[(Experiment, Results)]) -> Result<PathBuf> {
    let link = root.file_name().context("--dir: name a directory")?.to_string_lossy();
    let page = root.parent().unwrap_or(root).join("EXPERIMENTS.md");
    let story = Story::read(root)?;
    let unknown = story.unknown(all);
    ensure!(unknown.is_empty(), "{}: there is no experiment {}", Story::FILE, unknown.join(", "));
    report::put(&page, &report::collection(&story, all, &link))?;
    let readme = page.with_file_name("README.md");
    if let Some(text) =
        std::fs::read_to_string(&readme).ok().and_then(|text| story.illustrate(&text, all, &link))
    {
        report::put(&readme, &text)?;
    }
    Ok(page)
}
