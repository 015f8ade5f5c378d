//! The settings of curve fitting.

use super::decode::CurveLayout;
use super::fit::{FitSettings, Insertion, KeyValues};
use crate::codecs::encode::keys::{
    self, BLOCK_SAMPLES, FormatChoice, JUMP_EVERY, Metric, POSITION_THRESHOLD, ROTATION_THRESHOLD, SCALE_THRESHOLD,
    thresholds,
};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS, TrivialSettings};
use crate::codecs::runtime::{Knots, RotationFormat, Spline, VectorFormat};
use crate::codecs::{BoolParam, ChoiceParam, FloatParam, OnlyIf, Param, ParamValues, Preset, Unit};
use crate::settings::choices;

/// The metric that decides if a section needs another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FitMetric {
    ObjectSpace,
    Local,
}

choices!(FitMetric {
    ObjectSpace => ("object-space", "Object space", "The final error of a joint and its descendants, on top of the decoded parents."),
    Local => ("local", "Thresholds", "Each track is judged alone, with thresholds for position, rotation and scale (Riot)."),
});

/// The joints that are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    None,
    Feet,
    Ends,
    All,
}

choices!(Pinning {
    None => ("none", "None", "Each joint is fitted to its own track."),
    Feet => ("feet", "Feet", "Joints with the name of a foot; toes are not pinned."),
    Ends => ("ends", "Ends of chains", "Joints without children."),
    All => ("all", "All", "Every joint below a root."),
});

/// The number of bits per key value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyBits {
    Auto,
    Published,
    Rotation32,
    Ranged,
}

choices!(KeyBits {
    Auto => ("auto", "48 bits, or finer", "48 bits. Tracks for which that is too coarse get 62 bits or float32, so that the tolerance holds."),
    Published => ("published", "48 bits", "Ten bytes per key, as Riot published. Does not guarantee the tolerance."),
    Rotation32 => ("rotation32", "Rotations of 32 bits, or finer", "Rotations in 2 + 10 + 10 + 10 bits if that is enough (Riot's proposed next step), else as above."),
    Ranged => ("ranged", "As many bits as a track needs", "Layout by track: whole steps over each track's own range. Layout by time needed: keys are whole words, so the bits are as above."),
});

choices!(Insertion {
    Midpoint => ("midpoint", "In the middle", "Halves the section (Riot)."),
    WorstSample => ("worst-sample", "At the worst sample", "At the largest error of the curve."),
});

choices!(KeyValues {
    Interpolation => ("interpolation", "Interpolation", "Keys are samples of the clip (Riot)."),
    LeastSquares => ("least-squares", "Least squares", "Keys near the new one are solved again for the smallest sum of squares. Fewer keys, slower."),
});

choices!(Knots {
    KeyTime => ("key-time", "Key times", "Proportional to time (Riot): smooth over time."),
    Uniform => ("uniform", "Uniform", "One per key, at any distance between keys."),
    Chordal => ("chordal", "Chordal", "Proportional to the distance between the keys' values."),
    Centripetal => ("centripetal", "Centripetal", "Proportional to the square root of that distance. Overshoots least."),
});

choices!(CurveLayout {
    TimeNeeded => ("time-needed", "By time needed", "One block of keys with time, joint, channel and value, in the order in which sequential playback needs them (Riot)."),
    ByTrack => ("by-track", "By track", "One track after another. Smaller, because keys do not name their track, but each track is read from another place."),
});

const WITH_THRESHOLDS: OnlyIf = ("metric", &["local"]);

const METRIC: ChoiceParam<FitMetric> = ChoiceParam::new(
    "metric",
    "Error metric",
    "Decides if a section needs another key. Only object space guarantees the tolerance.",
    "object-space",
);
const ADAPTIVE_MARGINS: BoolParam = BoolParam::new("adaptive_margins", "Adaptive margins", "Applies the thresholds to the ends of chains. Their parents get a half, the next a third and so on (Riot). Larger file, but feet slide less.", false).only_if(WITH_THRESHOLDS);
const PINNING: ChoiceParam<Pinning> = ChoiceParam::new("pinning", "Pin joints", "Joints that are fitted to their original object-space position, so that they correct the errors of their parents (Riot). Their translations become tracks. Larger file, but feet slide less.", "none").only_if(WITH_THRESHOLDS);
const PINNED_SHARE: FloatParam = FloatParam::new("pinned_share", "Pinned thresholds", "Part of the thresholds that applies to pinned joints and to the toes of pinned feet. It limits how well they correct the errors of their parents. Lower: larger file, but feet slide less.", (0.01, 1.0), 0.25, Unit::None).only_if(("pinning", &["feet", "ends", "all"]));
const ONE_FIT: OnlyIf = ("try_all", &["false"]);

