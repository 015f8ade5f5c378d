//! The settings of linear key reduction.

use super::decode::{KeyHeader, KeyLayout};
use crate::codecs::encode::keys::{
    BETWEEN, BLOCK_SAMPLES, EFFECTOR_THRESHOLD, FormatChoice, JUMP_EVERY, KEEP_EVERY, KeyOrder, LAST_THRESHOLD, METRIC,
    Metric, ORDER, PARENT_KEY_SCALE, POSITION_THRESHOLD, RETARGET, ROTATION_THRESHOLD, SCALE_THRESHOLD, SEED,
    SOCKET_THRESHOLD, block_size, chosen_metric, order, retarget, unreal_values,
};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS, TrivialSettings};
use crate::codecs::runtime::{CURVE_POSITION, CURVE_ROTATION, KeySearch, RotationFormat, VectorFormat};
use crate::codecs::{ChoiceParam, OnlyIf, Param, ParamValues, Preset};
use crate::settings::choices;

/// The unit of removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removal {
    SingleKeys,
    KeyFrames,
}

choices!(Removal {
    SingleKeys => ("single-keys", "Single keys", "Each track keeps its own keys."),
    KeyFrames => ("key-frames", "Whole key frames", "All tracks have keys at the same times."),
});

/// The memory layout of single keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SingleKeyLayout {
    ByTrack,
    TimeNeeded,
    CurveBlock,
}

choices!(SingleKeyLayout {
    ByTrack => ("by-track", "By track", "One track after another (Unreal). Compact, but each track is read from another place."),
    TimeNeeded => ("time-needed", "By time needed", "In the order in which sequential playback needs the keys (Riot). One scan reads them, but each key names its track, and a jump back starts over."),
    CurveBlock => ("curve-block", "Curves and one block of keys", "Animation Tech Intro 2: 16-bit times, the harmonic mean map, positions within 20 m in steps of 0.6 mm, no scale. Does not guarantee the tolerance: too coarse below 1 mm."),
});

/// The part that the rounding of keys has in their choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundingChoice {
    Counted,
    Unchecked,
}

choices!(RoundingChoice {
    Counted => ("counted", "Part of the error", "A removed key and a rounded key share one limit. Tracks for which the key format is too coarse get a finer one."),
    Unchecked => ("unchecked", "After removal, unchecked", "Keys are chosen among exact values, then written in the key format, and translations and scales as float32 (Unreal). Automatic: Fixed 48."),
});

/// The rotation format that is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyFormatChoice {
    Auto,
    Largest48,
    Largest32,
    Harmonic48,
    Fixed48,
    IntervalFixed32,
    Fixed32,
    Float96,
    Full,
}

choices!(KeyFormatChoice {
    Auto => ("auto", "Automatic", "As many bits as each track needs, over its own range. Whole key frames: 48 bits with the largest component dropped if that is enough, else 62 bits or float32."),
    Largest48 => ("largest48", "Largest dropped, 48 bits", "2 + 15 + 15 + 15 bits (Riot), else float32."),
    Largest32 => ("largest32", "Largest dropped, 32 bits", "2 + 10 + 10 + 10 bits if that is enough, else 48 bits, 62 bits or float32."),
    Harmonic48 => ("harmonic48", "Harmonic mean map, 48 bits", "Three times 16 bits (Animation Tech Intro 2), else float32."),
    Fixed48 => ("fixed48", "Fixed 48", "x, y, z in 16 bits each (Unreal), else float32."),
    IntervalFixed32 => ("interval-fixed32", "Interval fixed 32", "11 + 11 + 10 bits over each track's own range (Unreal), else float32."),
    Fixed32 => ("fixed32", "Fixed 32", "11 + 11 + 10 bits (Unreal), else float32."),
    Float96 => ("float96", "Float 96", "x, y, z as float32, w dropped (Unreal), else four float32."),
    Full => ("full", "Full, 128 bits", "Four float32: exact."),
});

choices!(KeySearch {
    Cursor => ("cursor", "Cursor", "Starts where the last search ended."),
    Binary => ("binary", "Binary search", "Halves the range, again for each track and time."),
    Linear => ("linear", "Linear scan", "Starts at the first key (Unreal, Animation Tech Intro 2)."),
});

const SINGLE_KEYS: OnlyIf = ("removal", &["single-keys"]);

const REMOVAL: ChoiceParam<Removal> = ChoiceParam::new(
    "removal",
    "Remove",
    "Single keys take fewer bytes. Whole key frames need one search per pose and keep each pose together in memory.",
    "single-keys",
);
const ROUNDING: ChoiceParam<RoundingChoice> =
    ChoiceParam::new("rounding", "Rounding", "How the key format's rounding counts.", "counted")
        .only_if(("layout", &["by-track", "time-needed"]));
