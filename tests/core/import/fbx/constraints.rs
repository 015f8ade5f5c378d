//! Poses of joints with constraints, compared with known numbers.

use super::ascii::{Ascii, LINEAR, STEP, Space, Y_UP_CM, Z_UP_CM};
use crate::import_support::{import_bytes, importer};
use glam::{Affine3A, EulerRot, Mat4, Quat, Vec3};
use posepress_core::import::{ConstraintReading, Finding, ImportOptions, Imported, Severity};
use posepress_core::model::{ModelPose, Pose};
use std::f32::consts::{FRAC_PI_2, PI};
use std::path::Path;

/// Allowed difference in metres and radians.
const EPSILON: f32 = 2e-5;

type Properties<'a> = &'a [(&'a str, &'a [f64])];
type Keys<'a> = &'a [(&'a str, &'a [(f64, f64)])];

/// A node at rest that is no bone.
fn null(doc: &mut Ascii, name: &str, parent: u64, translation: [f64; 3]) -> u64 {
    doc.node(name, "Null", parent, translation, 1.0)
}

/// A scene whose joints are found by name at times of its first clip.
struct Scene(Imported);

impl Scene {
    fn read(doc: &Ascii, space: Space) -> Self {
        Self(import_bytes("fbx", &doc.write(space)).unwrap())
    }

    fn joint(&self, name: &str) -> usize {
        self.0.rig.skeleton.find(name).unwrap_or_else(|| panic!("no joint {name}"))
    }

    fn pose(&self, at_secs: f32) -> ModelPose {
        let clip = &self.0.clips[0];
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        clip.sample(clip.grid().sample_at(at_secs), &mut pose);
        ModelPose::new(&self.0.rig.skeleton, &pose.joints)
    }

    fn place(&self, name: &str, at_secs: f32) -> Vec3 {
        self.pose(at_secs).origin(self.joint(name))
    }

    fn rotation(&self, name: &str, at_secs: f32) -> Quat {
        self.pose(at_secs).joints[self.joint(name)].to_scale_rotation_translation().1
    }

    fn said(&self) -> Vec<&Finding> {
        self.0.findings.iter().filter(|finding| finding.subject == "constraints").collect()
    }
}

#[track_caller]
fn assert_near(found: Vec3, expected: Vec3) {
    assert!((found - expected).length() < EPSILON, "{found}, expected {expected}");
}

#[track_caller]
fn assert_turned(found: Quat, expected: Quat) {
    let expected = if found.dot(expected) < 0.0 { -expected } else { expected };
    assert!((found - expected).length() < EPSILON, "{found}, expected {expected}");
}

/// Two controls: one moves a metre along x in a second, one turns a quarter about z in place.
fn controls() -> (Ascii, [u64; 2], u64) {
    let mut doc = Ascii::default();
    let goes = null(&mut doc, "goes", 0, [0.0, 10.0, 0.0]);
    let turns = null(&mut doc, "turns", 0, [0.0, 0.0, 50.0]);
    let layer = doc.stack("act", 0.0, 1.0);
    let x: [(f64, f64); 2] = [(0.0, 0.0), (1.0, 100.0)];
    doc.curves(layer, goes, "Lcl Translation", LINEAR, &[("X", &x), ("Y", &[(0.0, 10.0)]), ("Z", &[(0.0, 0.0)])]);
    doc.curves(layer, turns, "Lcl Rotation", LINEAR, &[("Z", &[(0.0, 0.0), (1.0, 90.0)])]);
    (doc, [goes, turns], layer)
}

#[test]
fn a_position_constraint_takes_the_mean_of_its_sources_where_they_are() {
    let (mut doc, [goes, turns], _) = controls();
    let parent = doc.node_with("parent", "Null", 0, &[("Lcl Rotation", &[0.0, 0.0, 90.0])]);
    let held = null(&mut doc, "held", parent, [1.0, 2.0, 3.0]);
    let sources = [(held, "Constrained Object"), (goes, "Source"), (turns, "Source")];
    let properties: Properties =
        &[("goes.Weight", &[75.0]), ("turns.Weight", &[25.0]), ("Translation", &[4.0, 0.0, 0.0])];
    doc.constraint("follow", "Position From Positions", properties, &sources);
    let scene = Scene::read(&doc, Y_UP_CM);
    let mean = |x: f32| Vec3::new(x, 0.1, 0.0).lerp(Vec3::new(0.0, 0.0, 0.5), 0.25);
    // The offset is in the space of the turned parent.
    assert_near(scene.place("held", 0.0), mean(0.0) + Vec3::Y * 0.04);
    assert_near(scene.place("held", 1.0), mean(1.0) + Vec3::Y * 0.04);
    let said = scene.said();
    assert!(
        said.len() == 1 && said[0].severity == Severity::Note && said[0].what == "1 constraint evaluated",
        "{said:?}"
    );
}

