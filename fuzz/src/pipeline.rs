//! The whole pipeline of a clip with every setting of the program: import, fix, mark, move to another rig, compress, measure,
//! judge, archive, read back, measure again, take out tiers, export.
//!
//! Settings come from the program's tables, so a new setting is fuzzed without a change here.

#[path = "dice.rs"]
mod dice;

use dice::Dice;
use posepress_core::codecs::{CODECS, Codec, Compensation, ParamValues, Progress};
use posepress_core::export::{ExportOptions, ExportRecipes, ExportTarget};
use posepress_core::import::{ChosenFixes, Fix, Fixer, IMPORTERS, ImportOptions, Imported, import_bytes};
use posepress_core::lod::{LodLevel, Platform};
use posepress_core::metrics::{ContactSettings, ErrorReport, FootContacts};
use posepress_core::model::{Additive, BaseOf, Clip, Holds, Rig, SourceDigest};
use posepress_core::pipeline::{
    Archive, BudgetClip, BudgetLimits, BudgetRig, EXPORT_FORMATS, ExternalClip, MeasuredClip, Outcome, RigMatch,
    TierSettings, archive_to_write, compress, export_each, fit_budget, measure_archived, measure_lods,
    measure_vertices, tier_levels, tiered_files,
};
use posepress_core::project::Alignment;
use posepress_core::recipe::{JointOverride, Recipe};
use posepress_core::report::{
    ClipReport, LodRow, Screen, Sides, WhySlide, fitted_lods, override_costs, worst_complaint,
};
use posepress_core::tasks::Bases;
use std::path::Path;
use std::sync::Arc;

/// Number of bytes that choose the kind of file and all settings. The file follows them.
pub const CHOICES: usize = 128;
/// Larger clips are skipped, so that each input runs quickly.
const MAX_JOINT_SAMPLES: usize = 4_000;
/// Clips with more vertices times samples are skipped.
const MAX_VERTEX_SAMPLES: usize = 400_000;
/// Larger clips do not run the budget fit.
const MAX_BUDGET_JOINT_SAMPLES: usize = 200;
/// A rig to which clips are moved.
const OTHER_RIG: &str = "HIERARCHY\nROOT root\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT a\n{\nOFFSET 0 1 0\n\
                         CHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\nEnd Site\n{\n\
                         OFFSET 0 1 0\n}\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 0\n";

/// Runs the whole pipeline on the first small clip of a file.
///
/// # Panics
/// If any part of the program panics, or if a measurement of the written file differs from the one before.
pub fn run(data: &[u8]) {
    let Some((choices, file)) = data.split_at_checked(CHOICES) else { return };
    let mut dice = Dice(choices);
    let extension = *dice.one_of(&IMPORTERS.iter().flat_map(|i| i.extensions()).collect::<Vec<_>>());
    let codec = *dice.one_of(CODECS);
    let path = Path::new("no-such-folder").join("fuzz").with_extension(extension);
    let Ok(imported) = import_bytes(&path, file, &dice.settings::<ImportOptions>()) else { return };
    let Some((rig, clip)) = prepared(&mut dice, imported) else { return };
    let Some(recipe) = recipe(&mut dice, codec) else { return };
    let screen: Screen = dice.settings();
    let tiers: TierSettings = dice.settings();
    let alignment: Alignment = dice.settings();
    let format = dice.one_of(&EXPORT_FORMATS).key;
    let target = ExportTarget { options: dice.settings::<ExportOptions>(), ..ExportTarget::default() };

    judged_beside_itself(&rig, &clip, &recipe, alignment);
    let platform: Platform = dice.settings();
    let level: LodLevel = dice.settings();
    let platform = Platform { levels: vec![LodLevel::default(), level], ..platform };
    compressed(&rig, &clip, &recipe, &screen, (&platform, &tiers, target.options.recipes));
    if dice.roll() % 8 == 1 && clip.samples() * clip.joints() <= MAX_BUDGET_JOINT_SAMPLES {
        let (name, recipe) = (clip.name().to_owned(), recipe.clone());
        let of = [BudgetClip { name, file: 0, rig: BudgetRig::of(&rig), recipe, is_fixed: false }];
        let source: Arc<[_]> = [(rig.clone(), clip.clone())].into();
        let mut limit = || (dice.roll() % 2 == 0).then(|| 40 * usize::from(dice.roll()));
        let limits = BudgetLimits { file: limit(), memory: limit() };
        let _ = fit_budget((&of, &source), limits, target.options.recipes, &(), &Progress::new());
    }
    let exported = export_each(&rig, &[(clip, recipe.into())], format, &target, &Progress::new());
    if let Some(file) = exported.ok().and_then(|export| export.file) {
        assert!(!file.bytes.is_empty(), "nothing was exported to {format}");
    }
}

