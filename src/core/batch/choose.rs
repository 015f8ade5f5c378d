use globset::{Glob, GlobMatcher};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A pattern of clip names: `Walk*`.
#[derive(Debug, Clone)]
pub struct ClipPattern(GlobMatcher);

impl PartialEq for ClipPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.glob() == other.0.glob()
    }
}

impl FromStr for ClipPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Glob::new(text).map(|glob| Self(glob.compile_matcher())).map_err(|error| error.kind().to_string())
    }
}

impl fmt::Display for ClipPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.glob())
    }
}

/// Why no clip was chosen.
#[derive(Debug, Error, PartialEq)]
pub enum NoneChosen {
    /// There is none.
    #[error("the files hold no clip")]
    Nothing,
    /// None has such a name.
    #[error("no clip matches {patterns}; there are: {names}")]
    NoMatch {
        /// The patterns.
        patterns: String,
        /// Names of all clips.
        names: String,
    },
}

/// True if one of the patterns matches the name. Without a pattern, every clip is chosen.
pub fn is_chosen(patterns: &[ClipPattern], name: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.0.is_match(name))
}

/// Keeps the clips that a pattern matches. A clip has two names: a unique one, which messages show, and the one in its file. Either may
/// match.
///
/// # Errors
/// Returns [`NoneChosen`] if none is chosen.
pub fn choose_clips<T>(
    clips: Vec<T>,
    patterns: &[ClipPattern],
    names: impl Fn(&T) -> [&str; 2],
) -> Result<Vec<T>, NoneChosen> {
    if clips.is_empty() {
        return Err(NoneChosen::Nothing);
    }
    let all: Vec<String> = clips.iter().map(|clip| names(clip)[0].to_owned()).collect();
    let is_wanted = |clip: &T| names(clip).iter().any(|name| is_chosen(patterns, name));
    let chosen: Vec<T> = clips.into_iter().filter(|clip| is_wanted(clip)).collect();
    if chosen.is_empty() {
        let patterns = patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(NoneChosen::NoMatch { patterns, names: all.join(", ") });
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(patterns: &[&str]) -> Result<Vec<&'static str>, NoneChosen> {
        let patterns: Vec<ClipPattern> = patterns.iter().map(|text| text.parse().unwrap()).collect();
        choose_clips(vec!["Walking_A", "run", "Running"], &patterns, |name| [name, name])
    }

    #[test]
    fn clips_are_chosen_by_any_pattern() {
        assert_eq!(chosen(&["Walk*", "run"]), Ok(vec!["Walking_A", "run"]));
        assert_eq!(chosen(&[]).unwrap().len(), 3);
        let error = chosen(&["Jump", "w*"]).unwrap_err().to_string();
        assert_eq!(error, "no clip matches 'Jump', 'w*'; there are: Walking_A, run, Running");
        assert!("[".parse::<ClipPattern>().is_err());
    }
}
