//! A search that can be stepped: it asks for one evaluation at a time, so that many games share the batches of a network.
//!
//! The engine's own search is made for a large tree and many threads. This one has a few dozen nodes, a thread shares it with
//! nobody, and hundreds of them wait for evaluations at the same time.

use tengen_board::{Color, Game, KoRule, Move};
use tengen_engine::{reading::tactics::is_playable, rng::Rng, search::value_for};
use tengen_nets::Output;

use super::{
    config::{Method, SelfPlayConfig},
    gumbel::{self, MoveStats},
};

struct Node {
    to_play: Color,
    /// Its moves, among all edges.
    first: usize,
    end: usize,
    /// Black's value, as the network sees it.
    value: f32,
}

struct Edge {
    mv: Move,
    logit: f32,
    prior: f32,
    visits: u32,
    /// Sum of Black's values.
    sum: f32,
    child: Option<usize>,
}

/// What a search has found.
pub(crate) struct Found {
    /// The move to play.
    pub(crate) mv: Move,
    /// Shares of the moves that the policy is to learn, in the order of [`tengen_board::Board::points`], the pass last.
    pub(crate) policy: Vec<f32>,
    /// The network's own shares.
    pub(crate) prior: Vec<f32>,
    /// Black's value by the search, and the network's own.
    pub(crate) value: f32,
    pub(crate) net_value: f32,
    /// Black's lead in points, as the network sees it.
    pub(crate) lead: f32,
}

/// How much is thought about a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    /// None for a move that is drawn from the policy.
    pub(crate) simulations: u32,
    /// Whether the root is explored by noise.
    pub(crate) noise: bool,
    /// Temperature of moves that are drawn; 0 for the best.
    pub(crate) temperature: f32,
}

/// A search under way.
pub(crate) struct Search {
    effort: Effort,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Edges from the root to the leaf that is being evaluated.
    path: Vec<usize>,
    spent: u32,
    /// The root's Gumbel numbers, and the visits that each simulation looks for.
    noise: Vec<f32>,
    schedule: Vec<u32>,
    lead: f32,
    stats: Vec<MoveStats>,
    scores: Vec<f32>,
}

/// Black's result of a game that is over, from 0 to 1.
pub(crate) fn result(game: &Game) -> Option<f32> {
    let over = game.passes() >= 2 || game.moves().len() >= SelfPlayConfig::longest(game);
    over.then(|| {
        let score = game.score(&[]);
        if score == 0.0 { 0.5 } else { f32::from(u8::from(score > 0.0)) }
    })
}

/// The moves worth a thought: legal ones that fill no own eye, and the pass.
pub(crate) fn candidates(game: &Game) -> impl Iterator<Item = Move> + '_ {
    let board = game.board();
    let superko = game.rules().ko != KoRule::Simple;
    let open = board
        .empties()
        .iter()
        .copied()
        .filter(move |&v| is_playable(board, v) && (!superko || game.check(v.into()).is_ok()));
    open.map(Move::from).chain(std::iter::once(Move::PASS))
}

/// The index of a move in the order of [`tengen_board::Board::points`], the pass last.
pub(crate) fn index(game: &Game, mv: Move) -> usize {
    let board = game.board();
    mv.vertex().map_or(board.area(), |v| v.place(board.width()))
}

/// Draws one of so many with these weights.
pub(crate) fn draw(mut weights: impl Iterator<Item = f32> + Clone, rng: &mut Rng) -> usize {
    let last = weights.clone().count().saturating_sub(1);
    let mut left = weights.clone().sum::<f32>() * rng.unit();
    let drawn = weights.position(|weight| {
        left -= weight;
        left < 0.0
    });
    drawn.unwrap_or(last)
}

