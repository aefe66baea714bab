//! Weights and planes as other programs have them: arrays whose row 0 is the top one. Our own begin at the bottom.

use crate::{
    exec::kernels::padded,
    model::{
        network::{Network, Output, Runner},
        spec::NetSpec,
    },
};

/// An array of weights: its name, its shape (outputs, inputs, rows, columns for a convolution) and its numbers.
pub type NamedArray = (String, Vec<usize>, Vec<f32>);

/// The weights with their kernels upside down, which is the way there and back.
pub(crate) fn top_first(shape: &[usize], weights: &[f32]) -> Vec<f32> {
    let [_, _, height, width] = *shape else { return weights.to_vec() };
    weights
        .chunks_exact(height * width)
        .flat_map(|kernel| kernel.chunks_exact(width).rev().flatten())
        .copied()
        .collect()
}

impl Network {
    /// The weights, for boards whose row 0 is the top one.
    pub fn arrays(&self) -> Vec<NamedArray> {
        let params = self.graph.params.iter().zip(self.weights());
        params.map(|(p, weights)| (p.name.clone(), p.shape.clone(), top_first(&p.shape, weights))).collect()
    }

    /// A network from such weights, each of which `find` looks up by its name and shape; the error tells what is wrong.
    pub fn from_arrays(
        spec: &NetSpec,
        mut find: impl FnMut(&str, &[usize]) -> Result<Vec<f32>, String>,
    ) -> Result<Network, String> {
        spec.check().map_err(|error| error.to_string())?;
        let mut weights = Vec::new();
        for param in &spec.plan().graph.params {
            let found = find(&param.name, &param.shape)?;
            if found.len() != param.len() {
                return Err(format!("{:?} has {} numbers, not {}", param.name, found.len(), param.len()));
            }
            if let Some(n) = found.iter().find(|n| !n.is_finite()) {
                return Err(format!("{:?} contains {n}, which is not a weight", param.name));
            }
            weights.push(top_first(&param.shape, &found));
        }
        Ok(Network::new(spec, weights))
    }
}

impl Runner {
    /// Evaluates planes, (positions, planes, rows, columns) with row 0 at the top, at most as many as the runner was made for.
    /// What is said is what the player to move expects, and its points have the order of [`tengen_board::Board::points`].
    ///
    /// # Panics
    /// If there are more.
    pub fn evaluate_planes(&mut self, planes: &[f32], outputs: &mut Vec<Output>) {
        let (width, height) = self.size();
        let (area, count) = (width * height, self.planes().count());
        let stride = padded(count);
        let positions = planes.len() / (area * count);
        assert!(positions <= self.boards(), "a runner for {} boards", self.boards());
        let input = self.input_mut();
        input[..positions * area * stride].fill(0.0);
        for (position, out) in planes.chunks_exact(area * count).zip(input.chunks_exact_mut(area * stride)) {
            for (plane, numbers) in position.chunks_exact(area).enumerate() {
                let from_below = numbers.chunks_exact(width).rev().flatten();
                from_below
                    .zip(out.chunks_exact_mut(stride))
                    .for_each(|(number, point)| point[plane] = *number);
            }
        }
        self.forward(positions, outputs);
    }
}

#[cfg(test)]
mod tests {
    use tengen_board::{Board, Vertex};
    use tengen_engine::rng::Rng;

    use super::*;
    use crate::model::{
        network::tests::motley,
        planes::{PlaneWriter, Position},
    };

    #[test]
    fn weights_go_out_and_come_back() {
        let network = motley(&mut Rng::new(4));
        let arrays = network.arrays();
        let find = |name: &str, shape: &[usize]| {
            let (_, found, numbers) = arrays.iter().find(|array| array.0 == name).unwrap();
            assert_eq!(found, shape);
            Ok(numbers.clone())
        };
        assert_eq!(Network::from_arrays(network.spec(), find).unwrap().weights(), network.weights());
        assert!(
            Network::from_arrays(network.spec(), |_, _| Ok(vec![0.0; 3])).unwrap_err().contains("numbers")
        );
        let nan = |_: &str, shape: &[usize]| Ok(vec![f32::NAN; shape.iter().product()]);
        assert!(Network::from_arrays(network.spec(), nan).unwrap_err().contains("NaN"));
    }

    #[test]
    fn planes_give_what_the_position_gives() {
        let network = motley(&mut Rng::new(5));
        let (width, height) = (6, 4);
        let mut board = Board::new(width, height);
        let moves = ["B2", "C3", "D1", "A4"].map(|m| m.parse().unwrap());
        for mv in &moves {
            board.play(*mv);
        }
        let position = Position { board: &board, moves: &moves, komi: 7.5, rank: None };
        let (kind, area) = (network.spec().planes, width * height);
        let mut by_point = vec![0.0; area * kind.count()];
        PlaneWriter::new().write(kind, &position, &mut by_point, kind.count());
        let mut planes = vec![0.0; by_point.len()];
        for (point, numbers) in by_point.chunks_exact(kind.count()).enumerate() {
            let at = Vertex::new(point % width, point / width).place_from_top(width, height);
            numbers.iter().enumerate().for_each(|(plane, number)| planes[plane * area + at] = *number);
        }
        let mut runner = network.runner(width, height, 2);
        let (mut expected, mut seen) = (Vec::new(), Vec::new());
        runner.evaluate(&[position], &mut expected);
        runner.evaluate_planes(&[&planes[..], &planes[..]].concat(), &mut seen);
        // Black is to move, so that both are Black's.
        assert_eq!(seen.len(), 2);
        for output in seen {
            let close = |a: f32, b: f32| (a - b).abs() < 1e-4;
            assert!(output.policy.iter().zip(&expected[0].policy).all(|(a, b)| close(*a, *b)));
            assert!(close(output.black_win.unwrap(), expected[0].black_win.unwrap()));
        }
    }
}
