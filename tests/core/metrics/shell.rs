use super::fixture::{
    FOOT_L, SUB_FRAMES, Stance, biped, biped_clip, changed, random_clip, random_skin, report, track, walk,
};
use glam::{Quat, Vec3};
use posepress_core::metrics::{Aspect, ContactPlan, ContactSettings, Verdict, measure, measure_vertices};
use std::sync::Arc;

#[test]
fn a_raw_clip_is_exactly_zero_everywhere() {
    let rig = biped(190.0);
    let raw = biped_clip(&rig, 31, true, |t| walk(t, 190.0, false));
    let report = report(&rig, &raw, &raw.clone());
    assert_eq!(report.samples.stats, Default::default());
    assert_eq!(report.between.stats, Default::default());
    assert!(report.per_step.iter().all(|&e| e == 0.0));
    assert!(report.within());
    assert!(!report.slide.contacts.is_empty());
    for contact in &report.slide.contacts {
        let numbers = [contact.slide_m, contact.rate_m_s, contact.shimmer_m, contact.float_m, contact.sink_m];
        assert_eq!(numbers, [0.0; 5]);
    }
    assert_eq!((report.motion.seam_pop_m, report.motion.seam_velocity_m_s), (0.0, 0.0));
    assert_eq!((report.jitter.map(|worst| worst.error_m), report.motion.bone_length_m), (Some(0.0), 0.0));
}

#[test]
fn a_raw_skin_is_exactly_zero() {
    let rig = random_skin(3, 6, 100);
    let raw = track(&rig, &random_clip(&rig, 4, 12));
    let report = measure_vertices(&rig, &raw, &raw.clone(), 1).unwrap();
    assert_eq!(report.stats, Default::default());
    assert_eq!(report.per_step, vec![0.0; raw.steps()]);
}

#[test]
fn a_rotation_moves_its_own_shell_by_twice_the_sine_of_half_its_angle() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 5, false, |_| Stance::still(1.0));
    for angle in [1e-3_f32, 0.1, 1.0, 3.0] {
        let lossy = changed(&rig, &raw, |sample, joint, t| {
            if sample == 2 && joint == FOOT_L {
                t.rotation *= Quat::from_rotation_x(angle);
            }
        });
        let report = report(&rig, &raw, &lossy);
        let expected = 2.0 * 0.03 * (angle / 2.0).sin();
        assert!((report.samples.stats.max_m - expected).abs() < 1e-6, "{angle}: {:?}", report.samples.stats);
        assert_eq!(report.samples.worst.joint, FOOT_L);
        assert_eq!(report.samples.worst.time_secs, raw.grid().time_secs(2.0));
        // 1 of 7 joints x 5 samples.
        assert!((report.samples.stats.mean_m * 35.0 - expected).abs() < 1e-5);
        assert!((report.samples.stats.rms_m * 35_f32.sqrt() - expected).abs() < 1e-5);
        assert_eq!(report.samples.stats.p99_m, report.samples.stats.max_m);
        assert_eq!(report.samples.per_joint[FOOT_L].max_m, report.samples.stats.max_m);
        assert_eq!(report.samples.per_joint[0].max_m, 0.0);
    }
}

#[test]
fn scale_counts_at_the_shell_and_below_it() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 3, false, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, |_, joint, t| {
        if joint == FOOT_L {
            t.scale = Vec3::new(1.0, 1.5, 1.0);
        }
    });
    let report = report(&rig, &raw, &lossy);
    assert!((report.samples.stats.max_m - 0.015).abs() < 1e-6);
}

#[test]
fn errors_between_samples_are_told_apart() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 5, false, |_| Stance::still(1.0));
    let smooth = track(&rig, &raw);
    // The same samples, but a decoder that swings between them: a clip with four times the samples.
    let ringing = biped_clip(&rig, 17, false, |t| {
        let mut stance = Stance::still(1.0);
        if (t * 30.0).round() as usize % 4 == 2 {
            stance.hips.x += 0.01;
            stance.left.x += 0.01;
            stance.right.x += 0.01;
        }
        stance
    });
    let mut sampler = posepress_core::model::ClipSampler::new(&ringing);
    let mut stretched = Stretched { inner: &mut sampler, factor: 4.0 };
    let lossy = posepress_core::metrics::ModelTrack::sample(&rig.skeleton, &mut stretched, raw.grid(), 4, 0);
    let settings = ContactSettings::default();
    let plan = Arc::new(ContactPlan::find(&rig, &raw, &smooth, &settings));
    let report = measure(&rig, &raw, &smooth, &lossy, &plan, &[0.03; 7], 1e-4, &settings);
    assert!(report.samples.stats.max_m < 1e-6, "{:?}", report.samples.stats);
    assert!((report.between.stats.max_m - 0.01).abs() < 1e-6);
    assert!((report.between.stats.mean_m - 0.01 / 3.0).abs() < 1e-6);
    assert!(report.per_step.iter().enumerate().all(|(i, &e)| (e > 0.005) == (i % 4 == 2)));
    assert!(report.within());
}

