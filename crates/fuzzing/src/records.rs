//! Records of games to learn from (`.npz`): an error, or games that are written and read back as the same.

use tengen_nets::records::Records;

/// Reads the bytes as records.
pub fn records(bytes: &[u8]) {
    if let Ok(records) = Records::from_bytes(bytes) {
        let written = records.to_bytes().expect("memory can be written to");
        assert_eq!(Records::from_bytes(&written).expect("what was written can be read"), records);
    }
}
