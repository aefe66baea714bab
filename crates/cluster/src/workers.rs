//! The coordinator: a [`Venue`] whose games are played by workers on any machines.
//!
//! Matches, experiments and learning use it as they use this machine. Results are told, and so written down, before the server
//! forgets them: whatever is killed in between, no game is lost, and none counts twice.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tengen_lab::{
    matches::MatchError,
    selfplay::{Seen, SelfPlayError},
    venue::{MatchOrder, News, SelfPlayOrder, Venue},
};
use tokio::runtime::{Builder, Runtime};

use crate::{
    attribution::Attribution,
    course::{Course, Told},
    error::ClusterError,
    link::{Link, Server},
    message::Outcome,
    order::{Games, Order, SelfPlay, unpack},
    outgoing::Wanted,
    store,
};

/// How games are handed out.
#[derive(Clone, Debug)]
pub struct HandOut {
    /// After so long without a word from its worker a job is given to another one.
    pub ack_wait: Duration,
    /// Share of the games that are replayed by another worker, where they come out the same everywhere.
    pub check: f64,
    /// Jobs that are on the server at a time.
    pub ahead: usize,
}

impl Default for HandOut {
    fn default() -> Self {
        HandOut { ack_wait: Duration::from_secs(45), check: 0.02, ahead: 20_000 }
    }
}

/// A sentence for the people at the terminal.
pub type Remark = Arc<dyn Fn(String) + Send + Sync>;

/// Games in a job of self-play: a network evaluates positions of several games at a time.
const SELF_PLAY_UNIT: u64 = 8;

/// Workers on other machines.
pub struct Workers {
    runtime: Runtime,
    link: Link,
    settings: HandOut,
    remark: Remark,
    name: String,
}

impl Workers {
    /// Connects to the server on which workers wait.
    pub fn connect(server: &Server, settings: HandOut, remark: Remark) -> Result<Workers, ClusterError> {
        let runtime =
            Builder::new_multi_thread().enable_all().thread_name("coordinator").worker_threads(2).build();
        let runtime = runtime.map_err(ClusterError::server("be reached"))?;
        let name = format!("coordinator {}", crate::own_name());
        let link = runtime.block_on(server.connect(&name))?;
        Ok(Workers { runtime, link, settings, remark, name })
    }

    fn course<'a>(
        &'a self,
        games: Games,
        order: &Order,
        wanted: Wanted<'a>,
    ) -> Result<Course<'a>, ClusterError> {
        let text = crate::message::json(order);
        let sha = self.runtime.block_on(store::put(&self.link.objects, &text))?;
        Course::new(&self.link, &self.settings, &self.remark, &self.name, (games, sha), wanted)
    }
}

impl Venue for Workers {
    fn play_match(
        &self,
        order: &MatchOrder<'_>,
        tell: &mut dyn FnMut(News) -> Result<(), MatchError>,
    ) -> Result<(), MatchError> {
        let text = self.runtime.block_on(Order::of_match(order.config, &self.link))?;
        let wanted = Wanted {
            unit: 2,
            numbers: 0..order.games as u64,
            there: &|game| order.there.contains(&(game as usize)),
            file: order.file,
            stop: order.stop,
        };
        let course = self.course(Games::Match(Box::new(order.config.clone())), &text, wanted)?;
        let attribution = Attribution::open(order.file)?;
        self.runtime.block_on(course.run(attribution, &mut |told| {
            let news = match told {
                Told::Over(reports) => News::Over(
                    reports
                        .into_iter()
                        .filter_map(|(outcome, _)| match outcome {
                            Outcome::Games(records) => Some(records),
                            _ => None,
                        })
                        .flatten()
                        .collect(),
                ),
                Told::Withdrawn(games) => {
                    News::Withdrawn(games.into_iter().map(|game| game as usize).collect::<BTreeSet<_>>())
                }
            };
            Ok(tell(news)?)
        }))?;
        Ok(())
    }

    fn play_self(&self, order: &SelfPlayOrder<'_>, tell: &mut dyn FnMut(Seen)) -> Result<(), SelfPlayError> {
        let text = self.runtime.block_on(Order::of_self_play(order, &self.link))?;
        let wanted = Wanted {
            unit: SELF_PLAY_UNIT,
            numbers: order.numbers.clone(),
            there: &|_| false,
            file: None,
            stop: order.stop,
        };
        let games = SelfPlay { who: order.who.clone(), config: order.config.clone(), seed: order.seed };
        let course = self.course(Games::SelfPlay(Box::new(games)), &text, wanted)?;
        self.runtime.block_on(course.run(Attribution::in_memory(), &mut |told| {
            // Games of self-play are learned from at once: what was told of them stays.
            if let Told::Over(reports) = told {
                for (outcome, records) in reports {
                    if let Outcome::SelfPlay { games, .. } = outcome {
                        let over =
                            unpack(games, &records)?.into_iter().map(|game| Seen::Over(Box::new(game)));
                        over.for_each(&mut *tell);
                    }
                }
            }
            Ok(())
        }))?;
        Ok(())
    }
}
