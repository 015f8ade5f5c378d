//! Golden files: each payload since 0.1.0 is read and decodes to the same poses, and its container is written with the same bytes.

use super::{TOLERANCE_M, container_of, moving, numbers, rig_of, small};
use crate::codec_fixtures::{Fixture, encoder, leg, looping, weights};
use crate::project::project;
use posepress_core::codecs::{
    self, CodecId, Compensation, CompensationMethod, GroupStorage, JointGroup, ParamChanges, ParamValue, ParamValues,
    Progress,
};
use posepress_core::format::{ClipEntry, Container, ContainerFile};
use posepress_core::math::Transform;
use posepress_core::model::Pose;
use std::fmt::Write as _;
use std::path::PathBuf;

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
