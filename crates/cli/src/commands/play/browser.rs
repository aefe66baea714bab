//! `tengen play`: serves the board and opens the browser.

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use tengen_board::{Color, sgf};
use tengen_lab::{PlayerSpec, problems::Problem};
use tengen_nets::{network_name, networks_found};
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
        config.token = Some(Token::of_user().context("cannot store a token (--no-token needs none)")?);
    } else if !args.browser.listen.is_loopback() {
        bail!(
            "--no-token is allowed on this machine only: leave it out for --listen {}",
            args.browser.listen
        );
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
    for network in networks_found() {
        config.roster.add(with_network(network)?);
    }
    for engine in &args.browser.engines {
        let Some((name, spec)) = engine.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
            bail!("--engine {engine}: write NAME=SPEC, such as gnugo=\"gtp:gnugo --mode gtp\"");
        };
        let mut spec: PlayerSpec = spec.parse().with_context(|| format!("--engine {name}"))?;
        name.trim().clone_into(&mut spec.name);
        check(&spec).with_context(|| format!("--engine {name}"))?;
        config.roster.add(spec);
    }
    let mut spec = args.player.spec()?;
    if !spec.config.uses_network()
        && let Some(net) = spec.options.net.take()
    {
        let zero = with_network(net)?;
        zero.build(1).context("--net")?;
        config.roster.add(zero);
    }
    check(&spec)?;
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
        teach: None,
        auto: args.player.is_auto(),
    };
    if let Some(path) = &args.browser.problems {
        config.problems = Some(problems(path).with_context(|| format!("--problems {}", path.display()))?);
    }
    if let Some(folder) = &args.browser.games {
        config.folder.clone_from(folder);
    }
    Ok(config)
}

/// A search with a network from a file, under the network's name.
fn with_network(path: PathBuf) -> Result<PlayerSpec> {
    let mut zero: PlayerSpec = "zero".parse()?;
    zero.about = format!("Tree search with the network of {}", path.display());
    if let Some(name) = network_name(&path) {
        name.clone_into(&mut zero.name);
    }
    zero.options.net = Some(path);
    Ok(zero)
}

/// A file of problems, of which there must be one.
fn problems(path: &Path) -> Result<String> {
    let bytes = sgf::read_file(path)?;
    let is_one = sgf::read_collection(&bytes)?.iter().any(Problem::is_one);
    ensure!(is_one, "no problems found: each needs a position (AB, AW) and its solution as moves");
    Ok(sgf::text_of(&bytes)?.into_owned())
}

/// Networks and other programs must be there before anybody opens a page.
fn check(spec: &PlayerSpec) -> Result<()> {
    if spec.is_external() || spec.config.uses_network() {
        spec.build(1)?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_offered_under_its_own_name() {
        let spec = with_network(PathBuf::from("nets/g170-b6c96.bin.gz")).unwrap();
        assert_eq!(spec.name, "g170-b6c96");
        assert_eq!(spec.options.net(), "nets/g170-b6c96.bin.gz");
        assert!(spec.config.uses_network());
        let own = with_network(PathBuf::from("my.safetensors")).unwrap();
        assert_eq!(own.name, "zero");
    }
}
