//! KataGo's model files: whatever the bytes, an error or a network, never a panic or a large allocation.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tengen_nets::katago::KataNetwork;

fuzz_target!(|bytes: &[u8]| {
    let _ = KataNetwork::from_bytes(bytes);
});
