//! Rules by name or by KataGo's descriptions. Komi is set apart and stays, unless it is named.

use tengen_board::{ParseRulesError, Rules};

use super::{
    super::{
        args::{Args, Refusal, Reply},
        server::Server,
    },
    Command,
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "kgs-rules RULES", run: set_kgs_rules },
    Command { usage: "kata-get-rules", run: get_rules },
    Command { usage: "kata-set-rules RULES", run: set_rules },
    Command { usage: "kata-set-rule RULE VALUE", run: set_rule },
];

impl From<ParseRulesError> for Refusal {
    fn from(error: ParseRulesError) -> Refusal {
        Refusal::new(error.to_string())
    }
}

fn get_rules(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(server.game.rules().to_json())
}

/// On KGS, Chinese rules forbid repetitions of the whole board.
fn set_kgs_rules(server: &mut Server, args: Args<'_>) -> Reply {
    let is_chinese = args.text.eq_ignore_ascii_case("chinese");
    set_rules(server, Args { text: if is_chinese { "chinese-kgs" } else { args.text }, ..args })
}

fn set_rules(server: &mut Server, args: Args<'_>) -> Reply {
    if args.text.is_empty() {
        return Err(args.wrong());
    }
    let rules: Rules = args.text.parse()?;
    let komi = if args.text.contains("komi") { rules.komi } else { server.game.rules().komi };
    server.game.set_rules(rules.with_komi(komi));
    Ok(String::new())
}

fn set_rule(server: &mut Server, args: Args<'_>) -> Reply {
    let [rule, value] = args.exactly()?;
    server.game.set_rules(server.game.rules().with_rule(rule, value)?);
    Ok(String::new())
}
