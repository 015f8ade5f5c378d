//! The `.posepress` file: written files stay readable, and damage is always detected.

use crate::codec_fixtures::{Fixture, chain, clip_of, encoder, fixtures, leg, looping, weights};
use crate::project::project;
use glam::{Quat, Vec3};
use posepress_core::codecs::{
    self, CodecId, Compensation, CompensationMethod, GroupStorage, JointGroup, ParamChanges, ParamValue, ParamValues,
    Progress,
};
use posepress_core::format::{
    ClipEntry, Container, ContainerFile, DecodeError, RigDigest, RigJoint, RigSection, directory_crc,
};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Pose};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Tolerance in the header of every clip here.
const TOLERANCE_M: f32 = 0.0001;

fn rig_of(fixture: &Fixture) -> RigSection {
    let joint = |j: &posepress_core::model::Joint| RigJoint {
        name: j.name.clone(),
        parent: j.parent.map(|p| p as u16),
        bind: numbers(&j.bind),
    };
    RigSection { name: "rig".into(), joints: fixture.skeleton.joints().iter().map(joint).collect() }
}

fn numbers(t: &Transform) -> [f32; 10] {
    let [x, y, z, w] = t.rotation.to_array();
    let ([tx, ty, tz], [sx, sy, sz]) = (t.translation.to_array(), t.scale.to_array());
    [x, y, z, w, tx, ty, tz, sx, sy, sz]
}

/// A container with one clip per codec.
fn container_of(fixture: &Fixture) -> Container {
    let clip = |codec: &dyn codecs::Encoder| ClipEntry {
        name: format!("swing, {}", codec.name()),
        codec: codec.id().0,
        recipe: format!("codec = \"{}\"\n", codec.name()).into(),
        tolerance_m: TOLERANCE_M,
        bytes: fixture.encode(codec, &ParamValues::new()).bytes,
    };
    Container::new(rig_of(fixture), vec!["smile".into(), "frown".into()], codecs::encoders().map(clip).collect())
}

fn small() -> Fixture {
    fixtures().into_iter().find(|f| f.name == "floats").unwrap()
}

/// A clip in which every channel of every joint and the floats move.
fn moving() -> Fixture {
    let rig = chain(3);
    let mut data = clip_of(&rig, 13, |s, j| {
        let t = s as f32 / 30.0 + j as f32;
        Transform {
            rotation: Quat::from_rotation_z((5.0 * t).sin()) * Quat::from_rotation_x(2.0 * t),
            translation: rig.bind(j).translation + Vec3::new(0.2 * t.cos(), 0.1 * (7.0 * t).sin(), t * t * 0.05),
            scale: Vec3::new(1.0, 1.0 + 0.2 * (4.0 * t).sin(), 1.0 - 0.1 * (3.0 * t).cos()),
        }
    });
    data.float_tracks = 2;
    data.floats = (0..13).flat_map(|s| [(s as f32 * 0.4).sin(), 0.25]).collect();
    Fixture { name: "moving", clip: Clip::new(data).unwrap(), skeleton: rig }
}

#[test]
fn reads_what_was_written_with_and_without_its_rig() {
    let whole = container_of(&small());
    assert_eq!(Container::read(&whole.write()), Ok(whole.clone()));
    let stripped = Container { rig: None, ..whole.clone() };
    assert_eq!(Container::read(&stripped.write()), Ok(stripped.clone()));
    assert_eq!(stripped.rig_digest, whole.rig.as_ref().unwrap().digest());
    assert!(stripped.write().len() < whole.write().len());
    let empty = Container { clips: Vec::new(), float_names: Vec::new(), ..stripped };
    assert_eq!(Container::read(&empty.write()), Ok(empty));
}

#[test]
fn every_truncated_prefix_and_every_longer_file_is_rejected() {
    let bytes = container_of(&small()).write();
    for len in 0..bytes.len() {
        assert!(Container::read(&bytes[..len]).is_err(), "{len} of {} bytes read as a container", bytes.len());
    }
    assert!(Container::read(&[bytes.as_slice(), &[0]].concat()).is_err());
}

