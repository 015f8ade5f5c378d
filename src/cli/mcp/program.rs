//! Subcommands of this program in processes of their own.

use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::NamedTempFile;
use tokio::process::Command;

/// Status of a subcommand whose quality gate was not met; its output is complete.
const GATE: i32 = 3;

/// This program.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    /// The folder below which it may write.
    writable: Option<PathBuf>,
}

/// Arguments of a subcommand, and the files that they name.
#[derive(Debug)]
pub struct Line {
    words: Vec<OsString>,
    recipe: Option<NamedTempFile>,
}

impl Line {
    /// A subcommand, before its options.
    pub fn new(subcommand: &str) -> Self {
        Self { words: vec![subcommand.into()], recipe: None }
    }

    /// Adds an option with a value. The value cannot be read as another option.
    pub fn option(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value);
        self.words.push(word);
        self
    }

    /// Adds an option that may be absent.
    pub fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.option(name, value.to_string()),
            None => self,
        }
    }

    /// Adds an option for each value.
    pub fn each(self, name: &str, values: &[String]) -> Self {
        values.iter().fold(self, |line, value| line.option(name, value))
    }

    /// Adds a switch.
    pub fn switch(mut self, name: &str) -> Self {
        self.words.push(format!("--{name}").into());
        self
    }

    /// Adds the keys of a recipe file.
    ///
    /// # Errors
    /// The keys cannot be written as TOML, or not to a temporary file.
    pub fn recipe(mut self, keys: &Map<String, Value>) -> Result<Self, String> {
        if keys.is_empty() {
            return Ok(self);
        }
        let text = toml::to_string(keys).map_err(|error| format!("recipe: {error}"))?;
        let written = NamedTempFile::with_suffix(".toml").and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            Ok(file)
        });
        let file = written.map_err(|error| format!("recipe: {error}"))?;
        self = self.option("recipe", file.path());
        Ok(Self { recipe: Some(file), ..self })
    }

    /// Ends the options, and adds files.
    pub fn files(mut self, files: &[PathBuf]) -> Self {
        self.words.push("--".into());
        self.words.extend(files.iter().map(OsString::from));
        self
    }
}

impl Program {
    /// This program, which may write below a folder.
    ///
    /// # Errors
    /// The system does not know its path.
    pub fn new(writable: Option<PathBuf>) -> io::Result<Self> {
        Ok(Self { path: std::env::current_exe()?, writable })
    }

    /// Runs a subcommand, and returns its standard output.
    ///
    /// # Errors
    /// What it said on standard error, if it failed.
    pub async fn run(&self, line: Line) -> Result<Vec<u8>, String> {
        let mut command = Command::new(&self.path);
        command.args(&line.words).stdin(Stdio::null()).kill_on_drop(true);
        let output = command.output().await.map_err(|error| error.to_string())?;
        drop(line.recipe);
        match output.status.code() {
            Some(0 | GATE) => Ok(output.stdout),
            _ => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        }
    }

    /// Runs a subcommand that prints JSON.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn json(&self, line: Line) -> Result<Value, String> {
        let out = self.run(line).await?;
        serde_json::from_slice(&out).map_err(|error| format!("the program's JSON cannot be read: {error}"))
    }

    /// The path of a file to write, which must lie below the folder for that.
    ///
    /// # Errors
    /// The reason for people, with the option that helps.
    pub fn place_to_write(&self, output: &Path) -> Result<PathBuf, String> {
        let Some(writable) = &self.writable else {
            return Err("this server writes nothing; start it as 'posepress mcp --allow-write FOLDER'".into());
        };
        let path = writable.join(output);
        let name = path.file_name().ok_or_else(|| format!("'{}' is no name of a file", output.display()))?;
        let folder = path.parent().unwrap_or(writable);
        // Links and '..' count as the place that they lead to.
        let folder = dunce::canonicalize(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let place = folder.join(name);
        let is_link = place.symlink_metadata().is_ok_and(|about| about.is_symlink());
        match folder.starts_with(writable) && !is_link {
            true => Ok(place),
            false => {
                Err(format!("{} is not below {}, the folder of --allow-write", output.display(), writable.display()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_below_the_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let inside = dunce::canonicalize(folder.path()).unwrap().join("out");
        std::fs::create_dir_all(inside.join("a")).unwrap();
        let program = Program::new(Some(inside.clone())).unwrap();
        assert_eq!(program.place_to_write(Path::new("x.posepress")), Ok(inside.join("x.posepress")));
        assert_eq!(program.place_to_write(Path::new("a/../x.glb")), Ok(inside.join("x.glb")));
        for outside in ["../x.glb", "/x.glb", "a/../../x.glb", "missing/x.glb", ".."] {
            assert!(program.place_to_write(Path::new(outside)).is_err(), "{outside}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/tmp", inside.join("link")).unwrap();
            std::os::unix::fs::symlink("/tmp/x", inside.join("file")).unwrap();
            assert!(program.place_to_write(Path::new("link/x.glb")).is_err());
            assert!(program.place_to_write(Path::new("file")).is_err());
        }
        let reads = Program::new(None).unwrap();
        assert!(reads.place_to_write(Path::new("x.glb")).unwrap_err().contains("--allow-write FOLDER"));
    }

    #[test]
    fn values_cannot_become_options() {
        let line = Line::new("report").option("clip", "--html=x").files(&[PathBuf::from("--output=x")]);
        assert_eq!(line.words, ["report", "--clip=--html=x", "--", "--output=x"]);
    }
}
