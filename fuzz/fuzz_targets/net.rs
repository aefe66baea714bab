//! Our network files: whatever the bytes, an error or a network, never a panic or a large allocation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tengen_nets::Network;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(network) = Network::from_bytes(bytes) {
        let again = Network::from_bytes(&network.to_bytes(&[])).expect("what was written can be read");
        assert_eq!(again.spec(), network.spec());
    }
});
