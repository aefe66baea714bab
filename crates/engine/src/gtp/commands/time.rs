//! Time controls and clocks.

use std::time::Duration;

use tengen_board::ColorMap;

use super::{
    super::{
        args::{Args, Refusal, Reply, color, finite, number},
        server::Server,
    },
    Command,
};
use crate::clock::{Clock, TimeSettings};

pub(super) const COMMANDS: &[Command] = &[
    Command { usage: "time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES", run: time_settings },
    Command { usage: "time_left COLOR TIME STONES", run: time_left },
    Command {
        usage: "kgs-time_settings none|absolute|byoyomi|canadian [MAIN_TIME [PERIOD_TIME PERIODS_OR_STONES]]",
        run: named_time_settings,
    },
    Command {
        usage: "kata-time_settings none|absolute|byoyomi|canadian|fischer [MAIN_TIME [TIME [PERIODS_OR_STONES]]]",
        run: named_time_settings,
    },
    Command { usage: "kata-list_time_settings", run: list_time_settings },
];

/// Longer times are cut to this, a year, so that sums cannot overflow.
const LONGEST: f32 = 365.0 * 86_400.0;

fn time_settings(server: &mut Server, args: Args<'_>) -> Reply {
    let [main, period, stones] = args.exactly()?;
    let (main, period, stones) = (seconds(main)?, seconds(period)?, number(stones, "the number of stones")?);
    let settings = match (period.is_zero(), stones) {
        // A byo-yomi time without stones is GTP's way to say that there is no limit.
        (false, 0) => TimeSettings::Unlimited,
        (true, _) if main.is_zero() => TimeSettings::Unlimited,
        (true, _) => TimeSettings::Absolute { main },
        (false, stones) => TimeSettings::Canadian { main, period, stones },
    };
    start(server, settings)
}

fn named_time_settings(server: &mut Server, args: Args<'_>) -> Reply {
    let settings = match args.words()[..] {
        ["none"] => TimeSettings::Unlimited,
        ["absolute", main] => TimeSettings::Absolute { main: seconds(main)? },
        ["byoyomi", main, period, periods] => TimeSettings::ByoYomi {
            main: seconds(main)?,
            period: seconds(period)?,
            periods: number(periods, "the number of periods")?,
        },
        ["canadian", main, period, stones] => TimeSettings::Canadian {
            main: seconds(main)?,
            period: seconds(period)?,
            stones: number(stones, "the number of stones")?,
        },
        ["fischer", main, increment] => {
            TimeSettings::Fischer { main: seconds(main)?, increment: seconds(increment)? }
        }
        _ => return Err(args.wrong()),
    };
    start(server, settings)
}

#[expect(clippy::unnecessary_wraps, reason = "ends every command that sets the time")]
fn start(server: &mut Server, settings: TimeSettings) -> Reply {
    server.time = settings;
    server.clocks = ColorMap::default();
    Ok(String::new())
}

fn list_time_settings(_: &mut Server, args: Args<'_>) -> Reply {
    args.none()?;
    Ok("none absolute byoyomi canadian fischer".to_owned())
}

fn time_left(server: &mut Server, args: Args<'_>) -> Reply {
    let [player, left, stones] = args.exactly()?;
    let player = color(player)?;
    // Front ends send a negative time when the clock has run out and nobody claims it.
    let left = finite(left, "the time")?.clamp(0.0, LONGEST);
    let stones = number(stones, "the number of stones")?;
    server.clocks[player] = Some(Clock { left: Duration::from_secs_f32(left), stones });
    Ok(String::new())
}

fn seconds(text: &str) -> Result<Duration, Refusal> {
    let seconds = finite(text, "a time")?;
    if seconds < 0.0 {
        return Err(Refusal::syntax("a time cannot be negative"));
    }
    Ok(Duration::from_secs_f32(seconds.min(LONGEST)))
}
