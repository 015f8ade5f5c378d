use super::clip_match::known;
use super::{BudgetRule, Gate, GateError, OutputRules, Rule};
use crate::files::{self, ReadError};
use crate::import::ImportOptions;
use crate::recipe::Recipe;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toml::{Table, Value};

/// Name of the file with the rules of a library.
pub const CONFIG_NAME: &str = "posepress.toml";

/// Keys of the file.
const KEYS: [&str; 5] = ["project", "rule", "budget", "output", "gate"];

/// Key of `[gate]` that is not a limit.
const BASELINE: &str = "baseline";

/// The rules and limits of a library: a `posepress.toml`.
#[derive(Debug, Clone)]
pub struct BatchConfig {
    /// The file.
    pub path: PathBuf,
    /// The project with decisions about clips.
    pub project: Option<PathBuf>,
    /// The rules, in the order of the file. Later ones win.
    pub rules: Vec<Rule>,
    /// The budgets, in the order of the file.
    pub budgets: Vec<BudgetRule>,
    /// The files to write.
    pub output: OutputRules,
    /// The limits.
    pub gate: Gate,
    /// The baseline of the limits.
    pub baseline: Option<PathBuf>,
}

/// Why a `posepress.toml` cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: ReadError,
    },
    /// The text is not TOML, or a key is unknown.
    #[error("{}: {why}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A rule cannot be used.
    #[error("{}: rule {rule}: {why}", path.display())]
    Rule {
        /// The file.
        path: PathBuf,
        /// Number of the rule, from 1.
        rule: usize,
        /// The reason.
        why: String,
    },
    /// A budget cannot be used.
    #[error("{}: budget {budget}: {why}", path.display())]
    Budget {
        /// The file.
        path: PathBuf,
        /// Number of the budget, from 1.
        budget: usize,
        /// The reason.
        why: String,
    },
    /// A limit cannot be used.
    #[error("{}: [gate]: {error}", path.display())]
    Gate {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: GateError,
    },
}

impl BatchConfig {
    /// The nearest `posepress.toml` in a folder or above it.
    pub fn find(folder: &Path) -> Option<PathBuf> {
        folder.ancestors().map(|folder| folder.join(CONFIG_NAME)).find(|path| path.is_file())
    }

    /// Reads a `posepress.toml`.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = files::read_text(path).map_err(|error| ConfigError::Read { path: path.into(), error })?;
        Self::parse(path, &text)
    }

    /// Reads the text of a `posepress.toml`.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let form = |why| ConfigError::Form { path: path.into(), why };
        let table: Table = text.parse().map_err(|error: toml::de::Error| form(error.to_string()))?;
        known(&table, "key", &KEYS).map_err(form)?;
        let rules = numbered(&table, "rule").map_err(form)?.map(|(rule, value)| {
            Rule::read(rule, value).map_err(|why| ConfigError::Rule { path: path.into(), rule, why })
        });
        let rules = rules.collect::<Result<_, _>>()?;
        let budgets = numbered(&table, "budget").map_err(form)?.map(|(budget, value)| {
            BudgetRule::read(budget, value).map_err(|why| ConfigError::Budget { path: path.into(), budget, why })
        });
        let budgets = budgets.collect::<Result<_, _>>()?;
        let beside = |name: &String| path.parent().unwrap_or(Path::new("")).join(name);
        let (gate, baseline) = match table.get("gate") {
            None => (Gate::default(), None),
            Some(Value::Table(keys)) => (gate_of(path, keys)?, baseline_of(keys).map_err(form)?.map(beside)),
            Some(_) => return Err(form("'gate' must be written as [gate]".into())),
        };
        let output = match table.get("output") {
            None => OutputRules::default(),
            Some(Value::Table(keys)) => OutputRules::read(keys).map_err(|why| form(format!("[output]: {why}")))?,
            Some(_) => return Err(form("'output' must be written as [output]".into())),
        };
        let project = match table.get("project") {
            None => None,
            Some(Value::String(project)) => Some(beside(project)),
            Some(_) => return Err(form("'project' must be a path, such as \"review.posepress.toml\"".into())),
        };
        Ok(Self { path: path.into(), project, rules, budgets, output, gate, baseline })
    }

    /// The rules about a clip, in the order of the file.
    pub fn chain(&self, file: &str, clip: &str, tags: &[String]) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.is_about(file, clip, tags))
    }

    /// The recipe of a clip: a start recipe with the changes of every rule about the clip. Where two rules set one key, the later wins.
    ///
    /// # Errors
    /// [`ConfigError::Rule`].
    pub fn recipe(&self, start: &Recipe, (file, clip): (&str, &str), tags: &[String]) -> Result<Recipe, ConfigError> {
        self.chain(file, clip, tags).try_fold(start.clone(), |recipe, rule| {
            rule.applied(&recipe).map_err(|why| ConfigError::Rule { path: self.path.clone(), rule: rule.number, why })
        })
    }

    /// The import options of a file: those of the start with the changes of every rule about the file.
    pub fn import(&self, start: ImportOptions, file: &str) -> ImportOptions {
        self.chain(file, "", &[]).fold(start, |options, rule| rule.imported(options))
    }

    /// Path of a file below the folder of the rules, with `/` between folders. `None` for a file elsewhere, which has no rules.
    pub fn path_below(&self, file: &Path) -> Option<String> {
        let below = file.strip_prefix(self.path.parent().unwrap_or(Path::new(""))).ok()?;
        Some(below.to_string_lossy().replace('\\', "/"))
    }
}

