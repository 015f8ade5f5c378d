//! The bundled sample: it is made again byte for byte, and has its promised properties.

#[path = "../../examples/make_sample/sample/mod.rs"]
mod sample;

use glam::{Quat, Vec3};
use posepress_core::model::{Channel, Clip, ClipData, ModelPose, Rig};
use sample::{check, motion};
use std::collections::HashMap;
use std::sync::OnceLock;

static COMMITTED: &[u8] = include_bytes!("../../src/app/assets/sample.glb");

/// Made once for all tests, because the surface takes seconds.
fn made() -> &'static (Rig, Vec<Clip>) {
    static MADE: OnceLock<(Rig, Vec<Clip>)> = OnceLock::new();
    MADE.get_or_init(sample::sample)
}

fn clip(name: &str) -> &'static Clip {
    made().1.iter().find(|c| c.name() == name).unwrap_or_else(|| panic!("the sample has a clip '{name}'"))
}

/// Limit of angular velocity, radians per second. An elbow in a straight punch is about the fastest joint of a body.
const FASTEST_RAD_S: f32 = 25.0;

fn lowest(rig: &Rig, clip: &Clip, sample: usize, vertices: &[usize]) -> f32 {
    check::skinned(rig, &rig.meshes[0], clip, sample, vertices).iter().map(|p| p.y).fold(f32::MAX, f32::min)
}

#[test]
fn the_generator_makes_the_committed_bytes_again() {
    let (rig, clips) = made();
    let bytes = sample::glb(rig, clips);
    let differs = bytes.iter().zip(COMMITTED).position(|(a, b)| a != b);
    assert!(
        bytes == COMMITTED,
        "src/app/assets/sample.glb has {} bytes, the generator makes {}, first difference at {differs:?}; \
         run: cargo run --no-default-features --example make_sample",
        COMMITTED.len(),
        bytes.len()
    );
    assert!(bytes.len() < 3_000_000, "{} bytes", bytes.len());
}

#[test]
fn the_importer_reads_the_same_clips_back() {
    use posepress_core::import::{IMPORTERS, ImportOptions};
    let importer = IMPORTERS.iter().find(|i| i.extensions().contains(&"glb")).unwrap();
    let read = importer.import("sample.glb".as_ref(), COMMITTED.into(), &ImportOptions::default()).unwrap();
    let (rig, clips) = made();
    let found = |joint: usize| read.rig.skeleton.find(rig.skeleton.name(joint)).unwrap();
    assert_eq!(read.rig.skeleton.len(), rig.skeleton.len());
    assert_eq!(read.clips.len(), clips.len());
    for (read, made) in read.clips.iter().zip(clips) {
        assert_eq!((read.name(), read.samples()), (made.name(), made.samples()));
        assert_eq!((read.duration_secs(), read.is_looping()), (made.duration_secs(), made.is_looping()));
        for sample in 0..made.samples() {
            assert_eq!(read.floats(sample), made.floats(sample), "{}, sample {sample}", made.name());
            for joint in 0..made.joints() {
                let (a, b) = (read.at(sample, found(joint)), made.at(sample, joint));
                let same = a.translation == b.translation
                    && a.scale == b.scale
                    && (a.rotation == b.rotation || a.rotation == -b.rotation);
                assert!(same, "{}, sample {sample}, '{}': {a:?}, not {b:?}", made.name(), rig.skeleton.name(joint));
            }
        }
    }
}