const KEY_FORMAT: ChoiceParam<KeyFormatChoice> = ChoiceParam::new(
    "key_format",
    "Key format",
    "The format of kept keys. Tracks for which it is too coarse get a finer one, so that the tolerance holds.",
    "auto",
);
const LAYOUT: ChoiceParam<SingleKeyLayout> = ChoiceParam::new(
    "layout",
    "Memory layout",
    "The order of kept keys in memory. Changes size and speed, not the motion.",
    "by-track",
)
.only_if(SINGLE_KEYS);
const SEARCH: ChoiceParam<KeySearch> = ChoiceParam::new(
    "search",
    "Search",
    "How a decoder finds the two keys around a time. In blocks, all of them find them without a search, and only the cursor keeps decoded keys. Changes only the speed, not size or motion.",
    "cursor",
)
.only_if(("layout", &["by-track", "curve-block"]));

/// All settings.
pub const PARAMS: &[Param] = &[
    REMOVAL.param,
    ORDER.param,
    SEED.param,
    KEEP_EVERY.only_if(SINGLE_KEYS).param,
    METRIC.param,
    POSITION_THRESHOLD.param,
    ROTATION_THRESHOLD.param,
    SCALE_THRESHOLD.param,
    EFFECTOR_THRESHOLD.param,
    LAST_THRESHOLD.param,
    SOCKET_THRESHOLD.param,
    RETARGET.param,
    PARENT_KEY_SCALE.only_if(SINGLE_KEYS).param,
    BETWEEN.param,
    KEY_FORMAT.param,
    ROUNDING.param,
    LAYOUT.param,
    SEARCH.param,
    BLOCK_SAMPLES.only_if(("layout", &["by-track"])).param,
    JUMP_EVERY.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// Settings as the sources combine them.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "unreal-linear",
        summary: "Unreal's defaults, the same in 4.15 and 5. Local thresholds, and 0.01 mm at one vertex per end effector. Tracks below joints that lost keys are aimed again, and children drop the keys that their parents dropped. Kept keys are then written in Fixed 48, unchecked. The decoder scans linearly.",
        values: unreal_values![
            ("retarget", "true"),
            ("key_format", "fixed48"),
            ("rounding", "unchecked"),
            ("search", "linear"),
        ],
    },
    Preset {
        name: "tech-intro",
        summary: "The clip of Animation Tech Intro 2: curves and one block of 8-byte keys, local thresholds, a linear scan.",
        values: &[("metric", "local"), ("layout", "curve-block"), ("search", "linear")],
    },
    Preset {
        name: "riot-order",
        summary: "Keys in the order in which playback needs them (Riot), in object space.",
        values: &[("layout", "time-needed")],
    },
    Preset {
        name: "key-frames",
        summary: "Whole key frames are kept or removed: one search per pose.",
        values: &[("removal", "key-frames")],
    },
];

/// The values of [`PARAMS`] as the encoder uses them.
#[derive(Debug, Clone)]
pub struct Choices {
    pub order: KeyOrder,
    /// Distance between samples that may become keys.
    pub keep_every: usize,
    pub metric: Metric,
    pub retarget: bool,
    pub parent_key_scale: f32,
    pub between: bool,
    pub rotation_formats: &'static [RotationFormat],
    pub vector_formats: &'static [VectorFormat],
    pub format_choice: FormatChoice<'static>,
    pub header: KeyHeader,
    /// Samples between jumps, 0 for none.
    pub jump_every: usize,
    pub trivial: TrivialSettings,
}

impl Choices {
    /// The settings for a clip of this length.
    pub fn for_samples(values: &ParamValues, samples: usize) -> Self {
        let choices = Self::new(values);
        let is_by_track = choices.header.layout == KeyLayout::ByTrack;
        let blocks = block_size(values.get(&BLOCK_SAMPLES), samples).filter(|_| is_by_track);
        Self { header: KeyHeader { blocks, ..choices.header }, ..choices }
    }

