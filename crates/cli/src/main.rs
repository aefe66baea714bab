//! The `tengen` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    tengen_cli::main(std::env::args_os()).into()
}
