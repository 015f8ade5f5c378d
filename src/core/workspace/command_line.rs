use crate::export::ExportOptions;
use crate::import::{Fix, ImportOptions};
use crate::model::{Additive, BaseOf, Holds};
use crate::pipeline::{CONTAINER, TierSettings};
use crate::recipe::Recipe;
use crate::settings::{ParamKind, ParamValue, Setting, Settings};
use std::path::{Path, PathBuf};

/// A command, word by word.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandLine {
    /// The words. The program comes first.
    pub words: Vec<String>,
    /// True if the command does everything that the window does. Otherwise some settings have no option.
    pub is_whole: bool,
}

impl CommandLine {
    /// The command for a shell.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Choices about the clips of a source, besides its import options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceWords {
    /// The file whose rig they move.
    pub rig: Option<PathBuf>,
    /// Fixes for all of them.
    pub fixes: Vec<Fix>,
    /// Names of additive clips, with their bases.
    pub additive: Vec<(String, Additive)>,
}

impl SourceWords {
    fn options(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.rig.iter().flat_map(|rig| ["--rig".to_owned(), rig.display().to_string()]));
        words.extend(self.fixes.iter().flat_map(|fix| ["--fix".to_owned(), fix.option().key.to_owned()]));
        for (clip, Additive { base, holds }) in &self.additive {
            let option = match holds {
                Holds::Differences => "--additive",
                Holds::Poses => "--make-additive",
            };
            let base = match base {
                BaseOf::Nothing => "nothing".to_owned(),
                BaseOf::Bind => "bind".to_owned(),
                BaseOf::FirstPose(clip) => format!("first:{clip}"),
                BaseOf::Clip(clip) => format!("clip:{clip}"),
            };
            words.extend([option.to_owned(), format!("{}={base}", literal_glob(clip))]);
        }
        words
    }
}

/// The inputs of an export's command line.
#[derive(Debug, Clone, Copy)]
pub struct ExportLine<'a> {
    /// The source file.
    pub source: &'a Path,
    /// Import options.
    pub import: &'a ImportOptions,
    /// Choices about its clips.
    pub said: &'a SourceWords,
    /// The recipe.
    pub recipe: &'a Recipe,
    /// Export options.
    pub export: &'a ExportOptions,
    /// Settings for tiers.
    pub tiers: &'a TierSettings,
    /// Key of the format.
    pub format: &'a str,
    /// The clip, if only one is written.
    pub clip: Option<&'a str>,
    /// The file to write.
    pub output: &'a Path,
}

impl ExportLine<'_> {
    /// The words of a command that does the same as the window's export. There are no options for joint overrides and contacts drawn by
    /// hand: see [`Self::is_whole`].
    pub fn words(&self) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        let mut words = vec!["posepress".to_owned()];
        match self.format {
            CONTAINER => words.extend(["compress".into(), path(self.source)]),
            format => words.extend(["export".into(), path(self.source), "--to".into(), format.into()]),
        }
        let is_container = self.format == CONTAINER;
        words.extend(options_where(self.export, |s| ExportOptions::is_of_containers(s) == is_container));
        words.extend(["-o".into(), path(self.output)]);
        words.extend(recipe_options(self.recipe));
        words.extend(options(self.import));
        words.extend(self.said.options());
        if self.format == CONTAINER && self.tiers.on {
            words.extend(options(self.tiers));
        }
        words.extend(self.clip.into_iter().flat_map(|clip| ["--clip".to_owned(), literal_glob(clip)]));
        words
    }

    /// True if the options cover the whole recipe.
    pub fn is_whole(&self) -> bool {
        self.recipe.overrides.is_empty() && self.recipe.contacts.by_hand.is_empty()
    }
}

/// The recipe as options, without defaults.
pub fn recipe_options(recipe: &Recipe) -> Vec<String> {
    let mut words = vec!["--codec".to_owned(), recipe.codec.name().to_owned()];
    for (key, value) in recipe.values.changed() {
        words.extend(["--set".to_owned(), format!("{key}={value}")]);
    }
    words.extend(options(recipe));
    words.extend(options(&recipe.compensation));
    words.extend(options(&recipe.contacts));
    words
}

