//! Tiers: finer data of clips, in files beside the container. A clip has one level with all tiers and one level per missing tier. Each
//! level is measured on its decoded bytes.

use crate::codecs::{self, EncodedClip, Ledger, Progress, TakenOut, TierError, check_tierable, take_out_tier};
use crate::export::ExportRecipes;
use crate::format::{ContainerToWrite, TierToWrite};
use crate::model::Rig;
use crate::pipeline::archive::levels_to_write;
use crate::pipeline::encoder_limits::limits;
use crate::pipeline::hold::{Allowed, more};
use crate::pipeline::measure::{Encoded, measure_encoded};
use crate::pipeline::{CONTAINER, CompressError, MeasuredClip, Outcome, export_extension};
use crate::recipe::Recipe;
use crate::settings::{Field, OnlyIf, Range, Setting, Settings, Unit, at};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Error limits of clips without each of their tiers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TierSettings {
    /// True if clips have tiers. Default: false.
    pub on: bool,
    /// Limit of clips without their `low` tier, metres. Default 0.0005.
    pub low_m: f32,
    /// Limit of clips without both tiers, metres. 0 makes `low` the only tier. Default 0.002.
    pub medium_m: f32,
}

impl Default for TierSettings {
    fn default() -> Self {
        Self { on: false, low_m: 0.000_5, medium_m: 0.002 }
    }
}

/// The limits apply only with tiers.
const ONLY_ON: OnlyIf = ("on", &["true"]);

const LENGTH: Range = Range { min: 0.0, max: 1.0, unit: Unit::Metres, decimals: (2, 2), slider: Some((0.000_1, 0.01)) };

impl Settings for TierSettings {
    const ALL: &'static [Setting<Self>] = &[
        Setting {
            key: "on",
            option: "tiers",
            label: "Tiers",
            help: "Moves the finer data of press clips into files beside the container. A platform may leave those files out. \
                    Every level is measured.",
            field: Field::Switch(at!(on)),
            unset: None,
            in_form: true,
            only_if: None,
        },
        Setting {
            key: "low_m",
            option: "low-tier-mm",
            label: "Without low",
            help: "Error limit of a clip without its low tier. That tier's file is the first that a platform leaves out.",
            field: Field::Number(at!(low_m), Range { min: 1e-7, ..LENGTH }),
            unset: None,
            in_form: true,
            only_if: Some(ONLY_ON),
        },
        Setting {
            key: "medium_m",
            option: "medium-tier-mm",
            label: "Without both",
            help: "Error limit of a clip without its low and medium tiers. 0: low is the only tier.",
            field: Field::Number(at!(medium_m), LENGTH),
            unset: None,
            in_form: true,
            only_if: Some(ONLY_ON),
        },
    ];
}

/// Names of tiers. The one to leave out first comes first.
const NAMES: [&str; 2] = ["low", "medium"];

impl TierSettings {
    /// True for the default settings.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Names and limits of the tiers. The one to leave out first comes first. Empty if tiers are off.
    pub fn tiers(&self) -> Vec<(&'static str, f32)> {
        let all = NAMES.into_iter().zip([self.low_m, self.medium_m]);
        all.filter(|(_, limit_m)| self.on && *limit_m > 0.0).collect()
    }
}

