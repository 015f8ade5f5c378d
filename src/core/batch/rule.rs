use crate::recipe::Recipe;
use crate::settings::Settings;
use crate::text;
use globset::{GlobBuilder, GlobMatcher};
use toml::{Table, Value};

/// Keys of a rule.
const KEYS: [&str; 3] = ["match", "clip", "recipe"];
/// Keys of a recipe that are not in the table of its settings.
const RECIPE_KEYS: [&str; 5] = ["codec", "values", "overrides", "contacts", "compensation"];

/// A rule of `posepress.toml`: clips, and what it changes in their recipe.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Pattern of file paths.
    files: Option<GlobMatcher>,
    /// Pattern of clip names.
    clips: Option<GlobMatcher>,
    /// Keys of a recipe file, and their values.
    recipe: Table,
}

impl Rule {
    /// Reads a rule. The error is the reason, without the file and the number of the rule.
    pub(super) fn read(number: usize, value: &Value) -> Result<Self, String> {
        let table = value.as_table().ok_or("expected a table [[rule]]")?;
        known(table, "key", &KEYS)?;
        let recipe = match table.get("recipe") {
            Some(Value::Table(recipe)) => recipe.clone(),
            Some(_) => return Err("'recipe' must be a table, such as recipe.tolerance_m = 0.0002".into()),
            None => Table::new(),
        };
        let settings = Recipe::ALL.iter().map(|setting| setting.key);
        known(&recipe, "key of a recipe", &RECIPE_KEYS.into_iter().chain(settings).collect::<Vec<_>>())?;
        let rule = Self { number, files: pattern(table, "match")?, clips: pattern(table, "clip")?, recipe };
        // Values may be those of the codec of an earlier rule.
        if rule.recipe.contains_key("codec") || !rule.recipe.contains_key("values") {
            rule.applied(&Recipe::default())?;
        }
        Ok(rule)
    }

    /// True if the rule is about a clip. The file's path is below the folder of `posepress.toml`, with `/` between folders.
    pub fn is_about(&self, file: &str, clip: &str) -> bool {
        let matches =
            |pattern: &Option<GlobMatcher>, text| pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
        matches(&self.files, file) && matches(&self.clips, clip)
    }

    /// A recipe with the rule's changes. The error is the reason.
    pub(super) fn applied(&self, recipe: &Recipe) -> Result<Recipe, String> {
        let mut table: Table = recipe.to_toml().parse().map_err(|error| format!("{error}"))?;
        let codec = self.recipe.get("codec").filter(|codec| table.get("codec") != Some(codec));
        if codec.is_some() {
            table.remove("values");
        }
        merge(&mut table, &self.recipe);
        Recipe::from_toml(&table.to_string()).map_err(|error| error.to_string())
    }

    /// The rule in words: its patterns, and its changes as TOML.
    pub fn words(&self) -> String {
        let shown = |key: &str, pattern: &Option<GlobMatcher>| {
            pattern.as_ref().map(|pattern| format!("{key} = \"{}\"", pattern.glob().glob()))
        };
        let patterns: Vec<_> = shown("match", &self.files).into_iter().chain(shown("clip", &self.clips)).collect();
        let patterns = if patterns.is_empty() { "every clip".into() } else { patterns.join(", ") };
        let changes: Vec<_> = self.recipe.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{patterns}: {}", if changes.is_empty() { "no change".into() } else { changes.join(", ") })
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

/// Puts the values of a table into another one. Tables are merged key by key.
fn merge(into: &mut Table, from: &Table) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Table(into)), Value::Table(from)) => merge(into, from),
            _ => drop(into.insert(key.clone(), value.clone())),
        }
    }
}
