//! Ids and tokens.

/// A text of letters and digits that cannot be guessed.
pub(crate) fn new_id() -> String {
    let mut bytes = [0; 10];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    hex(&bytes)
}

/// Two digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}
