use super::fixture::{FOOT_L, FOOT_R, Stance, biped, biped_clip, changed, plan, report, track};
use glam::{Quat, Vec3};
use posepress_core::math::Transform;
use posepress_core::metrics::{Blame, Complaint};
use posepress_core::model::{Clip, Rig};

const THIGH_L: usize = 1;

/// A standing biped, its changed copy, and the joint to blame.
fn blame(change: impl Fn(usize, usize, &mut Transform), complaint: Complaint) -> Option<Blame> {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, change);
    find(&rig, &raw, &lossy, complaint)
}

fn find(rig: &Rig, raw: &Clip, lossy: &Clip, complaint: Complaint) -> Option<Blame> {
    let shells = vec![0.03; rig.skeleton.len()];
    Blame::find(rig, raw, &plan(rig, raw), &track(rig, raw), &track(rig, lossy), &shells, complaint)
}

/// The thigh swings by up to 2 degrees, the ankle by a tenth of that.
fn swing(sample: usize, joint: usize, t: &mut Transform) {
    let share = sample as f32 / 30.0;
    match joint {
        THIGH_L => t.rotation *= Quat::from_rotation_x(2f32.to_radians() * share),
        FOOT_L => t.translation += Vec3::X * 5e-4 * share,
        _ => {}
    }
}

#[test]
fn the_ancestor_that_swings_is_blamed_for_the_contact() {
    let blame = blame(swing, Complaint::Contact(0)).unwrap();
    assert_eq!(blame.joint(), Some(THIGH_L));
    assert!((blame.gains[0].left_m - 5e-4).abs() < 1e-5, "what the ankle does is left: {blame:?}");
    assert!(blame.share(THIGH_L).unwrap() > 0.9 && blame.share(2) == Some(0.0), "{blame:?}");
    assert!(blame.share(FOOT_R).is_none(), "the other leg cannot matter");
}

#[test]
fn a_moment_is_blamed_like_a_contact_and_measured_like_the_report() {
    let rig = biped(1.0);
    let raw = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let lossy = changed(&rig, &raw, swing);
    let step = track(&rig, &raw).steps() - 1;
    let found = find(&rig, &raw, &lossy, Complaint::Moment { joint: FOOT_L, step }).unwrap();
    let worst = report(&rig, &raw, &lossy).samples.per_joint[FOOT_L].max_m;
    assert_eq!(found.error_m, worst);
    assert_eq!((found.joint(), found.gains.len()), (Some(THIGH_L), 4));
}

#[test]
fn losses_that_cancel_blame_nobody_and_what_is_not_there_is_nothing() {
    let cancel = |sample: usize, joint: usize, t: &mut Transform| {
        let drift = Vec3::X * sample as f32 * 1e-4;
        match joint {
            THIGH_L => t.translation += drift,
            FOOT_L => t.translation -= drift,
            _ => {}
        }
    };
    let found = blame(cancel, Complaint::Contact(0)).unwrap();
    assert!(found.error_m < 1e-6 && found.joint().is_none_or(|j| found.share(j).unwrap().is_finite()), "{found:?}");
    assert!(found.gains.last().unwrap().left_m > 2e-3, "restoring one of them alone makes the foot slide: {found:?}");
    assert_eq!(blame(swing, Complaint::Contact(9)), None);
    assert_eq!(blame(swing, Complaint::Moment { joint: 99, step: 0 }), None);
    assert_eq!(blame(swing, Complaint::Moment { joint: 0, step: 9999 }), None);
}
