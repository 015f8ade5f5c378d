use super::{Console, Failure};
use serde::Serialize;

/// The program as built. For bug reports and for scripts that check what is installed.
#[derive(Debug, Serialize)]
pub struct Version {
    name: &'static str,
    version: &'static str,
    /// Commit of the sources; `null` if the build did not state one in `POSEPRESS_COMMIT`.
    commit: Option<&'static str>,
    /// Optional parts of the build.
    features: Vec<&'static str>,
    system: &'static str,
    architecture: &'static str,
}

impl Version {
    /// This program.
    pub fn own() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("POSEPRESS_COMMIT"),
            features: [("gui", cfg!(feature = "gui"))].into_iter().filter(|f| f.1).map(|f| f.0).collect(),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
        }
    }

    /// Prints name and version, or everything as JSON.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn print(&self, json: bool, console: &mut Console<'_>) -> Result<(), Failure> {
        if json {
            return console.json(self);
        }
        Ok(writeln!(console.out, "{} {}", self.name, self.version)?)
    }
}
