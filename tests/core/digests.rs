//! One number per codec and clip of the bundled sample: bytes and poses are the same with AVX2 and without, and with any number of
//! threads. `scripts/digests.sh` compares aarch64 with the same file.

mod web;

use crate::codec_fixtures::{Fixture, values_of};
use crate::container::{TOLERANCE_M, numbers, rig_of};
use crate::project::{project, sample};
use posepress_core::codecs::{self, CodecId, Encoder, ParamValues};
use posepress_core::format::{ClipEntry, Container, ContainerFile};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::math::Transform;
use posepress_core::model::{Pose, Skeleton};
use posepress_runtime::internal::math::run_portably;

/// Clips of the sample: a loop, one that moves the root, one of a single pose.
const CLIPS: [&str; 3] = ["walk", "jump", "pose_t"];
/// Places per sample interval at which poses are compared.
pub const SUB_FRAMES: usize = 3;

/// A clip in a codec, named after both.
struct Encoded {
    name: String,
    codec: &'static dyn Encoder,
    bytes: Vec<u8>,
}

/// Every codec with its defaults, and archives of press.
fn choices() -> Vec<(String, &'static dyn Encoder, ParamValues)> {
    let all = codecs::encoders().map(|codec| (codec.name().to_owned(), codec, ParamValues::new()));
    let press = codecs::encoders().find(|codec| codec.name() == "press").unwrap();
    let archive = values_of(press, &[("storage", "archive")]);
    all.chain([("press archive".to_owned(), press, archive)]).collect()
}

fn fixtures() -> Vec<Fixture> {
    let imported = import_file(&sample(), &ImportOptions::default()).unwrap();
    let clips = imported.clips.into_iter().filter(|clip| CLIPS.contains(&clip.name()));
    clips.map(|clip| Fixture { name: "sample", skeleton: imported.rig.skeleton.clone(), clip }).collect()
}

fn encoded(fixtures: &[Fixture]) -> Vec<Encoded> {
    let one = |fixture: &Fixture, (name, codec, values): &(String, &'static dyn Encoder, ParamValues)| Encoded {
        name: format!("{} {name}", fixture.clip.name()),
        codec: *codec,
        bytes: fixture.encode(*codec, values).bytes,
    };
    let choices = choices();
    fixtures.iter().flat_map(|fixture| choices.iter().map(move |choice| one(fixture, choice))).collect()
}

/// Poses of a clip at places between its first sample and its last, as bytes.
fn pose_bytes(codec: &dyn Encoder, bytes: &[u8], bind: &[Transform]) -> Vec<u8> {
    let (header, mut sampler) = codecs::open_clip(codec, bytes, bind).unwrap();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let mut out = Vec::new();
    for at_sample in header.grid.steps(SUB_FRAMES) {
        sampler.sample(at_sample, &mut pose);
        let joints = pose.joints.iter().flat_map(numbers);
        out.extend(joints.chain(pose.floats.iter().copied()).flat_map(f32::to_le_bytes));
    }
    out
}

fn short(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// A line of the file: the clip and its codec, digests of bytes and of poses.
fn line(clip: &Encoded, skeleton: &Skeleton) -> String {
    let poses = pose_bytes(clip.codec, &clip.bytes, &skeleton.bind_pose(0).joints);
    format!("{},{},{}", clip.name, short(&clip.bytes), short(&poses))
}

/// The file of digests, without its heading.
fn stored() -> Vec<String> {
    let text = std::fs::read_to_string(project("tests/digests.csv")).unwrap_or_default();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// All clips in all codecs as one container.
fn container(fixtures: &[Fixture], encoded: Vec<Encoded>) -> Container {
    let entry = |Encoded { name, codec, bytes }| {
        let (codec, recipe) = (codec.id().0, "".into());
        ClipEntry { name, codec, recipe, tolerance_m: TOLERANCE_M, bytes }
    };
    let floats = (0..fixtures[0].clip.float_tracks()).map(|track| format!("float {track}")).collect();
    Container::new(rig_of(&fixtures[0]), floats, encoded.into_iter().map(entry).collect())
}

#[test]
fn bytes_and_poses_have_one_digest_everywhere() {
    let fixtures = fixtures();
    assert_eq!(fixtures.len(), CLIPS.len());
    let skeleton = &fixtures[0].skeleton;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| encoded(&fixtures))
    };
    let lines: Vec<String> = on(1).iter().map(|clip| line(clip, skeleton)).collect();
    if std::env::var_os("POSEPRESS_WRITE_DIGESTS").is_some() {
        let text = format!("clip,bytes,poses\n{}\n", lines.join("\n"));
        std::fs::write(project("tests/digests.csv"), text).unwrap();
    }
    assert_eq!(lines, stored(), "POSEPRESS_WRITE_DIGESTS=1 writes tests/digests.csv after a change of a format");
    for threads in [2, 7] {
        // Other tests may run meanwhile: both ways of computing give the same bits.
        run_portably(threads == 2);
        let lines: Vec<String> = on(threads).iter().map(|clip| line(clip, skeleton)).collect();
        run_portably(false);
        assert_eq!(lines, stored(), "{threads} threads");
    }
}

/// Compares poses by the npm package, clip after clip, with ours.
fn assert_same_poses(container: &Container, theirs: &[u8], what: &str) {
    let rig = container.rig.as_ref().unwrap();
    let bind = rig.bind_pose().unwrap();
    let mut rest = theirs;
    for clip in &container.clips {
        let ours = pose_bytes(codecs::by_id(CodecId(clip.codec)).unwrap(), &clip.bytes, &bind);
        let (theirs, left) = rest.split_at_checked(ours.len()).unwrap_or_else(|| panic!("{what}: too few poses"));
        let differing = ours.chunks(4).zip(theirs.chunks(4)).position(|(a, b)| a != b);
        assert_eq!(differing, None, "{what}, {}: the first number with other bits", clip.name);
        rest = left;
    }
    assert!(rest.is_empty(), "{what}: {} bytes too many", rest.len());
}
