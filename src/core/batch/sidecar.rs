use super::clip_match::known;
use super::{ClipPattern, ConfigError, is_chosen};
use crate::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Keys of the file.
const KEYS: [&str; 2] = ["tags", "clips"];
/// A key that every project has. Projects end like sidecars, and one may have the name of a file beside it.
const OF_PROJECT: &str = "document";

/// The tags of a file's clips: a `posepress.toml` of its own beside it. `walk.glb` has `walk.posepress.toml`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sidecar {
    /// Tags of all clips.
    tags: Vec<String>,
    /// Patterns of clip names, and the tags of such clips.
    clips: Vec<(ClipPattern, Vec<String>)>,
}

impl Sidecar {
    /// The path of a file's sidecar.
    pub fn path_of(file: &Path) -> PathBuf {
        file.with_extension(super::CONFIG_NAME)
    }

    /// Reads the sidecar of a file. Without one, its clips have no tags.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn of(file: &Path) -> Result<Self, ConfigError> {
        let path = Self::path_of(file);
        match files::read_text(&path) {
            Ok(text) => Self::parse(&text).map_err(|why| ConfigError::Form { path, why }),
            Err(error) if error.is_missing() => Ok(Self::default()),
            Err(error) => Err(ConfigError::Read { path, error }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        if table.contains_key(OF_PROJECT) {
            return Ok(Self::default());
        }
        known(&table, "key", &KEYS)?;
        let clips = match table.get("clips") {
            None => &Table::new(),
            Some(Value::Table(clips)) => clips,
            Some(_) => return Err("'clips' must be written as [clips]".into()),
        };
        let of_clips = |(pattern, tags): (&String, &Value)| {
            let clips = pattern.parse().map_err(|why| format!("clip pattern '{pattern}': {why}"))?;
            Ok((clips, tags_of(pattern, tags)?))
        };
        let tags = table.get("tags").map_or_else(|| Ok(Vec::new()), |tags| tags_of("tags", tags))?;
        Ok(Self { tags, clips: clips.iter().map(of_clips).collect::<Result<_, String>>()? })
    }

    /// The tags of a clip, and those that its file gives it, each once, in alphabetical order.
    pub fn tags(&self, clip: &str, in_file: &[String]) -> Vec<String> {
        let own = self.clips.iter().filter(|(pattern, _)| is_chosen(std::slice::from_ref(pattern), clip));
        let all: BTreeSet<&String> = self.tags.iter().chain(own.flat_map(|(_, tags)| tags)).chain(in_file).collect();
        all.into_iter().cloned().collect()
    }
}

fn tags_of(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let words = value.as_array().and_then(|tags| tags.iter().map(|tag| tag.as_str().map(str::to_owned)).collect());
    words.ok_or_else(|| format!("'{key}' must be a list of words, such as [\"combat\"]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_has_the_tags_of_its_file_and_of_its_patterns() {
        let sidecar =
            Sidecar::parse("tags = [\"hero\"]\n[clips]\n\"Attack*\" = [\"combat\", \"hero\"]\n\"*_B\" = [\"b\"]");
        let sidecar = sidecar.unwrap();
        assert_eq!(sidecar.tags("Attack_B", &[]), ["b", "combat", "hero"]);
        assert_eq!(sidecar.tags("Walk", &["feet".into(), "hero".into()]), ["feet", "hero"]);
        assert_eq!(Sidecar::path_of(Path::new("lib/walk.slow.glb")), Path::new("lib/walk.slow.posepress.toml"));
    }

    #[test]
    fn wrong_files_say_what_was_expected_and_none_is_no_error() {
        for (text, says) in [
            ("tag = [\"a\"]", "did you mean 'tags'?"),
            ("tags = \"a\"", "list of words"),
            ("clips = 1", "[clips]"),
            ("[clips]\n\"a[\" = [\"b\"]", "clip pattern 'a['"),
            ("[clips]\nWalk = 3", "'Walk' must be a list"),
            ("tags = [", "array"),
        ] {
            let error = Sidecar::parse(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("walk.glb");
        assert_eq!(Sidecar::of(&file).unwrap(), Sidecar::default());
        std::fs::write(folder.path().join("walk.posepress.toml"), "tag = 1").unwrap();
        assert!(Sidecar::of(&file).unwrap_err().to_string().contains("walk.posepress.toml: unknown key 'tag'"));
    }
}
