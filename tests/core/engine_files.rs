//! Files for engines: the poses of their players, compared with the decoded clip and with the source.

use crate::project::{corpus, sample};
use glam::{Quat, Vec3};
use ltk_anim::Compressed;
use posepress_core::export::{ExportClip, ExportTarget, by_key};
use posepress_core::import::{ImportOptions, LengthUnit, import_bytes, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::shell_error_m;
use posepress_core::model::*;
use posepress_core::pipeline::{MeasuredClip, Outcome, compress_shell};
use posepress_core::recipe::Recipe;
use posepress_runtime::internal::ClipSections;
use std::path::PathBuf;
use std::sync::Arc;

/// A clip and its compressed form.
pub struct Case {
    pub name: &'static str,
    pub rig: Arc<Rig>,
    pub clip: Arc<Clip>,
    pub outcome: Outcome,
}

impl Case {
    /// A clip of a file: the named one, or the first.
    fn of(path: PathBuf, name: &'static str, clip: &str, unit: Option<LengthUnit>, codec: &str) -> Self {
        let imported = import_file(&path, &ImportOptions { unit, ..Default::default() }).unwrap();
        let is_wanted = |found: &Clip| clip.is_empty() || found.name() == clip;
        let (rig, clip) = (Arc::new(imported.rig), Arc::new(imported.clips.into_iter().find(is_wanted).unwrap()));
        let recipe = Recipe::chosen(codec).unwrap();
        let source = MeasuredClip::new(rig.clone(), clip.clone(), &recipe);
        let outcome = compress_shell(&source, &recipe, &Default::default()).unwrap();
        Self { name, rig, clip, outcome }
    }

    /// Cases of the sample, a game character, an animal and a motion capture.
    pub fn all(codec: &str) -> Vec<Self> {
        let cm = Some(LengthUnit::Centimetre);
        let files = [
            ("kaykit/Knight.glb", "1H_Melee_Attack_Chop", None),
            ("fox/Fox.glb", "Run", cm),
            ("bandai/ds1_walk_normal_001.bvh", "", cm),
        ];
        let files = files.into_iter().filter_map(|(path, clip, unit)| Some((corpus(path)?, path, clip, unit)));
        let all = [(sample(), "sample", "walk", None)].into_iter().chain(files);
        all.map(|(path, name, clip, unit)| Self::of(path, name, clip, unit, codec)).collect()
    }

    /// Exports the decoded clip in a format, with the keys that a tolerance needs.
    pub fn export(&self, format: &str, tolerance_m: f32) -> Vec<u8> {
        let decoded = ExportClip::decoded(&self.clip, self.outcome.sampler());
        let clip = ExportClip { tolerance_m, shells_m: self.outcome.shells_m.to_vec(), ..decoded };
        by_key(format).unwrap().export(&self.rig, &mut [clip], &ExportTarget::default()).unwrap()
    }

    /// Errors of a player at times in the clip.
    pub fn compare(&self, places: &[f64], mut play: impl FnMut(f64) -> Vec<Transform>) -> Vec<Off> {
        let mut off = vec![Off::default(); self.rig.skeleton.len()];
        let (mut decoded, mut raw) = (self.outcome.sampler(), ClipSampler::new(&*self.clip));
        let mut pose = Pose::with_size(self.clip.joints(), self.clip.float_tracks());
        for &place in places {
            let played = play(place);
            raw.sample(place, &mut pose);
            let of_source = ModelPose::new(&self.rig.skeleton, &pose.joints);
            decoded.sample(place, &mut pose);
            let of_decoded = ModelPose::new(&self.rig.skeleton, &pose.joints);
            let of_played = ModelPose::new(&self.rig.skeleton, &played);
            for (joint, off) in off.iter_mut().enumerate() {
                let shell_m = self.outcome.shells_m[joint];
                let error_m = |a: &ModelPose, b: &ModelPose| shell_error_m(&a.joints[joint], &b.joints[joint], shell_m);
                let allowed_m = self.outcome.recipe.tolerance_m.max(error_m(&of_source, &of_decoded));
                off.error_m = off.error_m.max(error_m(&of_source, &of_played));
                off.decoded_m = off.decoded_m.max(error_m(&of_decoded, &of_played));
                off.beyond_m = off.beyond_m.max(error_m(&of_source, &of_played) - allowed_m);
                off.local_rad = off.local_rad.max(angle(pose.joints[joint].rotation, played[joint].rotation));
                let way = pose.joints[joint].translation - played[joint].translation;
                off.local_m = off.local_m.max(way.abs().max_element());
            }
        }
        off
    }

    pub fn samples(&self) -> Vec<f64> {
        self.clip.grid().steps(1).collect()
    }
}

/// Largest errors of a joint.
#[derive(Debug, Clone, Copy, Default)]
pub struct Off {
    /// Distance from the source.
    pub error_m: f32,
    /// Distance from the decoded clip.
    pub decoded_m: f32,
    /// Distance from the source beyond the tolerance and beyond the error of the decoded clip.
    pub beyond_m: f32,
    /// Error of the joint's local rotation against the decoded clip.
    pub local_rad: f32,
    /// Error of a component of its local translation against the decoded clip.
    pub local_m: f32,
}

impl Off {
    /// The largest errors over all joints.
    pub fn worst(off: &[Self]) -> Self {
        off.iter().fold(Self::default(), |a, b| Self {
            error_m: a.error_m.max(b.error_m),
            decoded_m: a.decoded_m.max(b.decoded_m),
            beyond_m: a.beyond_m.max(b.beyond_m),
            local_rad: a.local_rad.max(b.local_rad),
            local_m: a.local_m.max(b.local_m),
        })
    }
}

/// Angle between rotations. It is exact for small angles, unlike an arc cosine.
fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let chord = (glam::Vec4::from(a.to_array()) - glam::Vec4::from(b.to_array())).length();
    4.0 * (0.5 * chord).min(1.0).asin()
}

