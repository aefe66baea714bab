//! Networks as evaluators of a search (S5.6): a value, a score, ownership and priors for each leaf.
//!
//! Each thread evaluates the leaves of its own batch, with its own memory; weights and the cache are shared. A batch
//! costs less than its leaves one by one, but its later leaves are chosen before the earlier ones are known.

use std::{
    collections::hash_map::DefaultHasher,
    f32::consts::PI,
    hash::{Hash, Hasher},
    sync::{Arc, Mutex},
};

use tengen_board::{Board, Game, Move, Symmetry, area_score};
use tengen_engine::{
    rng::Rng,
    search::{Evaluator, Leaf, NetworkConfig, RawEvaluation, ended},
};

use crate::{
    katago,
    model::history::History,
    serve::{
        any::{AnyNetwork, AnyOutput, AnyRunner},
        cache::Cache,
    },
};

/// What evaluators of one player share.
struct Shared {
    network: AnyNetwork,
    config: NetworkConfig,
    /// Leaves evaluated together.
    batch: usize,
    cache: Cache,
    /// Memory of evaluators that are done.
    idle: Mutex<Vec<AnyRunner>>,
}

/// The game that is searched.
struct Root {
    history: History,
    /// A key of its rules and komi.
    rules: u64,
    /// The score that scores are compared with, if they count.
    usual_score: f32,
}

/// Evaluates leaves by a network.
pub struct NetEvaluator {
    shared: Arc<Shared>,
    runner: Option<AnyRunner>,
    root: Option<Root>,
}

impl NetEvaluator {
    /// An evaluator for batches of up to `batch` leaves.
    pub fn new(network: AnyNetwork, config: &NetworkConfig, batch: usize) -> NetEvaluator {
        let shared = Shared {
            network,
            config: config.clone(),
            batch: batch.max(1),
            cache: Cache::new(config.cache),
            idle: Mutex::default(),
        };
        NetEvaluator { shared: Arc::new(shared), runner: None, root: None }
    }

    /// The memory for boards of this size.
    fn runner(&mut self, board: &Board) -> &mut AnyRunner {
        let (size, boards) = ((board.width(), board.height()), self.shared.batch);
        let fits = |runner: &AnyRunner| runner.fits(size, boards);
        if !self.runner.as_ref().is_some_and(fits) {
            let idle = self.shared.idle.lock().ok().and_then(|mut idle| idle.pop()).filter(fits);
            self.runner = Some(idle.unwrap_or_else(|| self.shared.network.runner(size, boards)));
        }
        self.runner.as_mut().expect("it was just made")
    }

    fn symmetry(&self, board: &Board, rng: &mut Rng) -> Symmetry {
        if !self.shared.config.symmetries {
            return Symmetry::IDENTITY;
        }
        Symmetry::ALL[rng.below(if board.width() == board.height() { 8 } else { 4 })]
    }

    /// What the network says about games on boards of one size, each seen in one of the eight symmetries as KataGo numbers them.
    pub fn raw_all(&mut self, games: &[&Game], symmetry: usize) -> Vec<RawEvaluation> {
        let optimism = self.shared.config.root_policy_optimism;
        let mut found = Vec::with_capacity(games.len());
        for chunk in games.chunks(self.shared.batch) {
            let board = chunk[0].board();
            let symmetry = katago::symmetry(symmetry, board.width() == board.height());
            let histories: Vec<_> = chunk.iter().map(|game| History::new(game)).collect();
            let seen: Vec<_> = histories.iter().map(|history| (history, symmetry)).collect();
            let answers = self.runner(board).evaluate(&seen);
            found.extend(chunk.iter().zip(answers).map(|(game, answer)| answer.to_raw(game, optimism)));
        }
        found
    }

    /// Answers about positions that are not ended, in their order.
    fn answers(&mut self, histories: &[History], rules: u64, rng: &mut Rng) -> Vec<Arc<AnyOutput>> {
        let keys: Vec<u64> = histories.iter().map(|history| history.key() ^ rules).collect();
        let mut answers: Vec<_> = keys.iter().map(|&key| self.shared.cache.get(key)).collect();
        // A position that is in the batch twice is evaluated once.
        let missing: Vec<usize> = (0..keys.len())
            .filter(|&i| answers[i].is_none() && keys.iter().position(|key| *key == keys[i]) == Some(i))
            .collect();
        for chunk in missing.chunks(self.shared.batch) {
            let wanted: Vec<_> =
                chunk.iter().map(|&i| (&histories[i], self.symmetry(histories[i].board(), rng))).collect();
            let found = self.runner(histories[chunk[0]].board()).evaluate(&wanted);
            for (&i, answer) in chunk.iter().zip(found) {
                let answer = Arc::new(answer);
                self.shared.cache.put(keys[i], &answer);
                answers[i] = Some(answer);
            }
        }
        let first = |key: u64| keys.iter().position(|k| *k == key).and_then(|i| answers[i].clone());
        keys.iter().filter_map(|&key| first(key)).collect()
    }
}

