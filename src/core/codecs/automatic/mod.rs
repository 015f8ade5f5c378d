//! A shell over all other codecs, as Unreal's automatic compression is one: it tries a list of them and keeps the smallest
//! result within the tolerance.

mod contest;
use posepress_runtime::codecs::automatic as decode;
mod list;

use super::candidate::{AUTOMATIC, CANDIDATE_LINES};
use super::trivial::check_usable;
use super::{
    Candidate, Codec, CodecInfo, EncodeError, Encoded, Param, ParamKind, ParamValues, Preset, Progress, Section, Source,
};
use contest::Contest;

pub use list::default_candidates;

/// Tries a list of codecs with their values and keeps the smallest bytes within the tolerance.
#[derive(Debug)]
pub struct Automatic;

const CANDIDATES: &str = "candidates";

const PARAMS: &[Param] = &[Param {
    key: CANDIDATES,
    label: "Candidates",
    help: "What is tried: a codec or one of its presets a line, with the values that differ from its defaults. The smallest whose decoded bytes are within the tolerance is kept; raw, where none is.",
    kind: ParamKind::Lines(&CANDIDATE_LINES),
    only_if: None,
}];

const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal",
        summary: "Only what Unreal 4 has: its formats, sub-sampling, its key reduction, each track on its own.",
        values: &[(CANDIDATES, list::UNREAL)],
    },
    Preset {
        name: "quick",
        summary: "A handful that are played in place, without blocks or an entropy coder: those of them that win most often, and the plainest.",
        values: &[(CANDIDATES, list::QUICK)],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: AUTOMATIC,
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

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let lines = values.lines(PARAMS, CANDIDATES);
        let candidates = Candidate::parse_list(lines.iter().map(String::as_str))?;
        let (codec, Encoded { payload, mut ledger, kept }) = Contest::new(source, progress).run(candidates)?;
        ledger.clip(Section::Header, 8 * codec.id().0.len() as u64);
        Ok(Encoded { payload: decode::join(codec.id().0, &payload), ledger, kept })
    }
}