/// Error of three components of 15 bits, each off by half a step, and of the fourth that follows from them.
pub const SMALLEST_THREE_RAD: f32 = 1.5e-4;

/// Hash of a joint's name in `.anm` files.
fn hash(name: &str) -> u32 {
    ltk_hash_of(&name.to_lowercase())
}

/// ELF hash, written as in its specification.
fn ltk_hash_of(text: &str) -> u32 {
    let mut hash: u64 = 0;
    for byte in text.bytes() {
        hash = ((hash << 4) + u64::from(byte)) & 0xffff_ffff;
        let high = hash & 0xf000_0000;
        if high != 0 {
            hash ^= high >> 24;
        }
        hash &= !high;
    }
    hash as u32
}

pub fn read_anm(bytes: &[u8]) -> Compressed {
    Compressed::from_reader(&mut std::io::Cursor::new(bytes)).unwrap()
}

/// A pose of a `.anm` file at any time, found with its jump caches.
pub fn anm_pose(animation: &Compressed, skeleton: &Skeleton, secs: f32) -> Vec<Transform> {
    let pose = animation.evaluate(secs);
    let joint = |joint: &Joint| {
        let (rotation, translation, scale) = pose[&hash(&joint.name)];
        Transform {
            rotation: Quat::from_array(rotation.to_array()),
            translation: Vec3::from_array(translation.to_array()),
            scale: Vec3::from_array(scale.to_array()),
        }
    };
    skeleton.joints().iter().map(joint).collect()
}

/// Largest extent of the translations, metres.
fn range_m(clip: &Clip) -> f32 {
    let values = || (0..clip.samples()).flat_map(|sample| clip.pose(sample)).map(|local| local.translation);
    (values().fold(Vec3::MIN, Vec3::max) - values().fold(Vec3::MAX, Vec3::min)).max_element()
}

