//! Each kind of input as each kind of output, and the poses that our readers and readers of other projects find in the file.
//! `UPDATE_TABLES=1 cargo test -p posepress-core --test core -- --ignored round_trips` writes the table
//! `docs/measured/round-trips.md`, after `npm ci --prefix tests/readers`.

use crate::engine_files::{anm_pose, read_anm};
use crate::export::readers;
use crate::export::readers_ozz;
use crate::project::{corpus, project, sample};
use crate::written;
use glam::{Affine3A, Quat, Vec3};
use posepress_core::export::{ExportKeys, ExportOptions, ExportTarget};
use posepress_core::import::{ImportOptions, Imported, LengthUnit, Origin, import_file};
use posepress_core::math::Transform;
use posepress_core::metrics::shell_error_m;
use posepress_core::model::{Clip, ModelPose, Rig, SourceDigest};
use posepress_core::pipeline::CONTAINER;
use posepress_core::recipe::Recipe;
use posepress_core::tasks::{ImportTask, SourceFile};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

/// A clip of a file.
struct Input {
    kind: &'static str,
    path: PathBuf,
    options: ImportOptions,
    rig: Arc<Rig>,
    clip: Arc<Clip>,
    own_bytes: u64,
    recipe: Recipe,
}

impl Input {
    fn read(kind: &'static str, path: PathBuf, clip: &str, unit: Option<LengthUnit>) -> Self {
        let options = ImportOptions { unit, ..Default::default() };
        let Imported { rig, clips, clip_bytes, .. } = import_file(&path, &options).unwrap();
        let at = clips.iter().position(|found| clip.is_empty() || found.name() == clip).unwrap();
        let (rig, own_bytes) = (Arc::new(rig), clip_bytes[at]);
        let clip = Arc::new(clips.into_iter().nth(at).unwrap());
        Self { kind, path, options, rig, clip, own_bytes, recipe: Recipe::chosen("press").unwrap() }
    }

    fn all() -> Vec<Self> {
        let cm = Some(LengthUnit::Centimetre);
        let files = [
            ("glTF, keyed", "kaykit/Knight.glb", "Walking_A", None),
            ("glTF in cm", "fox/Fox.glb", "Run", cm),
            ("FBX", "pab/walk.fbx", "", None),
            ("BVH", "bandai/ds1_walk_normal_001.bvh", "", cm),
        ];
        let files = files.into_iter().filter_map(|(kind, path, clip, unit)| Some((kind, corpus(path)?, clip, unit)));
        let all = [("glTF, the sample", sample(), "walk", None)].into_iter().chain(files);
        all.map(|(kind, path, clip, unit)| Self::read(kind, path, clip, unit)).collect()
    }

    fn export(&self, format: &str, options: ExportOptions) -> Vec<u8> {
        let digest = SourceDigest::of(&std::fs::read(&self.path).unwrap());
        let origin = Some(Origin { path: self.path.clone(), digest, options: self.options });
        let target = ExportTarget { options, origin };
        written::export(&self.rig, slice::from_ref(&self.clip), &self.recipe, format, &target).unwrap()
    }

    /// Metres per length unit of a GLB. A GLB back into a glTF keeps the unit of that glTF.
    fn glb_metres(&self) -> f32 {
        let is_gltf = self.path.extension().is_some_and(|extension| extension == "glb");
        self.options.unit.filter(|_| is_gltf).map_or(1.0, LengthUnit::metres)
    }

    /// Largest error of poses at the clip's samples, metres.
    fn error_m(&self, mut pose: impl FnMut(usize) -> Vec<Transform>) -> f32 {
        let skeleton = &self.rig.skeleton;
        let of_sample = |sample: usize| {
            let source = ModelPose::new(skeleton, self.clip.pose(sample));
            let found = ModelPose::new(skeleton, &pose(sample));
            let pairs = source.joints.iter().zip(&found.joints);
            pairs.map(|(a, b)| shell_error_m(a, b, self.recipe.shell_m)).fold(0.0, f32::max)
        };
        (0..self.clip.samples()).map(of_sample).fold(0.0, f32::max)
    }

