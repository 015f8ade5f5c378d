//! Drift of the root of a generated walk with root motion, after 100 rounds.

use crate::project::sample;
use glam::{DAffine3, Quat, Vec3};
use posepress_core::codecs::{CODECS, Progress};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::{Aspect, Verdict};
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{MeasuredClip, Outcome, compress_shell};
use posepress_core::recipe::Recipe;
use std::sync::Arc;

const ROUNDS: usize = 100;

/// The sample's walk with root motion, along an arc that turns by `turn_rad` per round.
fn walk(turn_rad: f32) -> (Arc<Rig>, Arc<Clip>) {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let walk = imported.clips.iter().find(|clip| clip.name() == "walk_root_motion").unwrap();
    let last = walk.samples() - 1;
    let way_m = (walk.at(last, 0).translation - walk.at(0, 0).translation).length();
    let arc = walk.edited(|data| {
        for sample in 0..=last {
            let angle = turn_rad * sample as f32 / last as f32;
            let radius_m = way_m / turn_rad;
            let translation = radius_m * Vec3::new(1.0 - angle.cos(), 0.0, angle.sin());
            let root = &mut data.transforms[sample * data.joints];
            *root = Transform { translation, rotation: Quat::from_rotation_y(angle), ..*root };
        }
    });
    (Arc::new(imported.rig), Arc::new(arc.unwrap()))
}

fn compressed(source: &MeasuredClip, recipe: &Recipe) -> Outcome {
    compress_shell(source, recipe, &Progress::new()).unwrap()
}

/// The root's matrix at a sample, in double precision.
fn root(clip: &Clip, sample: usize) -> DAffine3 {
    let Transform { translation, rotation, .. } = clip.at(sample, 0);
    DAffine3::from_rotation_translation(rotation.as_dquat().normalize(), translation.as_dvec3())
}

#[test]
fn the_drift_is_the_place_after_a_hundred_rounds_and_the_default_recipe_passes() {
    let (rig, clip) = walk(0.5);
    let searching = CODECS.iter().filter(|codec| Recipe::of(**codec).codec.promises_with(&Recipe::of(**codec).values));
    for (codec, tolerance_m) in searching.flat_map(|codec| [(*codec, 0.0001), (*codec, 0.001)]) {
        let recipe = Recipe { tolerance_m, ..Recipe::of(codec) };
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compressed(&source, &recipe);
        let found = outcome.report.root.expect("the walk has root motion");
        let last = clip.samples() - 1;
        let decoded = outcome.decoded.clone();
        let step = |first: DAffine3, end: DAffine3| end * first.inverse();
        let played = |sample: usize| {
            let joint = decoded.local(sample * decoded.sub_frames(), 0);
            DAffine3::from_rotation_translation(joint.rotation.as_dquat().normalize(), joint.translation.as_dvec3())
        };
        let steps = [step(root(&clip, 0), root(&clip, last)), step(played(0), played(last))];
        let from = root(&clip, 0).translation;
        let [to, drifted] = steps.map(|step| (0..ROUNDS).fold(from, |at, _| step.transform_point3(at)));
        let drift_m = to.distance(drifted) as f32;
        let name = codec.name();
        println!(
            "{name} at {tolerance_m} m: {} m of {} m, {} degrees, {} m/s",
            found.drift_m,
            found.way_m,
            found.turn_rad.to_degrees(),
            found.speed_m_s
        );
        assert!((found.drift_m - drift_m).abs() < 0.01 * drift_m + 1e-3, "{name}: {found:?}, here {drift_m} m");
        let judged = outcome.report.judged();
        let root = judged.iter().find(|judged| judged.aspect == Aspect::Root).unwrap();
        if tolerance_m == Recipe::default().tolerance_m {
            assert_eq!(root.verdict, Verdict::Good, "{name}: {root:?}");
        }
    }
}

#[test]
fn the_limits_are_lengths_per_metre_of_way() {
    let (rig, clip) = walk(0.5);
    let recipe = Recipe { tolerance_m: 0.001, warn_root_m: 1e-7, fail_root_m: 1e-6, ..Recipe::default() };
    let source = MeasuredClip::new(rig, clip, &recipe);
    let outcome = compressed(&source, &recipe);
    let judged = outcome.report.judged();
    let root = judged.iter().find(|judged| judged.aspect == Aspect::Root).unwrap();
    let way_m = outcome.report.root.unwrap().way_m;
    assert!((root.warn_m - 1e-7 * way_m).abs() < 1e-9 && root.verdict == Verdict::Fail, "{root:?}");
    assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
}
