//! Automatic choice of the codec, like Unreal's automatic compression: tries a list of candidates and keeps the smallest result within the
//! tolerance. The search of a session runs the candidates.

mod candidate;
mod candidate_row;
mod lists;

pub use candidate::{CANDIDATE_LINES, Candidate, CandidateError, default_candidates, fallbacks};
pub use candidate_row::{CandidateFigures, CandidateRecord, CandidateRow, CandidateState};

use super::{
    BoolParam, Codec, CodecId, CodecInfo, Encoder, FloatParam, LOSSLESS, LinesParam, Param, ParamError, ParamValues,
    Preset, Unit,
};
use candidate::FALLBACK_LINES;
use lists::{QUICK, UNREAL, UNREAL_FALLBACKS};

/// Tries a list of codecs with their values and keeps the smallest bytes within the tolerance.
#[derive(Debug)]
pub struct Automatic;

/// The candidates.
pub const CANDIDATES: LinesParam = LinesParam::new(
    "candidates",
    "Candidates",
    "Codecs to try, one per line: a codec or one of its presets, with the settings that differ from its defaults. The smallest result within the tolerance wins.",
    &CANDIDATE_LINES,
);

/// The candidates that are tried if none of the list may win.
pub const FALLBACKS: LinesParam = LinesParam::new(
    "fallbacks",
    "If none is close enough",
    "Codecs to try, in the same form, if no candidate may win. The smallest within the tolerance wins. If there is none, the clip is stored without loss.",
    &FALLBACK_LINES,
);

/// Feet decide between candidates.
pub const HOLD_FEET: BoolParam = BoolParam::new(
    "hold_feet",
    "Keep contacts",
    "Prefers candidates in which no foot contact slides too far, even if they are larger. If feet slide in all of them, the smallest wins. Larger file, but feet slide less.",
    false,
);

/// The time to decode a pose is bounded.
pub const IN_PLACE: BoolParam = BoolParam::new(
    "in_place",
    "Only random access",
    "Press is stored for random access instead of as an archive. Skips codecs that expand a clip before playback, or scan from the first key after a jump: wavelet, keys in playback order without a jump table, and linear scans. A pose then takes the same time in clips of any length. The file may be larger.",
    false,
);

/// The error up to which a candidate may win, in tolerances.
pub const ACCEPT_TIMES: FloatParam = FloatParam::new(
    "accept_times",
    "Accept up to",
    "Largest error with which a candidate may win, in tolerances. Candidates still aim at the tolerance itself (Unreal also has an error bound apart from its codecs' thresholds). Above 1 the tolerance is not guaranteed, and files are smaller.",
    (1.0, 100.0),
    1.0,
    Unit::None,
);

/// Every candidate is measured.
pub const MEASURE_ALL: BoolParam = BoolParam::new(
    "measure_all",
    "Measure all candidates",
    "Also measures candidates that cannot be smaller than the best so far. Fills the whole table; the result is the same. Slower.",
    false,
);

const TRY_FIXED: BoolParam = BoolParam::new(
    "try_fixed",
    "Try fixed bit widths",
    "Off: skips the lines with quantize (Unreal: bitwise only).",
    true,
);
const TRY_INTERVAL: BoolParam = BoolParam::new(
    "try_interval",
    "Try dropping every other key",
    "Off: skips the lines with every-second-key (Unreal: remove every second key).",
    true,
);
const TRY_LINEAR: BoolParam = BoolParam::new(
    "try_linear",
    "Try linear key reduction",
    "Off: skips the lines with linear-keys (Unreal: remove linear keys).",
    true,
);
const TRY_PER_TRACK: BoolParam = BoolParam::new(
    "try_per_track",
    "Try each track separately",
    "Off: skips the lines with per-track (Unreal: per track compression).",
    true,
);

/// Unreal's switches, each with the codec that it turns on or off.
const SWITCHES: [(BoolParam, &str); 4] = [
    (TRY_FIXED, "quantize"),
    (TRY_INTERVAL, "every-second-key"),
    (TRY_LINEAR, "linear-keys"),
    (TRY_PER_TRACK, "per-track"),
];

const PARAMS: &[Param] = &[
    CANDIDATES.param,
    FALLBACKS.param,
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
        summary: "The 35 combinations of Unreal 4's automatic compression, in its formats and with its thresholds.",
        values: &[(CANDIDATES.param.key, UNREAL), (FALLBACKS.param.key, UNREAL_FALLBACKS)],
    },
    Preset {
        name: "quick",
        summary: "A few codecs with random access, without blocks or an entropy coder: the most frequent winners, and the simplest ones.",
        values: &[(CANDIDATES.param.key, QUICK)],
    },
];

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"AUTO"),
    name: "automatic",
    summary: "Tries a list of other codecs and keeps the smallest result within the tolerance.",
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

/// The rules of a search: the candidates, and those that may win.
#[derive(Debug, Clone)]
pub struct SearchRules {
    /// The candidates, in the order in which they are tried.
    pub candidates: Vec<Candidate>,
    /// Tried in turn if no candidate may win. The last one is without loss.
    pub fallbacks: Vec<Candidate>,
    /// True if a candidate without a sliding contact beats a smaller one with a sliding contact.
    pub hold_feet: bool,
    /// Largest error with which a candidate may win, in tolerances.
    pub accept_times: f32,
    /// True if candidates that cannot win are measured too.
    pub measure_all: bool,
}

impl SearchRules {
    /// Rules in which all candidates are measured and win within the tolerance.
    pub fn of(candidates: Vec<Candidate>) -> Self {
        Self { candidates, fallbacks: fallbacks(), hold_feet: false, accept_times: 1.0, measure_all: true }
    }

    /// The rules in the values of `automatic`.
    ///
    /// # Errors
    /// [`ParamError::Line`] if a candidate cannot be read.
    pub fn chosen(values: &ParamValues) -> Result<Self, ParamError> {
        let mut rules = Self {
            hold_feet: values.get(&HOLD_FEET),
            accept_times: values.get(&ACCEPT_TIMES) as f32,
            measure_all: values.get(&MEASURE_ALL),
            fallbacks: with_lossless(Candidate::parse_list(values.get(&FALLBACKS).iter().map(String::as_str))?),
            ..Self::of(Candidate::parse_list(values.get(&CANDIDATES).iter().map(String::as_str))?)
        };
        let is_off = |codec: &str| SWITCHES.iter().any(|(on, of)| *of == codec && !values.get(on));
        rules.candidates.retain(|candidate| !is_off(candidate.codec.name()));
        if values.get(&IN_PLACE) {
            for list in [&mut rules.candidates, &mut rules.fallbacks] {
                *list = only_in_place(std::mem::take(list));
            }
        }
        Ok(rules)
    }
}

/// The candidates, and the codec without loss as the last one.
fn with_lossless(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let lossless = Candidate::of(LOSSLESS, &ParamValues::new());
    candidates.retain(|candidate| *candidate != lossless);
    candidates.push(lossless);
    candidates
}

/// The candidates that play in place, or the nearest ones that do, each once.
fn only_in_place(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates.into_iter().filter_map(Candidate::in_place) {
        if !kept.contains(&candidate) {
            kept.push(candidate);
        }
    }
    kept
}