    /// Largest error of the poses that one of our readers finds.
    fn error_of(&self, read: &Imported, metres: f32) -> f32 {
        let (skeleton, clip) = (&read.rig.skeleton, &read.clips[0]);
        assert_eq!(clip.samples(), self.clip.samples(), "{}", self.path.display());
        let mut worst_m: f32 = 0.0;
        for sample in 0..clip.samples() {
            let source = ModelPose::new(&self.rig.skeleton, self.clip.pose(sample));
            let found = ModelPose::new(skeleton, clip.pose(sample));
            for (joint, of_source) in source.joints.iter().enumerate() {
                let Some(at) = skeleton.find(self.rig.skeleton.name(joint)) else { continue };
                let found = Affine3A { translation: found.joints[at].translation * metres, ..found.joints[at] };
                worst_m = worst_m.max(shell_error_m(of_source, &found, self.recipe.shell_m));
            }
        }
        worst_m
    }
}

/// The result of a clip.
struct Trip {
    bytes: u64,
    /// Error in our readers.
    ours_m: Option<f32>,
    /// Error in other readers.
    theirs_m: Option<f32>,
    /// Largest error that the promise allows. The error from formats with few bits is added and not part of it.
    promised_m: Option<f32>,
}

type Way = (&'static str, &'static str, fn(&Input, &Path) -> Trip);

/// Name, the other reader, and the function that writes and reads back.
const WAYS: [Way; 6] = [
    ("container", "", container),
    ("GLB", "three.js", |input, folder| glb(input, folder, ExportKeys::Smallest)),
    ("GLB, editable keys", "three.js", |input, folder| glb(input, folder, ExportKeys::Editable)),
    ("ozz archive", "ozz-animation-rs", ozz),
    ("Riot .anm", "ltk_anim", anm),
    ("CSV", "", csv),
];

