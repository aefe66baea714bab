//! `tengen presets [NAME]`.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tengen_lab::{PRESETS, PlayerSpec};

use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  tengen presets                           every preset in a line
  tengen presets rave                      one preset as a TOML file, with every parameter explained
  tengen presets rave > mine.toml          a player of your own: tengen play --config mine.toml
  tengen presets rave,playout.kind=uniform the same with a part exchanged";

/// List the presets, or print one with every parameter.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PresetsArgs {
    /// The preset to print; any player spec will do
    #[arg(value_name = "SPEC")]
    spec: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &PresetsArgs, output: &mut Output) -> Result<()> {
    match &args.spec {
        Some(text) => show(&text.parse()?, args.json, output),
        None => list(args.json, output),
    }
}

fn show(spec: &PlayerSpec, as_json: bool, output: &mut Output) -> Result<()> {
    if as_json {
        let params = spec.params();
        return output.json(&json!({"name": spec.name, "about": spec.about, "params": params.as_table()}));
    }
    output.line(spec.to_commented_toml().trim_end())
}

fn list(as_json: bool, output: &mut Output) -> Result<()> {
    let specs = PRESETS.iter().map(|preset| preset.name.parse()).collect::<Result<Vec<PlayerSpec>, _>>()?;
    if as_json {
        let rows: Vec<_> = specs.iter().map(|spec| json!({"name": spec.name, "about": spec.about})).collect();
        return output.json(&json!({"presets": rows}));
    }
    let width = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    for spec in specs {
        output.line(format!("{:width$}  {}", spec.name, spec.about))?;
    }
    Ok(())
}
