//! **What.** A network's value mixed with the result of a playout.
//!
//! **Formula.** (1 − λ) · network + λ · playout, for values and scores alike, where a node is added to the tree; elsewhere the
//! playout alone, which costs a small part of the network's time.
//!
//! **Source.** Silver et al. 2016 (*Mastering the game of Go with deep neural networks and tree search*), with λ = 0.5.
//!
//! **Differences.** There both parts have averages of their own, so that λ is the share of playouts however many there are.

use tengen_board::{Color, Game, Move};

use crate::{
    playout::{LearnedReply, ReplyHits},
    rng::Rng,
    search::{Evaluator, Leaf, RawEvaluation},
};

/// Evaluates by a network and by playouts.
pub struct Mixed {
    network: Box<dyn Evaluator>,
    playouts: Box<dyn Evaluator>,
    /// The share of playouts.
    lambda: f32,
}

impl Mixed {
    /// The network's priors, the playouts' ownership; values and scores of both, `lambda` being the share of playouts.
    pub fn new(network: Box<dyn Evaluator>, playouts: Box<dyn Evaluator>, lambda: f32) -> Mixed {
        Mixed { network, playouts, lambda }
    }
}

impl Evaluator for Mixed {
    fn evaluate(&mut self, leaves: &mut [Leaf], komi: f32, rng: &mut Rng) {
        self.network.evaluate(leaves, komi, rng);
        let by_network: Vec<_> = leaves.iter().map(|leaf| (leaf.black_value, leaf.score)).collect();
        self.playouts.evaluate(leaves, komi, rng);
        for (leaf, (value, score)) in leaves.iter_mut().zip(by_network) {
            if !leaf.candidates.is_empty() {
                leaf.black_value = value + self.lambda * (leaf.black_value - value);
                leaf.score = score + self.lambda * (leaf.score - score);
            }
            // Playouts know what is dead at the end; a small network often does not.
            leaf.ownership = None;
        }
    }

    fn begin(&mut self, game: &Game) {
        self.network.begin(game);
        self.playouts.begin(game);
    }

    fn sets_priors(&self) -> bool {
        self.network.sets_priors()
    }

    fn raw(&mut self, game: &Game, symmetry: usize) -> Option<RawEvaluation> {
        self.network.raw(game, symmetry)
    }

    fn fork(&self) -> Box<dyn Evaluator> {
        Box::new(Mixed::new(self.network.fork(), self.playouts.fork(), self.lambda))
    }

    fn clear(&mut self) {
        self.network.clear();
        self.playouts.clear();
    }

    fn learned_replies(&self, color: Color, previous: Move) -> Vec<LearnedReply> {
        self.playouts.learned_replies(color, previous)
    }

    fn reply_hits(&self) -> Option<ReplyHits> {
        self.playouts.reply_hits()
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::Board;

    use super::*;
    use crate::search::Candidate;

    /// Says the same about every leaf.
    struct Says(f32, f32);

    impl Evaluator for Says {
        fn evaluate(&mut self, leaves: &mut [Leaf], _komi: f32, _rng: &mut Rng) {
            for leaf in leaves {
                (leaf.black_value, leaf.score) = (self.0, self.1);
            }
        }

        fn fork(&self) -> Box<dyn Evaluator> {
            Box::new(Says(self.0, self.1))
        }
    }

    #[test]
    fn lambda_is_the_share_of_playouts() {
        let mut leaves = vec![Leaf::new(&Board::new(5, 5))];
        leaves[0].candidates.push(Candidate::new(Move::PASS));
        for (lambda, value, score) in [(0.0, 0.2, 4.0), (0.25, 0.4, 3.0), (1.0, 1.0, 0.0)] {
            let mut mixed = Mixed::new(Box::new(Says(0.2, 4.0)), Box::new(Says(1.0, 0.0)), lambda);
            mixed.fork().evaluate(&mut leaves, 0.0, &mut Rng::new(1));
            mixed.evaluate(&mut leaves, 0.0, &mut Rng::new(1));
            assert!((leaves[0].black_value - value).abs() < 1e-6 && (leaves[0].score - score).abs() < 1e-6);
        }
    }

    #[test]
    fn where_no_node_is_added_the_playout_counts_alone() {
        let mut leaves = vec![Leaf::new(&Board::new(5, 5))];
        let mut mixed = Mixed::new(Box::new(Says(0.2, 4.0)), Box::new(Says(1.0, 0.0)), 0.5);
        mixed.evaluate(&mut leaves, 0.0, &mut Rng::new(1));
        assert_eq!((leaves[0].black_value, leaves[0].score), (1.0, 0.0));
    }
}
