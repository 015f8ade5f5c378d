use super::fixture::{FOOT_L, Stance, biped, biped_clip, changed, report, walk};
use glam::Vec3;

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
    assert_eq!((report.looping, report.seam_pop_m, report.seam_velocity_m_s), (false, 0.0, 0.0));
}

#[test]
fn jitter_is_the_ratio_of_third_differences() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 33, false, |_| Stance::still(1.0));
    // Alternating by +-a: every third difference is 8 a.
    let a = 1e-3;
    let lossy = changed(&rig, &raw, |s, joint, t| {
        if joint == FOOT_L {
            t.translation.x += if s % 2 == 0 { a } else { -a };
        }
    });
    let ratio = report(&rig, &raw, &lossy).motion.jitter_ratio;
    let expected = (8.0 * a + 1e-4) / 1e-4;
    assert!((ratio / expected - 1.0).abs() < 1e-3, "{ratio} {expected}");
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
