//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(posepress_cli::run_program(std::env::args_os()))
}
