use super::fixture::{Random, changed, track};
use super::true_pins::{HAND_L, HEAD, Motion, STAFF, motions, rig};
use glam::Vec3;
use posepress_core::codecs::Progress;
use posepress_core::metrics::{ContactPlan, ContactSettings, PinPlan, PinSpace, SlideLimits, Verdict, measure_pins};
use posepress_core::model::{Clip, Rig};
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::Recipe;
use std::sync::Arc;

fn found(rig: &Rig, clip: &Clip, settings: &ContactSettings) -> PinPlan {
    let raw = track(rig, clip);
    PinPlan::find(rig, clip, &raw, &ContactPlan::find(rig, clip, &raw, settings), settings)
}

fn motion(name: &str) -> Motion {
    motions().into_iter().find(|motion| motion.name == name).unwrap()
}

/// True, found and invented time of a motion.
fn score(motion: &Motion, rate_hz: f32, size: f32) -> [f32; 3] {
    let rig = rig(size);
    let plan = found(&rig, &motion.clip(&rig, rate_hz, size), &ContactSettings::default());
    let mut score = [motion.pins.iter().map(|(_, _, [from, to])| to - from).sum(), 0.0, 0.0];
    for pin in &plan.pins {
        let shared = |[from, to]: [f32; 2]| (pin.end_secs.min(to) - pin.start_secs.max(from)).max(0.0);
        let is_true = |(joint, on): (usize, &str)| joint == pin.joint && on == pin.on.name(&rig.skeleton);
        let of_truth = motion.pins.iter().filter(|(joint, on, _)| is_true((*joint, on))).map(|pin| shared(pin.2));
        let inside: f32 = of_truth.sum();
        score[1] += inside;
        score[2] += pin.end_secs - pin.start_secs - inside;
    }
    score
}

#[test]
fn pins_are_found_where_they_are_and_nowhere_else() {
    let mut sum = [0.0; 3];
    for motion in motions() {
        for (rate_hz, size) in [(24.0, 1.0), (30.0, 1.0), (60.0, 1.0), (120.0, 1.0), (30.0, 0.1), (30.0, 10.0)] {
            let one = score(&motion, rate_hz, size);
            println!("{} at {rate_hz} Hz, {size}: {one:?}", motion.name);
            assert!(one[1] >= 0.94 * one[0] && one[2] <= 0.2, "{} at {rate_hz} Hz, {size}: {one:?}", motion.name);
            (0..3).for_each(|i| sum[i] += one[i]);
        }
    }
    let [truth, found, invented] = sum;
    assert!(found >= 0.97 * truth, "found {found} of {truth} s");
    assert!(invented <= 0.02 * truth, "invented {invented} s beside {truth} s");
}

#[test]
fn a_known_drift_is_measured_for_the_joint_and_for_what_it_holds() {
    let (rig, motion) = (rig(1.0), motion("staff"));
    let raw = motion.clip(&rig, 30.0, 1.0);
    let plan = Arc::new(found(&rig, &raw, &ContactSettings::default()));
    assert_eq!(plan.pins.len(), 1, "{plan:?}");
    let mut random = Random(7);
    for joint in [HAND_L, STAFF] {
        for _ in 0..8 {
            let drift = random.vec3().normalize() * 0.006 * (1.0 + random.signed());
            // From none to all of it between 1 and 3 seconds.
            let lossy = changed(&rig, &raw, |sample, at, t| {
                let part = ((sample as f32 / 30.0 - 1.0) / 2.0).clamp(0.0, 1.0);
                t.translation += if at == joint { drift * part } else { Vec3::ZERO };
            });
            let report = measure_pins(&track(&rig, &raw), &track(&rig, &lossy), &plan, SlideLimits::default());
            let error_m = report.pins[0].drift_m - drift.length();
            assert!(error_m.abs() < 0.0003, "{joint}: {drift} is {} m", report.pins[0].drift_m);
        }
    }
}

#[test]
fn only_marked_pins_are_judged() {
    let (rig, motion) = (rig(1.0), motion("wall"));
    let raw = motion.clip(&rig, 30.0, 1.0);
    let lossy = changed(&rig, &raw, |sample, at, t| {
        t.translation.x += if at == HAND_L && sample > 60 { 0.008 } else { 0.0 };
    });
    let limits = SlideLimits { warn_slide_m: 0.002, warn_rate_m_s: 0.02, fail_slide_m: 0.005 };
    let verdict = |pins: &[&str]| {
        let pins = pins.iter().map(|line| line.to_string()).collect();
        let plan = Arc::new(found(&rig, &raw, &ContactSettings { pins, ..ContactSettings::default() }));
        let report = measure_pins(&track(&rig, &raw), &track(&rig, &lossy), &plan, limits);
        (report.marked().count(), report.verdict())
    };
    assert_eq!(verdict(&[]), (0, Verdict::Good));
    assert_eq!(verdict(&["hand_l on staff", "hips"]), (0, Verdict::Good));
    assert_eq!(verdict(&["hand_l on world"]), (1, Verdict::Fail));
    assert_eq!(verdict(&["hand_? on *"]), (1, Verdict::Fail));
}

#[test]
fn a_pair_that_the_user_names_needs_no_signs() {
    let (rig, motion) = (rig(1.0), motion("breath"));
    let raw = motion.clip(&rig, 30.0, 1.0);
    let plan = |line: &str| {
        let settings = ContactSettings { pins: vec![line.to_owned()], ..ContactSettings::default() };
        found(&rig, &raw, &settings).pins
    };
    assert_eq!(plan("*"), []);
    let named = plan("head on hips");
    assert!(named.len() == 1 && named[0].marked && named[0].joint == HEAD, "{named:?}");
    assert_eq!((named[0].on, named[0].start_secs, named[0].end_secs), (PinSpace::Joint(0), 0.0, 5.0));
}

#[test]
fn locked_contacts_hold_marked_pins() {
    let (rig, motion) = (Arc::new(rig(1.0)), motion("staff"));
    let clip = Arc::new(motion.clip(&rig, 30.0, 1.0));
    let mut recipe = Recipe { tolerance_m: 0.01, ..Recipe::chosen("press").unwrap() };
    let drift = |recipe: &Recipe| {
        let source = MeasuredClip::new(rig.clone(), clip.clone(), recipe);
        let outcome = compress(&source, recipe, &Progress::new()).unwrap();
        let lock = outcome.encoding().unwrap().lock;
        (outcome.report.pins.worst().map(|pin| pin.drift_m), outcome.bytes(), lock)
    };
    assert_eq!(drift(&recipe).0, None, "no pin is marked");
    recipe.contacts.pins = vec!["hand_l on staff".into()];
    let (free_m, free_bytes, _) = drift(&recipe);
    recipe.contacts.lock = true;
    let (held_m, held_bytes, lock) = drift(&recipe);
    let (free_m, held_m, lock) = (free_m.unwrap(), held_m.unwrap(), lock.unwrap());
    println!("{free_m} m, {free_bytes} bytes; {held_m} m, {held_bytes} bytes; {}", lock.words());
    assert!(free_m > 0.002, "coarse enough to see: {free_m}");
    assert!(held_m <= lock.limit_m && held_m < 0.5 * free_m, "{held_m} of {free_m}");
    assert_eq!((lock.pins, lock.left), (1, 0));
}