#[test]
fn an_anm_of_every_sample_plays_what_was_decoded_to_the_formats_bits() {
    for case in Case::all("catmull-rom") {
        let animation = read_anm(&case.export("anm", 0.0));
        let grid = case.clip.grid();
        let off =
            case.compare(&case.samples(), |place| anm_pose(&animation, &case.rig.skeleton, grid.time_secs(place)));
        let worst = Off::worst(&off);
        eprintln!("{}: {worst:?}, range {} m", case.name, range_m(&case.clip));
        assert!(worst.local_rad <= SMALLEST_THREE_RAD, "{}: {worst:?}", case.name);
        assert!(worst.local_m <= 1e-4 * range_m(&case.clip), "{}: {worst:?}", case.name);
    }
}

#[test]
fn an_anm_of_few_keys_keeps_the_tolerance_and_its_jump_caches_lead_where_playing_does() {
    for case in ["catmull-rom", "raw"].into_iter().flat_map(Case::all) {
        let tolerance_m = case.outcome.recipe.tolerance_m;
        let (exact, sparse) = (case.export("anm", 0.0), case.export("anm", tolerance_m));
        let grid = case.clip.grid();
        let off = [&exact, &sparse].map(|bytes| {
            let animation = read_anm(bytes);
            case.compare(&case.samples(), |place| anm_pose(&animation, &case.rig.skeleton, grid.time_secs(place)))
        });
        eprintln!("{}: {} of {} bytes, {:?}", case.name, sparse.len(), exact.len(), Off::worst(&off[1]));
        let is_nearer = Off::worst(&off[1]).error_m < Off::worst(&off[0]).error_m;
        assert!(sparse.len() < exact.len() || is_nearer, "{}: {} of {} bytes", case.name, sparse.len(), exact.len());
        for (exact, sparse) in off[0].iter().zip(&off[1]) {
            assert!(sparse.beyond_m <= 1.01 * exact.decoded_m + 1e-6, "{}: {exact:?} {sparse:?}", case.name);
        }
        let animation = read_anm(&sparse);
        let mut player = animation.evaluator();
        for place in grid.steps(3) {
            let secs = grid.time_secs(place);
            assert_eq!(player.evaluate(secs), animation.evaluate(secs), "{} at {secs} s", case.name);
        }
    }
}

pub fn chain(names: &[&str]) -> Rig {
    let joint = |(index, name): (usize, &&str)| Joint {
        name: (*name).into(),
        parent: index.checked_sub(1),
        bind: Transform::from_translation(Vec3::new(0.0, 0.1, 0.0)),
    };
    Rig::from_skeleton("chain", Skeleton::new(names.iter().enumerate().map(joint).collect()).unwrap())
}

/// A clip in which every joint turns, by its index.
pub fn turning(rig: &Rig, samples: usize, duration_secs: f32) -> Clip {
    let joints = rig.skeleton.len();
    let local = |sample: usize, joint: usize| Transform {
        rotation: Quat::from_rotation_x(0.3 * (sample as f32 * 0.4 + joint as f32).sin()),
        ..rig.skeleton.bind(joint)
    };
    Clip::new(ClipData {
        name: "turn".into(),
        joints,
        duration_secs,
        transforms: (0..samples).flat_map(|sample| (0..joints).map(move |joint| local(sample, joint))).collect(),
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: None,
    })
    .unwrap()
}

pub fn export(format: &str, rig: &Rig, clip: &Clip) -> Result<Vec<u8>, String> {
    let clips = &mut [ExportClip::raw(clip)];
    by_key(format).unwrap().export(rig, clips, &ExportTarget::default()).map_err(|error| error.to_string())
}

