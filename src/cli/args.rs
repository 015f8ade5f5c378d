use super::Failure;
use super::setting_args::{CompensationGroup, Contacts, Limits, SettingArgs, Source, Space};
use clap::Args;
use globset::Glob;
use posepress_core::batch::{ClipPattern, is_chosen};
use posepress_core::codecs::{CANDIDATE_LINES, Candidate, ParamKind};
use posepress_core::files;
use posepress_core::import::{Fix, ImportOptions};
use posepress_core::model::{Additive, BaseOf, Holds};
use posepress_core::recipe::Recipe;
use posepress_core::view::{SharedView, SharedViewError};
use std::path::{Path, PathBuf};

/// Import options of source files, the same for every command.
#[derive(Debug, Clone, PartialEq, Default, Args)]
#[command(next_help_heading = "Source")]
pub struct SourceArgs {
    #[command(flatten)]
    settings: SettingArgs<Source>,
    /// File whose rig and meshes play the clips, matched by joint names; --unit and --up do not apply to it.
    #[arg(long, value_name = "FILE")]
    pub rig: Option<PathBuf>,
    /// Fix findings of the import checks before anything else; `posepress info` names the fix for each finding.
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = fix_of_key)]
    pub fix: Vec<Fix>,
    /// Clips that are additive. CLIP is a pattern such as 'Lean*'. BASE is 'bind', 'first:CLIP', or a CLIP of any file read that plays
    /// along; 'nothing' if the file marks a clip as additive that is not. Repeatable.
    #[arg(long, value_name = "CLIP=BASE", value_parser = additive_rule)]
    pub additive: Vec<AdditiveRule>,
    /// Clips that hold full poses and shall be stored as differences from BASE. Repeatable.
    #[arg(long, value_name = "CLIP=BASE", value_parser = additive_rule)]
    pub make_additive: Vec<AdditiveRule>,
}

/// The base that clips with matching names are added to.
#[derive(Debug, Clone, PartialEq)]
pub struct AdditiveRule {
    /// Pattern of clip names.
    pub clips: Glob,
    /// Their base.
    pub base: BaseOf,
}

fn additive_rule(text: &str) -> Result<AdditiveRule, String> {
    let (clips, base) = text.split_once('=').ok_or("expected CLIP=BASE")?;
    let base = match base.trim() {
        "" => return Err("expected CLIP=BASE, BASE being bind, first:CLIP, a clip or nothing".into()),
        "bind" => BaseOf::Bind,
        "nothing" => BaseOf::Nothing,
        name => match name.strip_prefix("first:") {
            Some(name) => BaseOf::FirstPose(name.into()),
            None => BaseOf::Clip(name.strip_prefix("clip:").unwrap_or(name).into()),
        },
    };
    Ok(AdditiveRule { clips: glob(clips.trim())?, base })
}

fn fix_of_key(key: &str) -> Result<Fix, String> {
    let keys = Fix::ALL.map(|fix| fix.option().key);
    let found = Fix::ALL.into_iter().find(|fix| fix.option().key == key);
    found.ok_or_else(|| format!("expected one of: {}", keys.join(", ")))
}

/// Units and axes of a file.
pub type SpaceArgs = SettingArgs<Space>;

/// The measurement and the limits of errors, for every codec.
pub type LimitArgs = SettingArgs<Limits>;

impl SourceArgs {
    /// Options for the importers.
    pub fn options(&self) -> ImportOptions {
        self.settings.apply(ImportOptions::default())
    }

    /// The additive mark of a clip with that name; the last matching rule counts.
    pub fn additive(&self, clip: &str) -> Option<Additive> {
        let of = |rules: &[AdditiveRule], holds: Holds| {
            let rule = rules.iter().rev().find(|rule| rule.clips.compile_matcher().is_match(clip))?;
            Some(Additive { base: rule.base.clone(), holds })
        };
        of(&self.make_additive, Holds::Poses).or_else(|| of(&self.additive, Holds::Differences))
    }
}

/// The settings for compressing and judging clips.
#[derive(Debug, Clone, PartialEq, Default, Args)]
#[command(next_help_heading = "Recipe")]
pub struct RecipeArgs {
    /// Recipe file. The options below override it.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["codec", "set", "candidates"])]
    pub recipe: Option<PathBuf>,
    /// Codec name, with a preset after a colon; `posepress codecs` lists them.
    #[arg(long, value_name = "ID[:PRESET]")]
    pub codec: Option<String>,
    /// One parameter of the codec, in SI units. Repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
    /// Candidates of the codec `automatic`, one per line; `posepress codecs automatic` prints such a list.
    #[arg(long, value_name = "FILE")]
    pub candidates: Option<PathBuf>,
    /// The measurement and the limits of errors.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The compensation of the codec's error.
    #[command(flatten)]
    pub compensation: SettingArgs<CompensationGroup>,
    /// The detection and the limits of contacts.
    #[command(flatten)]
    pub contacts: SettingArgs<Contacts>,
}

