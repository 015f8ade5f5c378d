//! The binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(posepress_cli::run_program(wild::args_os()))
}
