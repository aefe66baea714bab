//! `tengen play`: serves the board and opens the browser.

use std::net::{IpAddr, SocketAddr};

use anyhow::{Context, Result, bail};
use tengen_board::Color;
use tengen_lab::PlayerSpec;
use tengen_web::{
    App, Config, Seat, Seats, Settings, Token, stop_signal,
    tokio::{net::TcpListener, runtime::Runtime},
};

use super::PlayArgs;
use crate::output::Output;

pub(super) fn run(args: &PlayArgs, output: &mut Output) -> Result<()> {
    let mut config = config(args)?;
    // The game must be possible before anybody opens a page.
    args.game.game(9)?;
    config.defaults.game(&config.roster)?;
    if !args.browser.no_token {
        config.token = Some(Token::of_user().context("cannot keep a token (--no-token does without)")?);
    } else if !args.browser.listen.is_loopback() {
        bail!("--no-token is for this machine only: without it, --listen {} is safe", args.browser.listen);
    }
    let token = config.token.clone();
    let app = App::new(config).context("cannot open the stored games")?;
    Runtime::new().context("cannot start the server")?.block_on(async {
        let address = SocketAddr::new(args.browser.listen, args.browser.port);
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address}: is tengen running already? Another port: --port 8020")
        })?;
        let local = listener.local_addr()?;
        output.line(format!("The board is at {}", url(local, token.as_ref().map(Token::secret))))?;
        if args.browser.listen.is_unspecified() {
            output.line("From other devices put this machine's name or address in place of the number.")?;
        }
        output.line("Press Ctrl-C to end.")?;
        if !tengen_web::is_built() {
            eprintln!("note: this program was built without its page; make play builds both");
        }
        // On a machine without a browser the address has been printed.
        if !args.browser.no_open
            && let Err(error) =
                open::that_detached(url(local, token.as_ref().map(Token::new_ticket).as_deref()))
        {
            output.detail(format!("cannot open a browser: {error}"));
        }
        app.serve(listener, stop_signal()).await;
        Ok(())
    })
}

/// What the flags ask for.
fn config(args: &PlayArgs) -> Result<Config> {
    let mut config = Config::default();
    for engine in &args.browser.engines {
        let Some((name, spec)) = engine.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            bail!("--engine {engine}: write NAME=SPEC, such as gnugo=\"gtp:gnugo --mode gtp\"");
        };
        let mut spec: PlayerSpec = spec.parse().with_context(|| format!("--engine {name}"))?;
        name.trim().clone_into(&mut spec.name);
        config.roster.add(spec);
    }
    let mut spec = args.player.spec()?;
    if !spec.config.uses_network()
        && let Some(net) = spec.options.net.take()
    {
        let mut zero: PlayerSpec = "zero".parse()?;
        zero.options.net = Some(net);
        zero.build().context("--net")?;
        config.roster.add(zero);
    }
    if spec.config.uses_network() {
        // The network must be there before anybody opens a page.
        spec.build()?;
    }
    let engine = Seat::engine(&spec.name);
    config.roster.add(spec);
    let seats = match args.color {
        Color::Black => Seats { black: Seat::Human, white: engine },
        Color::White => Seats { black: engine, white: Seat::Human },
    };
    let (width, height) = args.game.size(9);
    config.defaults = Settings {
        width,
        height,
        seats,
        rules: args.game.rules_name(),
        komi: args.game.komi(),
        handicap: args.handicap,
        time: args.browser.clock,
    };
    if let Some(folder) = &args.browser.games {
        config.folder.clone_from(folder);
    }
    Ok(config)
}

/// The address to open.
fn url(address: SocketAddr, token: Option<&str>) -> String {
    let host = match address.ip() {
        ip if ip.is_unspecified() => "localhost".to_owned(),
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let token = token.map(|token| format!("?token={token}")).unwrap_or_default();
    format!("http://{host}:{}/{token}", address.port())
}