/// Contacts of a random joint, which may be no foot.
fn drawn_contacts(dice: &mut Dice<'_>, rig: &Rig) -> Vec<FootContacts> {
    let joint = rig.skeleton.name(usize::from(dice.roll()) % rig.skeleton.len()).to_owned();
    let start_secs = f32::from(dice.roll()) / 64.0;
    let spans_secs = vec![[start_secs, start_secs + f32::from(dice.roll()) / 64.0]];
    if dice.flip() { vec![FootContacts { joint, spans_secs }] } else { Vec::new() }
}

/// The first small clip after random edits: fixed, marked, moved to another rig, put on its base, looping or not.
fn prepared(dice: &mut Dice<'_>, imported: Imported) -> Option<(Arc<Rig>, Arc<Clip>)> {
    let rig = Arc::new(imported.rig);
    let fixes = ChosenFixes::new(dice.some_of(&Fix::ALL).into_iter().collect(), &drawn_contacts(dice, &rig));
    let additive = additive(dice, &imported.clips);
    let (goes_elsewhere, is_looping) = (dice.flip(), dice.flip());
    let clip = imported.clips.iter().find(|clip| is_small(&rig, clip))?;
    let fixer = Fixer::new(&rig, &imported.clips);
    let fixed = fixer.fixed(clip, &fixes).ok()?.clip;
    let marked = if additive.is_some() { fixed.said_to_be(additive) } else { fixed };
    let mut bases = Bases::default();
    let (rig, clip) = match goes_elsewhere.then(|| on_other_rig(&rig, &marked)).flatten() {
        Some(elsewhere) => elsewhere,
        None => {
            let all: Vec<Arc<Clip>> = imported.clips.into_iter().map(Arc::new).collect();
            bases.add(&SourceDigest::of(b"fuzz"), &rig, &all);
            (rig, marked)
        }
    };
    let on_base = clip.on_base(&rig.skeleton, |name| bases.find(0, name)).ok().flatten();
    let clip = on_base.unwrap_or(clip);
    let looping = is_looping && clip.can_loop();
    Some((rig, Arc::new(clip.with_looping(looping))))
}

fn additive(dice: &mut Dice<'_>, clips: &[Clip]) -> Option<Additive> {
    let (kind, holds) = (dice.roll() % 5, *dice.one_of(&[Holds::Differences, Holds::Poses]));
    let name = clips.get(usize::from(dice.roll()) % clips.len().max(1)).map_or("walk", |clip| clip.name()).to_owned();
    let base = match kind {
        1 => BaseOf::Nothing,
        2 => BaseOf::Bind,
        3 => BaseOf::FirstPose(name),
        4 => BaseOf::Clip(name),
        _ => return None,
    };
    Some(Additive { base, holds })
}

fn on_other_rig(rig: &Rig, clip: &Clip) -> Option<(Arc<Rig>, Clip)> {
    let other = import_bytes("rig.bvh".as_ref(), OTHER_RIG.as_bytes(), &ImportOptions::default()).expect("a rig");
    let matched = RigMatch::new(&other.rig, rig);
    matched.check().ok()?;
    let clip = matched.put_on(clip).ok()?;
    Some((Arc::new(other.rig), clip))
}

