//! Errors of ozz-animation archives.

use super::importers::Said;
use crate::engine_files::{chain, export, turning};
use posepress_core::import::{ImportError, ImportOptions, Imported, import_bytes, import_file};
use std::path::Path;

/// Order byte, tag with its zero, version.
const HEAD: usize = 1 + "ozz-animation".len() + 1 + 4;
const LENGTH: usize = HEAD;
const TRACKS: usize = LENGTH + 4;
const NAME: usize = TRACKS + 4;
const TIMES: usize = NAME + 4;
const KEYS: usize = TIMES + 4;
const SEEK: usize = KEYS + 3 * 4;
const CONTENT: usize = SEEK + 6 * 4;

pub fn table() -> Said {
    let mut said = Said::default();
    archives(&mut said);
    skeletons(&mut said);
    beside(&mut said);
    let (rig, other) = (chain(&["a", "b"]), chain(&["a", "b", "c", "d", "e"]));
    let clip = turning(&rig, 9, 1.0);
    let of_other = turning(&other, 9, 1.0);
    let animation = export("ozz", &rig, &clip).unwrap();
    said.unplayable("ozz", &animation, &other, &[&of_other], &["it moves 2 joints; the rig has 5"]);
    said.unplayable("ozz", &export("ozz-skeleton", &rig, &clip).unwrap(), &rig, &[&clip], &["it is not an animation"]);
    said
}

fn import(bytes: &[u8]) -> Result<Imported, ImportError> {
    import_bytes(Path::new("no-such-folder/walk.ozz"), bytes, &ImportOptions::default())
}

fn with(good: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut bad = good.to_vec();
    bad[at..at + bytes.len()].copy_from_slice(bytes);
    bad
}

fn archives(said: &mut Said) {
    let rig = chain(&["a", "b"]);
    let good = export("ozz", &rig, &turning(&rig, 9, 1.0)).unwrap();
    said.refused(import(&with(&good, 0, &[0])), &["little-endian", "byte 0"]);
    said.refused(import(&[1; 60]), &["expected the tag of an ozz archive", "byte 1"]);
    said.refused(import(&with(&good, 5, b"x")), &["expected 'ozz-skeleton' or 'ozz-animation'", "byte 1"]);
    said.refused(import(&with(&good, HEAD - 4, &[6])), &["version 6; expected 7", "0.15 or later"]);
    said.refused(
        import(&with(&good, LENGTH, &0.0f32.to_le_bytes())),
        &["it lasts 0 s; expected more than zero", "its duration"],
    );
    for (at, what) in [
        (TRACKS, "number of tracks"),
        (NAME, "length of the name"),
        (TIMES, "number of times"),
        (KEYS, "number of keys"),
        (SEEK, "number of seek points"),
    ] {
        said.refused(import(&good[..at + 1]), &[what]);
    }
    let word = |at: usize| u32::from_le_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    let times = CONTENT + word(NAME);
    said.refused(
        import(&with(&good, times, &1.0f32.to_le_bytes())),
        &["times do not ascend; expected them from 0 to 1"],
    );
    said.refused(import(&with(&good, TRACKS, &[0xff])), &["keys for 255 tracks; expected 256 or more"]);
    // Contents per channel: times and positions of keys, points to seek from, values.
    let size = |channel: usize| {
        let [entries, places] = [0, 4].map(|at| word(SEEK + 8 * channel + at));
        (3 * word(KEYS + 4 * channel), entries + 4 * places + 4)
    };
    let translations = times + 4 * word(TIMES);
    let (keys, seek) = size(0);
    let values = translations + keys + seek;
    said.refused(import(&with(&good, translations, &[0xff])), &["key 0 is at no time of the file", "translation"]);
    let place = translations + word(KEYS);
    said.refused(import(&with(&good, place, &[9])), &["key 0 has no key before it on its track", "translation"]);
    let infinite = half::f16::INFINITY.to_bits().to_le_bytes();
    said.refused(import(&with(&good, values, &infinite)), &["key 0 is not a finite number", "translation"]);
    let rotations = values + 6 * word(KEYS);
    let late = vec![0; word(KEYS + 4)];
    said.refused(import(&with(&good, rotations, &late)), &["is not after the one before it on its track", "rotation"]);
}

fn skeletons(said: &mut Said) {
    const JOINTS: usize = 1 + "ozz-skeleton".len() + 1 + 4;
    let rig = chain(&["a", "b"]);
    let mut good = export("ozz-skeleton", &rig, &turning(&rig, 9, 1.0)).unwrap();
    let last = good.len() - 4;
    // Scales of four joints are at the end.
    let bad = with(&good, last - 12, &f32::NAN.to_le_bytes());
    said.refused(import(&bad), &["its rest pose is not finite or not a rotation", "joint 'a'"]);
    good.extend([0; 8]);
    said.refused(import(&with(&good, JOINTS, &[3])), &["it has 2 names; expected 3"]);
}

fn beside(said: &mut Said) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.ozz");
    let rig = chain(&["a", "b"]);
    std::fs::write(&path, export("ozz", &rig, &turning(&rig, 9, 1.0)).unwrap()).unwrap();
    let import = || import_file(&path, &ImportOptions::default());
    said.refused_whole(import(), &["2 joints without names, and no ozz skeleton of 2 joints", "Copy the skeleton"]);
    for names in [["a", "b"], ["a", "c"]] {
        let rig = chain(&names);
        let skeleton = export("ozz-skeleton", &rig, &turning(&rig, 9, 1.0)).unwrap();
        std::fs::write(folder.path().join(names.concat() + ".ozz"), skeleton).unwrap();
    }
    said.refused_whole(import(), &["its folder has ab.ozz, ac.ozz", "Leave only"]);
}
