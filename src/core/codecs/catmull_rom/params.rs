//! What people may choose of curve fitting.

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

/// What decides whether a section needs another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FitMetric {
    ObjectSpace,
    Local,
}

choices!(FitMetric {
    ObjectSpace => ("object-space", "Object space", "What a joint and all that hangs on it err in the end, on top of the decoded parents."),
    Local => ("local", "Thresholds", "Each track by itself, with thresholds for position, rotation and scale (Riot)."),
});

/// Which joints are pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinning {
    None,
    Feet,
    Ends,
    All,
}

choices!(Pinning {
    None => ("none", "None", "Each joint is fitted to its own track."),
    Feet => ("feet", "Feet", "Joints whose names say that they are feet, not toes."),
    Ends => ("ends", "Ends of chains", "Joints without children."),
    All => ("all", "All", "Every joint below a root."),
});

/// How many bits the value of a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyBits {
    Auto,
    Published,
    Rotation32,
    Ranged,
}

choices!(KeyBits {
    Auto => ("auto", "48 bits, or finer", "48 bits; tracks for which these are too coarse get 62 bits or float32, so that the tolerance holds."),
    Published => ("published", "48 bits", "Every frame takes ten bytes, as Riot published. Does not promise the tolerance."),
    Rotation32 => ("rotation32", "Rotations of 32 bits, or finer", "Rotations in 2 + 10 + 10 + 10 bits where these are enough (Riot's further direction), else as above."),
    Ranged => ("ranged", "As many bits as a track needs", "By track: whole steps over each track's own range. Frames by the time at which they are needed are whole words: there as above."),
});

choices!(Insertion {
    Midpoint => ("midpoint", "In the middle", "Halves the section (Riot)."),
    WorstSample => ("worst-sample", "At the worst sample", "Where the curve is off most."),
});

choices!(KeyValues {
    Interpolation => ("interpolation", "Interpolation", "Keys are samples of the clip (Riot)."),
    LeastSquares => ("least-squares", "Least squares", "Keys near the new one are solved again for the smallest sum of squares: fewer keys, slower."),
});

choices!(Knots {
    KeyTime => ("key-time", "Key times", "As time does (Riot): smooth over time."),
    Uniform => ("uniform", "Uniform", "By one a key, however far apart they are."),
    Chordal => ("chordal", "Chordal", "By the distance of the keys' values."),
    Centripetal => ("centripetal", "Centripetal", "By the square root of that distance: overshoots least."),
});

choices!(CurveLayout {
    TimeNeeded => ("time-needed", "By time needed", "One block of frames of time, joint, channel and value, in the order in which playing forward needs them (Riot)."),
    ByTrack => ("by-track", "By track", "One track after another: smaller, because keys need not name their track; each track is read at another place."),
});

const WITH_THRESHOLDS: OnlyIf = ("metric", &["local"]);

const METRIC: ChoiceParam<FitMetric> = ChoiceParam::new(
    "metric",
    "Error metric",
    "What decides whether a section needs another key. Only object space keeps the tolerance.",
    "object-space",
);
const ADAPTIVE_MARGINS: BoolParam = BoolParam::new("adaptive_margins", "Adaptive margins", "Thresholds for the ends of chains; their parents get half, the next a third and so on (Riot). Larger; feet slide less.", false).only_if(WITH_THRESHOLDS);
const PINNING: ChoiceParam<Pinning> = ChoiceParam::new("pinning", "Pin joints", "Joints that are fitted to where the raw clip has them in object space, so that they make up for what their parents err (Riot). Their translations become tracks, so it is larger; feet slide less.", "none").only_if(WITH_THRESHOLDS);
const PINNED_SHARE: FloatParam = FloatParam::new("pinned_share", "Pinned thresholds", "What pinned joints, and the toes below pinned feet, may err: so much of the thresholds. Their parents' errors are made up for only as well as this lets them. Smaller is larger; feet slide less.", (0.01, 1.0), 0.25, Unit::None).only_if(("pinning", &["feet", "ends", "all"]));
const ONE_FIT: OnlyIf = ("try_all", &["false"]);

const INSERTION: ChoiceParam<Insertion> =
    ChoiceParam::new("insertion", "New keys", "Where the worst section gets its next key.", "midpoint")
        .only_if(ONE_FIT);
const VALUES: ChoiceParam<KeyValues> = ChoiceParam::new(
    "values",
    "Values of keys",
    "Whether the curve goes through samples or between them.",
    "interpolation",
)
.only_if(ONE_FIT);
const TRY_ALL: BoolParam = BoolParam::new(
    "try_all",
    "Try all fits",
    "Each track is fitted with new keys in the middle of sections and at worst samples, through samples and by least squares; the fit with the fewest keys is kept. Smaller; four times the work.",
    false,
);
const THIN_OUT: BoolParam = BoolParam::new(
    "thin_out",
    "Remove keys again",
    "Once a curve fits, keys that it fits without are removed, the one that leaves the smallest error first. Smaller and slower; the fit cannot be seen again key by key.",
    false,
);
const KNOTS: ChoiceParam<Knots> =
    ChoiceParam::new("knots", "Knots", "How the parameter of the spline runs from key to key.", "key-time");
