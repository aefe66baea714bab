//! The review as one page that needs nothing from elsewhere: graphs, key moments with boards, tables, every mistake.

use super::{
    ACCURACY_FORMULA, Class, Review, ReviewError, ReviewedMove, diagram, graph, lead_text, moments, table,
};
use crate::experiments::report::{STYLE, escaped};

const OWN_STYLE: &str = ".board{display:block;max-width:100%;height:auto}.board text{font:11px system-ui,sans-serif;text-anchor:middle}\
    .board .c{fill:#5a4420;font-size:9px}.moments{display:flex;flex-wrap:wrap;gap:1.5rem}.moments figure{margin:0;max-width:20rem}\
    figcaption{margin-bottom:.5rem}.dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.35em}";

/// Mistakes that are shown on a board each.
const MOST_BOARDS: usize = 40;

/// The whole page.
pub(super) fn page(review: &Review) -> Result<String, ReviewError> {
    let name = |color| review.player(color).name.clone().unwrap_or_else(|| super::name_of(color).to_owned());
    let title = format!("{} – {}", name(tengen_board::Color::Black), name(tengen_board::Color::White));
    let result = review.result.as_ref().map_or(String::new(), |result| format!(", {result}"));
    let moments = review
        .key_moments
        .iter()
        .map(|moment| figure(review, &review.moves[moment.number - 1]))
        .collect::<Result<String, _>>()?;
    let moments =
        if moments.is_empty() { "<p>No move lost 1.5 points or more.</p>\n".to_owned() } else { moments };
    let entry = |class: Class| format!("{} {} ({} points)", dot(class), class.name(), class.range());
    let legend = Class::ALL.map(entry).join("&ensp;");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>{title}: review</title>\n\
         <style>{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p>{file}: {count} moves{result}. Reviewed by tengen: {analyst}.</p>\n{graphs}<p>{legend}</p>\n\
         <h2>What mattered most</h2>\n<div class=\"moments\">\n{moments}</div>\n\
         <h2>Players</h2>\n{players}{classes}<p>{formula}. Parts of the game: the opening ends when as many moves are played as 14% of \
         the board has points, the middle game at 40%.</p>\n<h2>Mistakes</h2>\n{mistakes}<h2>All moves</h2>\n\
         <details><summary>{count} moves</summary>\n{moves}</details>\n</body>\n</html>\n",
        title = escaped(&title),
        file = escaped(&review.file),
        count = review.moves.len(),
        result = escaped(&result),
        analyst = escaped(&review.analyst),
        graphs = graph::graphs(review)?,
        players = table::players(review).to_html(),
        classes = table::classes(review).to_html(),
        formula = escaped(&(ACCURACY_FORMULA[..1].to_uppercase() + &ACCURACY_FORMULA[1..])),
        mistakes = mistakes(review)?,
        moves = table::moves(review).to_html(),
    ))
}

fn dot(class: Class) -> String {
    format!("<span class=\"dot\" style=\"background:{}\"></span>", class.color())
}

/// A mistake with its board: the position before it.
fn figure(review: &Review, m: &ReviewedMove) -> Result<String, ReviewError> {
    let board = diagram::diagram(&review.before(m.number - 1)?, m);
    Ok(format!(
        "<figure><figcaption>{}{} {} before, {} after.</figcaption>\n{board}</figure>\n",
        dot(m.class),
        escaped(&moments::sentence(m)),
        lead_text(m.lead),
        lead_text(m.lead_after),
    ))
}

/// Every mistake, in the order of the game, with a board to open.
fn mistakes(review: &Review) -> Result<String, ReviewError> {
    let all = || review.moves.iter().filter(|m| m.class >= Class::Mistake);
    if all().next().is_none() {
        return Ok("<p>None of 3 points or more.</p>\n".to_owned());
    }
    // The worst have boards.
    let mut losses: Vec<f64> = all().map(|m| m.points_lost).collect();
    losses.sort_by(|a, b| b.total_cmp(a));
    let least = losses.get(MOST_BOARDS - 1).copied().unwrap_or(0.0);
    all()
        .map(|m| {
            let text = format!("{}{}", dot(m.class), escaped(&moments::sentence(m)));
            if m.points_lost < least {
                return Ok(format!("<p>{text}</p>\n"));
            }
            let board = figure(review, m)?;
            Ok(format!("<details><summary>{text}</summary>\n{board}</details>\n"))
        })
        .collect()
}
