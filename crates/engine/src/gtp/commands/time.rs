//! Time controls and clocks.

use std::time::Duration;

use super::{
    super::{
        args::{Args, Refusal, Reply, color, finite, number},
        server::Server,
    },
    Command,
};
use crate::time::TimeSettings;

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES", run: time_settings },
    Command { usage: "time_left COLOR TIME STONES", run: time_left },
    Command {
        usage: "kgs-time_settings none|absolute|byoyomi|canadian [MAIN_TIME [PERIOD_TIME PERIODS_OR_STONES]]",
        run: named_time_settings,
    },
    Command {
        usage: "kata-time_settings none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES | \
                fischer MAIN INCREMENT | fischer-capped MAIN INCREMENT CAP TIME_PER_MOVE",
        run: named_time_settings,
    },
    Command { usage: "kata-list_time_settings", run: list_time_settings },
];

fn time_settings(server: &mut Server, args: Args<'_>) -> Reply {
    let [main, period, stones] = args.exactly()?;
    let stones = number(stones, "the number of stones")?;
    server.set_time(TimeSettings::from_gtp(seconds(main)?, seconds(period)?, stones));
    Ok(String::new())
}

fn named_time_settings(server: &mut Server, args: Args<'_>) -> Reply {
    // A number alone is no time control here.
    let is_named = args.words().first().is_some_and(|name| TimeSettings::NAMES.contains(name));
    let settings = args.text.parse().ok().filter(|_| is_named).ok_or_else(|| args.wrong())?;
    server.set_time(settings);
    Ok(String::new())
}

fn list_time_settings(_: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok(TimeSettings::NAMES.join(" "))
}

fn time_left(server: &mut Server, args: Args<'_>) -> Reply {
    let [player, left, stones] = args.exactly()?;
    let player = color(player)?;
    // Front ends send a negative time when the clock has run out and nobody claims it.
    let left = duration(finite(left, "the time")?.max(0.0));
    let stones = number(stones, "the number of stones")?;
    server.seat.set_clock(player, left, stones);
    Ok(String::new())
}

fn seconds(text: &str) -> Result<Duration, Refusal> {
    let seconds = finite(text, "a time")?;
    if seconds < 0.0 {
        return Err(Refusal::syntax("a time cannot be negative"));
    }
    Ok(duration(seconds))
}

fn duration(seconds: f32) -> Duration {
    Duration::from_secs_f32(seconds.min(TimeSettings::LONGEST.as_secs_f32()))
}
