use super::clip_match::{ClipMatch, MATCH_KEYS, known};
use crate::recipe::Recipe;
use crate::settings::Settings;
use toml::{Table, Value};

/// Keys of a recipe that are not in the table of its settings.
const RECIPE_KEYS: [&str; 5] = ["codec", "values", "overrides", "contacts", "compensation"];

/// A rule of `posepress.toml`: clips, and what it changes in their recipe.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The clips that it is about.
    clips: ClipMatch,
    /// Keys of a recipe file, and their values.
    recipe: Table,
}

impl Rule {
    /// Reads a rule. The error is the reason, without the file and the number of the rule.
    pub(super) fn read(number: usize, value: &Value) -> Result<Self, String> {
        let table = value.as_table().ok_or("expected a table [[rule]]")?;
        known(table, "key", &[&MATCH_KEYS[..], &["recipe"]].concat())?;
        let recipe = match table.get("recipe") {
            Some(Value::Table(recipe)) => recipe.clone(),
            Some(_) => return Err("'recipe' must be a table, such as recipe.tolerance_m = 0.0002".into()),
            None => Table::new(),
        };
        let settings = Recipe::ALL.iter().map(|setting| setting.key);
        known(&recipe, "key of a recipe", &RECIPE_KEYS.into_iter().chain(settings).collect::<Vec<_>>())?;
        let rule = Self { number, clips: ClipMatch::read(table)?, recipe };
        // Values may be those of the codec of an earlier rule.
        if rule.recipe.contains_key("codec") || !rule.recipe.contains_key("values") {
            rule.applied(&Recipe::default())?;
        }
        Ok(rule)
    }

    /// True if the rule is about a clip. The file's path is below the folder of `posepress.toml`, with `/` between folders.
    pub fn is_about(&self, file: &str, clip: &str, tags: &[String]) -> bool {
        self.clips.is_about(file, clip, tags)
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
        let changes: Vec<_> = self.recipe.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{}: {}", self.clips.words(), if changes.is_empty() { "no change".into() } else { changes.join(", ") })
    }
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
