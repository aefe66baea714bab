//! Results of matches in words.

use anyhow::Result;
use tengen_lab::{
    matches::{GameRecord, MatchConfig, Summary, Tournament},
    stats::SprtVerdict,
};

use crate::output::Output;

/// The running estimate.
pub(super) fn short(summary: &Summary) -> String {
    match summary.win_rate_a {
        Some(rate) => {
            let reach = 100.0 * summary.ci95.half_width();
            let elo = summary.elo.map_or(String::new(), |elo| format!(", Elo {elo:+.0}"));
            format!("A {:.1}% ± {reach:.1}{elo}", 100.0 * rate)
        }
        None => "no game finished".to_owned(),
    }
}

/// The result of two players.
pub(super) fn pair(summary: &Summary, config: &MatchConfig, output: &mut Output) -> Result<()> {
    let percent = |p: f64| format!("{:.1}%", 100.0 * p);
    let elo =
        |elo: Option<f64>, otherwise: &str| elo.map_or(otherwise.to_owned(), |elo| format!("{elo:+.0}"));
    let seconds = |seconds: Option<f64>| seconds.map_or("unknown".to_owned(), |s| format!("{s:.1} s"));
    let Summary { a, b, games, wins_a, wins_b, draws, .. } = summary;
    output.line(format!("A               {a}"))?;
    output.line(format!("B               {b}"))?;
    let rules = config.rules.name().map_or_else(|| config.rules.to_compact(), str::to_owned);
    let (width, height) = (config.width, config.height);
    output.line(format!("board           {width}x{height}, {rules} rules, komi {}", config.rules.komi))?;
    output.line(format!("games           {games}: A won {wins_a}, B won {wins_b}, {draws} drawn"))?;
    if let Some(rate) = summary.win_rate_a {
        let (low, high) = (percent(summary.ci95.0), percent(summary.ci95.1));
        output.line(format!("A's win rate    {} (95%: {low} to {high})", percent(rate)))?;
    }
    let sign = if summary.wins_a > summary.wins_b { "+inf" } else { "-inf" };
    let [low, high] = summary.elo_ci95;
    output.line(format!(
        "Elo difference  {} (95%: {} to {})",
        elo(summary.elo, sign),
        elo(low, "-inf"),
        elo(high, "+inf")
    ))?;
    output.line(format!("p-value         {:.4} (two-tailed, against equal strength)", summary.p_value))?;
    if let Some(test) = &summary.sprt {
        let verdict = match test.verdict {
            SprtVerdict::H1 => {
                format!("A is stronger by {} Elo rather than {}", test.test.elo1, test.test.elo0)
            }
            SprtVerdict::H0 => {
                format!("A is stronger by {} Elo rather than {}", test.test.elo0, test.test.elo1)
            }
            SprtVerdict::Undecided => "undecided: more games are needed".to_owned(),
        };
        output.line(format!(
            "sequential test {verdict} (LLR {:.2} in {:.2} to {:.2})",
            test.llr, test.lower, test.upper
        ))?;
        output.line(
            "                the intervals above are taken at a stopping time: the test is the result",
        )?;
    }
    if let Some(score) = summary.mean_score {
        output.line(format!("mean score      {score:+.1} points for A in games that were counted"))?;
    }
    output.line(format!("different games {}", summary.distinct_games))?;
    output.line(format!(
        "failures        {} illegal moves, {} crashes, {} losses on time",
        summary.illegal, summary.crashes, summary.time_losses
    ))?;
    output.line(format!(
        "CPU time        A {}, B {}",
        seconds(summary.cpu_seconds_a),
        seconds(summary.cpu_seconds_b)
    ))?;
    output.line(format!("a game took     {} (median)", seconds(summary.median_game_seconds)))
}

/// The first thing that went wrong, if anything did.
pub(super) fn first_failure(records: &[GameRecord], output: &mut Output) -> Result<()> {
    match records.iter().find(|record| record.message.is_some()) {
        Some(GameRecord { game, message: Some(message), .. }) => {
            output.line(format!("the first failed in game {game}: {message}"))
        }
        _ => Ok(()),
    }
}

/// The result of more than two players.
pub(super) fn tournament(tournament: &Tournament, output: &mut Output) -> Result<()> {
    output.line("rating (95%)             points  player")?;
    for rating in &tournament.ratings {
        let (low, high) = (rating.ci95.0, rating.ci95.1);
        output.line(format!(
            "{:+5.0} ({low:+.0} to {high:+.0})  {:5.1}/{:<5} {}",
            rating.elo, rating.points, rating.games, rating.player
        ))?;
    }
    output.line("")?;
    for pair in &tournament.pairs {
        let failures = pair.illegal + pair.crashes + pair.time_losses;
        let note = if failures > 0 { format!(", {failures} failures") } else { String::new() };
        output.line(format!("{} - {}: {} of {} games{note}", pair.a, pair.b, pair.points_a(), pair.games))?;
    }
    Ok(())
}
