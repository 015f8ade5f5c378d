//! Errors of Riot's animations.

use super::importers::Said;
use crate::engine_files::{chain, export, turning};
use posepress_core::import::{ImportOptions, import_bytes};
use std::path::Path;

pub fn table() -> Said {
    let mut said = Said::default();
    let rig = chain(&["a", "b"]);
    let clip = turning(&rig, 9, 1.0);
    let good = export("anm", &rig, &clip).unwrap();
    let word = |at: usize| u32::from_le_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    let frames = word(116) + 12;
    let later = |at: &usize| good[at + 2..at + 4] == good[frames + 2..frames + 4] && good[*at..at + 2] != [0; 2];
    let second = (0..word(28)).map(|frame| frames + 10 * frame).find(later).unwrap();
    let first_is_late = [&[0xff; 2], &good[frames + 2..second]].concat();
    let too_wide = [[-3e38f32; 3], [3e38; 3]].concat().into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let cases: &[(usize, &[u8], &[&str])] = &[
        (0, b"r3d2anmd", &["a pose per frame", "byte 0", "Export it again, compressed"]),
        (0, b"x", &["it begins with 'x3d2canm'; expected 'r3d2canm'", "byte 0"]),
        (8, &[9], &["version 9; expected 1 to 3", "byte 8"]),
        (24, &[0, 0, 1, 0], &["65536 joints; expected 1 to 16384", "byte 24"]),
        (32, &[0xff; 4], &["jump caches take", "the file has"]),
        (116, &[0xff; 4], &["its frames take", "the file has"]),
        (36, &0.0f32.to_le_bytes(), &["lasts 0 s", "byte 36"]),
        (68, &too_wide, &["its range of values is too wide", "byte 68"]),
        (frames + 2, &[9], &["is of joint 9; the file has 2 joints", &format!("byte {frames}")]),
        (frames + 3, &[0xc0], &["is of channel 3; expected 0 to 2", "frame 0"]),
        (frames, &first_is_late, &["before that of the key before it", "frame"]),
    ];
    for (at, bytes, parts) in cases {
        let mut bad = good.clone();
        bad[*at..at + bytes.len()].copy_from_slice(bytes);
        said.refused(import_bytes(Path::new("walk.anm"), bad, &ImportOptions::default()), parts);
    }
    said.unplayable("anm", &good, &chain(&["a", "c"]), &[&clip], &["it lacks joints of the rig"]);
    said
}
