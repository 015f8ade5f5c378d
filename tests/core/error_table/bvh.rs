//! Errors of BVH takes.

use super::importers::Said;
use crate::import_support::import_bytes;

const ROOT: &str = "HIERARCHY ROOT a {";

pub fn table() -> Said {
    let mut said = Said::default();
    for (text, parts) in HIERARCHIES {
        said.refused(import_bytes("bvh", text.as_bytes()), parts);
    }
    for (rest, parts) in JOINTS {
        said.refused(import_bytes("bvh", format!("{ROOT} {rest}").as_bytes()), parts);
    }
    for (motion, parts) in MOTIONS {
        let text = format!("{ROOT} OFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation }}\nMOTION\n{motion}");
        said.refused(import_bytes("bvh", text.as_bytes()), parts);
    }
    let joints = "JOINT a { ".repeat(1 << 14);
    said.refused(import_bytes("bvh", format!("{ROOT} {joints}").as_bytes()), &["more than 16384 joints", "line 1"]);
    said
}

type Row = (&'static str, &'static [&'static str]);

const HIERARCHIES: &[Row] = &[
    ("solid", &["found 'solid', expected 'HIERARCHY'", "line 1, column 1", "This is not a BVH file"]),
    (" ", &["the file ends, expected 'HIERARCHY'"]),
    ("HIERARCHY", &["the file ends, expected 'ROOT'", "line 1, column 10", "cut short"]),
    ("HIERARCHY JOINT", &["found 'JOINT', expected 'ROOT' or 'MOTION'", "line 1, column 11"]),
    ("HIERARCHY ROOT a", &["the file ends, expected '{'"]),
];

const JOINTS: &[Row] = &[
    ("", &["the file ends, expected '}' or another joint"]),
    ("JOIN", &["found 'JOIN', expected OFFSET, CHANNELS, JOINT, End Site or '}'"]),
    ("End Sit", &["found 'Sit', expected 'Site'"]),
    ("End Site {", &["the file ends, expected OFFSET or '}'"]),
    ("End Site { JOINT", &["found 'JOINT', expected OFFSET or '}'"]),
    ("OFFSET 0 nan", &["found 'nan', expected an offset (3 finite numbers)"]),
    ("CHANNELS six", &["found 'six', expected a number of channels (a whole number)"]),
    ("CHANNELS 13", &["a joint has 13 channels; expected 6, and at most 12"]),
    ("CHANNELS 1 Xrotation CHANNELS", &["a joint has its CHANNELS twice; expected them once"]),
    ("CHANNELS 1", &["the file ends, expected a channel such as Xrotation"]),
    ("CHANNELS 1 Wrotation", &["found 'Wrotation', expected X, Y or Z with position, rotation or scale"]),
];

const MOTIONS: &[Row] = &[
    ("Frames: -1", &["found '-1', expected a number of frames (a whole number)", "line 4, column 9"]),
    ("Frame Time: fast", &["found 'fast', expected the time of one frame in seconds (1 finite numbers)"]),
    ("Speed: 3", &["found 'Speed:', expected 'Frames:', 'Frame Time:' or the values of a frame"]),
    (
        "Frames: 1\nFrame Time: 0.1\n1 x",
        &["found 'x', expected a channel's value (a finite number)", "line 6, column 3"],
    ),
    (
        "Frames: 2\nFrame Time: 0.1\n1 2\n3 4 5\n",
        &["a row has 3 values; expected 2, one per channel", "line 7", "CHANNELS"],
    ),
    (
        "Frames: 2\nFrame Time: 30\n1 2\n3 4\n",
        &["a frame time of 30 s; expected 0.001 to 1 s", "line 5", "--frames-are 30"],
    ),
];
