use super::fixture::{
    ANKLE_M, FOOT_L, SUB_FRAMES, Stance, biped, biped_clip, changed, plan, report, rigid_mesh, track, walk,
};
use glam::{Quat, Vec3};
use posepress_core::metrics::{ContactPlan, ContactSettings, ContactSlide, SlideLimit, Verdict, drift_path, measure};
use posepress_core::model::{Clip, Rig};
use proptest::prelude::*;
use std::sync::Arc;

fn standing(rig: &Rig) -> Clip {
    biped_clip(rig, 31, false, |_| Stance::still(1.0))
}

/// Both feet stand. The left foot is moved by `drift_m(sample)`.
fn left_contact(drift_m: impl Fn(usize) -> Vec3) -> (ContactSlide, ContactSlide) {
    let rig = biped(1.0);
    let raw = standing(&rig);
    let lossy = changed(&rig, &raw, |sample, joint, t| {
        if joint == FOOT_L {
            t.translation += drift_m(sample);
        }
    });
    let contacts = report(&rig, &raw, &lossy).slide.contacts;
    assert_eq!(contacts.len(), 2);
    (contacts[0].clone(), contacts[1].clone())
}

#[track_caller]
fn assert_near(found: f32, expected: f32) {
    assert!((found - expected).abs() < 2e-6, "found {found}, expected {expected}");
}

#[test]
fn a_foot_moved_by_a_known_drift_reports_that_drift() {
    // 3 mm along x from sample 6 to 15, 1 mm back from 20 to 25.
    let drift =
        |s: usize| 3e-3 * ((s as f32 - 6.0) / 9.0).clamp(0.0, 1.0) - 1e-3 * ((s as f32 - 20.0) / 5.0).clamp(0.0, 1.0);
    let (left, right) = left_contact(|s| Vec3::X * drift(s));
    assert_near(left.slide_m, 3e-3);
    assert!((left.rate_m_s - 3e-3 / 0.3).abs() < 1e-4, "{}", left.rate_m_s);
    assert_near(left.shimmer_m, 4e-3);
    assert_eq!((left.joint, left.float_m, left.sink_m), (FOOT_L, 0.0, 0.0));
    assert!((left.worst_secs - 0.5).abs() < 0.17);
    assert_eq!(left.verdict, Verdict::Warn);
    assert_eq!((right.slide_m, right.verdict), (0.0, Verdict::Good));
}

#[test]
fn a_constant_offset_does_not_slide_and_height_floats_or_sinks() {
    let (left, _) = left_contact(|_| Vec3::new(0.01, 0.0, 0.0));
    assert!(left.slide_m < 1e-6 && left.shimmer_m < 1e-6, "{left:?}");
    let (left, _) = left_contact(|s| {
        Vec3::Y
            * if s == 4 {
                1e-3
            } else if s == 20 {
                -2e-3
            } else {
                0.0
            }
    });
    assert_near(left.float_m, 1e-3);
    assert_near(left.sink_m, 2e-3);
    assert!(left.slide_m < 1e-6 && left.verdict == Verdict::Good);
}

#[test]
fn verdicts_follow_the_limits() {
    let slow = |mm: f32| move |s: usize| Vec3::Z * mm * 1e-3 * (s as f32 / 30.0);
    assert_eq!(left_contact(slow(1.9)).0.verdict, Verdict::Good);
    assert_eq!(left_contact(slow(2.1)).0.verdict, Verdict::Warn);
    assert_eq!(left_contact(slow(5.1)).0.verdict, Verdict::Fail);
    // A millimetre for one sample is noise.
    let jump = |s: usize| Vec3::X * if s == 10 { 1e-3 } else { 0.0 };
    let (left, _) = left_contact(jump);
    assert!((left.rate_m_s - 0.01).abs() < 1e-4 && left.verdict == Verdict::Good, "{left:?}");
    // To one side and, 0.1 s later, to the other: too little for a slide, but more than 2 cm/s.
    let sway = |mm: f32| {
        move |s: usize| Vec3::X * mm * 1e-3 * [(10, 1.0), (13, -1.0)].iter().find(|at| at.0 == s).map_or(0.0, |at| at.1)
    };
    let (left, _) = left_contact(sway(1.1));
    assert!((left.rate_m_s - 0.022).abs() < 1e-4 && left.verdict == Verdict::Warn, "{left:?}");
    assert_eq!(left.over, Some(SlideLimit::WarnRate));
    assert_eq!(left_contact(sway(0.95)).0.verdict, Verdict::Good, "the slide is below half of its limit");
}

#[test]
fn a_twisting_foot_slides_at_its_ends() {
    let mut rig = biped(1.0);
    let sole = [-0.1, 0.1].map(|z| Vec3::new(0.0, -ANKLE_M, z));
    rig.meshes = vec![rigid_mesh(FOOT_L, Vec3::new(0.1, ANKLE_M, 0.0), &sole)];
    let raw = standing(&rig);
    let angle = 0.05_f32;
    let lossy = changed(&rig, &raw, |sample, joint, t| {
        if joint == FOOT_L && sample >= 15 {
            t.rotation = Quat::from_rotation_y(angle);
        }
    });
    let contacts = report(&rig, &raw, &lossy).slide.contacts;
    assert_near(contacts[0].slide_m, 2.0 * 0.1 * (angle / 2.0).sin());
    let plan = plan(&rig, &raw);
    let path = drift_path(&rig, &plan, &plan.contacts[0], &track(&rig, &raw), &track(&rig, &lossy));
    assert_eq!(path.len(), 30 * SUB_FRAMES + 1);
    assert_eq!(path[0], Vec3::ZERO);
    let farthest = path.iter().map(|p| p.length()).fold(0.0, f32::max);
    assert!((farthest / contacts[0].slide_m - 1.0).abs() < 1e-6);
}

