use posepress_core::pipeline::OwnFault;
use std::fmt::Display;
use std::io;
use std::path::Path;
use thiserror::Error;

/// The end of a command without an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// Status 0.
    Done,
    /// Status 3, and which gates were not met.
    GateNotMet(String),
}

/// The reason of an early end of a command.
#[derive(Debug, Error)]
pub enum Failure {
    /// Status 2: a wrong command line.
    #[error("{0}")]
    Usage(String),
    /// Status 1: a file or the disk.
    #[error("{0}")]
    Input(String),
}

impl Failure {
    /// Exit status of a wrong command line.
    pub const USAGE: u8 = 2;

    /// A wrong command line.
    pub fn usage(message: impl Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// An error of a file.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// An error of a file, with its path.
    pub fn file(path: &Path, message: impl Display) -> Self {
        Self::Input(format!("{}: {message}", path.display()))
    }

    /// Status of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => Self::USAGE,
            Self::Input(_) => 1,
        }
    }
}

/// Only standard output is written through `io::Error`. Errors of files have their own type with the path.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Input(format!("standard output: {error}"))
    }
}

impl From<OwnFault> for Failure {
    fn from(fault: OwnFault) -> Self {
        Self::input(fault)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}