#[test]
fn axes_units_and_up_of_the_file_change_nothing() {
    let (mut doc, [goes, turns], _) = controls();
    let held = null(&mut doc, "held", 0, [0.0; 3]);
    null(&mut doc, "child", held, [0.0, 0.0, 7.0]);
    let offset: Properties = &[("Translation", &[0.0, 0.0, 5.0])];
    doc.constraint("place", "Position From Positions", offset, &[(held, "Constrained Object"), (goes, "Source")]);
    doc.constraint("aim", "Aim", &[], &[(held, "Constrained Object"), (turns, "Aim At Object")]);
    let (z_up, y_up) = (Scene::read(&doc, Z_UP_CM), Scene::read(&doc, Y_UP_CM));
    let raised = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
    assert_near(z_up.place("held", 0.5), raised(y_up.place("held", 0.5)));
    assert_near(y_up.place("held", 0.5), Vec3::new(0.5, 0.1, 0.05));
    let metres = Scene::read(&doc, Space { unit_cm: 100.0, ..Y_UP_CM });
    assert_near(metres.place("child", 0.5), 100.0 * y_up.place("child", 0.5));
    // The up direction is that of the file. With Z up the aim has another roll.
    let up = |scene: &Scene| scene.rotation("held", 0.5) * Vec3::Y;
    assert!(up(&y_up).y > 0.9 && up(&z_up).y > 0.5, "{} {}", up(&y_up), up(&z_up));
}

#[test]
fn a_rotation_constraint_turns_as_its_sources_by_its_weight() {
    let (mut doc, [_, turns], layer) = controls();
    let held = doc.node_with("held", "Null", 0, &[("Lcl Rotation", &[0.0, 0.0, 30.0])]);
    let sources = [(held, "Constrained Object"), (turns, "Source")];
    let follow = doc.constraint("turn", "Rotation From Rotations", &[("Rotation", &[10.0, 0.0, 0.0])], &sources);
    let scene = Scene::read(&doc, Y_UP_CM);
    let offset = Quat::from_rotation_x(PI / 18.0);
    assert_turned(scene.rotation("held", 0.0), offset);
    assert_turned(scene.rotation("held", 1.0), Quat::from_rotation_z(FRAC_PI_2) * offset);
    doc.curves(layer, follow, "Weight", LINEAR, &[("Weight", &[(0.0, 0.0), (1.0, 100.0)])]);
    let scene = Scene::read(&doc, Y_UP_CM);
    assert_turned(scene.rotation("held", 0.0), Quat::from_rotation_z(PI / 6.0));
    let wanted = Quat::from_rotation_z(FRAC_PI_2 / 2.0) * offset;
    assert_turned(scene.rotation("held", 0.5), Quat::from_rotation_z(PI / 6.0).slerp(wanted, 0.5));
}

