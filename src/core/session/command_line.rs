use super::{CONTAINER, Recipe};
use crate::export::ExportOptions;
use crate::import::ImportOptions;
use crate::settings::{ParamKind, ParamValue, Setting, Settings};
use std::path::Path;

/// What the command line is to write.
#[derive(Debug, Clone, Copy)]
pub struct ExportLine<'a> {
    /// The source file.
    pub source: &'a Path,
    /// How it is read.
    pub import: &'a ImportOptions,
    /// How its clips are compressed.
    pub recipe: &'a Recipe,
    /// How they are written.
    pub export: &'a ExportOptions,
    /// Key of the format.
    pub format: &'a str,
    /// The only clip that is written, if not all are.
    pub clip: Option<&'a str>,
    /// The file to write.
    pub output: &'a Path,
}

impl ExportLine<'_> {
    /// The words of a command that does what the window's export does. Overrides of joints and plants drawn by hand are in
    /// no option: see [`Self::is_whole`].
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
        words.extend(self.clip.into_iter().flat_map(|clip| ["--clip".to_owned(), literal_glob(clip)]));
        words
    }

    /// The words, as a shell reads them.
    pub fn text(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// True when the options say all of the recipe.
    pub fn is_whole(&self) -> bool {
        self.recipe.overrides.is_empty() && self.recipe.contacts.by_hand.is_empty()
    }
}

/// The recipe as options: what differs from the defaults.
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

/// Settings that differ from their defaults, as options.
fn options<S: Settings>(of: &S) -> Vec<String> {
    options_where(of, |_| true)
}

/// Those of them that are wanted.
fn options_where<S: Settings>(of: &S, is_wanted: impl Fn(&Setting<S>) -> bool) -> Vec<String> {
    let changed = S::ALL.iter().filter(|setting| is_wanted(setting) && setting.is_changed(of));
    changed
        .flat_map(|setting| {
            let name = format!("--{}", setting.option);
            match setting.get(of) {
                None | Some(ParamValue::Bool(false)) => Vec::new(),
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

/// A name in which no sign stands for others.
fn literal_glob(name: &str) -> String {
    let special = |c: char| "*?[]{}!\\".contains(c);
    name.chars().map(|c| if special(c) { format!("[{c}]") } else { c.to_string() }).collect()
}

/// A word as a shell takes it for one.
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
        let recipe = Recipe { tolerance_m: 0.0005, shell_from_mesh: true, ..Recipe::default() };
        let import = ImportOptions { unit: Some(LengthUnit::Centimetre), ..ImportOptions::default() };
        let mut line = ExportLine {
            source: Path::new("my walk.bvh"),
            import: &import,
            recipe: &recipe,
            export: &ExportOptions { keys: ExportKeys::Editable, ..ExportOptions::default() },
            format: CONTAINER,
            clip: None,
            output: Path::new("out/walk.posepress"),
        };
        assert_eq!(
            line.text(),
            "posepress compress 'my walk.bvh' -o out/walk.posepress --codec press --tolerance-mm 0.5 --shell-from-mesh \
             --unit cm"
        );
        line.format = "glb";
        line.clip = Some("it's [a]*");
        assert!(
            line.text().starts_with("posepress export 'my walk.bvh' --to glb --keys editable -o "),
            "{}",
            line.text()
        );
        assert!(line.text().ends_with(r"--clip 'it'\''s [[]a[]][*]'"), "{}", line.text());
        assert!(line.is_whole());
        let shipped = &ExportOptions { recipes: ExportRecipes::None, ..ExportOptions::default() };
        let line = ExportLine { export: shipped, clip: None, format: CONTAINER, ..line };
        assert!(line.text().contains("compress 'my walk.bvh' --recipes none -o "), "{}", line.text());
        let line = ExportLine { format: "glb", ..line };
        assert!(!line.text().contains("--recipes"), "{}", line.text());
    }
}
