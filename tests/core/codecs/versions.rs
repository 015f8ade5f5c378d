//! Before the first release, every format is version 1. Another version is refused with its number, never guessed.

use crate::codec_fixtures::{Fixture, encoder, fixtures, leg};
use crate::project::project;
use posepress_core::codecs::{
    self, EncodedClip, GroupStorage, JointGroup, ParamValue, ParamValues, Progress, encoders,
};
use posepress_core::format::{Container, TierFile, directory_crc};
use posepress_core::project::{Document, Project, STATE_VERSION, StateFile};
use posepress_core::view::SharedView;
use posepress_runtime::{ClipHeader, join_tier};
use std::path::Path;

/// Versions that no file of this program has.
const OTHERS: [u8; 4] = [0, 2, 3, 31];
/// Position of a clip's version byte: after its header and the length of the payload.
const VERSION_AT: usize = ClipHeader::BYTES + 4;

fn refusal(fixture: &Fixture, codec: &dyn codecs::Encoder, bytes: Vec<u8>) -> Option<String> {
    let bind = fixture.skeleton.bind_pose(0).joints;
    codecs::open(codec, bytes, &bind).err().map(|error| error.to_string())
}

#[test]
fn payloads_of_every_codec_are_version_1_and_no_other_is_read() {
    for codec in encoders() {
        for fixture in fixtures().iter().filter(|f| ["floats", "held", "one sample"].contains(&f.name)) {
            let EncodedClip { bytes, .. } = fixture.encode(codec, &ParamValues::new());
            assert_eq!(bytes[VERSION_AT], 1, "{} of '{}'", codec.name(), fixture.name);
            assert_eq!(refusal(fixture, codec, bytes.clone()), None);
            for version in OTHERS {
                let mut other = bytes.clone();
                other[VERSION_AT] = version;
                let said = refusal(fixture, codec, other).unwrap_or_default();
                let expected = format!("version of the payload at byte {VERSION_AT} is {version}; expected 1: ");
                assert!(said.starts_with(&expected), "{}, version {version}: '{said}'", codec.name());
            }
        }
    }
}

#[test]
fn groups_of_joints_are_version_1_and_no_other_is_read() {
    let (leg, codec) = (leg(33), encoder("quantize"));
    let own = [("rotation_format".to_owned(), ParamValue::Choice("fixed32".into()))].into();
    let groups = [JointGroup { joints: vec![0, 1], kept: GroupStorage::With(own) }];
    let encoded = leg.with_source(|source| {
        let source = codecs::Source { groups: &groups, ..*source };
        codecs::encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap()
    });
    // After the payload of the rest: number of groups, kind, number of joints and the two joints.
    let rest = u32::from_le_bytes(encoded.bytes[VERSION_AT + 1..VERSION_AT + 5].try_into().unwrap()) as usize;
    let at = VERSION_AT + 5 + rest + 2 + 1 + 2 + 2 * 2;
    assert_eq!((encoded.bytes[VERSION_AT], encoded.bytes[at]), (1 | 0x40, 1));
    for version in OTHERS {
        let mut other = encoded.bytes.clone();
        other[at] = version;
        let said = refusal(&leg, codec, other).unwrap_or_default();
        assert!(
            said.contains(&format!("version of a joint group's payload at byte {at} is {version}; expected 1: ")),
            "{said}"
        );
    }
}

/// A file with another version in its header, and a correct checksum.
fn with_version(file: &[u8], version: u8) -> Vec<u8> {
    let mut file = file.to_vec();
    file[8] = version;
    let directory = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let crc = directory_crc(&file[..16], &file[20..20 + directory]);
    file[16..20].copy_from_slice(&crc.to_le_bytes());
    file
}

#[test]
fn containers_and_tier_files_are_version_1_and_no_other_is_read() {
    let golden = |file: &str| std::fs::read(project(&format!("tests/golden/{file}"))).unwrap();
    let (container, tier) = (golden("tiers.posepress"), golden("tiers.medium.posepress-tier"));
    assert_eq!((&container[8..12], &tier[8..12]), (&[1, 0, 0, 0][..], &[1, 0, 0, 0][..]));
    for version in OTHERS {
        let expected = format!("version at byte 8 is {version}; expected 1: open it with the Posepress that wrote it");
        for refused in [
            Container::read(&with_version(&container, version)).unwrap_err(),
            TierFile::read(&with_version(&tier, version)).unwrap_err(),
        ] {
            assert!(refused.to_string().starts_with(&expected), "{refused}");
        }
    }
}

#[test]
fn tiers_of_clips_are_version_1_and_no_other_is_read() {
    let golden = |file: &str| std::fs::read(project(&format!("tests/golden/{file}"))).unwrap();
    let container = Container::read(&golden("tiers.posepress")).unwrap();
    let tier = &TierFile::read(&golden("tiers.medium.posepress-tier")).unwrap().clips[0];
    let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
    let clip = &container.clips[0];
    let join = |tier: &[u8]| join_tier(codecs::CodecId(clip.codec), &clip.bytes, tier, &bind);
    assert_eq!(tier[0], 1);
    assert!(join(tier).is_ok());
    for version in OTHERS {
        let said = join(&[&[version][..], &tier[1..]].concat()).unwrap_err().to_string();
        assert!(said.contains(&format!("version of a tier at byte 0 is {version}; expected 1: ")), "{said}");
    }
}

#[test]
fn projects_are_version_1_and_no_other_is_read() {
    let folder = Path::new("/a/b");
    let text = Project { sources: Vec::new(), document: Document::default() }.to_toml(folder);
    assert!(text.starts_with("version = 1\n"), "{text}");
    for version in OTHERS {
        let other = text.replacen("version = 1", &format!("version = {version}"), 1);
        let said = Project::from_toml(&other, folder).unwrap_err().to_string();
        let expected =
            format!("it is of version {version}; this program reads version 1. Open it with the version that wrote it");
        assert_eq!(said, expected);
    }
}

#[test]
fn views_are_version_1_and_no_other_is_read() {
    let text = SharedView::default().to_string();
    let table = text.strip_prefix("posepress-view:1 ").unwrap();
    for version in OTHERS {
        let said = format!("posepress-view:{version} {table}").parse::<SharedView>().unwrap_err().to_string();
        assert!(said.contains(&format!("expected 'posepress-view:1', found version '{version}'")), "{said}");
    }
}

#[test]
fn state_files_are_version_1_and_newer_ones_are_left_alone() {
    assert_eq!(STATE_VERSION, 1);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("window-1.toml"), "version = 2\n").unwrap();
    let (_, newer) = StateFile::claim(folder.path()).unwrap();
    assert_eq!(newer.iter().map(|newer| newer.version).collect::<Vec<_>>(), [2]);
    assert_eq!(std::fs::read_to_string(folder.path().join("window-1.toml")).unwrap(), "version = 2\n");
}
