//! The fix for slide in the source, on motion that slides by a known way.

use super::fixture::{plan, track};
use super::true_gaits::{Gait, WALK};
use super::true_motion::body;
use glam::{Quat, Vec3};
use posepress_core::import::{ChosenFixes, Fix, Fixer};
use posepress_core::metrics::{Contact, ContactPlan, ContactSettings, FootContacts};
use posepress_core::model::{Clip, ModelPose, Rig};

/// Slide of every stand.
const SLIDE_M: f32 = 0.02;

/// The same clip with legs that bend at the knee instead of stretching. The hips are low enough for both feet.
fn with_knees(rig: &Rig, clip: &Clip, legs: usize) -> Clip {
    let bone_m = |joint: usize| rig.skeleton.bind(joint).translation.length();
    let edited = clip.edited(|data| {
        for pose in data.transforms.chunks_mut(data.joints) {
            for leg in 0..legs {
                let first = 1 + 4 * leg;
                let (thigh_m, shin_m) = (bone_m(first + 1), bone_m(first + 2));
                let ankle = pose[first + 1].translation + pose[first + 2].translation;
                let way_m = ankle.length().min(0.9999 * (thigh_m + shin_m));
                let angle = |a: f32, b: f32, across: f32| ((a * a + b * b - across * across) / (2.0 * a * b)).acos();
                let (lean, knee) =
                    (angle(thigh_m, way_m, shin_m), std::f32::consts::PI - angle(thigh_m, shin_m, way_m));
                let thigh = Quat::from_rotation_arc(Vec3::NEG_Y, ankle.normalize()) * Quat::from_rotation_x(-lean);
                let shin = Quat::from_rotation_x(knee);
                pose[first].rotation = thigh;
                pose[first + 1].rotation = shin;
                pose[first + 2].rotation = (thigh * shin).inverse() * pose[first + 2].rotation;
                pose[first + 2].translation = rig.skeleton.bind(first + 2).translation;
            }
        }
    });
    edited.unwrap()
}

/// The fix, with drawn contacts.
fn holding(drawn: &[FootContacts]) -> ChosenFixes {
    ChosenFixes::new([Fix::Feet].into(), drawn)
}

fn largest_slide_m(plan: &ContactPlan) -> f32 {
    plan.contacts.iter().map(|contact| contact.source.slide_m).fold(0.0, f32::max)
}

/// Model poses of all samples.
fn models<'a>(rig: &'a Rig, clip: &'a Clip) -> impl Iterator<Item = ModelPose> + 'a {
    (0..clip.samples()).map(|sample| ModelPose::new(&rig.skeleton, clip.pose(sample)))
}

/// The largest angle between the planes of two knees, degrees. Straight legs have no plane.
fn knee_turn_deg(a: &ModelPose, b: &ModelPose, first: usize) -> f32 {
    let normal = |model: &ModelPose| {
        let [hip, knee, ankle] = [first, first + 1, first + 2].map(|joint| model.origin(joint));
        (knee - hip).normalize().cross((ankle - knee).normalize())
    };
    let (a, b) = (normal(a), normal(b));
    if a.length().min(b.length()) < 0.1 { 0.0 } else { a.angle_between(b).to_degrees() }
}

fn check(gait: Gait, legs: usize, rate_hz: f32, size: f32, skin: bool, in_place: bool) -> f32 {
    let name = gait.name;
    let gait = Gait { slide_m: SLIDE_M, ..gait };
    let motion = if in_place { gait.in_place(name, 5.0) } else { gait.motion(5.0) };
    let rig = body(legs, size, skin);
    let clip = with_knees(&rig, &motion.clip(&rig, rate_hz, size, 0.0), legs);
    let fixed = Fixer::new(&rig, &[&clip]).fixed(&clip, &holding(&[])).unwrap();
    let (before, after) = (plan(&rig, &clip), plan(&rig, &fixed.clip));
    let what = format!(
        "{name}, {rate_hz} Hz, size {size}, skin {skin}, in place {in_place}: {} contacts slide by {} m, then {} by {} m; {}",
        before.contacts.len(),
        largest_slide_m(&before),
        after.contacts.len(),
        largest_slide_m(&after),
        fixed.findings.first().map_or("", |finding| finding.meaning.as_str())
    );
    println!("{what}");
    // On moving ground only what differs from an even motion is a slide.
    assert!(in_place || largest_slide_m(&before) > 0.8 * SLIDE_M * size, "{what}");
    assert!(largest_slide_m(&after) < 0.001 * size, "{what}");
    assert!(after.contacts.len() >= before.contacts.len(), "{what}");
    for (a, b) in models(&rig, &clip).zip(models(&rig, &fixed.clip)) {
        for leg in 0..legs {
            let first = 1 + 4 * leg;
            let moved_m = a.origin(first + 2).distance(b.origin(first + 2));
            assert!(moved_m < 1.5 * SLIDE_M * size, "{what}: a foot moves by {moved_m} m");
            let turned = knee_turn_deg(&a, &b, first);
            assert!(turned < 4.0, "{what}: a knee turns by {turned} degrees");
            let [x, y] = [&a, &b].map(|model| model.joints[first + 2].to_scale_rotation_translation().1);
            let turned = 2.0 * (x * y.inverse()).xyz().length();
            assert!(turned < 1e-4, "{what}: a foot turns by {turned} rad");
        }
    }
    let hips_m = models(&rig, &clip).zip(models(&rig, &fixed.clip)).map(|(a, b)| a.origin(0).distance(b.origin(0)));
    let bones = (0..clip.samples()).flat_map(|at| clip.pose(at)[1..].iter().zip(&fixed.clip.pose(at)[1..]));
    assert!(bones.into_iter().all(|(a, b)| a.translation == b.translation && a.scale == b.scale), "{what}");
    hips_m.fold(0.0, f32::max)
}