/// True if the table is to be written again.
fn is_written() -> bool {
    std::env::var_os("UPDATE_TABLES").is_some()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn container(input: &Input, folder: &Path) -> Trip {
    let path = write(folder, "clip.posepress", &input.export(CONTAINER, ExportOptions::default()));
    let task = ImportTask { file: SourceFile::Path(path), options: ImportOptions::default(), containers: true };
    let read = task.run(&Default::default()).unwrap().imported;
    let ours_m = Some(input.error_of(&read, 1.0));
    Trip { bytes: read.clip_bytes[0], ours_m, theirs_m: None, promised_m: Some(input.recipe.tolerance_m) }
}

fn glb(input: &Input, folder: &Path, keys: ExportKeys) -> Trip {
    let bytes = input.export("glb", ExportOptions { keys, ..Default::default() });
    let read = import_file(&write(folder, "clip.glb", &bytes), &ImportOptions::default()).unwrap();
    let worst = readers::compared(&bytes, &input.rig, slice::from_ref(&input.clip), input.glb_metres());
    Trip {
        bytes: read.clip_bytes[0],
        ours_m: Some(input.error_of(&read, input.glb_metres())),
        theirs_m: Some(worst.error_m),
        promised_m: Some(input.recipe.tolerance_m),
    }
}

fn ozz(input: &Input, folder: &Path) -> Trip {
    let options = ExportOptions::default();
    let skeleton = write(folder, "rig.ozz", &input.export("ozz-skeleton", options));
    let bytes = input.export("ozz", options);
    let path = write(folder, "clip.ozz", &bytes);
    let read = import_file(&path, &ImportOptions::default()).unwrap();
    // Another compiler builds that reader, so it runs only when the table is written.
    let theirs_m = is_written().then(|| {
        let last = (input.clip.samples() - 1) as f32;
        let parts: Vec<f32> = (0..input.clip.samples()).map(|sample| sample as f32 / last).collect();
        let answer = readers_ozz::play(&[skeleton, path], &parts);
        input.error_m(|sample| readers_ozz::pose(&input.rig, &answer, &answer.played[sample]))
    });
    // The format has no rate: omitted keys omit samples.
    let clip = &read.clips[0];
    let skeleton = &read.rig.skeleton;
    let mut pose = posepress_core::model::Pose::with_size(clip.joints(), 0);
    let ours_m = input.error_m(|sample| {
        clip.sample(clip.grid().sample_at(input.clip.grid().time_secs(sample as f64)), &mut pose);
        let joints = input.rig.skeleton.joints().iter();
        joints.map(|joint| pose.joints[skeleton.find(&joint.name).unwrap()]).collect()
    });
    Trip { bytes: bytes.len() as u64, ours_m: Some(ours_m), theirs_m, promised_m: None }
}

fn anm(input: &Input, _: &Path) -> Trip {
    let bytes = input.export("anm", ExportOptions::default());
    let animation = read_anm(&bytes);
    let secs = |sample: usize| input.clip.grid().time_secs(sample as f64);
    let theirs_m = input.error_m(|sample| anm_pose(&animation, &input.rig.skeleton, secs(sample)));
    Trip { bytes: bytes.len() as u64, ours_m: None, theirs_m: Some(theirs_m), promised_m: None }
}

fn csv(input: &Input, _: &Path) -> Trip {
    let bytes = input.export("csv", ExportOptions::default());
    let text = String::from_utf8(bytes).unwrap();
    let rows: Vec<Vec<f32>> = text
        .lines()
        .skip(1)
        .filter(|row| !row.contains(",,"))
        .map(|row| row.split(',').skip(3).take(10).map(|number| number.parse().unwrap()).collect())
        .collect();
    let joints = input.rig.skeleton.len();
    let local = |numbers: &Vec<f32>| Transform {
        translation: Vec3::from_slice(&numbers[0..3]),
        rotation: Quat::from_slice(&numbers[3..7]),
        scale: Vec3::from_slice(&numbers[7..10]),
    };
    let ours_m = input.error_m(|sample| rows[sample * joints..][..joints].iter().map(local).collect());
    let bytes = text.len() as u64;
    Trip { bytes, ours_m: Some(ours_m), theirs_m: None, promised_m: Some(input.recipe.tolerance_m) }
}

const HEAD: &str = "# Round trips

```sh
UPDATE_TABLES=1 cargo test -p posepress-core --test core -- --ignored round_trips    # after npm ci --prefix tests/readers, with rustup
```

Each kind of input, compressed by `press` at 0.1 mm and written as each kind of output. Bytes are those of the animation, without names,
rig and meshes (for `.anm`, ozz and CSV the whole file). The next column divides them by the bytes of the clip in the input. Errors are
shell errors in object space against the input, 30 mm from each joint, at every sample: with our reader, and with another reader (three.js
at ten samples, the others at all). ozz archives and `.anm` have numbers of few bits. Their error is added to the tolerance.

| input | output | bytes | of the input's own | our reader | another |
| --- | --- | --- | --- | --- | --- |
";

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn every_input_becomes_every_output_within_what_is_promised() {
    let mut table = HEAD.to_owned();
    for input in Input::all() {
        for (name, reader, way) in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let trip = way(&input, folder.path());
            for error_m in [trip.ours_m, trip.theirs_m].into_iter().flatten() {
                let promised_m = trip.promised_m.unwrap_or(0.01);
                assert!(error_m <= 1.002 * promised_m, "{} as {name}: {error_m} m", input.path.display());
            }
            let mm = |error_m: Option<f32>| error_m.map_or("\u{2013}".into(), |m| format!("{:.3} mm", m * 1000.0));
            let of_own = trip.bytes as f64 / input.own_bytes as f64;
            let theirs = trip.theirs_m.map_or("\u{2013}".into(), |m| format!("{}, {reader}", mm(Some(m))));
            let kind = format!("{}: {}", input.kind, input.clip.name());
            let row = format!("| {kind} | {name} | {} | {of_own:.3} | {} | {theirs} |", trip.bytes, mm(trip.ours_m));
            writeln!(table, "{row}").unwrap();
        }
    }
    let path = project("docs/measured/round-trips.md");
    if is_written() {
        std::fs::write(&path, &table).unwrap();
    }
    // Errors may differ between node versions in their last digit. Bytes never differ.
    let bytes = |table: &str| {
        table.lines().map(|row| row.split(" | ").take(4).collect::<Vec<_>>().join(" | ")).collect::<Vec<_>>()
    };
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(bytes(&known), bytes(&table), "the table is older than the code: write it with UPDATE_TABLES=1");
}