#[test]
fn the_rig_is_a_standing_biped_of_the_promised_size() {
    let (rig, _) = made();
    assert!((60..=70).contains(&rig.skeleton.len()), "{} joints", rig.skeleton.len());
    for name in ["root", "hips", "jaw", "clavicle_l", "upper_leg_l", "foot_r", "toes_l", "pinky_03_r", "weapon_socket"]
    {
        assert!(rig.skeleton.find(name).is_some(), "no joint '{name}'");
    }
    let [mesh] = &rig.meshes[..] else { panic!("{} meshes", rig.meshes.len()) };
    assert!((6_000..=15_000).contains(&mesh.triangles.len()), "{} triangles", mesh.triangles.len());
    let heights = mesh.positions.iter().map(|p| p.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
    assert!(low.abs() < 0.001 && (high - 1.75).abs() < 0.02, "from {low} m to {high} m");
    assert_eq!(mesh.targets.len(), 2);
    for target in &mesh.targets {
        let largest = target.positions.iter().map(|o| o.length()).fold(0.0, f32::max);
        assert!((0.003..0.03).contains(&largest), "'{}' moves by up to {largest} m", target.name);
    }
}

#[test]
fn the_surface_is_closed_and_faces_outwards() {
    let mesh = &made().0.meshes[0];
    // Vertices are doubled between two colours, so the test compares positions.
    let key = |v: u32| mesh.positions[v as usize].to_array().map(f32::to_bits);
    let mut edges = HashMap::new();
    let mut volume = 0.0;
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((key(from), key(to))).or_insert(0) += 1;
        }
        let [p, q, r] = [a, b, c].map(|v| mesh.positions[v as usize]);
        volume += p.dot(q.cross(r)) / 6.0;
    }
    let open = edges.iter().filter(|((from, to), count)| **count != 1 || edges.get(&(*to, *from)) != Some(&1));
    let places: Vec<_> = open.map(|((from, _), _)| from.map(f32::from_bits)).collect();
    assert!(places.is_empty(), "edges without exactly one partner at {places:?}");
    assert!((0.04..0.09).contains(&volume), "{volume} cubic metres");
}

#[test]
fn triangles_agree_with_their_normals() {
    let mesh = &made().0.meshes[0];
    let against = mesh.triangles.iter().filter(|t| {
        let [p, q, r] = t.map(|v| mesh.positions[v as usize]);
        let normals: Vec3 = t.map(|v| mesh.normals[v as usize]).into_iter().sum();
        (q - p).cross(r - p).normalize_or_zero().dot(normals.normalize_or_zero()) < 0.3
    });
    // A few slivers are in the creases of fingers and cuffs.
    let count = against.count();
    assert!(count * 500 < mesh.triangles.len(), "{count} triangles face against their normals");
}

#[test]
fn weights_add_up_and_stay_on_their_side() {
    let (rig, _) = made();
    let mesh = &rig.meshes[0];
    let crotch_m = 0.016;
    for (vertex, (joints, weights)) in mesh.influences.iter().zip(&mesh.weights).enumerate() {
        assert_eq!(weights.iter().sum::<f32>(), 1.0, "vertex {vertex}");
        assert!(weights.iter().all(|w| *w >= 0.0), "vertex {vertex}: {weights:?}");
        let at = mesh.positions[vertex];
        let other = if at.x > 0.0 { "_r" } else { "_l" };
        let follows_other = |j: u16| rig.skeleton.name(mesh.palette[usize::from(j)].joint).ends_with(other);
        let stray: f32 = joints.iter().zip(weights).filter(|(j, _)| follows_other(**j)).map(|(_, w)| w).sum();
        assert!(stray == 0.0 || at.x.abs() < crotch_m, "vertex {vertex} at {at} follows '{other}' by {stray}");
    }
    for side in ["l", "r"] {
        let sole = check::sole_vertices(rig, side).len();
        assert!(sole > 40, "{sole} vertices under foot_{side} follow only the foot and toes");
    }
}

