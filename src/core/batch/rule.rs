use super::clip_match::{ClipMatch, MATCH_KEYS, known};
use crate::import::ImportOptions;
use crate::recipe::Recipe;
use crate::settings::{ParamValue, Setting, Settings};
use toml::{Table, Value};

/// Keys of a recipe that are not in the table of its settings.
const RECIPE_KEYS: [&str; 5] = ["codec", "values", "overrides", "contacts", "compensation"];

/// A rule of `posepress.toml`: clips, and what it changes in their recipe and in the import of their files.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The clips that it is about.
    clips: ClipMatch,
    /// Keys of a recipe file, and their values.
    recipe: Table,
    /// Import options, and their values.
    import: Vec<(&'static Setting<ImportOptions>, ParamValue)>,
}

impl Rule {
    /// Reads a rule. The error is the reason, without the file and the number of the rule.
    pub(super) fn read(number: usize, value: &Value) -> Result<Self, String> {
        let table = value.as_table().ok_or("expected a table [[rule]]")?;
        known(table, "key", &[&MATCH_KEYS[..], &["recipe", "import"]].concat())?;
        let recipe = part(table, "recipe", "recipe.tolerance_m = 0.0002")?;
        let settings = Recipe::ALL.iter().map(|setting| setting.key);
        known(&recipe, "key of a recipe", &RECIPE_KEYS.into_iter().chain(settings).collect::<Vec<_>>())?;
        let (clips, import) = (ClipMatch::read(table)?, import_of(&part(table, "import", "import.unit = \"cm\"")?)?);
        if !import.is_empty() && !clips.is_of_files() {
            return Err(
                "'import' is about whole files. Leave out 'clip' and 'tag', or put it into a rule of its own".into()
            );
        }
        let rule = Self { number, clips, recipe, import };
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

    /// Import options with the rule's changes.
    pub(super) fn imported(&self, mut options: ImportOptions) -> ImportOptions {
        for (setting, value) in &self.import {
            setting.set(&mut options, value.clone()).expect("it was checked");
        }
        options
    }

    /// The rule in words: its patterns, and its changes as TOML.
    pub fn words(&self) -> String {
        let recipe = self.recipe.iter().map(|(key, value)| format!("{key} = {value}"));
        let import = self.import.iter().map(|(setting, value)| match value {
            ParamValue::Choice(key) => format!("import.{} = {key:?}", setting.key),
            value => format!("import.{} = {value}", setting.key),
        });
        let changes: Vec<_> = recipe.chain(import).collect();
        format!("{}: {}", self.clips.words(), if changes.is_empty() { "no change".into() } else { changes.join(", ") })
    }
}

/// A table of a rule; empty if there is none.
fn part(rule: &Table, key: &str, example: &str) -> Result<Table, String> {
    match rule.get(key) {
        Some(Value::Table(table)) => Ok(table.clone()),
        Some(_) => Err(format!("'{key}' must be a table, such as {example}")),
        None => Ok(Table::new()),
    }
}

/// The import options of a table.
fn import_of(table: &Table) -> Result<Vec<(&'static Setting<ImportOptions>, ParamValue)>, String> {
    let keys: Vec<_> = ImportOptions::ALL.iter().map(|setting| setting.key).collect();
    known(table, "import option", &keys)?;
    let read = |(key, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let setting = ImportOptions::setting(key).expect("it is known");
        setting.param().parse(&text).map(|value| (setting, value)).map_err(|error| error.to_string())
    };
    table.iter().map(read).collect()
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
