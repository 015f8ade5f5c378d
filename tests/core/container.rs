//! The `.posepress` file: written files stay readable, and damage is always detected.

use crate::codec_fixtures::{Fixture, chain, clip_of, fixtures};
use glam::{Quat, Vec3};
use posepress_core::codecs::{self, ParamValues};
use posepress_core::format::{
    ClipEntry, Container, ContainerFile, DecodeError, RigDigest, RigJoint, RigSection, directory_crc,
};
use posepress_core::math::Transform;
use posepress_core::model::Clip;

mod golden;

/// Tolerance in the header of every clip here.
pub const TOLERANCE_M: f32 = 0.0001;

pub fn rig_of(fixture: &Fixture) -> RigSection {
    let joint = |j: &posepress_core::model::Joint| RigJoint {
        name: j.name.clone(),
        parent: j.parent.map(|p| p as u16),
        bind: numbers(&j.bind),
    };
    RigSection { name: "rig".into(), joints: fixture.skeleton.joints().iter().map(joint).collect() }
}

pub fn numbers(t: &Transform) -> [f32; 10] {
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
    assert!(matches!(&error, DecodeError::Checksum { what, .. } if **what == *format!("clip '{name}'")), "{error}");
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