#[test]
fn clips_have_their_names_rates_and_loops() {
    let expected = [
        ("walk", 93, 30.0, true),
        ("walk_root_motion", 93, 30.0, false),
        ("run", 43, 30.0, true),
        ("idle", 181, 30.0, true),
        ("turn_90", 61, 30.0, false),
        ("jump", 64, 30.0, false),
        ("wave", 91, 30.0, false),
        ("fight_combo", 181, 60.0, false),
        ("teleport", 61, 30.0, false),
        ("pose_t", 1, 0.0, false),
    ];
    let row = |c: &'static Clip| (c.name(), c.samples(), c.grid().rate_hz().round(), c.is_looping());
    assert_eq!(made().1.iter().map(row).collect::<Vec<_>>(), expected);
    for clip in made().1.iter().filter(|c| c.is_looping()) {
        assert_eq!(clip.pose(0), clip.pose(clip.samples() - 1), "{}", clip.name());
        assert_eq!(clip.floats(0), clip.floats(clip.samples() - 1), "{}", clip.name());
    }
}

#[test]
fn soles_stand_still_and_on_the_ground_while_contacted() {
    let (rig, clips) = made();
    for (take, clip) in motion::takes().iter().zip(clips) {
        let drift_m = check::sole_drift_m(rig, take, clip);
        assert!(drift_m < sample::MOST_DRIFT_M, "{}: {} mm", take.name, drift_m * 1e3);
        for (side, contacts) in ["l", "r"].into_iter().zip(&take.flat_secs) {
            let sole = check::sole_vertices(rig, side);
            for sample in contacts.iter().flat_map(|&contact| check::samples_within(clip, contact)) {
                let low = lowest(rig, clip, sample, &sole);
                assert!(low.abs() < 0.001, "{}, sample {sample}: the sole is at {low} m", take.name);
            }
        }
    }
    let steps = motion::takes()[0].flat_secs.each_ref().map(Vec::len);
    assert!(steps.iter().all(|s| *s >= 3), "the walk has {steps:?} contacts");
}

#[test]
fn the_drift_check_sees_a_knee_that_turns_by_a_tenth_of_a_degree() {
    let (rig, clips) = made();
    let (take, clip) = (&motion::takes()[0], &clips[0]);
    let knee = rig.skeleton.find("lower_leg_l").unwrap();
    let transforms = (0..clip.samples()).flat_map(|sample| {
        let mut pose = clip.pose(sample).to_vec();
        pose[knee].rotation *= Quat::from_rotation_x(0.1f32.to_radians() * (sample % 2) as f32);
        pose
    });
    let moved = Clip::new(ClipData {
        name: "moved".into(),
        joints: clip.joints(),
        duration_secs: clip.duration_secs(),
        transforms: transforms.collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: Some(false),
    });
    let drift_m = check::sole_drift_m(rig, take, &moved.unwrap());
    assert!((0.0005..0.0012).contains(&drift_m), "{} mm", drift_m * 1e3);
}

#[test]
fn nothing_pops_and_no_shoe_goes_below_the_ground() {
    let (rig, clips) = made();
    let mesh = &rig.meshes[0];
    let shoes: Vec<usize> = (0..mesh.positions.len()).filter(|&v| mesh.positions[v].y < 0.06).collect();
    for clip in clips {
        let limit = FASTEST_RAD_S / clip.grid().rate_hz().max(1.0) as f32;
        for sample in 0..clip.samples() {
            let low = lowest(rig, clip, sample, &shoes);
            assert!(low > -0.008, "{}, sample {sample}: a shoe is at {low} m", clip.name());
            for joint in (0..clip.joints()).filter(|_| sample > 0) {
                let angle = clip.at(sample - 1, joint).rotation.angle_between(clip.at(sample, joint).rotation);
                let name = rig.skeleton.name(joint);
                assert!(angle < limit, "{}, sample {sample}: '{name}' turns by {angle}", clip.name());
            }
        }
    }
}

