//! The player that searches: keeps its tree and what its policies have learned from move to move.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_board::{Color, Game, Move, PlayedMove};

use crate::{
    players::{
        Decision, Player, PlayerError, Query, ReplyTable, Request, StopSignal, StyleConfig,
        conduct::{Conduct, ConductConfig},
    },
    playout::{LearnedReply, PlayoutsConfig},
    prior::Gcmb,
    rng::Rng,
    search::{
        Evaluator, MoveTemperature, NetworkConfig, PlayoutEvaluator, RawEvaluation, Restriction,
        RolloutConfig, SearchConfig, SearchParts, SearchReport, Totals, search, settle_lead,
    },
    tree::{Tree, TreePolicy},
};

/// A player that searches and its parameters, as written in TOML: one table, whichever part a parameter belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MctsConfig {
    /// How it searches.
    #[serde(flatten)]
    pub search: SearchConfig,
    /// The playouts that value leaves.
    #[serde(flatten)]
    pub playouts: PlayoutsConfig,
    /// How a network is used; if absent, no network is.
    #[schemars(extend("x-peer" = true))]
    pub network: Option<NetworkConfig>,
    /// How a rollout network plays in place of `playout`; if absent, none does.
    #[schemars(extend("x-peer" = true))]
    pub rollout: Option<RolloutConfig>,
    /// Moves drawn by their visits, for self-play.
    #[schemars(extend("x-peer" = true))]
    pub draw: MoveTemperature,
    /// Moves drawn as a person of some level might choose them; the best are played if absent.
    #[schemars(extend("x-peer" = true))]
    pub style: Option<StyleConfig>,
    /// Whether the subtree of the moves played is kept for the next search.
    #[schemars(extend("x-peer" = true))]
    pub keep_tree: bool,
    /// Whether the player thinks on the opponent's time.
    #[schemars(extend("x-peer" = true))]
    pub ponder: bool,
    /// How it divides up its time and ends its games.
    #[serde(flatten)]
    pub conduct: ConductConfig,
}

impl Default for MctsConfig {
    fn default() -> Self {
        MctsConfig {
            search: SearchConfig::default(),
            playouts: PlayoutsConfig::default(),
            network: None,
            rollout: None,
            draw: MoveTemperature::default(),
            style: None,
            keep_tree: true,
            ponder: false,
            conduct: ConductConfig::default(),
        }
    }
}

impl From<SearchConfig> for MctsConfig {
    /// A player that searches like this by playouts.
    fn from(search: SearchConfig) -> MctsConfig {
        MctsConfig { search, ..MctsConfig::default() }
    }
}

/// Monte-Carlo tree search as a player.
pub struct Mcts {
    name: String,
    config: MctsConfig,
    threads: usize,
    tree: Tree,
    /// Sums over the playouts from its root, as long as that stays.
    known: Totals,
    policy: Box<dyn TreePolicy>,
    evaluator: Box<dyn Evaluator>,
    gcmb: Option<Gcmb>,
    rng: Rng,
    /// The game whose position is the tree's root.
    root: Option<Game>,
    conduct: Conduct,
    /// What the tree was restricted to.
    restrictions: Vec<Restriction>,
    /// Whether it was grown without dynamic komi.
    true_komi: bool,
    report: Option<SearchReport>,
}

impl Mcts {
    /// Playouts a move where no limit is named.
    pub const DEFAULT_PLAYOUTS: u64 = 10_000;

    /// The same where a network evaluates, which takes longer and tells more; times the visits that a node of the tree takes.
    pub const DEFAULT_EVALUATIONS: u64 = 400;

    /// Playouts on the opponent's time, so that an engine which is left alone comes to rest.
    const MOST_PONDERED: u64 = 2_000_000;

    /// A player with these parts, evaluating by playouts.
    pub fn new(name: &str, config: &MctsConfig, threads: usize, seed: u64) -> Mcts {
        let evaluator = PlayoutEvaluator::new(config.playouts.policy.build(), config.playouts.limits);
        Mcts::with_evaluator(name, config, Box::new(evaluator), threads, seed)
    }

    /// A player with these parts that evaluates by something else.
    pub fn with_evaluator(
        name: &str,
        config: &MctsConfig,
        evaluator: Box<dyn Evaluator>,
        threads: usize,
        seed: u64,
    ) -> Mcts {
        let search = &config.search;
        let policy = search.tree_policy.build();
        Mcts {
            name: name.to_owned(),
            config: config.clone(),
            threads,
            tree: Tree::with_capacity(search.max_tree_mb.saturating_mul(1 << 20), &*policy),
            known: Totals::default(),
            policy,
            evaluator,
            gcmb: search.gcmb.as_ref().map(Gcmb::new),
            rng: Rng::new(seed),
            root: None,
            conduct: Conduct::new(config.conduct),
            restrictions: Vec::new(),
            true_komi: false,
            report: None,
        }
    }

    /// Searches a position without playing.
    pub fn search(&mut self, game: &Game, request: &Request) -> &SearchReport {
        let report = self.run(game, request);
        self.report.insert(report)
    }

    fn run(&mut self, game: &Game, request: &Request) -> SearchReport {
        let start = Instant::now();
        self.prepare(game, &request.query);
        let mut spending = self.conduct.plan(game, request.limits, start.elapsed());
        if spending.playouts.is_none() && spending.time.is_none() {
            spending.playouts = Some(if self.evaluator.sets_priors() {
                Self::DEFAULT_EVALUATIONS * (1 + u64::from(self.config.search.expand_visits))
            } else {
                Self::DEFAULT_PLAYOUTS
            });
        }
        if let Some(gcmb) = &mut self.gcmb {
            gcmb.clear();
        }
        let parts = SearchParts {
            config: &self.config.search,
            tree: &self.tree,
            policy: &*self.policy,
            evaluator: &*self.evaluator,
            gcmb: self.gcmb.as_ref(),
            threads: self.threads,
        };
        search(game, &parts, &mut self.known, request, &spending, &mut self.rng)
    }