impl RecipeArgs {
    /// The recipe, with every value checked.
    pub fn recipe(&self) -> Result<Recipe, Failure> {
        let mut recipe = match &self.recipe {
            Some(path) => read_recipe(path)?,
            None => self.chosen()?,
        };
        let params = recipe.codec.params();
        if let Some(path) = &self.candidates {
            read_candidates(path, &mut recipe)?;
        }
        for (key, value) in &self.set {
            recipe.values.set_text(params, key, value).map_err(Failure::usage)?;
        }
        recipe.compensation = self.compensation.apply(recipe.compensation);
        recipe.contacts = self.contacts.apply(recipe.contacts);
        self.limits.apply(recipe).validated().map_err(Failure::usage)
    }

    /// Codec and preset of the options. With only a list of candidates, the codec is `automatic`.
    fn chosen(&self) -> Result<Recipe, Failure> {
        let codec = self.codec.as_deref().or(self.candidates.is_some().then_some("automatic"));
        codec.map_or(Ok(Recipe::default()), Recipe::chosen).map_err(Failure::usage)
    }

    /// True if no option about compression was given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a recipe file. Errors start with its path.
pub fn read_recipe(path: &Path) -> Result<Recipe, Failure> {
    let text = files::read_text(path).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    Recipe::from_toml(&text).map_err(|e| Failure::input(format!("{}: {e}", path.display())))
}

/// Reads a list of candidates. Errors name the file and the line.
fn read_candidates(path: &Path, recipe: &mut Recipe) -> Result<(), Failure> {
    let params = recipe.codec.params();
    let list = params.iter().find(|p| p.kind == ParamKind::Lines(&CANDIDATE_LINES));
    let list = list.ok_or_else(|| Failure::usage(format!("'{}' takes no list of candidates", recipe.codec.name())))?;
    let text = files::read_text(path).map_err(|e| Failure::file(path, e))?;
    // Checked with the empty lines, so that line numbers in errors are those of the file.
    Candidate::parse_list(text.lines()).map_err(|e| Failure::file(path, e))?;
    recipe.values.set_text(params, list.key, &text).map_err(|e| Failure::file(path, e))
}

/// The clips to work on.
#[derive(Debug, Clone, PartialEq, Default, Args)]
#[command(next_help_heading = "Source")]
pub struct ClipArgs {
    /// Only clips whose name matches, such as 'Walk*'. Repeatable.
    #[arg(long, value_name = "GLOB")]
    pub clip: Vec<ClipPattern>,
}

impl ClipArgs {
    /// A test for the names of chosen clips.
    pub fn filter(&self) -> impl Fn(&str) -> bool {
        |name| is_chosen(&self.clip, name)
    }

    /// The patterns as text, for messages.
    pub fn patterns(&self) -> String {
        self.clip.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Width and height of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// Reads `1920x1080`.
pub fn size(text: &str) -> Result<Size, String> {
    const RANGE: std::ops::RangeInclusive<u32> = 16..=8192;
    let parse = |t: &str| t.parse().ok().filter(|n| RANGE.contains(n));
    text.split_once(['x', 'X'])
        .and_then(|(w, h)| Some(Size { width: parse(w)?, height: parse(h)? }))
        .ok_or_else(|| "expected WIDTHxHEIGHT such as 1920x1080, each from 16 to 8192".into())
}

/// Reads a shared view, or the file that holds it.
pub fn view_text(text: &str) -> Result<SharedView, String> {
    if SharedView::is_one(text) {
        return text.parse().map_err(|error: SharedViewError| error.to_string());
    }
    let held = files::read_text(text.as_ref());
    let held = held.map_err(|error| format!("expected a view from 'Copy view', or a file that holds one: {error}"))?;
    held.parse().map_err(|error: SharedViewError| error.to_string())
}

fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|e| e.kind().to_string())
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().into(), value.trim().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};
    use posepress_core::codecs::{CODECS, CompensationMethod};
    use posepress_core::workspace::recipe_options;

    #[test]
    fn the_options_that_the_window_writes_for_a_recipe_are_read_as_that_recipe() {
        for codec in CODECS {
            let presets = codec.info().presets.iter().map(|preset| preset.values(codec.params()).unwrap());
            for values in presets.chain([Default::default()]) {
                let mut recipe = Recipe { values, tolerance_m: 0.000_5, shell_from_mesh: false, ..Recipe::of(*codec) };
                recipe.contacts.ground_m = Some(-0.02);
                recipe.contacts.extra_joints = vec!["paw left".into(), "tail".into()];
                recipe.compensation.method = CompensationMethod::InPlace;
                let command = RecipeArgs::augment_args(Command::new("test").no_binary_name(true));
                let matches = command.try_get_matches_from(recipe_options(&recipe)).unwrap();
                assert_eq!(RecipeArgs::from_arg_matches(&matches).unwrap().recipe().unwrap(), recipe);
            }
        }
    }

    #[test]
    fn sizes_and_pairs() {
        assert_eq!(size("1920x1080"), Ok(Size { width: 1920, height: 1080 }));
        assert!(size("1920").is_err() && size("0x10").is_err() && size("99999x100").is_err());
        assert_eq!(key_value("a = b=c"), Ok(("a".into(), "b=c".into())));
        assert!(key_value("a").is_err());
    }
}
