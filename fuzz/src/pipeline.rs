//! The whole way of a clip: import, compress with some recipe, measure, archive, read back, measure again, export.

use posepress_core::codecs::{CompensationMethod, ParamValue, ParamValues, Progress, encoders};
use posepress_core::import::{IMPORTERS, ImportOptions, import_bytes};
use posepress_core::metrics::ErrorReport;
use posepress_core::model::{Clip, Rig};
use posepress_core::session::{
    Archive, EXPORT_FORMATS, MeasuredClip, Recipe, compress, export_clips, measure_archived, write_archive,
};
use posepress_core::settings::ParamKind;
use std::path::Path;
use std::sync::Arc;

/// Bytes that choose the kind of file and the recipe; the file follows.
pub const CHOICES: usize = 32;
/// Larger clips are left alone: an input is to take a moment.
const MAX_JOINT_SAMPLES: usize = 4_000;
/// And so are clips of many vertices at many samples.
const MAX_VERTEX_SAMPLES: usize = 400_000;

/// Runs the whole way on the first clip of a file.
///
/// # Panics
/// Where any part of the program does, or where what was measured does not hold of what was written.
pub fn run(data: &[u8]) {
    let Some((choices, file)) = data.split_at_checked(CHOICES) else { return };
    let mut dice = Dice(choices);
    let extension = *dice.one_of(&IMPORTERS.iter().flat_map(|i| i.extensions()).collect::<Vec<_>>());
    let path = Path::new("no-such-folder").join("fuzz").with_extension(extension);
    let Ok(imported) = import_bytes(&path, file, &ImportOptions::default()) else { return };
    let rig = Arc::new(imported.rig);
    let Some(clip) = imported.clips.into_iter().find(|clip| is_small(&rig, clip)) else { return };
    let (clip, recipe) = (Arc::new(clip), recipe(&mut dice));
    compressed(&rig, &clip, &recipe);
    let format = dice.one_of(&EXPORT_FORMATS).key;
    if let Ok(bytes) = export_clips(&rig, &[clip], &recipe, format, &Default::default(), &Progress::new()) {
        assert!(!bytes.is_empty(), "nothing was exported to {format}");
    }
}

fn is_small(rig: &Rig, clip: &Clip) -> bool {
    clip.samples() * clip.joints() <= MAX_JOINT_SAMPLES && clip.samples() * rig.vertex_count() <= MAX_VERTEX_SAMPLES
}

/// What the file says of a clip must be what was said when it was compressed: nothing is called kept that is not.
fn compressed(rig: &Arc<Rig>, clip: &Arc<Clip>, recipe: &Recipe) {
    let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
    let Ok(outcome) = compress(&source, recipe, &Progress::new()) else { return };
    let file = write_archive(rig, &[(clip.name(), &outcome)]);
    let archive = Archive::open(&file, Some(rig)).expect("an archive that was just written is whole");
    let again = measure_archived(&source, &archive.clips()[0]).expect("and so is its clip");
    let figures = |report: &ErrorReport| [report.samples.worst.error_m, report.between.worst.error_m].map(f32::to_bits);
    assert_eq!(figures(&outcome.report), figures(&again.report), "{recipe:?}: the file is not what was measured");
}

fn recipe(dice: &mut Dice<'_>) -> Recipe {
    let codec = *dice.one_of(&encoders().collect::<Vec<_>>());
    let mut values = ParamValues::new();
    for param in codec.params() {
        let value = match param.kind {
            ParamKind::Bool { .. } => ParamValue::Bool(dice.roll() & 1 == 1),
            ParamKind::Choice { options, .. } => ParamValue::Choice(dice.one_of(options).key.into()),
            ParamKind::Int { min, max, .. } => ParamValue::Int(min + (max - min) * i64::from(dice.roll()) / 255),
            ParamKind::Float { min, max, .. } => ParamValue::Float(min + (max - min) * dice.part()),
            ParamKind::Lines(_) => continue,
        };
        values.set(codec.params(), param.key, value).expect("within its range");
    }
    let mut recipe = Recipe { codec, values, ..Recipe::default() };
    recipe.tolerance_m = 10f32.powf(-5.0 + 5.0 * dice.part() as f32);
    recipe.shell_m = 10f32.powf(-3.0 + 3.0 * dice.part() as f32);
    recipe.shell_from_mesh = dice.roll() & 1 == 1;
    recipe.sub_frames = 1 + usize::from(dice.roll() % 4);
    recipe.compensation.method = *dice.one_of(&CompensationMethod::ALL);
    recipe.compensation.loosen = 1.0 + f32::from(dice.roll() % 8);
    recipe.compensation.new_tracks = dice.roll() & 1 == 1;
    recipe
}

/// Choices, one byte each; zero when they are used up.
struct Dice<'a>(&'a [u8]);

impl Dice<'_> {
    fn roll(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        f64::from(self.roll()) / 255.0
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::from(self.roll()) % of.len()]
    }
}