impl Search {
    pub(crate) fn new(effort: Effort) -> Search {
        Search {
            effort,
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            spent: 0,
            noise: Vec::new(),
            schedule: Vec::new(),
            lead: 0.0,
            stats: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Begins anew, for another position.
    pub(crate) fn reset(&mut self, effort: Effort) {
        self.effort = effort;
        self.nodes.clear();
        self.edges.clear();
        self.path.clear();
        self.spent = 0;
    }

    /// The next position to be evaluated; none when the search is over.
    pub(crate) fn next(&mut self, config: &SelfPlayConfig, root: &Game) -> Option<Game> {
        if self.nodes.is_empty() {
            return Some(root.clone());
        }
        while self.spent < self.effort.simulations {
            let mut game = root.clone();
            self.path.clear();
            let mut node = 0;
            loop {
                let chosen = self.select(config, node);
                self.path.push(chosen);
                game.play_unchecked(self.edges[chosen].mv);
                match self.edges[chosen].child {
                    Some(child) => node = child,
                    None => break,
                }
            }
            self.spent += 1;
            let Some(value) = result(&game) else { return Some(game) };
            self.record(value);
        }
        None
    }

    /// Takes the network's answer about the position that was asked for.
    pub(crate) fn receive(&mut self, config: &SelfPlayConfig, game: &Game, output: &Output, rng: &mut Rng) {
        let to_play = game.to_play();
        let value = output.black_win.unwrap_or(0.5);
        let first = self.edges.len();
        // A network that does not know passing finds it as good as its worst move.
        let worst = || output.policy.iter().copied().fold(f32::INFINITY, f32::min);
        self.scores.clear();
        for mv in candidates(game) {
            let logit = match mv.vertex() {
                Some(_) => output.policy[index(game, mv)],
                None => output.pass.unwrap_or_else(worst),
            };
            self.scores.push(logit);
            self.edges.push(Edge { mv, logit, prior: 0.0, visits: 0, sum: 0.0, child: None });
        }
        gumbel::softmax(&mut self.scores);
        let end = self.edges.len();
        for (edge, &prior) in self.edges[first..].iter_mut().zip(&self.scores) {
            // What is left of logits is what the policy says of these moves.
            (edge.prior, edge.logit) = (prior, prior.max(f32::MIN_POSITIVE).ln());
        }
        let node = self.nodes.len();
        self.nodes.push(Node { to_play, first, end, value });
        if let Some(&last) = self.path.last() {
            self.edges[last].child = Some(node);
        } else {
            self.lead = output.lead.unwrap_or(0.0);
            self.prepare_root(config, end - first, rng);
        }
        self.record(value);
    }

    fn prepare_root(&mut self, config: &SelfPlayConfig, moves: usize, rng: &mut Rng) {
        match config.method {
            Method::Gumbel => {
                let scale = if self.effort.noise { config.gumbel.noise } else { 0.0 };
                self.noise.clear();
                self.noise.extend((0..moves).map(|_| scale * gumbel::draw(rng)));
                let considered = config.gumbel.considered.min(moves);
                self.schedule = gumbel::schedule(considered, self.effort.simulations);
            }
            Method::Puct if self.effort.noise => {
                config.noise.mix(&mut self.scores, rng);
                for (edge, &prior) in self.edges.iter_mut().zip(&self.scores) {
                    edge.prior = prior;
                }
            }
            Method::Puct | Method::Policy => {}
        }
    }

    /// Adds a value to the moves that led to it.
    fn record(&mut self, value: f32) {
        for &edge in &self.path {
            let edge = &mut self.edges[edge];
            edge.visits += 1;
            edge.sum += value;
        }
    }

    fn collect(&mut self, node: usize) {
        let Node { to_play, first, end, .. } = self.nodes[node];
        self.stats.clear();
        self.stats.extend(self.edges[first..end].iter().map(|edge| MoveStats {
            logit: edge.logit,
            prior: edge.prior,
            visits: edge.visits,
            value: if edge.visits > 0 { value_for(edge.sum / edge.visits as f32, to_play) } else { 0.0 },
        }));
    }

    /// The edge that the next simulation follows from a node.
    fn select(&mut self, config: &SelfPlayConfig, node: usize) -> usize {
        self.collect(node);
        let Node { to_play, first, value, .. } = self.nodes[node];
        let value = value_for(value, to_play);
        let stats = &self.stats;
        first
            + match config.method {
                Method::Gumbel => {
                    gumbel::scores(&config.gumbel, value, stats, &mut self.scores);
                    if node == 0 {
                        let visits = self.schedule[self.spent as usize];
                        gumbel::at_root(&self.noise, &self.scores, stats, visits)
                    } else {
                        gumbel::below_root(&mut self.scores, stats)
                    }
                }
                Method::Puct | Method::Policy => puct(config, value, stats),
            }
    }

    /// What was found; the position is the root's.
    pub(crate) fn found(&mut self, config: &SelfPlayConfig, game: &Game, rng: &mut Rng) -> Found {
        self.collect(0);
        let Node { to_play, value: net_value, .. } = self.nodes[0];
        let size = game.board().area() + 1;
        let spread = |shares: &mut dyn Iterator<Item = f32>| {
            let mut all = vec![0.0; size];
            for (edge, share) in self.edges.iter().zip(shares) {
                all[index(game, edge.mv)] = share;
            }
            all
        };
        // Noise has changed priors, but not logits.
        let prior = spread(&mut self.stats.iter().map(|m| m.logit.exp()));
        let visits: u32 = self.stats.iter().map(|m| m.visits).sum();
        let sum: f32 = self.edges[..self.stats.len()].iter().map(|edge| edge.sum).sum();
        let value = (net_value + sum) / (1 + visits) as f32;
        let temperature = self.effort.temperature;
        let (chosen, policy) = if visits == 0 {
            let weight = |m: &MoveStats| (m.logit / temperature.max(1e-3)).exp();
            (draw(self.stats.iter().map(weight), rng), prior.clone())
        } else if config.method == Method::Gumbel {
            let own = value_for(net_value, to_play);
            gumbel::scores(&config.gumbel, own, &self.stats, &mut self.scores);
            let chosen = gumbel::final_move(&self.noise, &self.scores, &self.stats);
            gumbel::softmax(&mut self.scores);
            (chosen, spread(&mut self.scores.iter().copied()))
        } else {
            let most = self.stats.iter().map(|m| m.visits).max().unwrap_or(1) as f32;
            let weight = |m: &MoveStats| (m.visits as f32 / most).powf(1.0 / temperature);
            let best = || (0..self.stats.len()).max_by_key(|&i| self.stats[i].visits).unwrap_or(0);
            let chosen = if temperature > 0.0 { draw(self.stats.iter().map(weight), rng) } else { best() };
            (chosen, spread(&mut self.stats.iter().map(|m| m.visits as f32 / visits as f32)))
        };
        Found { mv: self.edges[chosen].mv, policy, prior, value, net_value, lead: self.lead }
    }
}

/// The choice of PUCT, as [`tengen_engine::tree::Puct`] has it.
fn puct(config: &SelfPlayConfig, node_value: f32, moves: &[MoveStats]) -> usize {
    let puct = &config.puct;
    let (mut visits, mut wins, mut tried) = (0.0, 0.0, 0.0);
    for m in moves.iter().filter(|m| m.visits > 0) {
        visits += m.visits as f32;
        wins += m.value * m.visits as f32;
        tried += m.prior;
    }
    let value = if visits > 0.0 { wins / visits } else { node_value };
    let urgency = value - puct.fpu_reduction * f32::sqrt(tried);
    let weight = puct.exploration + puct.growth * (visits / puct.growth_visits.max(1.0)).ln_1p();
    let scale = weight * f32::max(visits, 1.0).sqrt();
    let worth = |m: &MoveStats| {
        let q = if m.visits > 0 { m.value } else { urgency };
        q + scale * m.prior / (1.0 + m.visits as f32)
    };
    (0..moves.len()).max_by(|&a, &b| worth(&moves[a]).total_cmp(&worth(&moves[b]))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Rules};

    use super::*;

    /// A network that finds all moves equal and White far ahead, except where the game is over.
    fn even(game: &Game) -> Output {
        Output {
            policy: vec![0.0; game.board().area()],
            pass: Some(0.0),
            black_win: Some(0.2),
            lead: Some(if game.to_play() == Color::Black { -3.0 } else { 3.0 }),
            ownership: Vec::new(),
        }
    }

    fn search(config: &SelfPlayConfig, game: &Game, simulations: u32, seed: u64) -> Found {
        let mut rng = Rng::new(seed);
        let mut search = Search::new(Effort { simulations, noise: true, temperature: 0.0 });
        while let Some(leaf) = search.next(config, game) {
            let output = even(&leaf);
            search.receive(config, &leaf, &output, &mut rng);
        }
        search.found(config, game, &mut rng)
    }

    #[test]
    fn a_won_ending_is_found_by_both_methods() {
        // White has passed; Black's pass wins by the komi, anything else looks bad to the network.
        let board = Board::from_diagram(". X . / X X X / . X .").unwrap();
        let mut game = Game::from_board(board, Rules::TROMP_TAYLOR.with_komi(4.5));
        game.set_to_play(Color::White);
        game.play(Move::PASS);
        for method in [Method::Gumbel, Method::Puct] {
            let config = SelfPlayConfig { method, ..SelfPlayConfig::default() };
            for seed in 0..20 {
                let found = search(&config, &game, 16, seed);
                assert_eq!(found.mv, Move::PASS, "{method:?}");
                assert!(found.policy[9] > 0.9 && found.value > 0.5, "{method:?} {:?}", found.policy);
                assert!((found.policy.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn the_same_seed_finds_the_same_and_another_another() {
        let game = Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap();
        let config = SelfPlayConfig::default();
        let moves: Vec<_> = (0..20).map(|seed| search(&config, &game, 8, seed).mv).collect();
        assert_eq!(moves, (0..20).map(|seed| search(&config, &game, 8, seed).mv).collect::<Vec<_>>());
        assert!(moves.iter().any(|mv| *mv != moves[0]));
    }

    #[test]
    fn without_simulations_moves_are_drawn_from_the_policy() {
        let game = Game::new(3, 3, Rules::TROMP_TAYLOR).unwrap();
        let config = SelfPlayConfig { method: Method::Policy, ..SelfPlayConfig::default() };
        let mut counts = [0; 10];
        let mut rng = Rng::new(3);
        for _ in 0..5000 {
            let mut search = Search::new(Effort { simulations: 0, noise: false, temperature: 1.0 });
            let leaf = search.next(&config, &game).unwrap();
            let mut output = even(&leaf);
            output.policy[4] = 4f32.ln();
            search.receive(&config, &leaf, &output, &mut rng);
            assert!(search.next(&config, &game).is_none());
            counts[index(&game, search.found(&config, &game, &mut rng).mv)] += 1;
        }
        // Four of thirteen parts for the middle.
        assert!((1450..1630).contains(&counts[4]), "{counts:?}");
        assert!(counts.iter().all(|count| *count > 300), "{counts:?}");
    }

    /// Worked by hand. The policy says 0.4, 0.3, 0.2 and 0.1 of the points of a 2x2 board and hardly anything of the pass; whatever
    /// follows, they are worth 0.5, 0.7, 0.6 and 0.1. Without noise and with σ(q) = (10 + most visits) · q, four simulations try each
    /// point, two go to the better half (ln 0.3 + 11 · 0.7 is best, then ln 0.2 + 12 · 0.6), and two to the same again.
    #[test]
    fn a_whole_gumbel_search_worked_by_hand() {
        let game = Game::new(2, 2, Rules::TROMP_TAYLOR).unwrap();
        let mut config = SelfPlayConfig::default();
        (config.gumbel.considered, config.gumbel.visits) = (4, 10.0);
        let mut rng = Rng::new(1);
        let mut search = Search::new(Effort { simulations: 8, noise: false, temperature: 0.0 });
        let mut order = Vec::new();
        while let Some(leaf) = search.next(&config, &game) {
            let first = leaf.moves().first().map(|played| index(&game, played.mv));
            order.extend(first);
            let output = Output {
                policy: vec![4f32.ln(), 3f32.ln(), 2f32.ln(), 0.0],
                pass: Some(-20.0),
                black_win: Some(first.map_or(0.5, |first| [0.5, 0.7, 0.6, 0.1][first])),
                ..Output::default()
            };
            search.receive(&config, &leaf, &output, &mut rng);
        }
        assert_eq!(order, [0, 1, 2, 3, 1, 2, 1, 2]);
        let found = search.found(&config, &game, &mut rng);
        assert_eq!(index(&game, found.mv), 1);
        // The mean of the network's 0.5 and 0.5 + 3 · 0.7 + 3 · 0.6 + 0.1.
        assert!((found.value - 5.0 / 9.0).abs() < 1e-5, "{}", found.value);
        // e^(ln 0.4 + 13 · 0.5) = 266, e^(ln 0.3 + 13 · 0.7) = 2686, e^(ln 0.2 + 13 · 0.6) = 488, e^(ln 0.1 + 13 · 0.1) = 0.4 of 3441.
        let expected = [0.0773, 0.7807, 0.1419, 0.0001, 0.0];
        let close = found.policy.iter().zip(expected).all(|(a, b)| (a - b).abs() < 5e-4);
        assert!(close, "{:?}", found.policy);
    }

    #[test]
    fn noise_and_temperature_are_for_games_that_are_learned_from() {
        let game = Game::new(3, 3, Rules::TROMP_TAYLOR).unwrap();
        let config = SelfPlayConfig { method: Method::Puct, ..SelfPlayConfig::default() };
        let visits = |noise: bool, temperature: f32, seed: u64| {
            let mut rng = Rng::new(seed);
            let mut search = Search::new(Effort { simulations: 24, noise, temperature });
            while let Some(leaf) = search.next(&config, &game) {
                let mut output = even(&leaf);
                output.policy[4] = 2f32.ln();
                search.receive(&config, &leaf, &output, &mut rng);
            }
            let found = search.found(&config, &game, &mut rng);
            (found.policy.clone(), index(&game, found.mv), found.prior)
        };
        let (plain, best, prior) = visits(false, 0.0, 1);
        assert_eq!((visits(false, 0.0, 2).0, best), (plain.clone(), 4), "nothing is left to chance");
        let noisy: Vec<_> = (0..40).map(|seed| visits(true, 0.0, seed)).collect();
        assert!(noisy.iter().any(|(policy, ..)| *policy != plain));
        // What is learned of the network's own policy knows nothing of the noise.
        assert!(noisy.iter().all(|(.., own)| *own == prior));
        let drawn = (0..400).filter(|&seed| visits(false, 1.0, seed).1 == 4).count() as f32 / 400.0;
        assert!((drawn - plain[4]).abs() < 0.08, "moves are drawn by their visits: {drawn} of {plain:?}");
    }
}
