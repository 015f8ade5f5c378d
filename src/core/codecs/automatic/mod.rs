//! A shell over all other codecs, as Unreal's automatic compression is one: a list of them is tried, and the smallest
//! result within the tolerance is kept. What tries them is the search of a session.

mod candidate;
mod candidate_row;
mod lists;

pub use candidate::{CANDIDATE_LINES, Candidate, CandidateError, default_candidates, fallbacks};
pub use candidate_row::{CandidateFigures, CandidateRow, CandidateState};

use super::{
    BoolParam, Codec, CodecId, CodecInfo, Encoder, FloatParam, LinesParam, Param, ParamError, ParamValues, Preset, Unit,
};
use lists::{QUICK, UNREAL};

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

/// Whether decode time is bounded.
pub const IN_PLACE: BoolParam = BoolParam::new(
    "in_place",
    "Only what plays in place",
    "Leaves out what a runtime expands before it plays, or scans from the first key on after a jump: wavelet, press as an archive, keys in the order of playing without a jump table, linear scans. The cost of a pose is bounded then, whatever the length of the clip. Larger or the same.",
    false,
);

/// How far beyond the tolerance a candidate may be and still win.
pub const ACCEPT_TIMES: FloatParam = FloatParam::new(
    "accept_times",
    "Accept up to",
    "So many times the tolerance: candidates aim at the tolerance, and win where they are within this (Unreal's error bound is apart from its codecs' thresholds too). Beyond 1 the tolerance is no promise; smaller.",
    (1.0, 100.0),
    1.0,
    Unit::None,
);

/// Whether every candidate is measured.
pub const MEASURE_ALL: BoolParam = BoolParam::new(
    "measure_all",
    "Measure all of them",
    "Candidates that cannot be smaller than the best by then are measured too, not given up: a whole table, and the same bytes. Slower.",
    false,
);

const TRY_FIXED: BoolParam = BoolParam::new(
    "try_fixed",
    "Try fixed bit widths",
    "Off: no line of quantize is tried (Unreal: bitwise only).",
    true,
);
const TRY_INTERVAL: BoolParam = BoolParam::new(
    "try_interval",
    "Try dropping every other key",
    "Off: no line of every-second-key is tried (Unreal: remove every second key).",
    true,
);
const TRY_LINEAR: BoolParam = BoolParam::new(
    "try_linear",
    "Try linear key reduction",
    "Off: no line of linear-keys is tried (Unreal: remove linear keys).",
    true,
);
const TRY_PER_TRACK: BoolParam = BoolParam::new(
    "try_per_track",
    "Try each track on its own",
    "Off: no line of per-track is tried (Unreal: per track compression).",
    true,
);

/// Unreal's switches, each with the name of the codec whose lines it rules.
const SWITCHES: [(BoolParam, &str); 4] = [
    (TRY_FIXED, "quantize"),
    (TRY_INTERVAL, "every-second-key"),
    (TRY_LINEAR, "linear-keys"),
    (TRY_PER_TRACK, "per-track"),
];

const PARAMS: &[Param] = &[
    CANDIDATES.param,
    HOLD_FEET.param,
    IN_PLACE.param,
    ACCEPT_TIMES.param,
    TRY_FIXED.param,
    TRY_INTERVAL.param,
    TRY_LINEAR.param,
    TRY_PER_TRACK.param,
    MEASURE_ALL.param,
];

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

    fn promises_with(&self, values: &ParamValues) -> bool {
        values.get(&ACCEPT_TIMES) <= 1.0
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        None
    }
}

/// What is tried, and what of it may win.
#[derive(Debug, Clone)]
pub struct SearchRules {
    /// What is tried, in this order.
    pub candidates: Vec<Candidate>,
    /// What is tried after them where none of them may win; the last loses nothing.
    pub fallbacks: Vec<Candidate>,
    /// A candidate on which no planted foot warns goes before a smaller one on which one does.
    pub hold_feet: bool,
    /// So many tolerances a candidate may err and win.
    pub accept_times: f32,
    /// Measure also what cannot win.
    pub measure_all: bool,
}

impl SearchRules {
    /// All candidates are measured, and win within the tolerance.
    pub fn of(candidates: Vec<Candidate>) -> Self {
        Self { candidates, fallbacks: fallbacks(), hold_feet: false, accept_times: 1.0, measure_all: true }
    }

    /// As the values of `automatic` have them.
    ///
    /// # Errors
    /// [`ParamError::Line`], where a candidate does not read.
    pub fn chosen(values: &ParamValues) -> Result<Self, ParamError> {
        let mut rules = Self {
            hold_feet: values.get(&HOLD_FEET),
            accept_times: values.get(&ACCEPT_TIMES) as f32,
            measure_all: values.get(&MEASURE_ALL),
            ..Self::of(Candidate::parse_list(values.get(&CANDIDATES).iter().map(String::as_str))?)
        };
        let is_off = |codec: &str| SWITCHES.iter().any(|(on, of)| *of == codec && !values.get(on));
        rules.candidates.retain(|candidate| !is_off(candidate.codec.name()));
        if values.get(&IN_PLACE) {
            let in_place = |candidate: &Candidate| candidate.codec.plays_in_place(&candidate.values);
            rules.candidates.retain(in_place);
            rules.fallbacks.retain(in_place);
        }
        Ok(rules)
    }
}
