//! Every command of the server, one file a group.
//!
//! A command is a function and a line in its group's table; `list_commands` and `known_command` are derived from the
//! tables.

use super::{
    args::{Args, Reply},
    server::Server,
};

mod admin;
mod analyze;
mod gogui;
mod inspect;
mod network;
mod params;
mod play;
mod rules;
mod score;
mod setup;
mod sgf;
mod time;

/// A command that the server knows.
pub(super) struct Command {
    /// How it is written; the first word is its name.
    pub(super) usage: &'static str,
    /// What it does.
    pub(super) run: fn(&mut Server, Args<'_>) -> Reply,
}

impl Command {
    /// The first word of the usage.
    fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

/// The groups, in the order in which `list_commands` shows them.
const GROUPS: [&[Command]; 12] = [
    admin::COMMANDS,
    setup::COMMANDS,
    play::COMMANDS,
    analyze::COMMANDS,
    network::COMMANDS,
    time::COMMANDS,
    score::COMMANDS,
    inspect::COMMANDS,
    gogui::COMMANDS,
    rules::COMMANDS,
    params::COMMANDS,
    sgf::COMMANDS,
];

fn all() -> impl Iterator<Item = &'static Command> {
    GROUPS.into_iter().flatten()
}

/// The command with this name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name() == name)
}

/// Whether a command of this name ends the search that runs when it arrives.
pub(super) fn is_interrupt(name: &str) -> bool {
    matches!(name, "stop" | "gogui-interrupt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = all().map(Command::name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| !name.is_empty()));
    }
}
