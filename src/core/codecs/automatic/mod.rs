//! A shell over all other codecs, as Unreal's automatic compression is one: a list of them is tried, and the smallest
//! result within the tolerance is kept. What tries them is the search of a session.

use super::candidate_list::{QUICK, UNREAL};
use super::{BoolParam, CANDIDATE_LINES, Codec, CodecId, CodecInfo, Encoder, LinesParam, Param, Preset};

/// Tries a list of codecs with their values and keeps the smallest bytes within the tolerance.
#[derive(Debug)]
pub struct Automatic;

/// What is tried.
pub const CANDIDATES: LinesParam = LinesParam::new(
    "candidates",
    "Candidates",
    "What is tried: a codec or one of its presets a line, with the values that differ from its defaults. The smallest whose decoded bytes are within the tolerance is kept; where none is, the smallest of press, variable-rate and per-track, which search until they are.",
    &CANDIDATE_LINES,
);

/// Whether feet count.
pub const HOLD_FEET: BoolParam = BoolParam::new(
    "hold_feet",
    "Hold the feet",
    "Of the candidates within the tolerance the smallest is kept on which no planted foot warns; the smallest of all, where feet slide on each. Larger; feet slide less.",
    false,
);

const PARAMS: &[Param] = &[CANDIDATES.param, HOLD_FEET.param];

const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal",
        summary: "Only what Unreal 4 has: its formats, sub-sampling, its key reduction, each track on its own.",
        values: &[(CANDIDATES.param.key, UNREAL)],
    },
    Preset {
        name: "quick",
        summary: "A handful that are played in place, without blocks or an entropy coder: those of them that win most often, and the plainest.",
        values: &[(CANDIDATES.param.key, QUICK)],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"AUTO"),
    name: "automatic",
    summary: "Tries a list of the other codecs and keeps the smallest result within the tolerance.",
    source: "Animation Compression: Unreal 4, automatic",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for Automatic {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        None
    }
}