    pub fn new(values: &ParamValues) -> Self {
        let layout = match (values.get(&REMOVAL), values.get(&LAYOUT)) {
            (Removal::KeyFrames, _) => KeyLayout::KeyFrames,
            (Removal::SingleKeys, SingleKeyLayout::ByTrack) => KeyLayout::ByTrack,
            (Removal::SingleKeys, SingleKeyLayout::TimeNeeded) => KeyLayout::TimeNeeded,
            (Removal::SingleKeys, SingleKeyLayout::CurveBlock) => KeyLayout::CurveBlock,
        };
        let jump_every = match layout {
            KeyLayout::TimeNeeded => values.get(&JUMP_EVERY) as usize,
            KeyLayout::ByTrack | KeyLayout::KeyFrames | KeyLayout::CurveBlock => 0,
        };
        let is_checked = values.get(&ROUNDING) == RoundingChoice::Counted
            || !matches!(layout, KeyLayout::ByTrack | KeyLayout::TimeNeeded);
        let key_format = values.get(&KEY_FORMAT);
        let (rotation_formats, vector_formats) =
            if is_checked { formats(layout, key_format) } else { formats_alone(key_format) };
        Self {
            order: order(values),
            keep_every: values.get(&KEEP_EVERY) as usize,
            metric: chosen_metric(values),
            retarget: retarget(values),
            parent_key_scale: values.get(&PARENT_KEY_SCALE) as f32,
            between: values.get(&BETWEEN),
            rotation_formats,
            vector_formats,
            format_choice: if is_checked { format_choice(layout, key_format) } else { FormatChoice::AfterKeys(&[]) },
            header: KeyHeader { layout, search: values.get(&SEARCH), has_jumps: jump_every > 0, blocks: None },
            jump_every,
            trivial: TrivialSettings::chosen(values),
        }
    }

    /// True if a seek does not scan from the first key.
    pub fn plays_in_place(&self) -> bool {
        let KeyHeader { layout, search, has_jumps, .. } = self.header;
        match layout {
            KeyLayout::TimeNeeded => has_jumps,
            KeyLayout::ByTrack | KeyLayout::KeyFrames | KeyLayout::CurveBlock => search != KeySearch::Linear,
        }
    }

    /// True if the encoder guarantees the tolerance.
    pub fn promise(&self) -> bool {
        let is_checked = !matches!(self.format_choice, FormatChoice::AfterKeys(_));
        self.metric == Metric::ObjectSpace && self.header.layout != KeyLayout::CurveBlock && is_checked
    }
}

fn format_choice(layout: KeyLayout, chosen: KeyFormatChoice) -> FormatChoice<'static> {
    match (layout, chosen) {
        (KeyLayout::CurveBlock, _) => FormatChoice::Last,
        (KeyLayout::ByTrack | KeyLayout::TimeNeeded, KeyFormatChoice::Auto) => FormatChoice::Smallest { ranged: true },
        _ => FormatChoice::FirstFine,
    }
}

/// Formats in the order in which they are tried: the chosen one, then finer ones, then the exact one. A curve block has one of each.
fn formats(layout: KeyLayout, chosen: KeyFormatChoice) -> (&'static [RotationFormat], &'static [VectorFormat]) {
    use RotationFormat::{
        Fixed32, Fixed48, Float96, Full, Harmonic48, IntervalFixed32, Largest32, Largest48, Largest62,
    };
    if layout == KeyLayout::CurveBlock {
        return (&[CURVE_ROTATION], &[CURVE_POSITION]);
    }
    let rotations: &[RotationFormat] = match chosen {
        KeyFormatChoice::Auto => &[Largest48, Largest62, Full],
        KeyFormatChoice::Largest48 => &[Largest48, Full],
        KeyFormatChoice::Largest32 => &[Largest32, Largest48, Largest62, Full],
        KeyFormatChoice::Harmonic48 => &[Harmonic48, Full],
        KeyFormatChoice::Fixed48 => &[Fixed48, Full],
        KeyFormatChoice::IntervalFixed32 => &[IntervalFixed32, Full],
        KeyFormatChoice::Fixed32 => &[Fixed32, Full],
        KeyFormatChoice::Float96 => &[Float96, Full],
        KeyFormatChoice::Full => &[Full],
    };
    (rotations, &[VectorFormat::TrackRange48, VectorFormat::Float96])
}

/// The chosen format without a finer one beside it.
fn formats_alone(chosen: KeyFormatChoice) -> (&'static [RotationFormat], &'static [VectorFormat]) {
    let rotations: &[RotationFormat] = match chosen {
        KeyFormatChoice::Auto | KeyFormatChoice::Fixed48 => &[RotationFormat::Fixed48],
        KeyFormatChoice::Largest48 => &[RotationFormat::Largest48],
        KeyFormatChoice::Largest32 => &[RotationFormat::Largest32],
        KeyFormatChoice::Harmonic48 => &[RotationFormat::Harmonic48],
        KeyFormatChoice::IntervalFixed32 => &[RotationFormat::IntervalFixed32],
        KeyFormatChoice::Fixed32 => &[RotationFormat::Fixed32],
        KeyFormatChoice::Float96 => &[RotationFormat::Float96],
        KeyFormatChoice::Full => &[RotationFormat::Full],
    };
    (rotations, &[VectorFormat::Float96])
}