/// Why a clip cannot have tiers.
#[derive(Debug, Error, PartialEq)]
pub enum TierFault {
    /// The clip's codec or bytes do not allow tiers.
    #[error(transparent)]
    Tier(#[from] TierError),
    /// The clip is an external result.
    #[error("was made by another tool; only clips of press have tiers")]
    External,
    /// The remaining level could not be measured.
    #[error(transparent)]
    Measure(#[from] CompressError),
}

/// A clip at one level.
#[derive(Debug, Clone)]
pub struct TierLevel {
    /// `all`, `without low`, `without low and medium`.
    pub name: String,
    /// Its error limit, metres.
    pub limit_m: f32,
    /// Its bytes, and their measured errors.
    pub outcome: Outcome,
    /// The bytes that restore the level before it. Empty for the whole clip.
    pub tier: Vec<u8>,
}

impl TierLevel {
    /// The level of a whole clip.
    pub(crate) fn whole(outcome: &Outcome) -> Self {
        let limit_m = outcome.recipe.tolerance_m;
        Self { name: level_name(&[]), limit_m, outcome: outcome.clone(), tier: Vec::new() }
    }
}

/// Most rounds with more weight on feet.
const ROUNDS: usize = 6;

/// Takes tiers out of a compressed clip and measures each level. The first level is the whole clip.
///
/// Contacts are held within the slide limit of locked contacts. A contact that slides farther than this in one level may slide as far in
/// the next. After a few rounds the last result is kept, even if a contact still exceeds its limit.
///
/// # Errors
/// See [`TierFault`].
pub fn tier_levels(
    source: &MeasuredClip,
    outcome: &Outcome,
    settings: &TierSettings,
    progress: &Progress,
) -> Result<Vec<TierLevel>, TierFault> {
    let encoding = outcome.encoding().ok_or(TierFault::External)?;
    check_tierable(encoding.codec, &encoding.encoded.bytes)?;
    let (mut out, mut left_out) = (vec![TierLevel::whole(outcome)], Vec::new());
    for (tier, limit_m) in settings.tiers() {
        left_out.push(tier);
        let before = &out[out.len() - 1].outcome;
        let (outcome, tier) = without_tier(source, before, limit_m, progress)?;
        out.push(TierLevel { name: level_name(&left_out), limit_m, outcome, tier });
    }
    Ok(out)
}

/// Takes the next tier out of a clip. Contacts that exceed their limit weigh more in the next round.
fn without_tier(
    source: &MeasuredClip,
    before: &Outcome,
    limit_m: f32,
    progress: &Progress,
) -> Result<(Outcome, Vec<u8>), TierFault> {
    let recipe = Recipe { tolerance_m: limit_m.max(before.recipe.tolerance_m), ..before.recipe.clone() };
    let allowed = Allowed::of(source, &recipe);
    let parts_before = allowed.parts(before);
    // A foot whose error is at most half the slide limit cannot slide farther than the limit.
    let least = (2.0 * limit_m / allowed.slide_m.max(f32::MIN_POSITIVE)).max(1.0);
    let mut weights = vec![least; parts_before.len()];
    let mut found = None;
    for _ in 0..ROUNDS {
        let limits = limits(source, &recipe, &weights);
        let taken = take_out(source, before, &limits.source(&source.rig.skeleton, &source.clip, limit_m), progress)?;
        let outcome = measure_taken(source, &recipe, before, taken.clip, progress)?;
        let parts = allowed.parts(&outcome);
        let over = |i: usize| parts[i] > parts_before[i].max(1.0);
        let is_held = (0..parts.len()).all(|i| !over(i));
        for i in (0..parts.len()).filter(|i| over(*i)) {
            weights[i] *= more(parts[i]);
        }
        found = Some((outcome, taken.tier));
        if is_held {
            break;
        }
    }
    Ok(found.expect("there is a first round"))
}

fn take_out(
    source: &MeasuredClip,
    before: &Outcome,
    limits: &codecs::Source<'_>,
    progress: &Progress,
) -> Result<TakenOut, TierFault> {
    let encoding = before.encoding().ok_or(TierFault::External)?;
    Ok(take_out_tier(limits, source.raw.sub_frames(), encoding.codec.id(), &encoding.encoded.bytes, progress)?)
}

/// Opens and measures bytes without a tier.
fn measure_taken(
    source: &MeasuredClip,
    recipe: &Recipe,
    before: &Outcome,
    bytes: Vec<u8>,
    progress: &Progress,
) -> Result<Outcome, TierFault> {
    let encoding = before.encoding().ok_or(TierFault::External)?;
    let compensation = encoding.encoded.compensation;
    let encoded = EncodedClip { bytes, ledger: Ledger::default(), kept: Vec::new(), compensation };
    let encoded = Encoded { codec: encoding.codec, encoded, encode_secs: None, candidates: Vec::new() };
    let mut outcome = measure_encoded(source, recipe, encoded, progress)?;
    // Every level is judged by the limits of the whole clip.
    outcome.report.limits = before.report.limits;
    Ok(outcome)
}

/// `without low and medium`.
fn level_name(left_out: &[&str]) -> String {
    match left_out {
        [] => "all".into(),
        tiers => format!("without {}", tiers.join(" and ")),
    }
}

/// A container of clips without their tiers, and the files of the tiers. A reader puts them back in this order.
#[derive(Debug)]
pub struct TieredFiles<'a> {
    /// The file for every platform.
    pub container: ContainerToWrite<'a>,
    /// Name and file of each tier.
    pub tiers: Vec<(&'static str, TierToWrite<'a>)>,
}

/// Extension of tier files, without the dot.
pub const TIER_EXTENSION: &str = "posepress-tier";

/// The file of a tier beside its container: `walk.low.posepress-tier` for `walk.posepress`.
pub fn tier_path(container: &Path, name: &str) -> PathBuf {
    container.with_extension(format!("{name}.{TIER_EXTENSION}"))
}

/// The container of a tier's file: `walk.posepress` for `walk.low.posepress-tier`.
pub fn container_of_tier(tier: &Path) -> PathBuf {
    tier.with_extension("").with_extension(export_extension(CONTAINER).unwrap_or_default())
}

/// True for the name of a tier file.
pub fn is_tier_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(TIER_EXTENSION))
}

/// The files of clips with their levels. All must have the same tier settings.
pub fn tiered_files<'a>(
    rig: &'a Rig,
    clips: &[(&'a str, &'a [TierLevel])],
    settings: &TierSettings,
    recipes: ExportRecipes,
) -> TieredFiles<'a> {
    let mut tiers = Vec::new();
    for (number, (name, limit_m)) in settings.tiers().into_iter().enumerate() {
        let of_clips = clips.iter().map(|(_, levels)| levels.get(number + 1).map_or(&[][..], |level| &level.tier));
        tiers.push((name, limit_m, TierToWrite::new(name, of_clips.collect())));
    }
    // The tier that was taken out last is put back first.
    tiers.reverse();
    let marks = tiers.iter().map(|(_, limit_m, file)| file.mark(*limit_m)).collect();
    let named = clips.iter().filter_map(|(name, levels)| Some((*name, levels.first()?, levels.last()?)));
    let container =
        levels_to_write(rig, named.map(|(name, whole, left)| (name, &whole.outcome, &left.outcome)), recipes);
    let container = container.with_tiers(marks);
    TieredFiles { container, tiers: tiers.into_iter().map(|(name, _, file)| (name, file)).collect() }
}