#[test]
fn every_flipped_bit_is_noticed() {
    let mut bytes = container_of(&small()).write();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Container::read(&bytes).is_err(), "bit {} of byte {} flipped unnoticed", bit % 8, bit / 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn messages_name_what_is_wrong() {
    let whole = container_of(&small());
    let mut bytes = whole.write();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let error = Container::read(&bytes).unwrap_err();
    let name = &whole.clips.last().unwrap().name;
    assert!(matches!(&error, DecodeError::Checksum { what, .. } if what == &format!("clip '{name}'")), "{error}");
    let error = Container::read(b"glTF\x02\0\0\0 and so on").unwrap_err().to_string();
    assert!(error.contains("expected that of a .posepress file"), "{error}");
}

#[test]
fn a_directory_that_lies_about_sizes_allocates_nothing() {
    let bytes = container_of(&small()).write();
    for (at, what) in [(12, "directory length"), (20 + 32, "rig length"), (20 + 32 + 6, "count of float tracks")] {
        let mut lying = bytes.clone();
        lying[at..at + 4].fill(0xff);
        assert!(Container::read(&lying).is_err(), "{what}");
        let directory = u32::from_le_bytes(lying[12..16].try_into().unwrap()) as usize;
        let Some(listed) = lying.get(20..20usize.saturating_add(directory)) else { continue };
        let repaired = directory_crc(&lying[..16], listed);
        lying[16..20].copy_from_slice(&repaired.to_le_bytes());
        assert!(Container::read(&lying).is_err(), "{what}, with its checksum");
    }
}

/// Names of a family, as animators give them, at the limits of what can be shared.
#[test]
fn names_of_any_kind_come_back_and_alike_ones_are_short() {
    let long = "a".repeat(200);
    let names = [
        "",
        "1H_Melee_Attack_Chop",
        "1H_Melee_Attack_Slice",
        "1H_Melee_Attack",
        "größe",
        "größer",
        "grö\u{f7}e",
        "日本",
        "日末",
    ];
    let names: Vec<String> =
        names.map(str::to_owned).into_iter().chain([long.clone(), long + "b", String::new()]).collect();
    let whole = container_of(&small());
    let named = |name: &String| ClipEntry { name: name.clone(), ..whole.clips[0].clone() };
    let container = Container {
        clips: names.iter().map(named).collect(),
        float_names: names.clone(),
        rig: Some(RigSection {
            name: "größe".into(),
            joints: names
                .iter()
                .map(|name| RigJoint { name: name.clone(), ..whole.rig.as_ref().unwrap().joints[0].clone() })
                .collect(),
        }),
        ..whole
    };
    assert_eq!(Container::read(&container.write()).unwrap(), container);
    let clips = |names: [&str; 2]| {
        let clips = names.map(|name| named(&name.to_owned())).to_vec();
        Container { clips, ..container.clone() }.write().len()
    };
    let alike = clips(["1H_Melee_Attack_Chop", "1H_Melee_Attack_Slice"]);
    assert_eq!(clips(["1H_Melee_Attack_Chop", "Walking_Backwards_New"]) - alike, "1H_Melee_Attack_".len());
}

/// Clips with equal settings except the tolerance share a recipe, and get it back.
#[test]
fn recipes_are_stored_once() {
    let whole = container_of(&small());
    let of =
        |recipe: &str, tolerance_m: f32| ClipEntry { recipe: recipe.into(), tolerance_m, ..whole.clips[0].clone() };
    let (a, b) = ("codec = \"raw\"\n".repeat(20), "codec = \"raw\"\nshell_m = 1.0\n".to_owned());
    let with = |clips: Vec<ClipEntry>| Container { clips, ..whole.clone() };
    let container = with(vec![of(&a, 0.1), of(&b, 0.0), of(&a, 0.3), of("", f32::MAX)]);
    let read = Container::read(&container.write()).unwrap();
    assert_eq!(read, container);
    assert!(std::ptr::eq(&*read.clips[0].recipe, &*read.clips[2].recipe), "one text, however many clips");
    let [one, two, three] = [1, 2, 3].map(|count| with(vec![of(&a, 0.1); count]).write().len());
    let payload = whole.clips[0].bytes.len();
    assert_eq!(two - one, three - two);
    assert!(three - two - payload < 20, "{} bytes beside {payload}", three - two - payload);
}

/// The largest expansion of a small file: every clip repeats a long name.
#[test]
fn names_that_repeat_others_stay_in_proportion() {
    let whole = container_of(&small());
    let name = "n".repeat(100_000);
    let clips = (0..1000).map(|n| ClipEntry { name: format!("{name}{n}"), ..whole.clips[0].clone() });
    let container = Container { clips: clips.collect(), ..whole };
    assert!(container.write().len() > 99_000_000, "no more than 64 bytes are taken from the name before");
}

/// Directories with a correct checksum but wrong contents.
#[test]
fn directories_that_no_writer_makes_are_refused() {
    let whole = container_of(&small());
    let entry = ClipEntry { name: "ab".into(), ..whole.clips[0].clone() };
    let bytes = Container { clips: vec![entry], float_names: Vec::new(), rig: None, ..whole }.write();
    let (digest, rig, floats) = (20 + 32, 5, 1);
    let kinds = digest + rig + floats;
    let recipe = usize::from(bytes[kinds + 1 + 4]);
    let clips = kinds + 1 + 4 + 1 + recipe;
    assert_eq!(&bytes[clips..clips + 5], b"\x01\x00\x02ab", "where this test thinks that the clip is");
    for (at, value, what) in [
        (clips + 1, 1, "name of a clip"),
        (clips + 1, 65, "name of a clip"),
        (clips + 3, 0xff, "name of a clip"),
        (clips + 5, 1, "kind of a clip"),
        (clips + 9, 0xff, "tolerance of a clip"),
        (kinds + 1 + 4 + 1, 0xff, "recipe of clips"),
    ] {
        let mut wrong = bytes.clone();
        wrong[at] = value;
        let directory = u32::from_le_bytes(wrong[12..16].try_into().unwrap()) as usize;
        let repaired = directory_crc(&wrong[..16], &wrong[20..20 + directory]);
        wrong[16..20].copy_from_slice(&repaired.to_le_bytes());
        let error = Container::read(&wrong).unwrap_err().to_string();
        assert!(error.contains(what), "{what}: {error}");
    }
}

fn golden(name: &str) -> PathBuf {
    project("tests/golden").join(name)
}

/// Every clip of a container at every half sample, as text.
fn decoded_text(container: &Container) -> String {
    let mut out = String::new();
    let rig = container.rig.as_ref().unwrap();
    let bind: Vec<Transform> = rig.joints.iter().map(|j| transform(&j.bind)).collect();
    for clip in &container.clips {
        let codec = codecs::by_id(CodecId(clip.codec)).expect("a codec of every clip");
        let (header, mut sampler) = codecs::open_clip(codec, &clip.bytes, &bind).unwrap();
        let mut pose = Pose::with_size(header.joints, header.float_tracks);
        for at_sample in header.grid.steps(2) {
            let time_secs = header.grid.time_secs(at_sample);
            sampler.sample(at_sample, &mut pose);
            let joints = pose.joints.iter().flat_map(numbers);
            let row: Vec<String> = joints.chain(pose.floats.iter().copied()).map(|x| format!("{x:.7}")).collect();
            writeln!(out, "{},{time_secs:.5},{}", codec.name(), row.join(",")).unwrap();
        }
    }
    out
}

fn transform(n: &[f32; 10]) -> Transform {
    Transform {
        rotation: glam::Quat::from_slice(&n[..4]),
        translation: glam::Vec3::from_slice(&n[4..7]),
        scale: glam::Vec3::from_slice(&n[7..]),
    }
}

/// Files with their decoded text from when they were made. From 0.1.0 on they are never edited. A later format gets its own
/// file: one line here.
const GOLDEN: &[(&str, MakeContainer)] = &[
    ("codecs", || container_of(&small())),
    ("key-reduction", || chosen(&small(), KEY_REDUCTION)),
    ("wavelet", || chosen(&small(), WAVELET)),
    ("wavelet-axes", || chosen(&moving(), WAVELET_AXES)),
    ("variable-rate", || chosen(&moving(), VARIABLE_RATE)),
    ("layouts", || chosen(&moving(), LAYOUTS)),
    ("compensation", compensated),
    ("compensation-together", compensated_together),
    ("groups", grouped),
    ("curves", || chosen(&small(), CURVES)),
    ("press", || chosen(&moving(), PRESS)),
    ("press-archive", || chosen(&moving(), PRESS_ARCHIVE)),
    ("ranged", || chosen(&moving(), RANGED)),
    ("ranged-tracks", || chosen(&moving(), RANGED_TRACKS)),
    ("blocks", || chosen(&moving(), BLOCKS)),
    ("float-tracks", floats_within_limits),
    ("loops", || chosen(&looping(), LOOPS)),
    ("steps", || chosen(&moving(), STEPS)),
    ("additive", || chosen(&nodding(), ADDITIVE)),
];

/// Makes the content of a missing golden file.
type MakeContainer = fn() -> Container;

/// A codec and its parameters.
type Choice = (&'static str, &'static [(&'static str, &'static str)]);

/// Other orders, searches and layouts of key reduction.
const KEY_REDUCTION: &[Choice] = &[
    ("every-second-key", &[("search_phase", "false"), ("phase", "1")]),
    ("per-track", &[("order", "smallest-error")]),
    ("linear-keys", &[("search", "binary")]),
    ("linear-keys", &[("layout", "time-needed")]),
    ("linear-keys", &[("layout", "curve-block")]),
    ("linear-keys", &[("removal", "key-frames")]),
];

/// Variable rates: every granularity, range reduction and highest rate, with and without segments.
const VARIABLE_RATE: &[Choice] = &[
    ("variable-rate", &[]),
    ("variable-rate", &[("granularity", "clip"), ("segment_samples", "4")]),
    ("variable-rate", &[("granularity", "channel"), ("range", "clip"), ("highest_rate", "19")]),
    ("variable-rate", &[("range", "none"), ("segment_samples", "5"), ("dropped", "w")]),
    ("variable-rate", &[("segment_samples", "4")]),
];

/// Layouts and formats that no default uses.
const LAYOUTS: &[Choice] = &[
    ("linear-keys", &[("layout", "time-needed"), ("jump_every", "3")]),
    ("linear-keys", &[("removal", "key-frames"), ("search", "linear"), ("key_format", "largest32")]),
    ("linear-keys", &[("key_format", "full")]),
    ("every-second-key", &[("keep_every", "3"), ("search_phase", "false"), ("rotation_format", "interval-fixed32")]),
    ("quantize", &[("rotation_format", "full"), ("translation_format", "float96")]),
    ("quantize", &[("rotation_format", "float96"), ("translation_format", "fixed48")]),
    ("quantize", &[("rotation_format", "fixed48"), ("translation_format", "interval-fixed32")]),
    ("quantize", &[("rotation_format", "harmonic48"), ("translation_format", "track-range48")]),
    ("quantize", &[("rotation_format", "fixed32")]),
    ("quantize", &[("rotation_format", "float32")]),
    ("quantize", &[("rotation_format", "largest32")]),
    ("quantize", &[("rotation_format", "identity")]),
    ("per-track", &[]),
];

/// Every layout, map, range and entropy coder of wavelet.
const WAVELET: &[Choice] = &[
    ("wavelet", &[("wavelet", "haar")]),
    ("wavelet", &[("padding", "loop")]),
    ("wavelet", &[("layout", "joined")]),
    ("wavelet", &[("block_samples", "16")]),
    ("wavelet", &[("rotation", "log")]),
    ("wavelet", &[("range", "band")]),
    ("wavelet", &[("bits", "fixed")]),
    ("wavelet", &[("whole", "4")]),
    ("wavelet", &[("entropy", "none")]),
    ("wavelet", &[("entropy", "zlib")]),
    ("wavelet", &[("entropy", "huffman")]),
];

/// One step per component, signals of any length, and trained chances.
const WAVELET_AXES: &[Choice] = &[
    ("wavelet", &[]),
    ("wavelet", &[("wavelet", "cdf53"), ("padding", "line"), ("block_samples", "16")]),
    ("wavelet", &[("wavelet", "haar"), ("layout", "joined")]),
    ("wavelet", &[("wavelet", "d4"), ("range", "band"), ("whole", "2")]),
    ("wavelet", &[("rotation", "farthest")]),
    ("wavelet", &[("entropy", "none")]),
    ("wavelet", &[("entropy", "zlib")]),
    ("wavelet", &[("entropy", "huffman")]),
    ("wavelet", &[("entropy", "rans")]),
];

/// Layouts and knots of curve fitting.
const CURVES: &[Choice] = &[
    ("catmull-rom", &[("insertion", "worst-sample")]),
    ("catmull-rom", &[("jump_every", "4")]),
    ("catmull-rom", &[("layout", "by-track")]),
    ("catmull-rom", &[("knots", "centripetal")]),
    ("catmull-rom", &[("payload", "rotation32")]),
];

/// Both searches.
const PRESS: &[Choice] = &[("press", &[]), ("press", &[("level", "full")])];

/// Archives, and one clip that is not an archive.
const PRESS_ARCHIVE: &[Choice] =
    &[("press", &[("storage", "archive")]), ("press", &[("storage", "archive"), ("level", "full")]), ("press", &[])];

/// Keys with as many bits as they need.
const RANGED: &[Choice] =
    &[("linear-keys", &[]), ("linear-keys", &[("layout", "time-needed")]), ("linear-keys", &[("search", "linear")])];

/// The same for per-track and catmull-rom.
const RANGED_TRACKS: &[Choice] = &[
    ("per-track", &[]),
    ("catmull-rom", &[("layout", "by-track"), ("payload", "ranged")]),
    ("catmull-rom", &[("layout", "by-track"), ("payload", "ranged"), ("values", "least-squares")]),
];

/// Tracks in blocks.
const BLOCKS: &[Choice] = &[
    ("linear-keys", &[("block_samples", "8")]),
    ("linear-keys", &[("block_samples", "11"), ("search", "linear"), ("key_format", "largest48")]),
    ("per-track", &[("block_samples", "8")]),
    ("catmull-rom", &[("layout", "by-track"), ("block_samples", "8")]),
    ("catmull-rom", &[("layout", "by-track"), ("payload", "ranged"), ("block_samples", "9")]),
];

/// Variable rates in whole steps with both searches, and in fractions.
const STEPS: &[Choice] = &[
    ("variable-rate", &[]),
    ("variable-rate", &[("level", "full")]),
    ("variable-rate", &[("remove_bind", "false"), ("remove_constants", "false")]),
    ("variable-rate", &[("range", "clip-segment"), ("segment_samples", "4")]),
];

/// Without the last sample, which equals the first. `every-second-key` stores it.
const LOOPS: &[Choice] = &[
    ("raw", &[]),
    ("quantize", &[]),
    ("every-second-key", &[]),
    ("linear-keys", &[]),
    ("linear-keys", &[("layout", "time-needed")]),
    ("per-track", &[]),
    ("variable-rate", &[]),
    ("catmull-rom", &[("between", "true")]),
    ("wavelet", &[]),
    ("press", &[]),
    ("press", &[("storage", "archive")]),
];

/// A container with one clip per choice.
fn chosen(fixture: &Fixture, choices: &[Choice]) -> Container {
    let clip = |(name, choice): &Choice| {
        let codec = codecs::by_name(name).unwrap();
        let mut values = ParamValues::new();
        choice.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
        let keys: String = choice.iter().map(|(key, value)| format!(", {key} {value}")).collect();
        let lines: String = choice.iter().map(|(key, value)| format!("{key} = \"{value}\"\n")).collect();
        ClipEntry {
            name: format!("swing, {name}{keys}"),
            codec: codec.id().0,
            recipe: format!("codec = \"{name}\"\n\n[values]\n{lines}").into(),
            tolerance_m: TOLERANCE_M,
            bytes: fixture.encode(codec, &values).bytes,
        }
    };
    Container::new(rig_of(fixture), vec!["smile".into(), "frown".into()], choices.iter().map(clip).collect())
}

/// A container of a leg with one clip per method.
fn compensated() -> Container {
    compensated_by(&["in-place", "additive", "ik"])
}

/// A container of a leg with one clip per combination of methods.
fn compensated_together() -> Container {
    compensated_by(&["in-place+additive", "in-place+ik", "additive+ik", "all"])
}

fn compensated_by(methods: &[&str]) -> Container {
    let (leg, codec) = (leg(33), codecs::by_name("quantize").and_then(|c| c.encoder()).unwrap());
    let mut values = ParamValues::new();
    values.set_text(codec.params(), "rotation_format", "fixed32").unwrap();
    values.set_text(codec.params(), "in_place", "false").unwrap();
    let clip = |key: &&str| {
        let method = CompensationMethod::by_key(key).unwrap();
        // Inverse kinematics alone keeps the accuracy of its existing files.
        let is_finer = method.has(CompensationMethod::Ik) && method != CompensationMethod::Ik;
        let limb_accuracy_m = is_finer.then_some(0.000_01);
        let method = Compensation { limb_accuracy_m, ..Compensation::of(method) };
        let encoded = leg.with_source(|source| {
            codecs::encode_compensated_clip(codec, source, &values, &method, &Progress::new()).unwrap()
        });
        assert_eq!(encoded.compensation.left_off, None, "{key}");
        ClipEntry {
            name: format!("step, {key}"),
            codec: codec.id().0,
            recipe: format!(
                "codec = \"quantize\"\n\n[values]\nrotation_format = \"fixed32\"\n\n[compensation]\nmethod = \"{key}\"\n"
            )
            .into(),
            tolerance_m: TOLERANCE_M,
            bytes: encoded.bytes,
        }
    };
    let clips = methods.iter().map(clip).collect();
    Container::new(rig_of(&leg), vec!["smile".into(), "frown".into()], clips)
}

/// Clips of differences: samples, keys and bit rates.
const ADDITIVE: &[Choice] = &[("quantize", &[]), ("linear-keys", &[]), ("variable-rate", &[])];

/// A leg whose knee and foot turn a little, relative to a base.
fn nodding() -> Fixture {
    let leg = leg(33);
    let nod = leg.clip.edited(|data| {
        for (at, local) in data.transforms.iter_mut().enumerate() {
            let turn_rad = 0.1 * (at as f32 * 0.05).sin() * f32::from([0u8, 0, 1, 2, 0][at % 5]);
            *local = Transform { rotation: glam::Quat::from_rotation_x(turn_rad), ..Transform::IDENTITY };
        }
    });
    let base = std::sync::Arc::new(posepress_core::model::Base::bind(&leg.skeleton));
    Fixture { clip: nod.unwrap().added_to(base).unwrap(), ..leg }
}

/// Weights with several limits: keys, whole steps at every sample, and single values.
fn floats_within_limits() -> Container {
    let (fixture, codec) = (weights(), encoder("quantize"));
    let clip = |limits: &[f32; 2]| {
        let encoded = fixture.with_source(|source| {
            let source = codecs::Source { float_limits: limits, ..*source };
            codecs::encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap()
        });
        let name = format!("weights within {} and {}", limits[0], limits[1]);
        let (recipe, tolerance_m) = ("codec = \"quantize\"\n".into(), TOLERANCE_M);
        ClipEntry { name, codec: codec.id().0, recipe, tolerance_m, bytes: encoded.bytes }
    };
    let clips = [[0.0, 0.0], [1e-4, 1e-3], [0.02, 0.1], [0.2, 0.5]].iter().map(clip).collect();
    Container::new(rig_of(&fixture), vec!["smile".into(), "frown".into()], clips)
}

/// A leg with an exact shin, a foot that is exact while it turns, and hips with fewer bits. One clip per codec.
fn grouped() -> Container {
    let leg = leg(33);
    let own = [("rotation_format".to_owned(), ParamValue::Choice("fixed32".into()))].into();
    let groups = |own: Option<ParamChanges>| {
        let of_own = |own| JointGroup { joints: vec![0, 1], kept: GroupStorage::With(own) };
        let exact = JointGroup { joints: vec![2], kept: GroupStorage::Exactly };
        let within = JointGroup { joints: vec![3], kept: GroupStorage::ExactlyWithin(7..12) };
        own.map(of_own).into_iter().chain([exact, within]).collect::<Vec<_>>()
    };
    let clip = |(name, own): (&str, Option<_>)| {
        let (codec, groups) = (encoder(name), groups(own));
        let encoded = leg.with_source(|source| {
            let source = codecs::Source { groups: &groups, ..*source };
            codecs::encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap()
        });
        let recipe = format!("codec = \"{name}\"\n\n[[overrides]]\njoint = \"LeftLeg\"\nexact = true\n");
        let (name, recipe, tolerance_m) = (format!("step, {name}"), recipe.into(), TOLERANCE_M);
        ClipEntry { name, codec: codec.id().0, recipe, tolerance_m, bytes: encoded.bytes }
    };
    let clips = [("quantize", Some(own)), ("linear-keys", None)].map(clip).to_vec();
    Container::new(rig_of(&leg), vec!["smile".into(), "frown".into()], clips)
}

#[test]
fn every_payload_since_0_1_0_stays_readable() {
    for (name, _) in GOLDEN {
        let container = Container::read(&std::fs::read(golden(&format!("{name}.posepress"))).unwrap()).unwrap();
        assert!(container.clips.len() >= 2, "{name}");
        assert_eq!(container.float_names, ["smile", "frown"]);
        let expected = std::fs::read_to_string(golden(&format!("{name}.csv"))).unwrap();
        let found = decoded_text(&container);
        assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
        for (found, expected) in found.lines().zip(expected.lines()) {
            for (a, b) in found.split(',').zip(expected.split(',')) {
                // Another machine may round the last bit differently.
                let near = matches!((a.parse::<f32>(), b.parse::<f32>()), (Ok(a), Ok(b)) if (a - b).abs() <= 1e-6);
                assert!(a == b || near, "{name}: {a} instead of {b} in: {expected}");
            }
        }
    }
}

/// The writer makes the same bytes as before, too.
#[test]
fn the_same_parts_give_the_same_bytes() {
    for (name, _) in GOLDEN {
        let bytes = std::fs::read(golden(&format!("{name}.posepress"))).unwrap();
        assert_eq!(Container::read(&bytes).unwrap().write(), bytes, "{name}");
    }
}

/// Makes missing golden files.
#[test]
fn golden_files_are_there() {
    for (name, make) in GOLDEN {
        let (file, text) = (golden(&format!("{name}.posepress")), golden(&format!("{name}.csv")));
        if file.exists() && text.exists() {
            continue;
        }
        let container = make();
        std::fs::write(&file, container.write()).unwrap();
        std::fs::write(&text, decoded_text(&container)).unwrap();
        panic!("wrote {} and its text: look at them, then commit them", file.display());
    }
}