fn is_small(rig: &Rig, clip: &Clip) -> bool {
    clip.samples() * clip.joints() <= MAX_JOINT_SAMPLES && clip.samples() * rig.vertex_count() <= MAX_VERTEX_SAMPLES
}

/// Compares a clip with a shifted copy of itself, as `compare` and the window do with another tool's file.
fn judged_beside_itself(rig: &Arc<Rig>, clip: &Arc<Clip>, recipe: &Recipe, alignment: Alignment) {
    let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
    let external = ExternalClip::beside(clip, ("fuzz".into(), clip.clone()), 1, f64::from(alignment.offset_secs));
    let _ = external.judge(&source, recipe);
}

/// Compresses a clip. The clip that is read back from the written file must have the error that was measured before.
fn compressed(
    rig: &Arc<Rig>,
    clip: &Arc<Clip>,
    recipe: &Recipe,
    screen: &Screen,
    (platform, tiers, kept): (&Platform, &TierSettings, ExportRecipes),
) {
    let progress = Progress::new();
    let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
    let Ok(mut outcome) = compress(&source, recipe, &progress) else { return };
    let file = archive_to_write(rig, &[(clip.name(), &outcome)], ExportRecipes::Kept).to_bytes();
    let archive = Archive::open(&file, Some(rig)).expect("an archive that was just written is whole");
    let again = measure_archived(&source, &archive.clips()[0]).expect("and so is its clip");
    let figures = |report: &ErrorReport| [report.samples.worst.error_m, report.between.worst.error_m].map(f32::to_bits);
    assert_eq!(figures(&outcome.report), figures(&again.report), "{recipe:?}: the file is not what was measured");
    let _ = measure_vertices(&source, &mut outcome, &progress);
    judged(&source, &outcome, screen);
    let levels = measure_lods(&source, &outcome, (platform, tiers), &progress);
    let rows = LodRow::of(platform, rig, screen, &levels);
    assert!(fitted_lods(platform, [&rows[..]]).validated().is_ok(), "{platform:?} {rows:?}");
    if let Ok(levels) = tier_levels(&source, &outcome, tiers, &progress) {
        let files = tiered_files(rig, &[(clip.name(), &levels)], tiers, kept);
        Archive::open(&files.container.to_bytes(), Some(rig)).expect("a container without its tiers is whole");
    }
    let _ = override_costs(&Sides::new("fuzz", source, outcome), &progress);
}

/// Runs every judgement of an outcome.
fn judged(source: &MeasuredClip, outcome: &Outcome, screen: &Screen) {
    let report = ClipReport::new("fuzz", source.clip.name(), source, outcome);
    let _ = report.passes();
    let _ = WhySlide::worst(source, outcome);
    let _ = worst_complaint(&outcome.report);
    let _ = report.on_screen(screen);
}

/// A recipe of a codec with random settings. `None` if the settings are invalid together.
fn recipe(dice: &mut Dice<'_>, codec: &'static dyn Codec) -> Option<Recipe> {
    let mut values = ParamValues::new();
    for param in codec.params() {
        if dice.flip() {
            values.set(codec.params(), param.key, dice.value(param)).expect("within its range");
        }
    }
    let contacts: ContactSettings = dice.settings();
    let compensation: Compensation = dice.settings();
    let overrides = (0..dice.roll() % 3).map(|_| joint_override(dice, codec)).collect();
    let recipe = Recipe { codec, values, overrides, contacts, compensation, ..dice.settings::<Recipe>() };
    recipe.validated().ok()
}

fn joint_override(dice: &mut Dice<'_>, codec: &dyn Codec) -> JointOverride {
    let mut one: JointOverride = dice.settings();
    one.joint = (*dice.one_of(&["*", "root", "a", "b*"])).to_owned();
    one.span_secs = dice.flip().then(|| [dice.roll(), dice.roll()].map(|tenths| f32::from(tenths) / 10.0));
    if dice.flip() && !codec.params().is_empty() {
        let param = dice.one_of(codec.params());
        let value = dice.value(param);
        one.set.insert(param.key.into(), value);
    }
    one
}
