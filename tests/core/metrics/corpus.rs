use crate::project::corpus;
use posepress_core::import::{ChosenFixes, Fix, Fixer, ImportOptions, Imported, LengthUnit, import_file};
use posepress_core::metrics::{Contact, ContactPlan, ContactSettings, ModelTrack, Pin, PinPlan};
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
        println!("  {name}, {} points: {times:?}", foot.sole.len());
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
        assert_eq!(names(&file.rig, &plan), ["Foot_L", "Foot_R"]);
        assert!((plan.scale - 1.0).abs() < 0.1, "an actor is about as tall as a person: {}", plan.scale);
        assert_eq!(plan.ground_velocity_m_s, glam::Vec3::ZERO, "{take} travels");
        let of = |side: &str| starts(&file.rig, &plan, &format!("Foot_{side}"));
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
        assert_eq!(plan.feet.len(), 2, "{take}");
        assert!(plan.contacts.len() >= 2, "{take}: {:?}", plan.contacts);
    }
}

#[test]
fn the_knight_walks_on_a_treadmill_on_its_own_feet() {
    let Some(file) = import("kaykit/Knight.glb", LengthUnit::Metre) else { return };
    let clip = |name: &str| file.clips.iter().find(|c| c.name() == name).unwrap();
    for name in ["Walking_A", "Walking_B", "Walking_C", "Walking_Backwards", "Running_A", "Running_B", "Idle"] {
        let plan = find(&file.rig, clip(name));
        assert_eq!(names(&file.rig, &plan), ["foot.l", "foot.r"], "{name}");
    }
    let walk = find(&file.rig, clip("Walking_A"));
    assert!(walk.ground_m.abs() < 0.015, "{}", walk.ground_m);
    assert!(walk.ground_velocity_m_s.z < -0.3 && walk.ground_velocity_m_s.x.abs() < 0.1);
    assert!(find(&file.rig, clip("Walking_Backwards")).ground_velocity_m_s.z > 0.3);
    assert_eq!(find(&file.rig, clip("Idle")).ground_velocity_m_s, glam::Vec3::ZERO);
    for foot in 0..2 {
        let share: f32 = walk.contacts.iter().filter(|c| c.foot == foot).map(|c| c.end_secs - c.start_secs).sum();
        assert!((0.4..0.65).contains(&(share / clip("Walking_A").duration_secs())), "foot {foot} stands for {share} s");
    }
}

#[test]
fn the_knight_stands_before_and_after_a_jump_and_never_in_the_air() {
    let Some(file) = import("kaykit/Knight.glb", LengthUnit::Metre) else { return };
    let clip = |name: &str| file.clips.iter().find(|c| c.name() == name).unwrap();
    for (name, air_secs) in [("Jump_Full_Short", 0.35..0.65), ("Jump_Full_Long", 0.35..1.75), ("Jump_Start", 0.35..0.6)]
    {
        let plan = find(&file.rig, clip(name));
        let in_air = |c: &&Contact| c.start_secs < air_secs.end && c.end_secs > air_secs.start;
        assert_eq!(plan.contacts.iter().find(in_air), None, "{name}");
        let before = plan.contacts.iter().filter(|c| c.start_secs == 0.0 && c.end_secs > 0.2);
        assert_eq!(before.count(), 2, "{name}: both feet push off");
    }
    assert_eq!(find(&file.rig, clip("Jump_Idle")).contacts, [], "it hangs in the air throughout");
    let jump = find(&file.rig, clip("Jump_Full_Short"));
    assert!(jump.ground_m.abs() < 1e-3, "toes point below the ground for most of a jump: {}", jump.ground_m);
}

/// Shares of a foot's cycles, from its first touch-down to its last, in which it stands, and in which both feet stand.
fn duty(plan: &ContactPlan, duration_secs: f32, foot: usize) -> (f32, f32) {
    let starts: Vec<_> =
        plan.contacts.iter().filter(|c| c.foot == foot && c.start_secs > 0.0).map(|c| c.start_secs).collect();
    let (first, last) = (starts[0], *starts.last().unwrap());
    let stands = |foot: usize, secs: f32| plan.contacts.iter().any(|c| c.foot == foot && c.covers(secs, duration_secs));
    let times = (0..2000).map(|i| first + (last - first) * i as f32 / 2000.0).filter(|secs| stands(foot, *secs));
    let times: Vec<_> = times.collect();
    let both = times.iter().filter(|secs| stands(1 - foot, **secs)).count();
    (times.len() as f32 / 2000.0, both as f32 / 2000.0)
}

#[test]
fn captured_gaits_keep_the_laws_of_gait() {
    // People stand 55 to 68 % of a walk's cycle on each foot and 8 to 35 % on both, to a whole per cent. Runners stand 20 to 45 %.
    let walk = (0.545..=0.685, 0.075..=0.355);
    let run = (0.195..=0.455, 0.0..=0.0);
    let walks = [
        "ds1_walk-back_sad_001",
        "ds1_walk_happy_001",
        "ds1_walk_normal_001",
        "ds1_walk_old_001",
        "ds2_walk-turn-left_normal_001",
        "ds2_walk-turn-right_active_005",
        "ds2_walk_elderly_002",
        "ds2_walk_feminine_003",
    ];
    let runs = ["ds1_run_active_001", "ds2_run_active_001", "ds2_run_exhausted_002"];
    let of_walks = walks.into_iter().map(|take| (take, &walk));
    for (take, (one, two)) in of_walks.chain(runs.map(|take| (take, &run))) {
        let Some(file) = import(&format!("bandai/{take}.bvh"), LengthUnit::Centimetre) else { return };
        let plan = find(&file.rig, &file.clips[0]);
        for foot in 0..2 {
            let (stands, both) = duty(&plan, file.clips[0].duration_secs(), foot);
            println!("{take}, foot {foot}: stands {stands:.3}, both {both:.3}");
            assert!(one.contains(&stands) && two.contains(&both), "{take}, foot {foot}: {stands} and {both}");
        }
    }
}

