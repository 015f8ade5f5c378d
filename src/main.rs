//! The binary: parses the command line, runs it, and turns the end into an exit status.

use clap::Parser;
use posepress::cli::{self, Cli, Command, Console, Exit, Failure};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut console = Console { out: &mut out, messages: &mut io::stderr() };
    let result = match &cli.command {
        Some(command) => cli::run(command, &mut console),
        None => open_window(&cli),
    };
    end(result.and_then(|exit| Ok(out.flush().map(|()| exit)?)))
}

fn end(result: Result<Exit, Failure>) -> ExitCode {
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::GateNotMet(gates)) => {
            eprintln!("{gates}");
            ExitCode::from(3)
        }
        Err(failure) => {
            if failure.exit_code() != 0 {
                eprintln!("error: {failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn open_window(_: &Cli) -> Result<Exit, Failure> {
    Err(Failure::input("no window"))
}
