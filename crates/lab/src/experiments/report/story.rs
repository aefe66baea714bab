//! What the papers claim and what we found, paper by paper, for readers who want one page.

use std::path::Path;

use serde::Deserialize;
use tengen_board::bounded;

use super::{
    PLOT,
    tables::{figure, verdict},
};
use crate::experiments::{config::Experiment, error::LabError, results::Results};

/// Between these a page has pictures of the papers' experiments, written by `tengen lab report`.
const PICTURES: (&str, &str) = ("<!-- pictures of the papers -->", "<!-- end of the pictures -->");

/// The papers and their claims, as `papers.toml` beside the experiments has them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    papers: Vec<Paper>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    /// Who, when, what.
    title: String,
    /// What it proposes, in a sentence.
    proposes: String,
    claims: Vec<Claim>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// What the paper says.
    says: String,
    /// The experiments that repeat it; the first that has a plot gives the picture.
    experiments: Vec<String>,
    /// Why we think that it does not replicate, or what keeps us from saying.
    #[serde(default)]
    why: Option<String>,
}

impl Story {
    /// The file.
    pub const FILE: &'static str = "papers.toml";

    /// Reads the papers of a directory of experiments; there may be none.
    pub fn read(root: &Path) -> Result<Story, LabError> {
        let path = root.join(Self::FILE);
        if !path.exists() {
            return Ok(Story::default());
        }
        let text =
            bounded::read_text(&path).map_err(|source| LabError::File { path: path.clone(), source })?;
        toml::from_str(&text).map_err(|problem| LabError::Papers { path, message: problem.to_string() })
    }

    /// The papers as Markdown; `link` is the path from the page to the directory of experiments.
    pub(super) fn text(&self, experiments: &[(Experiment, Results)], link: &str) -> String {
        self.papers.iter().map(|paper| paper.text(experiments, link)).collect()
    }

    /// A picture of each paper that has results which are not to be made again, as Markdown.
    fn pictures(&self, experiments: &[(Experiment, Results)], link: &str) -> String {
        let of_paper = |paper: &Paper| {
            let names = paper.claims.iter().flat_map(|claim| &claim.experiments);
            let mut found =
                names.filter_map(|name| experiments.iter().find(|(experiment, _)| experiment.slug == *name));
            let is_shown = |results: &Results| {
                results.again.is_none() && results.values.iter().any(|value| value.data.is_some())
            };
            let (experiment, _) = found.find(|(_, results)| is_shown(results))?;
            Some(format!("{}\n\n{}\n\n", paper.title, picture(experiment, link)))
        };
        self.papers.iter().filter_map(of_paper).collect()
    }

    /// A page with the pictures between its marks, if it has such marks.
    pub fn illustrate(
        &self,
        page: &str,
        experiments: &[(Experiment, Results)],
        link: &str,
    ) -> Option<String> {
        let (before, rest) = page.split_once(PICTURES.0)?;
        let (_, after) = rest.split_once(PICTURES.1)?;
        let pictures = self.pictures(experiments, link);
        Some(format!("{before}{}\n\n{pictures}{}{after}", PICTURES.0, PICTURES.1))
    }

    /// The names of experiments that no directory has.
    pub fn unknown(&self, experiments: &[(Experiment, Results)]) -> Vec<&str> {
        let claims = self.papers.iter().flat_map(|paper| &paper.claims);
        let names = claims.flat_map(|claim| &claim.experiments).map(String::as_str);
        names.filter(|name| experiments.iter().all(|(experiment, _)| experiment.slug != *name)).collect()
    }
}

impl Paper {
    fn text(&self, experiments: &[(Experiment, Results)], link: &str) -> String {
        let claims: String = self.claims.iter().map(|claim| claim.text(experiments, link)).collect();
        format!("## {}\n\n{}\n\n{claims}", self.title, self.proposes)
    }
}

impl Claim {
    fn text(&self, experiments: &[(Experiment, Results)], link: &str) -> String {
        let named = |name: &String| experiments.iter().find(|(experiment, _)| experiment.slug == *name);
        let found: Vec<_> = self.experiments.iter().filter_map(named).collect();
        let mut text = format!("**{}**\n", self.says);
        for (experiment, results) in &found {
            text += &format!(
                "- [{slug}]({link}/{slug}/README.md): {}\n",
                line(experiment, results),
                slug = experiment.slug
            );
        }
        if let Some(why) = &self.why {
            text += &format!("- {why}\n");
        }
        let has_plot =
            |(_, results): &&&(Experiment, Results)| results.values.iter().any(|value| value.data.is_some());
        if let Some((experiment, _)) = found.iter().find(has_plot) {
            text += &format!("\n{}\n", picture(experiment, link));
        }
        text + "\n"
    }
}

/// The plot of an experiment in a page.
fn picture(experiment: &Experiment, link: &str) -> String {
    let slug = &experiment.slug;
    let shown = match experiment.config.opponent.as_deref() {
        Some(Experiment::ALL) => "ratings in Elo",
        _ => experiment.config.kind.unit(),
    };
    format!("![{slug}: {shown}, with error bars at 95%]({link}/{slug}/{PLOT})")
}

/// The verdict and the figures that it rests on.
fn line(experiment: &Experiment, results: &Results) -> String {
    let figures = results.checks.iter().filter(|check| check.value.is_some());
    let figures: Vec<_> =
        figures.map(|check| format!("{}: {}", check.claim, figure(check, experiment.config.kind))).collect();
    let verdict = format!("*{}*", verdict(experiment, results));
    if figures.is_empty() { verdict } else { format!("{verdict}; {}", figures.join("; ")) }
}
