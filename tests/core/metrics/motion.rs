use super::fixture::{FOOT_L, Stance, biped, biped_clip, changed, clip, report, walk};
use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::metrics::Aspect;
use posepress_core::metrics::Verdict::{Fail, Good, Warn};

#[test]
fn what_raw_does_at_the_seam_is_no_fault_of_the_codec() {
    let rig = biped(1.0);
    // A loop with root motion: last and first sample are 1.4 m apart.
    let raw = biped_clip(&rig, 31, true, |t| walk(t, 1.0, true));
    let shifted = changed(&rig, &raw, |_, joint, t| {
        if joint == 0 {
            t.translation += Vec3::X * 0.01
        }
    });
    let report = report(&rig, &raw, &shifted).motion;
    assert!(report.looping && report.seam_pop_m < 1e-6 && report.seam_velocity_m_s < 1e-4, "{report:?}");
}

#[test]
fn a_seam_that_opens_shows_as_jump_of_place_and_of_velocity() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, true, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, |s, joint, t| {
        if joint == 0 && s == 30 {
            t.translation.z += 2e-3
        }
    });
    let report = report(&rig, &raw, &lossy).motion;
    assert!((report.seam_pop_m - 2e-3).abs() < 1e-6);
    assert!((report.seam_velocity_m_s - 2e-3 * 30.0).abs() < 1e-4, "{report:?}");
    let seam = report.seam().unwrap();
    assert!(seam.joint == 0 && seam.time_secs == 1.0 && (seam.error_m - 2e-3).abs() < 1e-6, "{seam:?}");
}

#[test]
fn open_clips_have_no_seam() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, |s, joint, t| {
        if joint == 0 && s == 30 {
            t.translation.z += 2e-3
        }
    });
    let report = report(&rig, &raw, &lossy).motion;
    assert_eq!((report.looping, report.seam(), report.seam_pop_m, report.seam_velocity_m_s), (false, None, 0.0, 0.0));
}

/// Root mean square gain of a second difference from 4 to 15 Hz at 30 Hz: the root of (6 w - 8 sin w + sin 2 w) from 4 Hz to 15 Hz, divided
/// by the width of the band.
fn gain_at_30_hz() -> f32 {
    let integral = |w: f64| 6.0 * w - 8.0 * w.sin() + (2.0 * w).sin();
    let (from, to) = (std::f64::consts::TAU * 4.0 / 30.0, std::f64::consts::PI);
    ((integral(to) - integral(from)) / (to - from)).sqrt() as f32
}

#[test]
fn a_trembling_foot_jitters_and_a_slow_error_does_not() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 61, false, |_| Stance::still(1.0));
    let jitter = |error: &dyn Fn(f32, &mut Transform)| {
        let lossy = changed(&rig, &raw, |s, joint, t| {
            if joint == FOOT_L {
                error(s as f32, t);
            }
        });
        report(&rig, &raw, &lossy).jitter.unwrap()
    };
    // From side to side by 1 mm: every second difference is 4 mm.
    let shaken = jitter(&|s, t| t.translation.x += if s % 2.0 == 0.0 { 1e-3 } else { -1e-3 });
    assert!((shaken.error_m / (4e-3 / gain_at_30_hz()) - 1.0).abs() < 1e-3, "{shaken:?}");
    assert_eq!(shaken.joint, FOOT_L);
    // Only in the second half: the middle of the worst half second is there.
    let late = jitter(&|s, t| t.translation.x += if s % 2.0 == 0.0 && s > 40.0 { 1e-3 } else { 0.0 });
    assert!(late.time_secs > 1.3 && (late.error_m / shaken.error_m - 0.5).abs() < 0.02, "{late:?}");
    // A turn by a small angle moves the shell by its radius, in the mean of all points by sqrt(2/3) of it.
    let turned = jitter(&|s, t| t.rotation = Quat::from_rotation_y(if s % 2.0 == 0.0 { 0.01 } else { -0.01 }));
    let expected_m = 4.0 * 0.01 * 0.03 * (2f32 / 3.0).sqrt() / gain_at_30_hz();
    assert!((turned.error_m / expected_m - 1.0).abs() < 0.01, "{turned:?}, {expected_m}");
    // 5 mm at one hertz.
    let slow = jitter(&|s, t| t.translation.x += 5e-3 * (s / 30.0 * std::f32::consts::TAU).sin());
    assert!(slow.error_m < 1e-4, "{slow:?}");
}

#[test]
fn jitter_is_judged_and_clips_too_slow_for_it_are_not() {
    let rig = biped(1.0);
    let with = |mm: f32| {
        let raw = biped_clip(&rig, 61, false, |_| Stance::still(1.0));
        let lossy = changed(&rig, &raw, |s, joint, t| {
            if joint == 0 {
                t.translation.y += mm * 1e-3 * if s % 2 == 0 { 1.0 } else { -1.0 };
            }
        });
        let report = report(&rig, &raw, &lossy);
        let judged = report.judged().into_iter().find(|judged| judged.aspect == Aspect::Jitter).unwrap();
        (judged.verdict, report.verdict() >= judged.verdict)
    };
    assert_eq!([0.3, 0.5, 1.0, 2.0].map(with), [(Good, true), (Warn, true), (Warn, true), (Fail, true)]);
    let still = biped_clip(&rig, 61, false, |_| Stance::still(1.0));
    let transforms = (0..still.samples()).flat_map(|s| still.pose(s)).copied().collect();
    let slow = clip(&rig, 60.0 / 8.0, transforms, vec![], false);
    assert_eq!(report(&rig, &slow, &slow).jitter, None);
}

#[test]
fn a_stretched_bone_tells_by_how_much() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 5, false, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, |s, joint, t| {
        if joint == FOOT_L && s == 2 {
            t.translation.y -= 5e-3
        }
    });
    assert!((report(&rig, &raw, &lossy).motion.bone_length_m - 5e-3).abs() < 1e-6);
}
