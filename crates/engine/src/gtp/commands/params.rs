//! The player's parameters by name, as KataGo offers them.

use super::{
    super::{
        args::{Args, Refusal, Reply},
        server::Server,
    },
    Command,
};
use crate::players::{Configure, ConfigureError};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "kata-list-params", run: list_params },
    Command { usage: "kata-get-param KEY", run: get_param },
    Command { usage: "kata-set-param KEY VALUE", run: set_param },
];

impl From<ConfigureError> for Refusal {
    fn from(error: ConfigureError) -> Refusal {
        Refusal::new(error.to_string())
    }
}

pub(super) fn parameters(server: &Server) -> Result<&dyn Configure, Refusal> {
    match &server.parameters {
        Some(parameters) => Ok(parameters.as_ref()),
        None => Err(Refusal::new(format!("the player {} has no parameters", server.seat.name()))),
    }
}

fn list_params(server: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(parameters(server)?.keys().join(" "))
}

fn get_param(server: &mut Server, args: Args<'_>) -> Reply {
    let [key] = args.exactly()?;
    Ok(parameters(server)?.get(key)?)
}

/// The value is everything after the key, so that lists and texts can be given.
fn set_param(server: &mut Server, args: Args<'_>) -> Reply {
    let (key, value) = args.text.split_once(' ').ok_or_else(|| args.wrong())?;
    set(server, key, value)
}

/// Changes a parameter: the player is built anew with it.
pub(super) fn set(server: &mut Server, key: &str, value: &str) -> Reply {
    let changed = parameters(server)?.with(&[(key.to_owned(), value.trim().to_owned())])?;
    server.seat.hand_over(changed.build()?);
    server.parameters = Some(changed);
    if let Some(seed) = server.seed {
        server.seat.set_seed(seed)?;
    }
    Ok(String::new())
}