#[test]
fn limits_grow_with_the_rig() {
    let rig = biped(10.0);
    let raw = biped_clip(&rig, 31, false, |_| Stance::still(10.0));
    let drifting = |m: f32| {
        let lossy = changed(&rig, &raw, |sample, joint, t| {
            if joint == FOOT_L {
                t.translation.x += m * sample as f32 / 30.0;
            }
        });
        report(&rig, &raw, &lossy).slide.contacts[0].clone()
    };
    let left = drifting(0.019);
    assert!((left.slide_m - 0.019).abs() < 2e-5 && left.verdict == Verdict::Good);
    assert_eq!(drifting(0.021).verdict, Verdict::Warn);
    assert_eq!(drifting(0.051).verdict, Verdict::Fail);
}

#[test]
fn a_slide_is_measured_across_the_seam_of_a_loop() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, true, |t| walk(t, 1.0, false));
    // An error of 4 mm in the second half: the left foot, which stands from 0.9 s to 1.5 s, jumps at the seam.
    let lossy = changed(&rig, &raw, |sample, joint, t| {
        if joint == FOOT_L && sample > 20 {
            t.translation.x += 4e-3;
        }
    });
    let report = report(&rig, &raw, &lossy);
    let left = &report.slide.contacts[0];
    assert!(left.end_secs > raw.duration_secs());
    assert!((left.slide_m - 4e-3).abs() < 1e-5, "{left:?}");
    assert!((left.rate_m_s - 4e-3 / 0.1).abs() < 1e-4);
    assert!((report.motion.seam_pop_m - 4e-3).abs() < 1e-5);
    assert_eq!(report.slide.contacts[1].slide_m, 0.0);
}

#[test]
fn a_foot_that_never_lifts_is_measured_across_the_seam_too() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, true, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, |sample, joint, t| {
        if joint == FOOT_L {
            t.translation.x += 1e-3 * sample as f32 / 30.0;
        }
    });
    let left = &report(&rig, &raw, &lossy).slide.contacts[0];
    assert_near(left.slide_m, 1e-3);
    assert!((left.rate_m_s - 1e-3 / 0.1).abs() < 1e-4, "{left:?}");
    assert_near(left.shimmer_m, 2e-3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn slide_does_not_change_when_both_clips_are_moved_over_the_ground(
        x in -3.0_f32..3.0, z in -3.0_f32..3.0, turn in -3.0_f32..3.0, drift_mm in 0.5_f32..8.0,
    ) {
        let rig = biped(1.0);
        let raw = standing(&rig);
        let lossy = changed(&rig, &raw, |sample, joint, t| if joint == FOOT_L {
            t.translation += Vec3::new(1.0, 0.3, -0.6) * drift_mm * 1e-3 * (sample as f32 / 11.0).sin();
        });
        let place = |clip: &Clip| changed(&rig, clip, |_, joint, t| if joint == 0 {
            let rotation = Quat::from_rotation_y(turn);
            t.translation = rotation * t.translation + Vec3::new(x, 0.0, z);
            t.rotation = rotation * t.rotation;
        });
        let here = report(&rig, &raw, &lossy).slide.contacts;
        let there = report(&rig, &place(&raw), &place(&lossy)).slide.contacts;
        prop_assert_eq!(here.len(), there.len());
        for (a, b) in here.iter().zip(&there) {
            prop_assert!((a.slide_m - b.slide_m).abs() < 3e-6, "{:?} {:?}", a, b);
            prop_assert!((a.float_m - b.float_m).abs() < 3e-6 && (a.sink_m - b.sink_m).abs() < 3e-6);
            prop_assert!((a.rate_m_s - b.rate_m_s).abs() < 3e-4);
        }
    }
}

#[test]
fn a_plan_is_made_from_the_raw_clip_alone() {
    let rig = biped(1.0);
    let raw = standing(&rig);
    // The codec lifts both feet by half a metre: the contacts stay and float above the original.
    let lossy = changed(&rig, &raw, |_, joint, t| {
        if joint == 0 {
            t.translation.y += 0.5
        }
    });
    let settings = ContactSettings::default();
    let plan = Arc::new(ContactPlan::find(&rig, &raw, &track(&rig, &raw), &settings));
    let report = measure(&rig, &raw, &track(&rig, &raw), &track(&rig, &lossy), &plan, &[0.03; 7], 1e-4, &settings);
    assert_eq!(report.slide.contacts.len(), 2);
    assert!(report.slide.contacts.iter().all(|p| (p.float_m - 0.5).abs() < 1e-5 && p.slide_m < 1e-6));
}