/// What a score is worth, from 0 to 1, in the mean over normally distributed ones: a half at the usual score, and the further off the less
/// another point counts. KataGo's dynamic score utility; Black's score and its mean square.
fn score_value((mean, mean_square): (f32, f32), usual: f32, area: usize) -> f32 {
    let deviation = (mean_square - mean * mean).max(0.0).sqrt();
    let worth = |score: f32| ((score - usual) / (SCORE_SCALE * (area as f32).sqrt())).atan() / PI + 0.5;
    // The mean over a normal distribution, by three points of it (Gauss and Hermite).
    let aside = 3f32.sqrt() * deviation;
    (4.0 * worth(mean) + worth(mean - aside) + worth(mean + aside)) / 6.0
}

/// How far scores must differ to count differently, in widths of the board (KataGo).
const SCORE_SCALE: f32 = 0.75;

/// How much of the score at the root is what is usual (KataGo): to catch up counts a little more than not to fall behind.
const USUAL_SHARE: f32 = 0.8;

/// Sets the candidates' priors: the softmax of the logits over them, and a share that is equal for all.
fn set_priors(leaf: &mut Leaf, answer: &AnyOutput, config: &NetworkConfig) {
    let is_root = leaf.since_root().is_empty();
    let optimism = if is_root { config.root_policy_optimism } else { config.policy_optimism };
    let board = &leaf.board;
    let logit = |mv: Move| {
        let index = mv.vertex().map_or(board.area(), |v| v.place(board.width()));
        answer.logit(index, optimism) / config.policy_temperature
    };
    let most = leaf.candidates.iter().map(|c| logit(c.mv)).fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for candidate in &mut leaf.candidates {
        candidate.prior = (logit(candidate.mv) - most).exp();
        sum += candidate.prior;
    }
    let (scale, equal) =
        ((1.0 - config.equal_share) / sum, config.equal_share / leaf.candidates.len() as f32);
    leaf.candidates.iter_mut().for_each(|candidate| candidate.prior = candidate.prior * scale + equal);
}

impl Evaluator for NetEvaluator {
    fn begin(&mut self, game: &Game) {
        let mut hasher = DefaultHasher::new();
        format!("{:?} {}", game.rules(), game.compensated_handicap()).hash(&mut hasher);
        let (rules, history) = (hasher.finish(), History::new(game));
        let mut usual_score = 0.0;
        if self.shared.config.score_share > 0.0 {
            let root = self.answers(std::slice::from_ref(&history), rules, &mut Rng::new(history.key()));
            usual_score = USUAL_SHARE * root[0].score.0;
        }
        self.root = Some(Root { history, rules, usual_score });
    }

    fn sets_priors(&self) -> bool {
        true
    }

    fn evaluate(&mut self, leaves: &mut [Leaf], komi: f32, rng: &mut Rng) {
        let Some(root) = &self.root else { return };
        let (rules, usual) = (root.rules, root.usual_score);
        let share = self.shared.config.score_share;
        let bonus =
            |leaf: &Leaf, score| share * (score_value(score, usual, leaf.board.area()) - leaf.black_value);
        let (mut open, mut histories) = (Vec::new(), Vec::new());
        for (i, leaf) in leaves.iter_mut().enumerate() {
            // Where dead stones are taken off, the network knows better than the board.
            if ended(leaf) && !leaf.by_agreement {
                let points = area_score(&leaf.board);
                leaf.set_score(points, komi);
                leaf.score_bonus = bonus(leaf, (leaf.score, leaf.score * leaf.score));
                continue;
            }
            if self.shared.config.mix > 0.0 && leaf.candidates.is_empty() {
                // No node is added here: a playout will do.
                continue;
            }
            let mut history = root.history.clone();
            leaf.since_root().iter().for_each(|&mv| history.play(mv));
            open.push(i);
            histories.push(history);
        }
        let answers = self.answers(&histories, rules, rng);
        for (i, answer) in open.into_iter().zip(answers) {
            let leaf = &mut leaves[i];
            set_priors(leaf, &answer, &self.shared.config);
            (leaf.black_value, leaf.score) = (answer.black_value, answer.lead);
            leaf.score_bonus = bonus(leaf, answer.score);
            leaf.ownership.clone_from(&answer.ownership);
        }
    }

