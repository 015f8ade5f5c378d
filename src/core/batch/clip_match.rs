use crate::text;
use globset::{GlobBuilder, GlobMatcher};
use toml::Table;

/// Keys that say which clips a table is about.
pub(super) const MATCH_KEYS: [&str; 3] = ["match", "clip", "tag"];

/// The clips that a rule or a budget is about. Without a pattern: every clip.
#[derive(Debug, Clone, Default)]
pub(super) struct ClipMatch {
    /// Pattern of file paths.
    files: Option<GlobMatcher>,
    /// Pattern of clip names.
    clips: Option<GlobMatcher>,
    /// Pattern of tags.
    tags: Option<GlobMatcher>,
}

impl ClipMatch {
    /// Reads the patterns of a table. The error is the reason.
    pub(super) fn read(table: &Table) -> Result<Self, String> {
        let [files, clips, tags] = MATCH_KEYS.map(|key| pattern(table, key));
        Ok(Self { files: files?, clips: clips?, tags: tags? })
    }

    /// True for a clip that all patterns match. One of its tags is enough.
    pub(super) fn is_about(&self, file: &str, clip: &str, tags: &[String]) -> bool {
        let matches =
            |pattern: &Option<GlobMatcher>, text| pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
        let has_tag = |pattern: &GlobMatcher| tags.iter().any(|tag| pattern.is_match(tag));
        matches(&self.files, file) && matches(&self.clips, clip) && self.tags.as_ref().is_none_or(has_tag)
    }

    /// True if every clip of a file matches, or none.
    pub(super) fn is_of_files(&self) -> bool {
        self.clips.is_none() && self.tags.is_none()
    }

    /// The patterns in words.
    pub(super) fn words(&self) -> String {
        let shown = |(key, pattern): (&str, &Option<GlobMatcher>)| {
            pattern.as_ref().map(|pattern| format!("{key} = \"{}\"", pattern.glob().glob()))
        };
        let patterns = MATCH_KEYS.into_iter().zip([&self.files, &self.clips, &self.tags]).filter_map(shown);
        let patterns: Vec<String> = patterns.collect();
        if patterns.is_empty() { "every clip".into() } else { patterns.join(", ") }
    }
}

/// Fails for a key that is not known, with the nearest one.
pub(super) fn known(table: &Table, what: &str, keys: &[&str]) -> Result<(), String> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let perhaps = Some(text::perhaps(key, keys)).filter(|words| !words.is_empty());
            let perhaps = perhaps.unwrap_or_else(|| ".".to_owned());
            Err(format!("unknown {what} '{key}'{perhaps} Expected one of: {}", keys.join(", ")))
        }
    }
}

fn pattern(table: &Table, key: &str) -> Result<Option<GlobMatcher>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| format!("'{key}' must be a pattern in quotes, such as \"combat/**\""))?;
    // A star in a path does not pass a slash. Names of clips may have slashes that separate nothing.
    let glob = GlobBuilder::new(text).literal_separator(key == "match").build();
    glob.map(|glob| Some(glob.compile_matcher())).map_err(|error| format!("'{key}': {}", error.kind()))
}