    /// What a network says of the lead gives way to the count where the position is settled. The player itself has chosen by then: this
    /// is for those who are told.
    fn settle_lead(&mut self, game: &Game) {
        if let Some(report) = self.report.as_mut().filter(|_| self.evaluator.sets_priors()) {
            settle_lead(game, report);
        }
    }

    /// The last search with a move in front that was drawn by chance, for players that draw theirs. What the search has found stays
    /// as it is, as others are told about it.
    fn draw(&mut self, game: &Game) -> Option<SearchReport> {
        let MctsConfig { draw, style, .. } = self.config;
        let mut report = self.report.clone().filter(|_| draw.is_on(game) || style.is_some())?;
        draw.draw(game, &mut report.moves, &mut self.rng);
        if let Some(style) = style {
            let evaluator = &mut *self.evaluator;
            style.draw(game, &mut report, &mut self.rng, |mv| after(evaluator, game, mv));
        }
        Some(report)
    }

    /// The table of corresponding moves of the last search, and the tree it belongs to.
    pub fn gcmb(&mut self) -> Option<(&mut Gcmb, &Tree)> {
        self.gcmb.as_mut().map(|gcmb| (gcmb, &self.tree))
    }

    /// Makes the position of `game` the tree's root, keeping the subtree where the game goes on from the last root.
    ///
    /// A tree that was grown under restrictions is of use only for the same ones at the same root; one that was grown with
    /// dynamic komi only as long as there is some.
    fn prepare(&mut self, game: &Game, query: &Query) {
        let Query { restrictions, true_komi, .. } = query;
        let new_moves = self.root.take().and_then(|root| moves_since(&root, game));
        let same_komi = self.true_komi == *true_komi || self.config.search.dynamic_komi.extra(game) == 0.0;
        let fits = |moves: &&[PlayedMove]| {
            same_komi && self.restrictions == *restrictions && (restrictions.is_empty() || moves.is_empty())
        };
        if new_moves.is_none() {
            self.conduct.new_game();
        }
        match new_moves.filter(|_| self.config.keep_tree).filter(fits) {
            Some([]) => {}
            Some(moves) => {
                for m in moves {
                    self.tree.advance(m.mv);
                }
                self.known = Totals::default();
            }
            None => {
                self.tree.clear();
                self.known = Totals::default();
            }
        }
        self.root = Some(game.clone());
        self.restrictions.clone_from(restrictions);
        self.true_komi = *true_komi;
    }
}

/// What a network says about the position after a move.
fn after(evaluator: &mut dyn Evaluator, game: &Game, mv: Move) -> Option<RawEvaluation> {
    let mut next = game.clone();
    next.play_unchecked(mv);
    evaluator.raw(&next, 0)
}

/// The moves that lead from one game to another, if the second goes on from the first under the same rules, alternately.
fn moves_since<'a>(root: &Game, game: &'a Game) -> Option<&'a [PlayedMove]> {
    let (old, new) = (root.moves(), game.moves());
    let continues = root.rules() == game.rules()
        && root.start().hash() == game.start().hash()
        && (root.board().width(), root.board().height()) == (game.board().width(), game.board().height())
        && root.handicap() == game.handicap()
        && new.starts_with(old);
    let added = new.get(old.len()..)?;
    let mut color = root.to_play();
    let alternates = added.iter().all(|m| {
        color = !color;
        m.color == !color
    });
    (continues && alternates && color == game.to_play()).then_some(added)
}

impl Player for Mcts {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, game: &Game, request: &Request) -> Result<Decision, PlayerError> {
        let start = Instant::now();
        self.search(game, request);
        let drawn = self.draw(game);
        let evaluator = &mut self.evaluator;
        let after_pass = || after(&mut **evaluator, game, Move::PASS)?.ownership;
        let report = drawn.as_ref().or(self.report.as_ref());
        let decision = self.conduct.choose(game, report, after_pass, request.query.cleanup);
        self.settle_lead(game);
        self.conduct.note(start.elapsed());
        Ok(decision)
    }

    fn analyse(&mut self, game: &Game, request: &Request) -> Result<Option<&SearchReport>, PlayerError> {
        let mut request = request.clone();
        request.query.true_komi = true;
        self.search(game, &request);
        self.settle_lead(game);
        Ok(self.report.as_ref())
    }

    fn searches(&self) -> bool {
        true
    }

    fn ponder(&mut self, game: &Game, stop: &StopSignal) {
        if self.config.ponder {
            self.run(game, &Request { stop: stop.clone(), ..Request::playouts(Self::MOST_PONDERED) });
        }
    }

    fn raw_evaluation(&mut self, game: &Game, symmetry: usize) -> Option<RawEvaluation> {
        self.evaluator.raw(game, symmetry)
    }

    fn replies(&self, table: ReplyTable, color: Color, previous: Move) -> Vec<LearnedReply> {
        match (table, &self.gcmb) {
            (ReplyTable::Playouts, _) => self.evaluator.learned_replies(color, previous),
            (ReplyTable::Gcmb, Some(gcmb)) => gcmb.learned_replies(color, previous),
            (ReplyTable::Gcmb, None) => Vec::new(),
        }
    }

    fn new_game(&mut self) {
        self.tree.clear();
        self.evaluator.clear();
        self.root = None;
        self.report = None;
    }

    fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
        self.new_game();
    }

    fn report(&self) -> Option<&SearchReport> {
        self.report.as_ref()
    }
}