#[test]
fn legs_whose_feet_are_held_do_not_jolt() {
    // Front paws of Fox slide by 17 cm in its run, which is about as far as a foot is held.
    for (path, unit, rate_hz) in [
        ("fox/Fox.glb", LengthUnit::Centimetre, 24.0),
        ("fox/Fox.glb", LengthUnit::Centimetre, 30.0),
        ("kaykit/Knight.glb", LengthUnit::Metre, 30.0),
    ] {
        let options = ImportOptions { unit: Some(unit), rate_hz: Some(rate_hz), ..ImportOptions::default() };
        let Some(path) = corpus(path) else { return };
        let file = import_file(&path, &options).unwrap();
        let fixer = Fixer::new(&file.rig, &file.clips);
        for clip in &file.clips {
            let fixed = fixer.fixed(clip, &ChosenFixes::new([Fix::Feet].into(), &[])).unwrap().clip;
            for joint in 0..file.rig.skeleton.len() {
                let fastest = |clip: &Clip| {
                    let turn = |at: usize| clip.at(at, joint).rotation.angle_between(clip.at(at - 1, joint).rotation);
                    (1..clip.samples()).map(turn).fold(0.0, f32::max)
                };
                let (before, after) = (fastest(clip), fastest(&fixed));
                let name = file.rig.skeleton.name(joint);
                assert!(after <= 2.0 * before + 0.2, "{} {name}: {before} and {after} radians", clip.name());
            }
        }
    }
}

#[test]
fn short_stands_of_runners_are_found() {
    for take in ["ds1_run_normal_001", "ds1_dash_normal_001"] {
        let Some(file) = import(&format!("bandai/{take}.bvh"), LengthUnit::Centimetre) else { return };
        let plan = find(&file.rig, &file.clips[0]);
        for foot in 0..2 {
            let secs: f32 = plan.contacts.iter().filter(|c| c.foot == foot).map(|c| c.end_secs - c.start_secs).sum();
            let share = secs / file.clips[0].duration_secs();
            assert!((0.15..0.35).contains(&share), "{take}, foot {foot} stands for {share}");
        }
    }
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
        assert!(plan.feet.iter().all(|f| !f.marked));
        for foot in 0..4 {
            let own = plan.contacts.iter().filter(|c| c.foot == foot);
            assert!(own.count() >= 1, "{}: paw {foot} never stands", clip.name());
        }
    }
    let survey = find(&file.rig, &file.clips[0]);
    assert!(survey.contacts.len() >= 4, "it stands on all fours and looks around: {:?}", survey.contacts);
}

#[test]
fn legs_without_names_are_found_by_being_low() {
    let Some(file) = import("cesium_man/cesium_man.gltf", LengthUnit::Metre) else { return };
    let plan = find(&file.rig, &file.clips[0]);
    assert_eq!(plan.feet.len(), 2, "{:?}", names(&file.rig, &plan));
    assert!((0..2).all(|foot| plan.contacts.iter().any(|c| c.foot == foot)), "{:?}", plan.contacts);
    assert!((plan.scale - 1.0).abs() < 0.3, "{}", plan.scale);
}

#[test]
fn knights_hands_are_pinned_to_weapons_and_its_hips_to_seats() {
    let Some(imported) = import("kaykit/Knight.glb", LengthUnit::Metre) else { return };
    let rig = &imported.rig;
    let mut count = 0;
    let found: Vec<_> = imported
        .clips
        .iter()
        .flat_map(|clip| {
            let mut sampler = ClipSampler::new(clip);
            let raw = ModelTrack::sample(&rig.skeleton, &mut sampler, clip.grid(), 4, clip.float_tracks());
            let settings = ContactSettings::default();
            let plan = PinPlan::find(rig, clip, &raw, &ContactPlan::find(rig, clip, &raw, &settings), &settings);
            count += plan.pins.len();
            let row = |pin: &Pin| {
                let (joint, on) = (rig.skeleton.name(pin.joint), pin.on.name(&rig.skeleton));
                println!("{} {joint} on {on} {:.2}-{:.2}", clip.name(), pin.start_secs, pin.end_secs);
                (clip.name().to_owned(), format!("{joint} on {on}"))
            };
            plan.pins.iter().map(row).collect::<Vec<_>>()
        })
        .collect();
    let has = |clip: &str, pin: &str| found.iter().any(|(of, one)| of == clip && one == pin);
    for clip in ["2H_Melee_Idle", "2H_Melee_Attack_Chop", "2H_Melee_Attack_Spinning"] {
        assert!(has(clip, "hand.l on handslot.r"), "{clip}: {found:?}");
    }
    // Its crossbow is not in the file: the hands hold each other.
    assert!(has("2H_Ranged_Shooting", "hand.r on handslot.l"), "{found:?}");
    assert!(has("Sit_Chair_Idle", "hips on world") && has("Sit_Floor_Idle", "hips on world"), "{found:?}");
    assert!(!found.iter().any(|(clip, _)| clip.starts_with("Walking") || clip.starts_with("Running")), "{found:?}");
    assert!(!found.iter().any(|(clip, _)| clip == "Idle" || clip == "Unarmed_Idle"), "{found:?}");
    assert!((20..60).contains(&count), "{count}");
}