const INSERTION: ChoiceParam<Insertion> = ChoiceParam::new(
    "insertion",
    "New keys",
    "The place of the next key in the section with the largest error.",
    "midpoint",
)
.only_if(ONE_FIT);
const VALUES: ChoiceParam<KeyValues> =
    ChoiceParam::new("values", "Values of keys", "The curve goes through samples, or between them.", "interpolation")
        .only_if(ONE_FIT);
const TRY_ALL: BoolParam = BoolParam::new(
    "try_all",
    "Try all fits",
    "Fits each track in four ways: new keys in the middle of sections or at the worst samples, through samples or by least squares. Keeps the fit with the fewest keys. Smaller file, four times the work.",
    false,
);
const THIN_OUT: BoolParam = BoolParam::new(
    "thin_out",
    "Remove keys again",
    "After the fit, removes keys that the curve does not need, the one with the smallest error first. Smaller file, slower. The fit cannot be replayed key by key.",
    false,
);
const KNOTS: ChoiceParam<Knots> =
    ChoiceParam::new("knots", "Knots", "The growth of the spline's parameter from key to key.", "key-time");
const STRAIGHT_STEPS: BoolParam = BoolParam::new(
    "straight_steps",
    "Straight from sample to sample",
    "The curve is a straight line between keys at neighbouring frames, as in the source. Costs no bytes. When off (as published), feet that stop suddenly swing by millimetres between frames, at any tolerance.",
    true,
)
.only_if(("between", &["false"]));
const BETWEEN: BoolParam = BoolParam::new(
    keys::BETWEEN.param.key,
    keys::BETWEEN.param.label,
    "Keeps the tolerance halfway between frames as well, measured against the straight line from frame to frame. Feet stay in place, but a smooth curve needs more keys and bytes. Curves between neighbouring frames are straight. Where this is not possible (long clips at 0.01 mm, because of float32 seconds), only the frames are checked.",
    false,
);
const PAYLOAD: ChoiceParam<KeyBits> =
    ChoiceParam::new("payload", "Payload", "The number of bits per key value.", "auto");
const LAYOUT: ChoiceParam<CurveLayout> = ChoiceParam::new(
    "layout",
    "Memory layout",
    "The order of keys in memory. Changes size and speed, not the motion.",
    "time-needed",
);

/// All settings.
pub const PARAMS: &[Param] = &[
    METRIC.param,
    POSITION_THRESHOLD.only_if(WITH_THRESHOLDS).param,
    ROTATION_THRESHOLD.only_if(WITH_THRESHOLDS).param,
    SCALE_THRESHOLD.only_if(WITH_THRESHOLDS).param,
    ADAPTIVE_MARGINS.param,
    PINNING.param,
    PINNED_SHARE.param,
    TRY_ALL.param,
    INSERTION.param,
    VALUES.param,
    THIN_OUT.param,
    KNOTS.param,
    BETWEEN.param,
    STRAIGHT_STEPS.param,
    PAYLOAD.param,
    LAYOUT.param,
    BLOCK_SAMPLES.only_if(("layout", &["by-track"])).param,
    JUMP_EVERY.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// The settings of the article, and those for the smallest files.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "riot",
        summary: "As published: thresholds, midpoints, interpolation, ten bytes per key, and adaptive margins against sliding feet.",
        values: &[
            ("metric", "local"),
            ("position_threshold", "0.001"),
            ("rotation_threshold", "0.005"),
            ("scale_threshold", "0.001"),
            ("adaptive_margins", "true"),
            ("payload", "published"),
            ("straight_steps", "false"),
        ],
    },
    Preset {
        name: "smallest",
        summary: "The smallest curves: tries all fits, removes keys again, stores track by track in as many bits as each track needs.",
        values: &[("try_all", "true"), ("thin_out", "true"), ("layout", "by-track"), ("payload", "ranged")],
    },
];