/// The tables of a list, with their numbers from 1.
fn numbered<'a>(table: &'a Table, key: &str) -> Result<impl Iterator<Item = (usize, &'a Value)>, String> {
    let values = match table.get(key) {
        None => &[][..],
        Some(Value::Array(values)) => values,
        Some(_) => return Err(format!("'{key}' must be written as [[{key}]]")),
    };
    Ok(values.iter().enumerate().map(|(at, value)| (at + 1, value)))
}

fn baseline_of(keys: &Table) -> Result<Option<&String>, String> {
    match keys.get(BASELINE) {
        None => Ok(None),
        Some(Value::String(baseline)) => Ok(Some(baseline)),
        Some(_) => Err("[gate]: 'baseline' must be a path, such as \"baseline.json\"".into()),
    }
}

fn gate_of(path: &Path, keys: &Table) -> Result<Gate, ConfigError> {
    let mut gate = Gate::default();
    for (key, value) in keys.iter().filter(|(key, _)| *key != BASELINE) {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        gate.set(key, &value).map_err(|error| ConfigError::Gate { path: path.into(), error })?;
    }
    Ok(gate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::LengthUnit;
    use crate::pipeline::BudgetLimits;

    const TEXT: &str = "
        [[rule]]
        match = \"combat/**\"
        recipe.tolerance_m = 0.0001

        [[rule]]
        match = \"crowd/**\"
        recipe = { codec = \"linear-keys\", tolerance_m = 0.001 }

        [[rule]]
        clip = \"*_face\"
        [rule.recipe]
        sub_frames = 8
        shell_m = 0.01

        [[rule]]
        match = \"crowd/boss/*.glb\"
        recipe.codec = \"press\"

        [gate]
        max-error = \"0.2mm\"
        total = \"80MB\"
        baseline = \"ci/baseline.json\"
    ";

    fn parse(text: &str) -> Result<BatchConfig, ConfigError> {
        BatchConfig::parse(Path::new("lib/posepress.toml"), text)
    }

    #[test]
    fn later_rules_win_key_by_key() {
        let config = parse(TEXT).unwrap();
        let recipe =
            |file, clip| config.recipe(&Recipe { tolerance_m: 0.01, ..Recipe::default() }, (file, clip), &[]).unwrap();
        assert_eq!(recipe("idle.glb", "Idle").tolerance_m, 0.01);
        assert_eq!(recipe("combat/a/hit.glb", "Hit").tolerance_m, 0.0001);
        let crowd = recipe("crowd/a.glb", "wave_face");
        assert_eq!((crowd.codec.name(), crowd.tolerance_m, crowd.sub_frames), ("linear-keys", 0.001, 8));
        let boss = recipe("crowd/boss/a.glb", "wave");
        assert_eq!((boss.codec.name(), boss.tolerance_m), ("press", 0.001));
        assert_eq!(
            recipe("crowd/boss/deep/a.glb", "wave").codec.name(),
            "linear-keys",
            "a star does not pass a folder"
        );
        let chain: Vec<_> = config.chain("crowd/boss/a.glb", "x_face", &[]).map(|rule| rule.number).collect();
        assert_eq!(chain, [2, 3, 4]);
        assert_eq!(config.rules[1].words(), "match = \"crowd/**\": codec = \"linear-keys\", tolerance_m = 0.001");
        assert_eq!(config.gate, Gate::parse("max-error=0.2mm,total=80MB").unwrap());
        assert_eq!(config.baseline.as_deref(), Some(Path::new("lib/ci/baseline.json")));
    }

    #[test]
    fn rules_give_files_their_units_and_rates() {
        let config = parse(
            "[[rule]]\nmatch = \"mocap/**\"\nimport = { unit = \"cm\", rate_hz = 30 }\n\
             [[rule]]\nmatch = \"mocap/new/*\"\nimport.unit = \"m\"\nrecipe.tolerance_m = 0.001",
        )
        .unwrap();
        let start = ImportOptions { rate_hz: Some(60.0), scale: Some(2.0), ..ImportOptions::default() };
        let import = |file| config.import(start, file);
        let cm = ImportOptions { rate_hz: Some(30.0), unit: Some(LengthUnit::Centimetre), ..start };
        assert_eq!(import("walk.bvh"), start);
        assert_eq!(import("mocap/walk.bvh"), cm);
        assert_eq!(import("mocap/new/walk.bvh"), ImportOptions { unit: Some(LengthUnit::Metre), ..cm });
        assert_eq!(config.rules[0].words(), "match = \"mocap/**\": import.rate_hz = 30, import.unit = \"cm\"");
    }

    #[test]
    fn a_rule_by_tag_is_about_clips_with_such_a_tag() {
        let config = parse("[[rule]]\ntag = \"combat*\"\nclip = \"A*\"\nrecipe.tolerance_m = 0.0001").unwrap();
        let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>();
        let is_about = |clip, of: &[&str]| config.chain("a.glb", clip, &tags(of)).count() == 1;
        assert!(is_about("Attack", &["hero", "combat-near"]));
        assert!(!is_about("Attack", &["hero"]) && !is_about("Attack", &[]) && !is_about("Walk", &["combat"]));
        assert_eq!(config.rules[0].words(), "clip = \"A*\", tag = \"combat*\": tolerance_m = 0.0001");
    }

    #[test]
    fn a_budget_is_about_clips_as_a_rule_is() {
        let config = parse("[[budget]]\nmost = \"0.5MB\"\n[[budget]]\ntag = \"combat\"\nmost = \"20KB\"").unwrap();
        let [whole, tagged] = &config.budgets[..] else { panic!("two budgets") };
        assert!(whole.is_about("a.glb", "Walk", &[]) && !tagged.is_about("a.glb", "Walk", &[]));
        assert!(tagged.is_about("a.glb", "Walk", &["combat".into()]));
        assert_eq!((whole.limits, tagged.number), (BudgetLimits::of_file(1 << 19), 2));
        let both = &parse("[[budget]]\nmost = \"1MB\"\nmemory = \"20KB\"").unwrap().budgets[0];
        assert_eq!(both.limits, BudgetLimits { file: Some(1 << 20), memory: Some(20 << 10) });
        assert_eq!(both.words(), "every clip: at most 1.0 MB, 20.0 KB of memory");
        assert_eq!(whole.words(), "every clip: at most 512.0 KB");
        assert_eq!(tagged.words(), "tag = \"combat\": at most 20.0 KB");
    }

    #[test]
    fn values_of_an_earlier_codec_are_dropped_with_it() {
        let config = parse(
            "[[rule]]\nrecipe = { codec = \"quantize\", values = { rotation_format = \"largest32\" } }\n\
             [[rule]]\nmatch = \"a\"\nrecipe.codec = \"press\"",
        );
        let config = config.unwrap();
        assert_ne!(config.recipe(&Recipe::default(), ("b", ""), &[]).unwrap().values, Recipe::default().values);
        assert_eq!(config.recipe(&Recipe::default(), ("a", ""), &[]).unwrap().values, Recipe::default().values);
    }

    #[test]
    fn wrong_files_say_where_and_what_was_expected() {
        for (text, says) in [
            ("[[rule]]\nmach = \"a\"", &["rule 1", "unknown key 'mach'", "did you mean 'match'?"][..]),
            ("[[rule]]\n[[rule]]\nrecipe.tolerence_m = 1.0", &["rule 2", "did you mean 'tolerance_m'?"]),
            ("[[rule]]\nrecipe.tolerance_m = -1.0", &["rule 1", "tolerance_m"]),
            ("[[rule]]\nrecipe.codec = \"pres\"", &["rule 1", "pres", "press"]),
            ("[[rule]]\nmatch = \"a[\"", &["rule 1", "'match'"]),
            ("[[rule]]\nmatch = 3", &["rule 1", "in quotes"]),
            ("[rule]\nmatch = \"a\"", &["[[rule]]"]),
            ("[[rule]]\nimport.units = \"cm\"", &["rule 1", "did you mean 'unit'?"]),
            ("[[rule]]\nimport.unit = \"ell\"", &["rule 1", "unit", "cm"]),
            ("[[rule]]\nimport.rate_hz = -1", &["rule 1", "rate_hz"]),
            ("[[rule]]\nimport = \"cm\"", &["rule 1", "import.unit = \"cm\""]),
            ("[[rule]]\nclip = \"a\"\nimport.unit = \"cm\"", &["rule 1", "whole files"]),
            ("[gates]", &["did you mean 'gate'?"]),
            ("[gate]\nslid = \"2mm\"", &["[gate]", "did you mean 'slide'?"]),
            ("[gate]\nbaseline = 2", &["[gate]", "'baseline' must be a path"]),
            ("[gate]\nslide = 2", &["[gate]", "slide = '2'", "2mm"]),
            ("[[budget]]\nmost = \"80\"", &["budget 1", "80MB"]),
            ("[[budget]]\nmost = \"0KB\"", &["budget 1", "80MB"]),
            ("[[budget]]\nmost = \"1KB\"\n[[budget]]\nmots = \"1KB\"", &["budget 2", "did you mean 'most'?"]),
            ("[[budget]]\nmatch = \"a\"", &["budget 1", "'most' or 'memory'"]),
            ("[[budget]]\nmost = \"1KB\"\nmemory = 3", &["budget 1", "'memory' must be a size"]),
            ("[budget]\nmost = \"1KB\"", &["[[budget]]"]),
            ("[output]\nonly-beter = true", &["[output]", "did you mean 'only-better'?"]),
            ("[output]\nonly-better = 1", &["[output]", "true or false"]),
            ("[output]\none-per = \"charakter\"", &["[output]", "did you mean 'character'?"]),
            ("[output]\nformat = \"ozz-skeletn\"", &["[output]", "did you mean 'ozz-skeleton'?"]),
            ("[output]\nformat = []", &["[output]", "at least one"]),
            ("[output]\nformat = 3", &["[output]", "in quotes"]),
            ("output = 1", &["[output]"]),
            ("rule = [", &["posepress.toml"]),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with("lib/posepress.toml"), "{error}");
            assert!(says.iter().all(|words| error.contains(words)), "{text}: {error}");
        }
    }

    #[test]
    fn the_nearest_file_above_counts() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        let near = folder.path().join("a").join(CONFIG_NAME);
        std::fs::write(folder.path().join(CONFIG_NAME), "").unwrap();
        std::fs::write(&near, "").unwrap();
        assert_eq!(BatchConfig::find(&deep), Some(near.clone()));
        let config = BatchConfig::read(&near).unwrap();
        assert_eq!(config.path_below(&deep.join("walk.glb")).as_deref(), Some("b/walk.glb"));
        assert_eq!(config.path_below(Path::new("elsewhere/walk.glb")), None);
    }
}