#[test]
fn knees_only_bend_forward() {
    let (rig, clips) = made();
    let find = |name: &str| rig.skeleton.find(name).unwrap();
    for clip in clips {
        for sample in 0..clip.samples() {
            let pose = ModelPose::new(&rig.skeleton, clip.pose(sample));
            let forward = pose.joints[find("hips")].transform_vector3(Vec3::Z);
            for side in ["l", "r"] {
                let at = |joint: &str| pose.origin(find(&format!("{joint}_{side}")));
                let bend = (at("lower_leg") - at("upper_leg").midpoint(at("foot"))).dot(forward);
                assert!(bend > 0.0, "{}, sample {sample}: knee_{side} lies {bend} m ahead", clip.name());
            }
        }
    }
}

#[test]
fn the_teleport_steps_and_the_idle_is_noisy() {
    let teleport = clip("teleport");
    assert!(teleport.holds().iter().all(|h| h.joint == 0 && h.channel == Channel::Translation));
    let jumps = (1..teleport.samples()).filter(|&s| teleport.at(s, 0) != teleport.at(s - 1, 0)).count();
    assert_eq!((teleport.holds().len(), jumps), (teleport.samples() - 1, 2));
    let elbow = made().0.skeleton.find("lower_arm_l").unwrap();
    let roughness = |clip: &Clip| {
        let x = |i: usize| clip.at(i, elbow).rotation.x;
        let third_difference = |s: usize| (x(s + 3) - 3.0 * x(s + 2) + 3.0 * x(s + 1) - x(s)).abs();
        (0..clip.samples() - 3).map(third_difference).sum::<f32>() / (clip.samples() - 3) as f32
    };
    let (idle, walk) = (roughness(clip("idle")), roughness(clip("walk_root_motion")));
    assert!((1e-4..1e-2).contains(&idle), "mean third difference {idle}, of the walk {walk}");
}

/// The right foot lands at sample 0 and lifts at 19, the left foot lands at 15 1/3. A cycle has 30 2/3 samples.
#[test]
fn the_walk_moves_as_people_do() {
    let (rig, walk) = (&made().0, clip("walk"));
    let pose = |sample: usize| ModelPose::new(&rig.skeleton, walk.pose(sample));
    let at = |pose: &ModelPose, name: &str| pose.origin(rig.skeleton.find(name).unwrap());
    let knee_deg = |sample: usize| {
        let pose = pose(sample);
        let [hip, knee, ankle] = ["upper_leg_r", "lower_leg_r", "foot_r"].map(|n| at(&pose, n));
        (knee - hip).angle_between(ankle - knee).to_degrees()
    };
    assert!(knee_deg(0) < 12.0, "{} degrees at contact", knee_deg(0));
    assert!((15.0..25.0).contains(&knee_deg(4)), "{} degrees while the leg takes the weight", knee_deg(4));
    assert!(knee_deg(11) < 12.0, "{} degrees in the middle of the stance", knee_deg(11));
    assert!((50.0..65.0).contains(&knee_deg(23)), "{} degrees in mid-swing", knee_deg(23));

    let across = |sample: usize, left: &str, right: &str| at(&pose(sample), left) - at(&pose(sample), right);
    let drop = across(6, "upper_leg_r", "upper_leg_l").normalize().y.asin().to_degrees();
    assert!((3.0..7.0).contains(&drop), "hips drop by {drop} degrees on the side that swings");
    let (hips, shoulders) = (across(0, "upper_leg_l", "upper_leg_r"), across(0, "upper_arm_l", "upper_arm_r"));
    assert!(hips.z < -0.01 && shoulders.z > 0.03, "hips {hips} turn with the leg, shoulders {shoulders} against them");

    let mesh = &rig.meshes[0];
    let swings: Vec<usize> =
        (0..mesh.positions.len()).filter(|&v| mesh.positions[v].y < 0.06 && mesh.positions[v].x > 0.0).collect();
    for sample in 6..13 {
        let low_m = lowest(rig, walk, sample, &swings);
        assert!((0.005..0.06).contains(&low_m), "sample {sample}: the foot swings {low_m} m over the ground");
    }
}