/// The values of [`PARAMS`] as the encoder uses them.
#[derive(Debug, Clone)]
pub struct Choices {
    pub metric: Metric,
    pub adaptive_margins: bool,
    pub pinning: Pinning,
    /// Part of the thresholds that applies to pinned joints.
    pub pinned_share: f32,
    /// See [`super::choose::CurveChooser`].
    pub fits: Vec<FitSettings>,
    pub thins_out: bool,
    pub spline: Spline,
    pub between: bool,
    /// True for the published payload, which may be too coarse.
    pub is_published: bool,
    pub format_choice: FormatChoice<'static>,
    pub rotation_formats: &'static [RotationFormat],
    pub vector_formats: &'static [VectorFormat],
    pub layout: CurveLayout,
    /// See [`BLOCK_SAMPLES`].
    pub block_samples: u32,
    /// Samples between jumps, 0 for none.
    pub jump_every: usize,
    pub trivial: TrivialSettings,
}

impl Choices {
    pub fn new(values: &ParamValues) -> Self {
        let (metric, payload) = (values.get(&METRIC), values.get(&PAYLOAD));
        let layout = values.get(&LAYOUT);
        let is_local = metric == FitMetric::Local;
        let between = values.get(&BETWEEN);
        // Between neighbouring samples a curve could exceed any tolerance, and no key fits there.
        let straight_steps = between || values.get(&STRAIGHT_STEPS);
        Self {
            metric: match metric {
                FitMetric::ObjectSpace => Metric::ObjectSpace,
                FitMetric::Local => Metric::Local(thresholds(values)),
            },
            adaptive_margins: is_local && values.get(&ADAPTIVE_MARGINS),
            pinning: if is_local { values.get(&PINNING) } else { Pinning::None },
            pinned_share: values.get(&PINNED_SHARE) as f32,
            fits: fits(values),
            thins_out: values.get(&THIN_OUT),
            spline: Spline { knots: values.get(&KNOTS), straight_steps },
            between,
            is_published: payload == KeyBits::Published,
            format_choice: match (payload, layout) {
                (KeyBits::Published, _) => FormatChoice::Last,
                (KeyBits::Ranged, CurveLayout::ByTrack) => FormatChoice::Smallest { ranged: true },
                _ => FormatChoice::FirstFine,
            },
            rotation_formats: rotation_formats(payload),
            vector_formats: vector_formats(payload, layout),
            layout,
            block_samples: values.get(&BLOCK_SAMPLES),
            jump_every: match layout {
                CurveLayout::TimeNeeded => values.get(&JUMP_EVERY) as usize,
                CurveLayout::ByTrack => 0,
            },
            trivial: TrivialSettings::chosen(values),
        }
    }

    /// True if a seek does not scan from the first key.
    pub fn plays_in_place(&self) -> bool {
        self.layout == CurveLayout::ByTrack || self.jump_every > 0
    }

    /// True if the encoder guarantees the tolerance.
    pub fn promise(&self) -> bool {
        self.metric == Metric::ObjectSpace && !self.is_published
    }
}

fn fits(values: &ParamValues) -> Vec<FitSettings> {
    let in_rounds = values.get(&THIN_OUT);
    let fit = |insertion, values| FitSettings { insertion, values, in_rounds };
    if !values.get(&TRY_ALL) {
        return vec![fit(values.get(&INSERTION), values.get(&VALUES))];
    }
    let with = |values| [Insertion::Midpoint, Insertion::WorstSample].map(|insertion| fit(insertion, values));
    [KeyValues::Interpolation, KeyValues::LeastSquares].map(with).concat()
}

/// Formats in the order in which they are tried. The exact one is last, if there is one.
fn rotation_formats(payload: KeyBits) -> &'static [RotationFormat] {
    use RotationFormat::{Full, Largest32, Largest48, Largest62};
    match payload {
        KeyBits::Auto | KeyBits::Ranged => &[Largest48, Largest62, Full],
        KeyBits::Published => &[Largest48],
        KeyBits::Rotation32 => &[Largest32, Largest48, Largest62, Full],
    }
}

/// The same for translations and scales. In the layout by track, each track stores its own range.
fn vector_formats(payload: KeyBits, layout: CurveLayout) -> &'static [VectorFormat] {
    use VectorFormat::{ClipRange48, Float96, TrackRange48};
    match (payload, layout) {
        (KeyBits::Published, CurveLayout::ByTrack) => &[TrackRange48],
        (KeyBits::Published, CurveLayout::TimeNeeded) => &[ClipRange48],
        (_, CurveLayout::ByTrack) => &[TrackRange48, Float96],
        (_, CurveLayout::TimeNeeded) => &[ClipRange48, TrackRange48, Float96],
    }
}
