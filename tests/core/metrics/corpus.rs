use crate::project::corpus;
use posepress_core::import::{ImportOptions, Imported, LengthUnit, import_file};
use posepress_core::metrics::{ContactPlan, ContactSettings, FootKind, ModelTrack};
use posepress_core::model::{Clip, ClipSampler, Rig};

fn import(path: &str, unit: LengthUnit) -> Option<Imported> {
    let options = ImportOptions { unit: Some(unit), ..ImportOptions::default() };
    Some(import_file(&corpus(path)?, &options).unwrap())
}

fn find(rig: &Rig, clip: &Clip) -> ContactPlan {
    let mut sampler = ClipSampler::new(clip);
    let raw = ModelTrack::sample(&rig.skeleton, &mut sampler, clip.grid(), 2, clip.float_tracks());
    let plan = ContactPlan::find(rig, clip, &raw, &ContactSettings::default());
    print(rig, clip, &plan);
    plan
}

/// Prints the found contacts for a person who reads the output.
fn print(rig: &Rig, clip: &Clip, plan: &ContactPlan) {
    println!(
        "{} / {}: {:.2} s, loop {}, scale {:.3}, ground {:.3} m, moving {:.2} m/s",
        rig.name,
        clip.name(),
        clip.duration_secs(),
        clip.is_looping(),
        plan.scale,
        plan.ground_m,
        plan.ground_velocity_m_s
    );
    for (index, foot) in plan.feet.iter().enumerate() {
        let contacts = plan.contacts.iter().filter(|p| p.foot == index);
        let times: Vec<_> = contacts.map(|p| format!("{:.2}-{:.2}", p.start_secs, p.end_secs)).collect();
        let name = rig.skeleton.name(foot.joint);
        println!("  {name} {:?} rest {:.3} m, {} points: {times:?}", foot.kind, foot.rest_height_m, foot.sole.len());
    }
}

/// Start times of the contacts of the joint with that name.
fn starts(rig: &Rig, plan: &ContactPlan, name: &str) -> Vec<f32> {
    let joint = rig.skeleton.find(name).unwrap();
    let own = plan.contacts.iter().filter(|p| plan.feet[p.foot].joint == joint);
    own.map(|p| p.start_secs).collect()
}

fn names(rig: &Rig, plan: &ContactPlan) -> Vec<String> {
    plan.feet.iter().map(|f| rig.skeleton.name(f.joint).to_owned()).collect()
}

#[test]
fn captured_walks_contact_left_and_right_in_turn() {
    for (take, least) in [("ds1_walk_normal_001", 12), ("ds1_walk_old_001", 15), ("ds2_walk_elderly_002", 25)] {
        let Some(file) = import(&format!("bandai/{take}.bvh"), LengthUnit::Centimetre) else { return };
        let plan = find(&file.rig, &file.clips[0]);
        assert_eq!(names(&file.rig, &plan), ["Foot_L", "Toes_L", "Foot_R", "Toes_R"]);
        assert!((plan.scale - 1.0).abs() < 0.1, "an actor is about as tall as a person: {}", plan.scale);
        assert_eq!(plan.ground_velocity_m_s, glam::Vec3::ZERO, "{take} travels");
        let of = |side: &str| starts(&file.rig, &plan, &format!("Toes_{side}"));
        let mut steps: Vec<_> = of("L").into_iter().map(|t| (t, 'L')).collect();
        steps.extend(of("R").into_iter().map(|t| (t, 'R')));
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let order: String = steps.iter().map(|s| s.1).collect();
        assert!(order.len() >= least, "{take}: {order}");
        assert!(!order.contains("LL") && !order.contains("RR"), "{take}: {order}");
    }
}

#[test]
fn every_capture_has_feet_and_stands() {
    for take in ["ds1_bow_feminine_001", "ds1_dance-short_normal_001", "ds2_run_exhausted_002", "ds1_walk-back_sad_001"]
    {
        let Some(file) = import(&format!("bandai/{take}.bvh"), LengthUnit::Centimetre) else { return };
        let plan = find(&file.rig, &file.clips[0]);
        assert_eq!(plan.feet.len(), 4, "{take}");
        assert!(plan.contacts.len() >= 2, "{take}: {:?}", plan.contacts);
    }
}

#[test]
fn the_knight_walks_on_a_treadmill_on_its_own_feet() {
    let Some(file) = import("kaykit/Knight.glb", LengthUnit::Metre) else { return };
    let clip = |name: &str| file.clips.iter().find(|c| c.name() == name).unwrap();
    for name in ["Walking_A", "Walking_B", "Walking_C", "Walking_Backwards", "Running_A", "Running_B", "Idle"] {
        let plan = find(&file.rig, clip(name));
        assert_eq!(names(&file.rig, &plan), ["foot.l", "toes.l", "foot.r", "toes.r"], "{name}");
    }
    let walk = find(&file.rig, clip("Walking_A"));
    assert!(walk.ground_velocity_m_s.z < -0.3 && walk.ground_velocity_m_s.x.abs() < 0.1);
    assert!(find(&file.rig, clip("Walking_Backwards")).ground_velocity_m_s.z > 0.3);
    assert_eq!(find(&file.rig, clip("Idle")).ground_velocity_m_s, glam::Vec3::ZERO);
    for foot in ["foot.l", "toes.l", "foot.r", "toes.r"] {
        assert_eq!(starts(&file.rig, &walk, foot).len(), 1, "one step per cycle of {foot}");
    }
    let jump = find(&file.rig, clip("Jump_Full_Short"));
    assert!(jump.ground_m.abs() < 1e-3, "toes point below the ground for most of a jump: {}", jump.ground_m);
}

#[test]
fn the_fox_has_four_paws() {
    let Some(file) = import("fox/Fox.glb", LengthUnit::Centimetre) else { return };
    for clip in &file.clips {
        let plan = find(&file.rig, clip);
        let paws = names(&file.rig, &plan);
        for paw in ["LeftHand", "RightHand", "LeftFoot", "RightFoot"] {
            assert!(paws.iter().any(|name| name.contains(paw)), "{}: {paws:?}", clip.name());
        }
        assert!(plan.feet.iter().all(|f| f.kind != FootKind::Marked));
    }
    let survey = find(&file.rig, &file.clips[0]);
    assert!(survey.contacts.len() >= 4, "it stands on all fours and looks around: {:?}", survey.contacts);
}

#[test]
fn legs_without_names_are_found_by_being_low() {
    let Some(file) = import("cesium_man/cesium_man.gltf", LengthUnit::Metre) else { return };
    let plan = find(&file.rig, &file.clips[0]);
    assert_eq!(plan.feet.len(), 2, "{:?}", names(&file.rig, &plan));
    assert_eq!(plan.contacts.iter().map(|p| p.foot).collect::<Vec<_>>(), [0, 1], "one step each: {:?}", plan.contacts);
    assert!((plan.scale - 1.0).abs() < 0.3, "{}", plan.scale);
}