#[test]
fn an_anm_of_one_instant_holds_that_pose() {
    let rig = chain(&["Root", "spine\u{e9}"]);
    let still = turning(&rig, 1, 0.0);
    let animation = read_anm(&export("anm", &rig, &still).unwrap());
    assert!(animation.duration() > 0.0 && animation.fps() > 0.0);
    for secs in [0.0, 0.01, 5.0] {
        let pose = anm_pose(&animation, &rig.skeleton, secs);
        assert!(angle(pose[1].rotation, still.at(0, 1).rotation) <= SMALLEST_THREE_RAD, "{secs}: {pose:?}");
    }
}

#[test]
fn long_names_zeros_and_many_joints_are_written() {
    let long = "n".repeat(1 << 16);
    let rig = chain(&["a\0b", &long]);
    let clip = turning(&rig, 5, 1.0);
    assert_eq!(read_anm(&export("anm", &rig, &clip).unwrap()).joint_count(), 2);
    let skeleton = export("ozz-skeleton", &rig, &clip).unwrap();
    assert_eq!(skeleton.len(), 1 + 13 + 4 + 4 + 4 + ("a\u{fffd}b".len() + 1 + (1 << 16) + 1) + 2 * 2 + 160);
    let names: Vec<String> = (0..1200).map(|joint| format!("j{joint}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let thousand = chain(&names[..1000]);
    for format in ["ozz", "ozz-skeleton", "anm"] {
        assert!(export(format, &thousand, &turning(&thousand, 3, 0.1)).is_ok(), "{format}");
    }
    let too_many = chain(&names);
    for format in ["ozz", "ozz-skeleton"] {
        let error = export(format, &too_many, &turning(&too_many, 3, 0.1)).unwrap_err();
        assert!(error.contains("1024 joints") && error.contains("1200"), "{error}");
    }
}

#[test]
fn what_the_numbers_of_a_format_cannot_say_is_refused() {
    let rig = chain(&["root"]);
    let far = |way_m: f32| {
        let joint = |sample: usize| Transform::from_translation(Vec3::X * way_m * sample as f32);
        let data = ClipData { transforms: (0..5).map(joint).collect(), ..clip_data(&turning(&rig, 5, 1.0)) };
        Clip::new(data).unwrap()
    };
    assert!(export("ozz", &rig, &far(10_000.0)).is_ok());
    let error = export("ozz", &rig, &far(20_000.0)).unwrap_err();
    assert!(error.contains("65,504 m"), "{error}");
    let error = export("anm", &rig, &turning(&rig, 65_537, 2000.0)).unwrap_err();
    assert!(error.contains("65536 different times") && error.contains("65537 samples"), "{error}");
}

fn clip_data(clip: &Clip) -> ClipData {
    ClipData {
        name: clip.name().into(),
        joints: clip.joints(),
        duration_secs: clip.duration_secs(),
        transforms: vec![],
        float_tracks: 0,
        floats: vec![],
        holds: vec![],
        looping: None,
    }
}

/// The sample that the bytes omit is in the exported file.
#[test]
fn a_loop_without_its_last_sample_is_exported_with_all_its_time() {
    let case = Case::of(sample(), "sample", "walk", None, "press");
    let bytes = &case.outcome.encoding().unwrap().encoded.bytes;
    assert!(ClipSections::read(bytes).unwrap().is_wrapped);
    let glb = case.export("glb", 1e-4);
    let glb = import_bytes("walk.glb".as_ref(), &glb, &ImportOptions::default()).unwrap();
    let found = &glb.clips[0];
    assert_eq!((found.samples(), found.duration_secs()), (case.clip.samples(), case.clip.duration_secs()));
    let anm = read_anm(&case.export("anm", 1e-4));
    let secs = case.clip.duration_secs();
    assert!((anm.duration() - secs).abs() < 1e-4, "{} of {secs} s", anm.duration());
    let csv = String::from_utf8(case.export("csv", 1e-4)).unwrap();
    assert!(csv.lines().count() > case.clip.samples() * case.clip.joints());
}