    fn raw(&mut self, game: &Game, symmetry: usize) -> Option<RawEvaluation> {
        self.raw_all(&[game], symmetry).pop()
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(NetEvaluator { shared: Arc::clone(&self.shared), runner: None, root: None })
    }

    fn clear(&mut self) {
        self.shared.cache.clear();
    }
}

impl Drop for NetEvaluator {
    /// Leaves the memory to the next evaluator.
    fn drop(&mut self) {
        if let (Some(runner), Ok(mut idle)) = (self.runner.take(), self.shared.idle.lock()) {
            idle.push(runner);
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Color, Rules};
    use tengen_engine::{
        players::{Decision, Mcts, MctsConfig, Player, Request},
        playout::{PlayoutConfig, PlayoutLimits},
        search::{FinalMove, Mixed, PlayoutEvaluator, SearchConfig},
        tree::{PuctConfig, TreePolicyConfig},
    };

    use super::*;
    use crate::model::network::tests::motley;

    fn evaluator(config: &NetworkConfig) -> NetEvaluator {
        let network = motley(&mut Rng::new(1));
        NetEvaluator::new(AnyNetwork::Own(Arc::new(network)), config, 4)
    }

    fn config() -> MctsConfig {
        MctsConfig::from(SearchConfig {
            tree_policy: TreePolicyConfig::Puct(PuctConfig::default()),
            expand_visits: 0,
            batch: 4,
            final_move: FinalMove::LowerBound,
            ..SearchConfig::default()
        })
    }

    fn playouts(count: u64) -> Request {
        Request::playouts(count)
    }

    /// A whole game: its moves and the values of the root.
    fn game(evaluator: Box<dyn Evaluator>, rules: Rules, seed: u64) -> Vec<String> {
        let mut game = Game::new(5, 5, rules).unwrap();
        let mut player = Mcts::with_evaluator("test", &config(), evaluator, 1, seed);
        let mut story = Vec::new();
        while !game.is_over() && game.moves().len() < 100 {
            let Decision::Play(mv) = player.decide(&game, &playouts(24)).unwrap() else { break };
            game.try_play(mv).unwrap_or_else(|error| panic!("{mv}: {error}\n{game:?}"));
            story.push(format!("{mv} {:.5}", player.report().unwrap().black_value));
        }
        assert!(game.moves().len() < 100, "the game ends: {story:?}");
        story
    }

    #[test]
    fn whole_games_are_legal_and_the_same_with_the_same_seed() {
        for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR, Rules::JAPANESE] {
            let play = |seed| game(Box::new(evaluator(&NetworkConfig::default())), rules, seed);
            assert_eq!(play(1), play(1));
            assert_ne!(play(1), play(2), "symmetries are drawn");
        }
    }

    #[test]
    fn the_cache_changes_nothing_but_the_time() {
        let plain = NetworkConfig { symmetries: false, cache: 0, ..NetworkConfig::default() };
        let cached = NetworkConfig { cache: 5000, ..plain.clone() };
        let small = NetworkConfig { cache: 7, ..plain.clone() };
        let play = |config| game(Box::new(evaluator(config)), Rules::CHINESE, 1);
        assert_eq!(play(&plain), play(&cached));
        assert_eq!(play(&plain), play(&small));
    }