#[test]
fn what_is_not_finite_is_an_infinite_error() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 4, false, |_| Stance::still(1.0));
    let mut sampler = posepress_core::model::ClipSampler::new(&raw);
    let mut broken = Broken(&mut sampler);
    let lossy = posepress_core::metrics::ModelTrack::sample(&rig.skeleton, &mut broken, raw.grid(), 4, 0);
    let settings = ContactSettings::default();
    let plan = Arc::new(ContactPlan::find(&rig, &raw, &track(&rig, &raw), &settings));
    let report = measure(&rig, &raw, &track(&rig, &raw), &lossy, &plan, &[0.03; 7], 1e-4, &settings);
    assert_eq!(report.samples.stats.max_m, f32::INFINITY);
    assert!(!report.within());
    assert_eq!(report.slide.verdict(), posepress_core::metrics::Verdict::Fail);
}

/// Reads another sampler at a multiple of the time.
struct Stretched<'a> {
    inner: &'a mut dyn posepress_core::model::Sampler,
    factor: f32,
}

impl posepress_core::model::Sampler for Stretched<'_> {
    fn sample(&mut self, at_sample: f64, out: &mut posepress_core::model::Pose) {
        self.inner.sample(at_sample * f64::from(self.factor), out);
    }
}

/// A sampler with NaN at the second sample.
struct Broken<'a>(&'a mut dyn posepress_core::model::Sampler);

impl posepress_core::model::Sampler for Broken<'_> {
    fn sample(&mut self, at_sample: f64, out: &mut posepress_core::model::Pose) {
        self.0.sample(at_sample, out);
        if at_sample == 1.0 {
            out.joints[FOOT_L].translation.x = f32::NAN;
        }
    }
}

#[test]
fn every_error_is_kept_and_its_percentile_lies_below_the_largest() {
    let rig = random_skin(5, 9, 10);
    let raw = random_clip(&rig, 5, 7);
    let lossy = changed(&rig, &raw, |sample, joint, t| t.translation.x += (sample * joint) as f32 * 1e-4);
    let report = report(&rig, &raw, &lossy);
    for (step, (&max, &p99)) in report.per_step.iter().zip(&report.per_step_p99).enumerate() {
        let row = report.shell.step(step);
        assert_eq!(max, row.iter().copied().fold(0.0, f32::max));
        let mut sorted = row.to_vec();
        sorted.sort_by(f32::total_cmp);
        // rank 0.99 * 8 = 7.92
        let expected = sorted[7] + (sorted[8] - sorted[7]) * 0.92;
        assert!((p99 - expected).abs() <= 1e-6 + max * 1e-5, "{p99} {expected}");
        assert_eq!(report.shell.worst_joint(step).map(|j| row[j]), Some(max));
    }
    let of_joint: Vec<_> = report.shell.joint(4).collect();
    assert_eq!(of_joint.len(), report.per_step.len());
    assert_eq!(of_joint.iter().step_by(SUB_FRAMES).copied().fold(0.0, f32::max), report.samples.per_joint[4].max_m);
    assert!(report.shell.step(9999).is_empty() && report.shell.joint(99).next().is_none());
}

/// At 1,730 km the last bit of float32 is 125 mm: matrices there cannot show an error of 27 mm.
#[test]
fn far_from_the_origin_errors_are_what_they_are_and_the_verdict_says_that_float32_cannot_tell_them() {
    let rig = biped(1.0);
    let near = biped_clip(&rig, 5, false, |_| Stance::still(1.0));
    let far = |off_m: f32| {
        changed(&rig, &near, |_, joint, t| match joint {
            0 => t.translation.x += 1_730_000.0,
            FOOT_L => t.translation.y += off_m,
            _ => {}
        })
    };
    let told = report(&rig, &near, &near.clone());
    assert!(told.resolves_tolerance() && told.judged().iter().all(|judged| judged.aspect != Aspect::Precision));
    for off_m in [0.0, 0.027, 0.000_05] {
        let report = report(&rig, &far(0.0), &far(off_m));
        let max_m = report.samples.stats.max_m;
        assert!((max_m - off_m).abs() < 1e-6, "{max_m} is not {off_m}");
        let precision = report.judged().into_iter().find(|judged| judged.aspect == Aspect::Precision);
        let said = precision.map(|precision| (precision.error_m, precision.verdict));
        assert_eq!(said, (off_m > 0.0).then_some((0.125, Verdict::Warn)), "what loses nothing needs no telling");
        assert!(!report.resolves_tolerance() && (off_m == 0.0 || report.verdict() >= Verdict::Warn));
    }
}

#[test]
fn far_from_the_origin_the_skin_is_measured_too() {
    let rig = random_skin(3, 6, 100);
    let near = random_clip(&rig, 4, 12);
    let moved = |clip: &posepress_core::model::Clip, by_m: Vec3, off_m: f32| {
        let moved = changed(&rig, clip, |_, joint, t| match joint {
            0 => t.translation += by_m,
            1 => t.translation.y += off_m,
            _ => {}
        });
        track(&rig, &moved)
    };
    let error_m = |by_m: Vec3| {
        let sides = [0.0, 0.01].map(|off_m| moved(&near, by_m, off_m));
        measure_vertices(&rig, &sides[0], &sides[1], 1).unwrap().stats.max_m
    };
    let (here, there) = (error_m(Vec3::ZERO), error_m(Vec3::X * 1_048_576.0));
    assert!(here > 0.001 && (here - there).abs() < 1e-3 * here, "{here} and {there}");
}