/// Low hips, so that every leg reaches the ground.
const LOW: Gait = Gait { hips_m: 0.72, ..WALK };

#[test]
fn feet_that_slide_stand_still_and_keep_their_rotation_and_their_knees() {
    for (rate_hz, skin) in [(30.0, true), (30.0, false), (60.0, true), (120.0, false)] {
        check(LOW, 2, rate_hz, 1.0, skin, false);
    }
    for size in [0.1, 10.0] {
        check(LOW, 2, 30.0, size, true, false);
    }
    check(LOW, 2, 30.0, 1.0, true, true);
    check(Gait { name: "limp", phases: [0.0, 0.38, 0.0, 0.0], ..LOW }, 2, 30.0, 1.0, true, false);
    check(Gait { name: "four legs", legs: 4, stance_secs: 0.72, speed_m_s: 1.0, ..LOW }, 4, 30.0, 1.0, true, false);
}

#[test]
fn hips_move_where_a_leg_is_too_short() {
    // Feet reach as far as the legs allow, so that holding them in the middle of their way needs more than the legs have.
    let hips_m = check(Gait { name: "stretched", hips_m: 0.85, ..WALK }, 2, 30.0, 1.0, true, false);
    assert!((0.001..0.01).contains(&hips_m), "{hips_m}");
}

#[test]
fn feet_that_stand_still_and_clips_without_feet_stay_as_they_are() {
    let rig = body(2, 1.0, true);
    let clip = with_knees(&rig, &LOW.motion(5.0).clip(&rig, 30.0, 1.0, 0.0), 2);
    let feet = holding(&[]);
    let fixed = Fixer::new(&rig, &[&clip]).fixed(&clip, &feet).unwrap();
    for (a, b) in models(&rig, &clip).zip(models(&rig, &fixed.clip)) {
        let moved_m =
            (0..rig.skeleton.len()).map(|joint| a.origin(joint).distance(b.origin(joint))).fold(0.0, f32::max);
        assert!(moved_m < 5e-4, "{moved_m} m");
    }
    let still = clip.edited(|data| {
        let first = data.transforms[..data.joints].to_vec();
        data.transforms.chunks_mut(data.joints).for_each(|pose| pose.copy_from_slice(&first));
    });
    let still = still.unwrap();
    assert_eq!(Fixer::new(&rig, &[&still]).fixed(&still, &feet).unwrap().clip, still);
}

#[test]
fn contacts_that_were_drawn_are_held_where_they_were_drawn_and_no_others_of_that_foot() {
    let rig = body(2, 1.0, true);
    let motion = Gait { slide_m: SLIDE_M, ..LOW }.motion(5.0);
    let clip = with_knees(&rig, &motion.clip(&rig, 30.0, 1.0, 0.0), 2);
    let found = plan(&rig, &clip);
    let of_foot = |plan: &ContactPlan, foot: usize| -> Vec<Contact> {
        plan.contacts.iter().filter(|contact| contact.foot == foot).cloned().collect()
    };
    let stands = of_foot(&found, 0);
    assert!(stands.len() > 2);
    // The second contact of the foot in part, and a part of a swing, in which it moves much farther than a foot slides.
    let (second, name) = (&stands[1], rig.skeleton.name(found.feet[0].joint).to_owned());
    let swing = [second.end_secs + 0.1, second.end_secs + 0.2];
    let drawn = [FootContacts { joint: name, spans_secs: vec![[second.start_secs + 0.1, second.end_secs], swing] }];
    let settings = ContactSettings { by_hand: drawn.to_vec(), ..ContactSettings::default() };
    let slides = |clip: &Clip| -> Vec<f32> {
        let plan = ContactPlan::find(&rig, clip, &track(&rig, clip), &settings);
        of_foot(&plan, 0).iter().map(|contact| contact.source.slide_m).collect()
    };
    let fixed = |drawn| Fixer::new(&rig, &[&clip]).fixed(&clip, &holding(drawn)).unwrap().clip;
    let (held, by_itself) = (fixed(&drawn), fixed(&[]));
    let [part_m, swing_m] = slides(&clip)[..] else { panic!("{:?}", slides(&clip)) };
    assert!(part_m > 0.4 * SLIDE_M && swing_m > 0.3, "{part_m} {swing_m}");
    assert!(slides(&held).iter().all(|slide_m| *slide_m < 0.001), "{:?}", slides(&held));
    assert!(slides(&by_itself)[1] > 0.3, "{:?}", slides(&by_itself));
    let last_m = |clip: &Clip| of_foot(&plan(&rig, clip), 0).last().unwrap().source.slide_m;
    assert!(last_m(&held) > 0.8 * SLIDE_M && last_m(&by_itself) < 0.001, "{} {}", last_m(&held), last_m(&by_itself));
    let other = of_foot(&plan(&rig, &held), 1);
    assert!(other.iter().all(|contact| contact.source.slide_m < 0.001), "the other foot is held as found");
}