/// Settings as options, without defaults.
fn options<S: Settings>(of: &S) -> Vec<String> {
    options_where(of, |_| true)
}

/// The accepted settings as options, without defaults.
fn options_where<S: Settings>(of: &S, is_wanted: impl Fn(&Setting<S>) -> bool) -> Vec<String> {
    let changed = S::ALL.iter().filter(|setting| is_wanted(setting) && setting.is_changed(of));
    changed
        .flat_map(|setting| {
            let name = format!("--{}", setting.option);
            match setting.get(of) {
                None => Vec::new(),
                Some(ParamValue::Bool(false)) => vec![format!("{name}=false")],
                Some(ParamValue::Bool(true)) => vec![name],
                Some(ParamValue::Lines(lines)) => lines.into_iter().flat_map(|line| [name.clone(), line]).collect(),
                Some(ParamValue::Float(number)) => {
                    let shown = match setting.param().kind {
                        ParamKind::Float { unit, .. } => unit.shown(number),
                        _ => number,
                    };
                    vec![name, shown.to_string()]
                }
                Some(value) => vec![name, value.to_string()],
            }
        })
        .collect()
}

/// A pattern that matches exactly this name.
fn literal_glob(name: &str) -> String {
    let special = |c: char| "*?[]{}!\\".contains(c);
    name.chars().map(|c| if special(c) { format!("[{c}]") } else { c.to_string() }).collect()
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{ExportKeys, ExportRecipes};
    use crate::import::LengthUnit;

    #[test]
    fn a_line_says_what_differs_from_the_defaults_and_shells_read_it() {
        let text = |line: &ExportLine<'_>| CommandLine { words: line.words(), is_whole: true }.text();
        let recipe = Recipe { tolerance_m: 0.0005, shell_from_mesh: false, ..Recipe::default() };
        let import = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
        let mut line = ExportLine {
            source: Path::new("my walk.bvh"),
            import: &import,
            said: &SourceWords::default(),
            tiers: &TierSettings::default(),
            recipe: &recipe,
            export: &ExportOptions { keys: ExportKeys::Editable, ..ExportOptions::default() },
            format: CONTAINER,
            clip: None,
            output: Path::new("out/walk.posepress"),
        };
        assert_eq!(
            text(&line),
            "posepress compress 'my walk.bvh' -o out/walk.posepress --codec press --tolerance-mm 0.5 --shell-from-mesh=false \
             --unit cm"
        );
        line.format = "glb";
        line.clip = Some("it's [a]*");
        assert!(
            text(&line).starts_with("posepress export 'my walk.bvh' --to glb --keys editable -o "),
            "{}",
            text(&line)
        );
        assert!(text(&line).ends_with(r"--clip 'it'\''s [[]a[]][*]'"), "{}", text(&line));
        assert!(line.is_whole());
        let said = SourceWords {
            rig: Some("hero.glb".into()),
            fixes: vec![Fix::ALL[0]],
            additive: vec![("aim [up]".into(), Additive::TO_BIND)],
        };
        let tiers = TierSettings { on: true, medium_m: 0.004, ..TierSettings::default() };
        let line = ExportLine { said: &said, tiers: &tiers, format: CONTAINER, clip: None, ..line };
        let fix = Fix::ALL[0].option().key;
        let end = format!("--rig hero.glb --fix {fix} --additive 'aim [[]up[]]=bind' --tiers --medium-tier-mm 4");
        assert!(text(&line).ends_with(&end), "{}", text(&line));
        let shipped = &ExportOptions { recipes: ExportRecipes::None, ..ExportOptions::default() };
        let line = ExportLine { export: shipped, clip: None, format: CONTAINER, ..line };
        assert!(text(&line).contains("--recipes none"), "{}", text(&line));
        let line = ExportLine { format: "glb", ..line };
        assert!(!text(&line).contains("--recipes"), "{}", text(&line));
    }
}
