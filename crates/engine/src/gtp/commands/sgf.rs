//! Game records.

use super::Command;

pub(super) const COMMANDS: &[Command] = &[];
