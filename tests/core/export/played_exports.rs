//! Every exporter reports the error of its file as it plays. Another reader of the file must find the same error.

use crate::engine_files::{anm_pose, read_anm};
use crate::project::sample;
use glam::{Quat, Vec3};
use posepress_core::export::{
    EXPORTERS, ExportClip, ExportTarget, Exported, Exporter, Holds, PlayedLimits, by_key, export_measured,
};
use posepress_core::import::{ImportOptions, Imported, import_bytes, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::shell_error_m;
use posepress_core::model::*;

const TOLERANCE_M: f32 = 1e-4;
/// Allowed difference of another reader from float32 and times, metres.
const READING_M: f32 = 2e-6;

struct Input {
    name: &'static str,
    rig: Rig,
    clip: Clip,
}

impl Input {
    fn all() -> Vec<Self> {
        vec![Self::sample(), Self::chain(), Self::armature(), Self::armature_of_centimetres(), Self::far()]
    }

    fn sample() -> Self {
        let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
        let clip = imported.clips.into_iter().find(|clip| clip.name() == "walk").unwrap();
        Self { name: "sample", rig: imported.rig, clip }
    }

    /// Joints whose rounding errors add up over ten metres.
    fn chain() -> Self {
        let bind = |joint: usize| match joint {
            0 => Transform::IDENTITY,
            _ => Transform::from_translation(Vec3::new(0.05, 0.001 * (joint % 7) as f32, 0.0)),
        };
        Self::moving("chain", 200, bind, |sample, joint, bind| Transform {
            rotation: Quat::from_rotation_z(0.02 * (0.2 * sample as f32 + 0.3 * joint as f32).sin()),
            ..bind
        })
    }

    /// A root with scale 100 over lengths of a hundredth, as Blender's exporters write it.
    fn armature() -> Self {
        Self::scaled("armature", 100.0)
    }

    /// The inverse: a root with scale 0.01 over lengths of a hundred.
    fn armature_of_centimetres() -> Self {
        Self::scaled("armature of centimetres", 0.01)
    }

    fn scaled(name: &'static str, scale: f32) -> Self {
        let bind = move |joint: usize| match joint {
            0 => Transform { scale: Vec3::splat(scale), ..Transform::IDENTITY },
            _ => Transform::from_translation(Vec3::new(0.03, 0.23, 0.01) / scale),
        };
        Self::moving(name, 8, bind, move |sample, joint, bind| match joint {
            0 => Transform { translation: Vec3::new(0.0, 0.0, 0.02 * sample as f32), ..bind },
            _ => {
                Transform { rotation: Quat::from_rotation_x(0.4 * (0.3 * sample as f32 + joint as f32).sin()), ..bind }
            }
        })
    }

    /// A rig with positions that float16 cannot store.
    fn far() -> Self {
        let bind = |joint: usize| match joint {
            0 => Transform::from_translation(Vec3::new(1000.3, 0.0, 0.0)),
            _ => Transform::from_translation(Vec3::new(0.0, 0.2, 0.0)),
        };
        Self::moving("far", 4, bind, |sample, joint, bind| match joint {
            0 => Transform { translation: bind.translation + Vec3::Z * (0.01 * sample as f32), ..bind },
            _ => Transform { rotation: Quat::from_rotation_x(0.3 * (0.3 * sample as f32).sin()), ..bind },
        })
    }

    fn moving(
        name: &'static str,
        joints: usize,
        bind: impl Fn(usize) -> Transform,
        local: impl Fn(usize, usize, Transform) -> Transform,
    ) -> Self {
        let joint = |index: usize| Joint { name: format!("j{index}"), parent: index.checked_sub(1), bind: bind(index) };
        let rig = Rig::from_skeleton(name, Skeleton::new((0..joints).map(joint).collect()).unwrap());
        let pose = |sample: usize| (0..joints).map(move |joint| (sample, joint));
        let transforms = (0..31).flat_map(pose).map(|(sample, joint)| local(sample, joint, bind(joint))).collect();
        let clip = Clip::new(ClipData {
            name: name.into(),
            joints,
            duration_secs: 1.0,
            transforms,
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: Some(false),
        });
        Self { name, rig, clip: clip.unwrap() }
    }

    fn export(&self, exporter: &dyn Exporter) -> Exported {
        let limits = PlayedLimits { tolerance_m: TOLERANCE_M, ..PlayedLimits::default() };
        let clip = ExportClip { tolerance_m: TOLERANCE_M, limits, ..ExportClip::raw(&self.clip) };
        let mut clips = if exporter.info().holds == Holds::Rig { vec![] } else { vec![clip] };
        export_measured(exporter, &self.rig, &mut clips, &ExportTarget::default()).unwrap()
    }

    /// Joints that turn, each a little differently. `scale` gives the scale per sample and joint.
    fn hidden(name: &'static str, scale: impl Fn(usize, usize) -> Vec3) -> Self {
        let bind = |joint: usize| Transform::from_translation(Vec3::new(0.0, if joint == 0 { 0.0 } else { 0.2 }, 0.0));
        Self::moving(name, 5, bind, |sample, joint, bind| {
            let turn = Quat::from_rotation_x(0.8 * (0.25 * sample as f32 + joint as f32).sin());
            Transform { rotation: turn, scale: scale(sample, joint), ..bind }
        })
    }

    /// Largest error at the samples, from another reader of the file.
    fn read_again(&self, format: &str, bytes: &[u8]) -> f32 {
        let poses = self.poses(format, bytes);
        poses.iter().enumerate().map(|(sample, pose)| self.error_m(sample, pose)).fold(0.0, f32::max)
    }

    /// The same error without any scale.
    fn unscaled_error_m(&self, format: &str, bytes: &[u8]) -> f32 {
        let unscaled = |pose: &[Transform]| {
            let pose: Vec<Transform> = pose.iter().map(|local| Transform { scale: Vec3::ONE, ..*local }).collect();
            ModelPose::new(&self.rig.skeleton, &pose)
        };
        let error_m = |(sample, pose): (usize, &Vec<Transform>)| {
            let (raw, played) = (unscaled(self.clip.pose(sample)), unscaled(pose));
            let pairs = raw.joints.iter().zip(&played.joints);
            pairs.map(|(a, b)| shell_error_m(a, b, 0.03)).fold(0.0, f32::max)
        };
        self.poses(format, bytes).iter().enumerate().map(error_m).fold(0.0, f32::max)
    }

    /// Poses that another reader finds in the file, one per sample.
    fn poses(&self, format: &str, bytes: &[u8]) -> Vec<Vec<Transform>> {
        let poses: Vec<Vec<Transform>> = match format {
            "anm" => {
                let animation = read_anm(bytes);
                let secs = (0..self.clip.samples()).map(|sample| self.clip.grid().time_secs(sample as f64));
                secs.map(|secs| anm_pose(&animation, &self.rig.skeleton, secs)).collect()
            }
            "csv" => self.table(std::str::from_utf8(bytes).unwrap()),
            "glb" => self.by_name(&import_bytes("clip.glb".as_ref(), bytes, &ImportOptions::default()).unwrap()),
            "ozz" => {
                let folder = tempfile::tempdir().unwrap();
                let skeleton = self.export(by_key("ozz-skeleton").unwrap());
                std::fs::write(folder.path().join("rig.ozz"), skeleton.bytes).unwrap();
                let path = folder.path().join("clip.ozz");
                std::fs::write(&path, bytes).unwrap();
                let rate_hz = Some(self.clip.grid().rate_hz() as f32);
                self.by_name(&import_file(&path, &ImportOptions { rate_hz, ..ImportOptions::default() }).unwrap())
            }
            "usda" => {
                let rate_hz = Some(self.clip.grid().rate_hz() as f32);
                let options = ImportOptions { rate_hz, ..ImportOptions::default() };
                self.by_name(&import_bytes("clip.usda".as_ref(), bytes, &options).unwrap())
            }
            _ => panic!("no other reader of {format}: add one"),
        };
        assert_eq!(poses.len(), self.clip.samples(), "{} as {format}", self.name);
        poses
    }

    fn error_m(&self, sample: usize, played: &[Transform]) -> f32 {
        let raw = ModelPose::new(&self.rig.skeleton, self.clip.pose(sample));
        let played = ModelPose::new(&self.rig.skeleton, played);
        let shells_m = ExportClip::raw(&self.clip).shells_m;
        let pairs = raw.joints.iter().zip(&played.joints).zip(shells_m);
        pairs.map(|((a, b), shell_m)| shell_error_m(a, b, shell_m)).fold(0.0, f32::max)
    }

    fn by_name(&self, read: &Imported) -> Vec<Vec<Transform>> {
        let find =
            |joint: &Joint| read.rig.skeleton.joints().iter().position(|other| other.name == joint.name).unwrap();
        let places: Vec<usize> = self.rig.skeleton.joints().iter().map(find).collect();
        let clip = &read.clips[0];
        let pose = |sample: usize| places.iter().map(|place| clip.at(sample, *place)).collect();
        (0..clip.samples()).map(pose).collect()
    }

    /// Names of these inputs have no commas.
    fn table(&self, text: &str) -> Vec<Vec<Transform>> {
        let local = |line: &str| {
            let mut fields = line.split(',').skip(1);
            fields.next().filter(|joint| !joint.is_empty())?;
            let n: Vec<f32> = fields.skip(1).take(10).map(|field| field.parse().unwrap()).collect();
            Some(Transform::from_numbers([n[3], n[4], n[5], n[6], n[0], n[1], n[2], n[7], n[8], n[9]]))
        };
        let all: Vec<Transform> = text.lines().skip(1).filter_map(local).collect();
        all.chunks(self.rig.skeleton.len()).map(<[Transform]>::to_vec).collect()
    }
}

#[test]
fn every_exporter_claims_the_error_that_another_reader_finds() {
    for input in Input::all() {
        for exporter in EXPORTERS {
            let format = exporter.info().key;
            let exported = input.export(*exporter);
            if exporter.info().holds == Holds::Rig {
                assert!(exported.clips.is_empty(), "{format} holds no clip");
                continue;
            }
            let [played] = &exported.clips[..] else { panic!("{format}: {} clips", exported.clips.len()) };
            let claimed_m = played.report.samples.stats.max_m;
            let found_m = input.read_again(format, &exported.bytes);
            eprintln!("{} as {format}: {claimed_m} m, between {} m", input.name, played.report.between.stats.max_m);
            let rounding_m = READING_M + if input.name == "far" { 1e-4 } else { 0.0 };
            assert!(
                (claimed_m - found_m).abs() <= 0.02 * claimed_m + rounding_m,
                "{} as {format}: claimed {claimed_m} m, another reader finds {found_m} m",
                input.name
            );
        }
    }
}

#[test]
fn what_the_numbers_of_a_format_can_hold_is_within_the_tolerance() {
    for input in Input::all() {
        for exporter in EXPORTERS.iter().filter(|exporter| exporter.info().holds != Holds::Rig) {
            let exported = input.export(*exporter);
            let format = exporter.info().key;
            let [played] = &exported.clips[..] else { panic!("{format}") };
            let numbers_m = played.numbers.map_or(0.0, |numbers| numbers.error_m);
            let error_m = played.report.samples.stats.max_m;
            // The error comes from the joint's own 16-bit numbers in two channels. The message names the channel with the larger part.
            let held = error_m <= TOLERANCE_M.max(2.0 * numbers_m) + READING_M;
            assert!(held, "{} as {format}: {error_m} m, {:?}", input.name, played.complaint());
            assert_eq!(played.is_within(), played.complaint().is_none());
        }
    }
    for (input, format) in [(Input::chain(), "ozz"), (Input::chain(), "anm"), (Input::armature_of_centimetres(), "anm")]
    {
        let exported = input.export(by_key(format).unwrap());
        assert_eq!(exported.clips[0].complaint(), None, "{} as {format}", input.name);
    }
}

#[test]
fn what_no_float16_holds_is_said_with_the_joint_the_number_and_what_to_do() {
    let input = Input::far();
    let exported = input.export(by_key("ozz").unwrap());
    let played = &exported.clips[0];
    assert_eq!(played.joint, "j0");
    let complaint = played.complaint().unwrap();
    for expected in
        ["clip 'far'", "j0 has an error of 20.0 cm", "tolerance 0.10 mm", "float16", "1000.30 m", "--fix origin"]
    {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    // The descendants are still at their places.
    for (joint, error) in played.report.samples.per_joint.iter().enumerate().skip(1) {
        assert!(error.max_m < 3e-4, "joint {joint}: {error:?}");
    }
    assert_eq!(input.export(by_key("csv").unwrap()).clips[0].complaint(), None);
}

#[test]
fn what_a_scale_of_zero_hides_is_in_the_file() {
    let hides = |is_hidden: fn(usize) -> bool| {
        move |sample: usize, joint: usize| if joint == 1 && is_hidden(sample) { Vec3::ZERO } else { Vec3::ONE }
    };
    let inputs = [
        Input::hidden("one sample", hides(|sample| sample == 15)),
        Input::hidden("stretch", hides(|sample| (8..24).contains(&sample))),
        Input::hidden("throughout", hides(|_| true)),
        Input::hidden("shrinks and grows", |sample, joint| {
            Vec3::splat(if joint == 0 { (sample as f32 / 15.0 - 1.0).abs() } else { 1.0 })
        }),
    ];
    for input in inputs {
        for (format, most_m) in [("glb", 10.0 * TOLERANCE_M), ("ozz", 0.003), ("anm", 0.003)] {
            let exported = input.export(by_key(format).unwrap());
            let error_m = input.unscaled_error_m(format, &exported.bytes);
            assert!(error_m < most_m, "{} as {format}: {error_m} m without scale", input.name);
            let error_m = input.read_again(format, &exported.bytes);
            assert!(error_m < most_m, "{} as {format}: {error_m} m", input.name);
        }
    }
}
