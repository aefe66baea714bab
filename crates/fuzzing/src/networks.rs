//! Network files: whatever the bytes, an error or a network that can be run, never a panic or a large allocation.

use tengen_board::{Game, Rules, Symmetry};
use tengen_nets::{History, Network, katago::KataNetwork};

/// Reads the bytes as a network of our own; what is accepted is written and read back.
pub fn net(bytes: &[u8]) {
    if let Ok(network) = Network::from_bytes(bytes) {
        let again = Network::from_bytes(&network.to_bytes(&[])).expect("what was written can be read");
        assert_eq!(again.spec(), network.spec());
    }
}

/// Reads the bytes as a network of KataGo's; what is accepted is asked about a position.
pub fn katago(bytes: &[u8]) {
    if let Ok(network) = KataNetwork::from_bytes(bytes) {
        let game = Game::new(3, 3, Rules::CHINESE).expect("a small board");
        let mut outputs = Vec::new();
        network.runner(3, 3, 1).evaluate(&[(&History::new(&game), Symmetry::IDENTITY)], &mut outputs);
        assert_eq!(outputs.len(), 1);
    }
}