const STRAIGHT_STEPS: BoolParam = BoolParam::new(
    "straight_steps",
    "Straight from sample to sample",
    "Where neighbouring samples are keys, the curve goes straight from one to the other, as the raw samples do: of the same size. Without it (as published) feet that stop at once swing by millimetres between samples, whatever the tolerance.",
    true,
)
.only_if(("between", &["false"]));
const BETWEEN: BoolParam = BoolParam::new(
    keys::BETWEEN.param.key,
    keys::BETWEEN.param.label,
    "Keeps the error within the tolerance halfway between samples as well, against the straight line from sample to sample: feet stand, and a smooth curve pays for being smooth with more keys and bytes. Curves between neighbouring samples are straight then. Where it cannot be (float32 seconds of long clips at 0.01 mm), the samples alone count.",
    false,
);
const PAYLOAD: ChoiceParam<KeyBits> =
    ChoiceParam::new("payload", "Payload", "How many bits the value of a key takes.", "auto");
const LAYOUT: ChoiceParam<CurveLayout> = ChoiceParam::new(
    "layout",
    "Memory layout",
    "How keys lie in memory: the same motion, other sizes and speeds.",
    "time-needed",
);

/// All of them.
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

/// What the article combines, and what makes the smallest files.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "riot",
        summary: "As published: thresholds, midpoints, interpolation, frames of ten bytes, and adaptive margins against swimming feet.",
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
        summary: "The article's further directions where they save keys: worst samples and least squares beside what is published, keys removed again; stored track by track, in as many bits as each needs.",
        values: &[("try_all", "true"), ("thin_out", "true"), ("layout", "by-track"), ("payload", "ranged")],
    },
];

/// The values of [`PARAMS`] as the encoder uses them.
#[derive(Debug, Clone)]
pub struct Choices {
    pub metric: Metric,
    pub adaptive_margins: bool,
    pub pinning: Pinning,
    /// Part of the thresholds that pinned joints may err.
    pub pinned_share: f32,
    /// See [`super::choose::CurveChooser`].
    pub fits: Vec<FitSettings>,
    pub thins_out: bool,
    pub spline: Spline,
    pub between: bool,
    /// The published payload, too coarse or not.
    pub is_published: bool,
    pub format_choice: FormatChoice,
    pub rotation_formats: &'static [RotationFormat],
    pub vector_formats: &'static [VectorFormat],
    pub layout: CurveLayout,
    /// See [`BLOCK_SAMPLES`].
    pub block_samples: u32,
    /// Samples from jump to jump, 0 for none.
    pub jump_every: usize,
    pub trivial: TrivialSettings,
}

impl Choices {
    pub fn new(values: &ParamValues) -> Self {
        let (metric, payload) = (values.get(&METRIC), values.get(&PAYLOAD));
        let layout = values.get(&LAYOUT);
        let is_local = metric == FitMetric::Local;
        let between = values.get(&BETWEEN);
        // A curve between neighbouring samples swings beyond any tolerance, and no key can be put there.
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

    /// True when a seek does not scan from the first key on.
    pub fn plays_in_place(&self) -> bool {
        self.layout == CurveLayout::ByTrack || self.jump_every > 0
    }

    /// True when the search keeps the tolerance.
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

/// In the order in which they are tried, the exact one last where there is one.
fn rotation_formats(payload: KeyBits) -> &'static [RotationFormat] {
    use RotationFormat::{Full, Largest32, Largest48, Largest62};
    match payload {
        KeyBits::Auto | KeyBits::Ranged => &[Largest48, Largest62, Full],
        KeyBits::Published => &[Largest48],
        KeyBits::Rotation32 => &[Largest32, Largest48, Largest62, Full],
    }
}

/// The same for translations and scales. By track, each track stores a range of its own.
fn vector_formats(payload: KeyBits, layout: CurveLayout) -> &'static [VectorFormat] {
    use VectorFormat::{ClipRange48, Float96, TrackRange48};
    match (payload, layout) {
        (KeyBits::Published, CurveLayout::ByTrack) => &[TrackRange48],
        (KeyBits::Published, CurveLayout::TimeNeeded) => &[ClipRange48],
        (_, CurveLayout::ByTrack) => &[TrackRange48, Float96],
        (_, CurveLayout::TimeNeeded) => &[ClipRange48, TrackRange48, Float96],
    }
}
