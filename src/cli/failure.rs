use posepress_core::pipeline::OwnFault;
use std::fmt::Display;
use std::io;
use std::path::Path;
use thiserror::Error;

/// How a command ended when nothing went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// Status 0.
    Done,
    /// Status 3, and which gates were not met.
    GateNotMet(String),
}

/// Why a command ended early.
#[derive(Debug, Error)]
pub enum Failure {
    /// Status 2: the command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Status 1: a file or the disk.
    #[error("{0}")]
    Input(String),
}

impl Failure {
    /// Status of a command line that makes no sense.
    pub const USAGE: u8 = 2;

    /// A wrong command line.
    pub fn usage(message: impl Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// A file that cannot be used.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// A file that cannot be used, named.
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

/// Only standard output is written through `io::Error`; files have errors of their own that name them.
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