    #[test]
    fn keys_tell_positions_moves_and_bans_apart() {
        let key = |moves: &str| {
            let mut game = Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap();
            moves.split_whitespace().for_each(|mv| game.play(mv.parse().unwrap()));
            let mut history = History::new(&Game::new(5, 5, Rules::TROMP_TAYLOR).unwrap());
            game.moves().iter().for_each(|m| history.play(m.mv));
            assert_eq!(history.key(), History::new(&game).key(), "played in the tree or before it: {moves}");
            history.key()
        };
        let moves =
            ["", "pass", "pass pass", "A1", "A1 B2", "A1 B2 C3", "C3 B2 A1", "A1 pass C3", "C1 B2 A1"];
        let mut keys: Vec<_> = moves.iter().map(|moves| key(moves)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), moves.len());
    }

    #[test]
    fn values_are_blacks_and_priors_a_distribution() {
        let mut game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let mut evaluator = evaluator(&NetworkConfig { symmetries: false, ..NetworkConfig::default() });
        for mv in ["C3", "B2"] {
            let raw = evaluator.raw(&game, 0).unwrap();
            evaluator.begin(&game);
            let mut leaf = Leaf::new(game.board());
            leaf.reset(&game);
            let moves = game.board().points().filter(|&v| game.check(v.into()).is_ok());
            leaf.candidates.extend(moves.map(|v| tengen_engine::search::Candidate::new(v.into())));
            leaf.candidates.push(tengen_engine::search::Candidate::new(Move::PASS));
            evaluator.evaluate(std::slice::from_mut(&mut leaf), 7.5, &mut Rng::new(1));
            assert!((leaf.black_value - raw.black_win).abs() < 1e-6);
            assert!((leaf.score - raw.lead).abs() < 1e-5);
            for candidate in &leaf.candidates {
                let expected = candidate.mv.vertex().map_or(raw.pass, |v| raw.policy[v]);
                assert!((candidate.prior - expected).abs() < 1e-6, "{}", candidate.mv);
            }
            let owners = raw.ownership.unwrap();
            let shares = leaf.ownership.unwrap();
            assert!(game.board().points().zip(&*shares).all(|(v, share)| owners[v] == *share));
            game.play(mv.parse().unwrap());
        }
        assert_eq!(game.to_play(), Color::Black);
    }

    #[test]
    fn a_share_of_the_priors_can_be_equal_for_all() {
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let priors = |equal_share| {
            let config = NetworkConfig { equal_share, symmetries: false, ..NetworkConfig::default() };
            let mut evaluator = evaluator(&config);
            evaluator.begin(&game);
            let mut leaf = Leaf::new(game.board());
            leaf.reset(&game);
            let candidate = |v: tengen_board::Vertex| tengen_engine::search::Candidate::new(v.into());
            leaf.candidates.extend(game.board().points().map(candidate));
            evaluator.evaluate(std::slice::from_mut(&mut leaf), 7.5, &mut Rng::new(1));
            leaf.candidates.iter().map(|candidate| candidate.prior).collect::<Vec<_>>()
        };
        assert!(priors(1.0).iter().all(|prior| (prior - 0.04).abs() < 1e-6));
        for (mixed, plain) in priors(0.25).iter().zip(priors(0.0)) {
            assert!((mixed - (0.75 * plain + 0.01)).abs() < 1e-6);
        }
    }

    #[test]
    fn a_higher_score_is_worth_more_and_an_uncertain_one_is_nearer_to_a_half() {
        let value =
            |mean: f32, deviation: f32| score_value((mean, mean * mean + deviation * deviation), 2.0, 81);
        assert!((value(2.0, 0.0) - 0.5).abs() < 1e-6 && (value(2.0, 9.0) - 0.5).abs() < 1e-6);
        // atan(1) / π + 1/2 at 0.75 · 9 points more.
        assert!((value(8.75, 0.0) - 0.75).abs() < 1e-6);
        assert!(value(20.0, 0.0) > value(10.0, 0.0) && value(10.0, 0.0) > value(10.0, 8.0));
        // Wins alone are what the tree sees, unless the score is to count.
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        for share in [0.0, 0.25] {
            let mut evaluator = evaluator(&NetworkConfig { score_share: share, ..NetworkConfig::default() });
            evaluator.begin(&game);
            let mut leaf = Leaf::new(game.board());
            leaf.reset(&game);
            evaluator.evaluate(std::slice::from_mut(&mut leaf), 7.5, &mut Rng::new(1));
            assert_eq!(leaf.score_bonus == 0.0, share == 0.0);
            assert!((0.0..=1.0).contains(&(leaf.black_value + leaf.score_bonus)));
        }
    }

    #[test]
    fn playouts_can_be_mixed_in_and_threads_lose_nothing() {
        let playout = PlayoutEvaluator::new(PlayoutConfig::default().build(), PlayoutLimits::default());
        let network = evaluator(&NetworkConfig::default());
        let mixed = Mixed::new(Box::new(network), Box::new(playout), 0.5);
        let mut player = Mcts::with_evaluator("test", &config(), Box::new(mixed), 3, 1);
        let game = Game::new(5, 5, Rules::CHINESE).unwrap();
        let report = player.search(&game, &playouts(200));
        assert_eq!(report.playouts, 200);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u32>(), 200);
    }
}
