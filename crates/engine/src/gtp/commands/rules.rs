//! Rules by name, as KGS and KataGo send them. Komi is set apart and stays.

use tengen_board::Rules;

use super::{
    super::{
        args::{Args, Refusal, Reply},
        server::Server,
    },
    Command,
};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "kgs-rules RULES", run: set_rules },
    Command { usage: "kata-get-rules", run: get_rules },
    Command { usage: "kata-set-rules RULES", run: set_rules },
];

impl Server {
    /// Changes the rules of the game under way; whose turn it is stays.
    pub(in crate::gtp) fn set_rules(&mut self, rules: Rules) {
        let to_play = self.game.to_play();
        self.game.set_rules(rules);
        self.game.set_to_play(to_play);
    }
}

fn set_rules(server: &mut Server, args: Args<'_>) -> Reply {
    if args.text.is_empty() {
        return Err(args.wrong());
    }
    let rules: Rules =
        args.text.parse().map_err(|error: tengen_board::ParseRulesError| Refusal::new(error.to_string()))?;
    server.set_rules(rules.with_komi(server.game.rules().komi));
    Ok(String::new())
}

fn get_rules(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(server.game.rules().name().unwrap_or("custom").to_owned())
}
