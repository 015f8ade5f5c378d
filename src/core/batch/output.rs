use super::clip_match::known;
use crate::pipeline::{EXPORT_FORMATS, FormatKey};
use crate::settings::{Choice, choices};
use crate::text;
use toml::{Table, Value};

/// Keys of `[output]`.
const KEYS: [&str; 3] = ["format", "one-per", "only-better"];

/// The clips that share a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnePer {
    /// Those of a source file.
    #[default]
    File,
    /// Those of a folder, on one rig.
    Folder,
    /// Those on the same skeleton.
    Character,
    /// All clips, on one rig.
    All,
}

choices!(OnePer {
    File => ("file", "file", "Those of a source file"),
    Folder => ("folder", "folder", "Those of a folder, on one rig"),
    Character => ("character", "character", "Those on the same skeleton, at the place of the first of their files"),
    All => ("all", "all", "All clips, on one rig"),
});

/// The files that a run writes: `[output]` of `posepress.toml`. A key that is not there is left to the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputRules {
    /// Keys of formats. Empty if the file does not say it.
    pub formats: Vec<FormatKey>,
    /// The clips of one container.
    pub one_per: Option<OnePer>,
    /// True if a result replaces an earlier one only if it is better.
    pub only_better: bool,
}

impl OutputRules {
    /// Reads the keys of `[output]`. The error is the reason.
    pub(super) fn read(table: &Table) -> Result<Self, String> {
        known(table, "key", &KEYS)?;
        let word = |value: &Value, key: &str| {
            value.as_str().map(str::to_owned).ok_or_else(|| format!("'{key}' must be a word in quotes"))
        };
        let formats = match table.get("format") {
            None => Vec::new(),
            Some(Value::Array(formats)) if formats.is_empty() => {
                return Err("'format' needs at least one format".into());
            }
            Some(Value::Array(formats)) => {
                formats.iter().map(|one| output_format(&word(one, "format")?)).collect::<Result<_, _>>()?
            }
            Some(one) => vec![output_format(&word(one, "format")?)?],
        };
        let one_per = table.get("one-per").map(|value| one_per(&word(value, "one-per")?)).transpose()?;
        let only_better = match table.get("only-better") {
            None => false,
            Some(value) => value.as_bool().ok_or("'only-better' must be true or false")?,
        };
        Ok(Self { formats, one_per, only_better })
    }
}

/// Reads the key of a format. The error names the nearest one.
///
/// # Errors
/// Fails if no format has that key.
pub fn output_format(key: &str) -> Result<FormatKey, String> {
    one_of("format", key, &EXPORT_FORMATS.iter().map(|format| format.key).collect::<Vec<_>>())
}

fn one_per(key: &str) -> Result<OnePer, String> {
    let keys: Vec<&'static str> = OnePer::OPTIONS.iter().map(|option| option.key).collect();
    one_of("value of 'one-per'", key, &keys).map(|key| OnePer::by_key(key).unwrap_or_default())
}

fn one_of(what: &str, found: &str, keys: &[&'static str]) -> Result<&'static str, String> {
    let known = keys.iter().copied().find(|key| *key == found);
    let perhaps = || text::perhaps(found, keys);
    known.ok_or_else(|| format!("unknown {what} '{found}'{}; expected one of: {}", perhaps(), keys.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> OutputRules {
        OutputRules::read(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_key_that_is_not_there_is_left_to_the_options() {
        assert_eq!(read(""), OutputRules::default());
        let all = read("format = [\"container\", \"glb\"]\none-per = \"character\"\nonly-better = true");
        assert_eq!(
            (all.formats, all.one_per, all.only_better),
            (vec!["container", "glb"], Some(OnePer::Character), true)
        );
        assert_eq!(read("format = \"ozz\"").formats, ["ozz"]);
    }
}