#[test]
fn what_follows_a_step_steps_with_it() {
    let mut doc = Ascii::default();
    let turns = null(&mut doc, "turns", 0, [0.0, 0.0, 50.0]);
    let held = null(&mut doc, "held", 0, [0.0; 3]);
    null(&mut doc, "child", held, [0.0, 100.0, 0.0]);
    let layer = doc.stack("act", 0.0, 1.0);
    doc.curves(layer, turns, "Lcl Rotation", STEP, &[("Z", &[(0.0, 0.0), (0.5, 90.0), (1.0, 90.0)])]);
    doc.constraint("turn", "Rotation From Rotations", &[], &[(held, "Constrained Object"), (turns, "Source")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    let clip = &scene.0.clips[0];
    assert!(clip.sampling_error().unwrap().error_m < 1e-5, "{:?}", clip.sampling_error());
    assert_turned(scene.rotation("held", 0.49), Quat::IDENTITY);
    assert_turned(scene.rotation("held", 0.5), Quat::from_rotation_z(FRAC_PI_2));
}

#[test]
fn single_axes_are_those_of_the_nodes_own_channels() {
    let (mut doc, [_, turns], _) = controls();
    let own: Properties =
        &[("RotationOrder", &[3.0]), ("PreRotation", &[0.0, 90.0, 0.0]), ("Lcl Rotation", &[20.0, 0.0, 0.0])];
    let held = doc.node_with("held", "Null", 0, own);
    let axes: Properties = &[("AffectX", &[0.0]), ("AffectY", &[0.0])];
    doc.constraint("turn", "Rotation From Rotations", axes, &[(held, "Constrained Object"), (turns, "Source")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    for (at_secs, part) in [(0.0, 0.0), (0.4, 0.4), (1.0, 1.0)] {
        // Order 3 turns about y, x, z. Each turn is about the axes after the ones before.
        let pre = Quat::from_rotation_y(FRAC_PI_2);
        let wanted = pre.inverse() * Quat::from_rotation_z(part * FRAC_PI_2);
        let z = wanted.to_euler(EulerRot::ZXY).0;
        let expected = pre * Quat::from_euler(EulerRot::ZXY, z, 20_f32.to_radians(), 0.0);
        assert_turned(scene.rotation("held", at_secs), expected);
    }
}

#[test]
fn a_parent_constraint_hands_a_sword_from_hand_to_hip() {
    let (mut doc, [goes, turns], layer) = controls();
    let sword = null(&mut doc, "sword", 0, [9.0, 9.0, 9.0]);
    let parts = [(sword, "Constrained object (Child)"), (goes, "Source (Parent)"), (turns, "Source (Parent)")];
    let properties: Properties = &[
        ("goes.Weight", &[100.0]),
        ("turns.Weight", &[0.0]),
        ("goes.Offset T", &[0.0, 5.0, 0.0]),
        ("turns.Offset T", &[20.0, 0.0, 0.0]),
        ("turns.Offset R", &[0.0, 90.0, 0.0]),
    ];
    let hand_over = doc.constraint("sword", "Parent-Child", properties, &parts);
    let weights: [(&str, [(f64, f64); 2]); 2] =
        [("goes.Weight", [(0.0, 100.0), (1.0, 0.0)]), ("turns.Weight", [(0.0, 0.0), (1.0, 100.0)])];
    for (property, keys) in &weights {
        doc.curves(layer, hand_over, property, LINEAR, &[(property, keys)]);
    }
    let scene = Scene::read(&doc, Y_UP_CM);
    let (hand, hip) =
        (|x: f32| Vec3::new(x, 0.15, 0.0), |turn: f32| Vec3::new(0.2 * turn.cos(), 0.2 * turn.sin(), 0.5));
    assert_near(scene.place("sword", 0.0), hand(0.0));
    assert_near(scene.place("sword", 1.0), hip(FRAC_PI_2));
    assert_near(scene.place("sword", 0.5), hand(0.5).lerp(hip(FRAC_PI_2 / 2.0), 0.5));
    assert_turned(scene.rotation("sword", 0.0), Quat::IDENTITY);
    let sheathed = Quat::from_rotation_z(FRAC_PI_2) * Quat::from_rotation_y(FRAC_PI_2);
    assert_turned(scene.rotation("sword", 1.0), sheathed);
}

#[test]
fn an_aim_points_its_axis_and_keeps_its_up() {
    let (mut doc, [goes, turns], _) = controls();
    let up_object: Properties = &[
        ("AimVector", &[0.0, 0.0, 1.0]),
        ("UpVector", &[0.0, 1.0, 0.0]),
        ("WorldUpType", &[2.0]),
        ("WorldUpVector", &[1.0, 0.0, 0.0]),
    ];
    let eye = null(&mut doc, "eye", 0, [0.0, 0.0, -20.0]);
    let parts = [(eye, "Constrained Object"), (goes, "Aim At Object"), (turns, "World Up Object")];
    doc.constraint("look", "Aim", up_object, &parts);
    let scene = Scene::read(&doc, Y_UP_CM);
    for at_secs in [0.0, 0.3, 0.8, 1.0] {
        let (eye, turned) = (scene.place("eye", at_secs), scene.rotation("eye", at_secs));
        let forward = (scene.place("goes", at_secs) - eye).normalize();
        assert_near(turned * Vec3::Z, forward);
        let up = scene.rotation("turns", at_secs) * Vec3::X;
        assert_near(turned * Vec3::Y, up.reject_from(forward).normalize());
    }
}

#[test]
fn a_scale_constraint_scales_whatever_is_above() {
    let (mut doc, [goes, _], layer) = controls();
    doc.curves(layer, goes, "Lcl Scaling", LINEAR, &[("X", &[(0.0, 1.0), (1.0, 3.0)]), ("Y", &[(0.0, 2.0)])]);
    let parent = doc.node_with("parent", "Null", 0, &[("Lcl Scaling", &[4.0, 1.0, 1.0])]);
    let held = null(&mut doc, "held", parent, [0.0; 3]);
    let properties: Properties = &[("Scaling", &[2.0, 1.0, 1.0]), ("AffectZ", &[0.0])];
    doc.constraint("size", "Scale From Scales", properties, &[(held, "Constrained Object"), (goes, "Source")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    let scale = scene.pose(1.0).joints[scene.joint("held")].to_scale_rotation_translation().0;
    assert_near(scale, Vec3::new(6.0, 2.0, 1.0));
}

/// Two links of 30 and 20 cm along x with a slight bend, a moving hand, and a pole in front.
fn arm(properties: Properties, hand: Keys, with_pole: bool) -> Scene {
    let mut doc = Ascii::default();
    let shoulder = doc.node("shoulder", "LimbNode", 0, [10.0, 100.0, 0.0], 1.0);
    let elbow = doc.node("elbow", "LimbNode", shoulder, [30.0, 0.0, -1.0], 1.0);
    let wrist = doc.node("wrist", "LimbNode", elbow, [20.0, 0.0, 1.0], 1.0);
    let layer = doc.stack("reach", 0.0, 1.0);
    doc.curves(layer, shoulder, "Lcl Rotation", LINEAR, &[("Y", &[(0.0, 0.0), (1.0, 30.0)])]);
    let goal = null(&mut doc, "goal", 0, [0.0; 3]);
    doc.curves(layer, goal, "Lcl Translation", LINEAR, hand);
    let pole = null(&mut doc, "pole", 0, [20.0, 100.0, 80.0]);
    let mut parts = vec![(shoulder, "First Joint"), (wrist, "End Joint"), (goal, "Effector")];
    parts.extend(with_pole.then_some((pole, "Pole Vector Object")));
    doc.constraint("arm", "Single Chain IK", properties, &parts);
    Scene::read(&doc, Y_UP_CM)
}

const REACHED: Keys = &[("X", &[(0.0, 30.0), (1.0, 45.0)]), ("Y", &[(0.0, 120.0), (1.0, 90.0)]), ("Z", &[(0.0, 5.0)])];

#[test]
fn a_chain_of_two_links_reaches_with_its_elbow_towards_the_pole() {
    let arm = arm(&[], REACHED, true);
    let lengths = [Vec3::new(0.3, 0.0, -0.01).length(), Vec3::new(0.2, 0.0, 0.01).length()];
    for part in [0.0, 0.5, 1.0] {
        let [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map(|joint| arm.place(joint, part));
        let goal = Vec3::new(0.3 + 0.15 * part, 1.2 - 0.3 * part, 0.05);
        assert_near(wrist, goal);
        assert!(((elbow - shoulder).length() - lengths[0]).abs() < EPSILON);
        assert!(((wrist - elbow).length() - lengths[1]).abs() < EPSILON);
        let (along, pole) = ((goal - shoulder).normalize(), Vec3::new(0.2, 1.0, 0.8) - shoulder);
        let aside = (elbow - shoulder).reject_from(along).normalize();
        assert_near(aside, pole.reject_from(along).normalize());
    }
}

#[test]
fn a_chain_without_a_pole_bends_as_its_keys_do_and_stretches_to_what_is_out_of_reach() {
    let far: Keys = &[("X", &[(0.0, 300.0)]), ("Y", &[(0.0, 100.0)]), ("Z", &[(0.0, 0.0), (1.0, 1.0)])];
    let stretched = arm(&[], far, false);
    let [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map(|joint| stretched.place(joint, 0.0));
    assert!((elbow - shoulder).angle_between(wrist - elbow) < 1e-3, "{shoulder} {elbow} {wrist}");
    assert_near((wrist - shoulder).normalize(), Vec3::X);
    let bent = arm(&[], REACHED, false);
    let [shoulder, elbow, wrist] = ["shoulder", "elbow", "wrist"].map(|joint| bent.place(joint, 0.0));
    assert_near(wrist, Vec3::new(0.3, 1.2, 0.05));
    let keyed = Quat::from_rotation_arc(Vec3::X, (wrist - shoulder).normalize()) * Vec3::NEG_Z;
    let aside = (elbow - shoulder).reject_from((wrist - shoulder).normalize()).normalize();
    assert!(aside.angle_between(keyed) < 1e-3, "{aside}, keys bend to {keyed}");
    let half = arm(&[("Weight", &[50.0])], REACHED, false);
    let wrist = half.place("wrist", 0.0);
    assert!((wrist - Vec3::new(0.3, 1.2, 0.05)).length() > 0.05 && (wrist - Vec3::new(0.6, 1.0, 0.0)).length() > 0.05);
}

#[test]
fn constraints_on_what_others_move_come_after_them_whatever_their_order() {
    let (mut doc, [goes, _], _) = controls();
    let nodes = ["last", "middle", "first"].map(|name| null(&mut doc, name, 0, [0.0; 3]));
    let below = null(&mut doc, "below", nodes[1], [0.0, 3.0, 0.0]);
    let follow: Properties = &[("Translation", &[0.0, 1.0, 0.0])];
    for (node, source) in [(nodes[0], below), (nodes[1], nodes[2]), (nodes[2], goes)] {
        let parts = [(node, "Constrained Object"), (source, "Source")];
        doc.constraint("follow", "Position From Positions", follow, &parts);
    }
    let scene = Scene::read(&doc, Y_UP_CM);
    assert_near(scene.place("last", 1.0), Vec3::new(1.0, 0.1 + 0.03 + 0.03, 0.0));
}

#[test]
fn a_circle_and_what_is_unknown_are_named_and_left_out() {
    let (mut doc, [goes, turns], _) = controls();
    let [one, two, free] = ["one", "two", "free"].map(|name| null(&mut doc, name, 0, [5.0, 0.0, 0.0]));
    for (name, node, source) in [("there", one, two), ("back", two, one), ("free", free, goes)] {
        let parts = [(node, "Constrained Object"), (source, "Source")];
        doc.constraint(name, "Position From Positions", &[], &parts);
    }
    doc.constraint("relation", "Relation", &[], &[(turns, "Constrained Object")]);
    doc.constraint("asleep", "Aim", &[("Active", &[0.0])], &[(turns, "Constrained Object"), (goes, "Aim At Object")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    assert_near(scene.place("free", 1.0), Vec3::new(1.0, 0.1, 0.0));
    assert_eq!(scene.0.rig.skeleton.find("one"), None, "without its constraint nothing moves it");
    let said: Vec<&str> = scene.said().iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("not supported: relation (Relation)"), "{said:?}");
    assert!(said[1].contains("they depend on each other: there") && said[1].contains("back"), "{said:?}");
    assert_eq!(said[2], "1 constraint evaluated");
}

#[test]
fn pivots_are_what_follows_and_what_is_followed() {
    let (mut doc, [goes, turns], _) = controls();
    // Frozen controls: their whole position is in the pivot.
    let pivot: Properties = &[("RotationPivot", &[0.0, 40.0, 0.0]), ("ScalingPivot", &[0.0, 40.0, 0.0])];
    let frozen = doc.node_with("frozen", "Null", goes, pivot);
    let held = null(&mut doc, "held", 0, [0.0; 3]);
    let own: Properties = &[("RotationPivot", &[6.0, 0.0, 0.0]), ("ScalingPivot", &[6.0, 0.0, 0.0])];
    let swung = doc.node_with("swung", "Null", 0, own);
    doc.constraint("held", "Position From Positions", &[], &[(held, "Constrained Object"), (frozen, "Source")]);
    doc.constraint("swung", "Rotation From Rotations", &[], &[(swung, "Constrained Object"), (turns, "Source")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    assert_near(scene.place("held", 1.0), Vec3::new(1.0, 0.5, 0.0));
    assert_near(scene.place("swung", 1.0), Vec3::new(0.06, -0.06, 0.0));
}

#[test]
fn keys_alone_can_be_asked_for() {
    let (mut doc, [goes, _], layer) = controls();
    let held = null(&mut doc, "held", 0, [1.0, 2.0, 3.0]);
    doc.curves(layer, held, "Lcl Translation", LINEAR, &[("X", &[(0.0, 7.0), (1.0, 8.0)])]);
    doc.constraint("follow", "Position From Positions", &[], &[(held, "Constrained Object"), (goes, "Source")]);
    let evaluated = Scene::read(&doc, Y_UP_CM);
    let reading = &evaluated.said()[0].readings[0];
    let options = reading.of(ImportOptions::default());
    assert_eq!(options.constraints, Some(ConstraintReading::Keys));
    let keys = Scene(importer("fbx").import(Path::new("a.fbx"), doc.write(Y_UP_CM).into(), &options).unwrap());
    assert_near(evaluated.place("held", 1.0), Vec3::new(1.0, 0.1, 0.0));
    assert!((keys.place("held", 1.0).x - 0.08).abs() < EPSILON);
    let said = keys.said();
    assert!(
        said.len() == 1 && said[0].severity == Severity::Warning && said[0].what.contains("as you chose"),
        "{said:?}"
    );
    let back = said[0].readings[0].of(options);
    assert_eq!(back.constraints, Some(ConstraintReading::Evaluated));
}

#[test]
fn constraints_without_anything_to_do_move_nothing() {
    let (mut doc, [goes, turns], _) = controls();
    let held = null(&mut doc, "held", goes, [1.0, 0.0, 0.0]);
    doc.constraint("no source", "Position From Positions", &[], &[(held, "Constrained Object")]);
    doc.constraint("no node", "Aim", &[], &[(goes, "Aim At Object")]);
    doc.constraint(
        "no chain",
        "Single Chain IK",
        &[],
        &[(held, "First Joint"), (held, "End Joint"), (turns, "Effector")],
    );
    let zero: Properties = &[("turns.Weight", &[0.0])];
    doc.constraint("no weight", "Position From Positions", zero, &[(held, "Constrained Object"), (turns, "Source")]);
    let nonsense: Properties = &[("AimVector", &[0.0; 3]), ("Weight", &[1e9])];
    doc.constraint("no axis", "Aim", nonsense, &[(held, "Constrained Object"), (turns, "Aim At Object")]);
    let scene = Scene::read(&doc, Y_UP_CM);
    assert_near(scene.place("held", 1.0), Vec3::new(1.01, 0.1, 0.0));
    assert_turned(scene.rotation("held", 1.0), Quat::IDENTITY);
}

/// A scene with each kind of constraint below a turned parent. Some have several sources, some read joints that others move.
pub fn crowd() -> Ascii {
    let (mut doc, [goes, turns], _) = controls();
    let parent = doc.node_with(
        "parent",
        "Null",
        0,
        &[("Lcl Rotation", &[20.0, -40.0, 70.0]), ("Lcl Translation", &[5.0, 6.0, 7.0])],
    );
    let [held, turned, child, eye, sized] =
        ["held", "turned", "child", "eye", "sized"].map(|name| null(&mut doc, name, parent, [1.0, 2.0, 3.0]));
    let weights: Properties = &[("goes.Weight", &[60.0]), ("turns.Weight", &[30.0]), ("Translation", &[0.0, 2.0, 9.0])];
    let mut constrain = |name, kind, properties, node, parts: &[(u64, &str)]| {
        let child = if kind == "Parent-Child" { "Constrained object (Child)" } else { "Constrained Object" };
        doc.constraint(name, kind, properties, &[&[(node, child)], parts].concat());
    };
    constrain(
        "look",
        "Aim",
        &[("UpVector", &[0.0, 0.0, 1.0]), ("WorldUpType", &[1.0]), ("RotationOffset", &[0.0, 10.0, 5.0])],
        eye,
        &[(held, "Aim At Object"), (child, "World Up Object")],
    );
    constrain("place", "Position From Positions", weights, held, &[(goes, "Source"), (turns, "Source")]);
    constrain(
        "turn",
        "Rotation From Rotations",
        &[("Rotation", &[30.0, 20.0, 10.0]), ("Weight", &[70.0])],
        turned,
        &[(turns, "Source")],
    );
    let offsets: Properties = &[
        ("turns.Offset T", &[9.0, 0.0, 1.0]),
        ("turns.Offset R", &[0.0, 50.0, 25.0]),
        ("goes.Offset T", &[0.0, 8.0, 0.0]),
    ];
    constrain("parent", "Parent-Child", offsets, child, &[(turns, "Source (Parent)"), (goes, "Source (Parent)")]);
    constrain("size", "Scale From Scales", &[("Scaling", &[2.0, 3.0, 4.0])], sized, &[(goes, "Source")]);
    let shoulder = null(&mut doc, "shoulder", parent, [0.0; 3]);
    let elbow = null(&mut doc, "elbow", shoulder, [30.0, 0.0, -1.0]);
    let wrist = null(&mut doc, "wrist", elbow, [20.0, 0.0, 1.0]);
    let parts = [(shoulder, "First Joint"), (wrist, "End Joint"), (goes, "Effector"), (turns, "Pole Vector Object")];
    doc.constraint("arm", "Single Chain IK", &[], &parts);
    doc
}

#[test]
fn thousands_that_depend_on_each_other_are_put_in_order_or_left_out() {
    const MANY: usize = 4000;
    for is_ring in [false, true] {
        let (mut doc, [goes, _], _) = controls();
        let nodes: Vec<u64> = (0..MANY).map(|number| null(&mut doc, &format!("n{number}"), 0, [0.0; 3])).collect();
        for (number, &node) in nodes.iter().enumerate() {
            let next = nodes.get(number + 1).copied().unwrap_or(if is_ring { nodes[0] } else { goes });
            let parts = [(node, "Constrained Object"), (next, "Source")];
            doc.constraint("next", "Position From Positions", &[], &parts);
        }
        let scene = Scene::read(&doc, Y_UP_CM);
        let said: Vec<&str> = scene.said().iter().map(|finding| finding.what.as_str()).collect();
        if is_ring {
            assert!(said.len() == 1 && said[0].contains("they depend on each other"), "{said:?}");
        } else {
            assert_eq!(said, ["4000 constraints evaluated"]);
            assert_near(scene.place("n0", 1.0), Vec3::new(1.0, 0.1, 0.0));
        }
    }
}

mod readers {
    use super::*;
    use crate::project::project;
    use std::collections::HashMap;
    use std::process::Command;

    /// Babylon.js has matrices in f32 and a baked key per sample.
    const NEAR: f32 = 1e-4;

    #[test]
    #[ignore = "needs node, and `npm ci --prefix tests/readers`"]
    fn babylon_evaluates_constraints_as_we_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("crowd.fbx");
        std::fs::write(&path, crowd().write(Y_UP_CM)).unwrap();
        let times: Vec<f32> = (0..10).map(|moment| moment as f32 / 10.0).collect();
        let mut node = Command::new("node");
        node.arg(project("tests/readers/fbx.mjs")).arg(&path).arg(serde_json::to_string(&times).unwrap());
        let output = node.output().expect("node is needed");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "after `npm ci --prefix tests/readers`: {said}");
        let theirs: Vec<HashMap<String, [f32; 16]>> = serde_json::from_slice(&output.stdout).unwrap();
        let scene = Scene::read(&crowd(), Y_UP_CM);
        for (at_secs, theirs) in times.into_iter().zip(theirs) {
            let ours = scene.pose(at_secs);
            for name in ["goes", "turns", "held", "turned", "child", "eye", "sized"] {
                let mut theirs = Affine3A::from_mat4(Mat4::from_cols_array(&theirs[name]));
                theirs.translation /= 100.0;
                let ours = ours.joints[scene.joint(name)];
                assert!(ours.abs_diff_eq(theirs, NEAR), "{name} at {at_secs} s: {ours}, {theirs}");
            }
        }
    }
}
