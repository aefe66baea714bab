//! One thread of a training: its memory and its sums.

use super::{
    CHUNK, TrainConfig,
    example::Example,
    loss::{self, GradientScale, Tally},
};
use crate::{
    exec::{
        Gradients, Prepared, Workspace,
        kernels::{padded, winograd::TileKind},
    },
    model::{
        graph::Graph,
        network::Network,
        planes::{PlaneWriter, Position},
    },
};

pub(crate) struct Worker {
    /// One for each board size met.
    workspaces: Vec<Workspace>,
    /// One for each kind of tiles met, and whether it was added to in this step.
    gradients: Vec<(TileKind, Gradients, bool)>,
    planes: PlaneWriter,
    tally: Tally,
}

impl Worker {
    pub(crate) fn new() -> Worker {
        Worker {
            workspaces: Vec::new(),
            gradients: Vec::new(),
            planes: PlaneWriter::new(),
            tally: Tally::default(),
        }
    }

    /// Clears the sums.
    pub(crate) fn begin(&mut self) {
        self.tally = Tally::default();
        for (_, gradients, used) in &mut self.gradients {
            if std::mem::take(used) {
                gradients.clear();
            }
        }
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Adds the sums of gradients to those of the weights as they are stored.
    pub(crate) fn add_to(&self, graph: &Graph, out: &mut [Vec<f32>]) {
        for (_, gradients, used) in &self.gradients {
            if *used {
                gradients.add_to(graph, out);
            }
        }
    }

    /// Forwards and backwards.
    pub(crate) fn train(
        &mut self,
        network: &Network,
        prepared: &[(TileKind, Prepared)],
        chunk: &[&Example],
        config: &TrainConfig,
        batch: usize,
    ) {
        let at = self.workspace(network, chunk, true);
        self.fill(network, at, chunk);
        let workspace = &mut self.workspaces[at];
        let kind = workspace.tile_kind();
        let weights = weights_of(prepared, kind);
        let graph = &network.graph;
        workspace.forward(graph, weights, chunk.len());
        workspace.clear_gradients(graph);
        let scale = GradientScale { weights: config.loss, positions: batch };
        loss::evaluate(network, workspace, chunk, Some(scale), &mut self.tally);
        let known = self.gradients.iter().position(|g| g.0 == kind);
        let i = known.unwrap_or_else(|| {
            self.gradients.push((kind, Gradients::new(graph, kind), false));
            self.gradients.len() - 1
        });
        self.gradients[i].2 = true;
        workspace.backward(graph, weights, &mut self.gradients[i].1);
    }

    /// Forwards only.
    pub(crate) fn test(&mut self, network: &Network, prepared: &[(TileKind, Prepared)], chunk: &[&Example]) {
        let at = self.workspace(network, chunk, false);
        self.fill(network, at, chunk);
        let workspace = &mut self.workspaces[at];
        let weights = weights_of(prepared, workspace.tile_kind());
        workspace.forward(&network.graph, weights, chunk.len());
        loss::evaluate(network, workspace, chunk, None, &mut self.tally);
    }

    /// The workspace for a chunk.
    fn workspace(&mut self, network: &Network, chunk: &[&Example], training: bool) -> usize {
        let board = &chunk[0].board;
        let size = (board.width(), board.height());
        self.workspaces.iter().position(|w| w.size() == size).unwrap_or_else(|| {
            let new = if training { Workspace::for_training } else { Workspace::new };
            self.workspaces.push(new(&network.graph, size, CHUNK));
            self.workspaces.len() - 1
        })
    }

    fn fill(&mut self, network: &Network, at: usize, chunk: &[&Example]) {
        let planes = network.spec().planes;
        let stride = padded(planes.count());
        let area = chunk[0].board.area();
        let inputs = self.workspaces[at].tensor_mut(network.heads.input).chunks_exact_mut(area * stride);
        for (example, out) in chunk.iter().zip(inputs) {
            let position = Position {
                board: &example.board,
                moves: &example.history,
                komi: example.komi,
                rank: example.rank,
            };
            self.planes.write(planes, &position, out, stride);
        }
    }
}

fn weights_of(prepared: &[(TileKind, Prepared)], kind: TileKind) -> &Prepared {
    &prepared.iter().find(|(k, _)| *k == kind).expect("weights are prepared for every size in the batch").1
}
