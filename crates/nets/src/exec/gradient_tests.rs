//! Gradients of every operation against finite differences.
//!
//! The loss is a sum of the outputs with random factors. Where an operation is linear in every weight, the central difference
//! is exact but for rounding.

use tengen_engine::rng::Rng;

use crate::{
    exec::{
        Gradients, Prepared, Workspace,
        kernels::{activation::Activation, pool::Pooling, winograd::Precision},
    },
    model::graph::{ConvParts, Graph, Shape, TensorId},
};

const BOARDS: usize = 3;
/// A step for what is linear in every weight.
const WIDE: f32 = 1.0 / 64.0;
/// A step that hardly ever crosses a kink of a rectifier or a maximum.
const NARROW: f32 = 1.0 / 1024.0;

fn number(rng: &mut Rng) -> f32 {
    rng.unit() * 2.0 - 1.0
}

/// Compares gradients of all weights (a sample of them) of a graph that `build` makes from its input.
fn check(size: (usize, usize), channels: usize, step: f32, build: impl Fn(&mut Graph, TensorId) -> TensorId) {
    let mut graph = Graph::default();
    let input = graph.input(Shape::Planes(channels));
    // A layer below, so that the gradient of the operation's input is seen in that layer's weights.
    let parts = ConvParts { kernel: 1, channels, bias: true, add: None, activation: Activation::Identity };
    let below = graph.conv("below", input, parts);
    let output = build(&mut graph, below);
    graph.output(output);
    let mut rng = Rng::new(7);
    let mut weights: Vec<Vec<f32>> =
        graph.params.iter().map(|p| (0..p.len()).map(|_| number(&mut rng)).collect()).collect();
    let mut workspace = Workspace::for_training(&graph, size, BOARDS);
    let kind = workspace.tile_kind();
    let stride = channels.next_multiple_of(16);
    for point in workspace.tensor_mut(input).chunks_exact_mut(stride).take(size.0 * size.1 * BOARDS) {
        point[..channels].iter_mut().for_each(|x| *x = number(&mut rng));
    }
    let len = workspace.tensor(output).len();
    let factors: Vec<f32> = (0..len).map(|_| number(&mut rng)).collect();
    let padded = match graph.tensors[output.0] {
        Shape::Planes(c) => (c, c.next_multiple_of(16), size.0 * size.1 * BOARDS),
        Shape::Vector(n) => (n, n, BOARDS),
    };
    let is_real = |i: usize| i % padded.1 < padded.0 && i / padded.1 < padded.2;
    let loss = |workspace: &mut Workspace, weights: &[Vec<f32>]| -> f64 {
        workspace.forward(&graph, &Prepared::new(&graph, weights, kind, Precision::Float), BOARDS);
        let outputs = workspace.tensor(output).iter().zip(&factors).enumerate();
        outputs.filter(|(i, _)| is_real(*i)).map(|(_, (y, f))| f64::from(y * f)).sum()
    };
    let prepared = Prepared::for_training(&graph, &weights, kind);
    workspace.forward(&graph, &prepared, BOARDS);
    workspace.clear_gradients(&graph);
    for (i, g) in workspace.gradient_mut(output).iter_mut().enumerate() {
        *g = if is_real(i) { factors[i] } else { 0.0 };
    }
    let mut sums = Gradients::new(&graph, kind);
    workspace.backward(&graph, &prepared, &mut sums);
    let mut gradients: Vec<Vec<f32>> = weights.iter().map(|w| vec![0.0; w.len()]).collect();
    sums.add_to(&graph, &mut gradients);
    let largest = gradients.iter().flatten().fold(0.0f32, |a, g| a.max(g.abs()));
    for p in 0..weights.len() {
        for _ in 0..12 {
            let i = rng.below(weights[p].len());
            let before = weights[p][i];
            weights[p][i] = before + step;
            let above = loss(&mut workspace, &weights);
            weights[p][i] = before - step;
            let below = loss(&mut workspace, &weights);
            weights[p][i] = before;
            let difference = ((above - below) / (2.0 * f64::from(step))) as f32;
            let gradient = gradients[p][i];
            assert!(
                (difference - gradient).abs() <= 2e-3 * largest + 1e-3,
                "{} [{i}] on {size:?}: gradient {gradient}, difference {difference}",
                graph.params[p].name
            );
        }
    }
}

fn parts(kernel: usize, channels: usize) -> ConvParts {
    ConvParts { kernel, channels, bias: true, add: None, activation: Activation::Identity }
}

#[test]
fn convolutions_of_every_kernel_and_tile() {
    for size in [(9, 9), (19, 19), (5, 7), (2, 3)] {
        for kernel in [1, 3, 5, 7] {
            check(size, 5, WIDE, |g, x| g.conv("conv", x, parts(kernel, 18)));
        }
    }
}

#[test]
fn residual_addition() {
    check((9, 9), 6, WIDE, |g, x| {
        let a = g.conv("a", x, parts(3, 20));
        g.conv("b", a, ConvParts { add: Some(a), ..parts(3, 20) })
    });
}

#[test]
fn pooling_linear_layers_and_vectors() {
    for pooling in [Pooling::MeanScaledMax, Pooling::MeanScaledSquare] {
        check((7, 7), 6, NARROW, |g, x| {
            let pooled = g.pool(x, pooling);
            let hidden = g.linear("linear", pooled, 6, true, Activation::Identity);
            g.add_vector(x, hidden, Activation::Identity)
        });
        check((19, 19), 6, NARROW, |g, x| {
            let pooled = g.pool(x, pooling);
            g.linear("linear", pooled, 3, true, Activation::Identity)
        });
    }
}

#[test]
fn scale_and_bias() {
    check((9, 9), 7, WIDE, |g, x| g.affine("affine", x, Activation::Identity));
}

#[test]
fn rectifiers() {
    check((5, 5), 4, NARROW, |g, x| {
        let h = g.conv("conv", x, ConvParts { activation: Activation::Relu, ..parts(3, 3) });
        let pooled = g.pool(h, Pooling::MeanScaledSquare);
        g.linear("linear", pooled, 2, true, Activation::Relu)
    });
}
