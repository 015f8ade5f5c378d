//! The settings of variable bit rates.

use super::decode::{Granularity, Layout, RangeReduction};
use super::search::TrackOrder;
use super::tracks::Dropped;
use crate::codecs::encode::lattice::{LEVEL, Level};
use crate::codecs::encode::{REMOVE_BIND, REMOVE_CONSTANTS, TrivialSettings};
use crate::codecs::{ChoiceParam, IntParam, OnlyIf, Param, ParamValues, Preset, Unit};
use crate::settings::choices;

/// Bits per number at the highest rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HighestRate {
    Bits23 = 23,
    Bits19 = 19,
}

choices!(HighestRate {
    Bits23 => ("23", "23 bits", "As many as the mantissa of a float32."),
    Bits19 => ("19", "19 bits", "Every value is exact as a float32, with bits to spare."),
});

choices!(Granularity {
    Track => ("track", "Per track", "Each track has its own rate in every segment."),
    Channel => ("channel", "Per channel type", "Rotations, translations and scales have one rate each in every segment."),
    Clip => ("clip", "Per clip", "One rate for the whole clip."),
});

choices!(TrackOrder {
    Leaves => ("leaves", "Leaves first", "From joints without children to the root."),
    Root => ("root", "Root first", "From the root to joints without children."),
});

choices!(RangeReduction {
    Steps => ("steps", "Whole steps", "Values count whole steps from the segment's lowest value, in as many bits as the highest needs. Joints correct the errors of their decoded parents."),
    ClipAndSegment => ("clip-segment", "Clip and segment", "Values are fractions of the track's range in the segment, which is stored in 48 bits as a part of its range in the clip."),
    Clip => ("clip", "Clip", "Values are fractions of the track's range in the clip."),
    None => ("none", "None", "Rotations range from -1 to 1. Other channels share one range for all tracks of their type."),
});

choices!(Dropped {
    Farthest => ("farthest", "Farthest from zero", "The component that stays farthest from zero, per track. Precise with any bind pose."),
    W => ("w", "w", "Always w. Coarse for joints that rotate by 180 degrees."),
});

/// The ranges of the article. Samples are stored as fractions of their range.
const SPANS: OnlyIf = ("range", &["clip-segment", "clip", "none"]);

const GRANULARITY: ChoiceParam<Granularity> = ChoiceParam::new(
    "granularity",
    "Bit rates",
    "The tracks that share a bit rate. The fewer share one, the smaller the file.",
    "track",
)
.only_if(SPANS);
const ORDER: ChoiceParam<TrackOrder> = ChoiceParam::new(
    "order",
    "Order",
    "The tracks whose rates the second phase lowers first. They get the fewest bits.",
    "leaves",
)
.only_if(SPANS);
const SEGMENT_SAMPLES: IntParam = IntParam::new(
    "segment_samples",
    "Segment length",
    "Frames that share bit rates and ranges. Short segments fit the motion better, but each stores its own tables.",
    (4, 256),
    16,
    Unit::Samples,
)
.only_if(SPANS);
const RANGE: ChoiceParam<RangeReduction> = ChoiceParam::new(
    "range",
    "Range reduction",
    "The range that values are fractions of. A tighter range needs fewer bits.",
    "steps",
);
const STEPS_LEVEL: ChoiceParam<Level> = LEVEL.only_if(("range", &["steps"]));
const HIGHEST_RATE: ChoiceParam<HighestRate> = ChoiceParam::new(
    "highest_rate",
    "Highest rate",
    "Bits per number at the highest rate. Lower rates have 16 to 3 bits, or none. If the highest is too coarse, frames are stored as float32.",
    "23",
)
.only_if(SPANS);
const DROPPED: ChoiceParam<Dropped> = ChoiceParam::new(
    "dropped",
    "Dropped component",
    "The rotation component that is not stored but computed from the others.",
    "farthest",
)
.only_if(SPANS);

pub const PARAMS: &[Param] = &[
    RANGE.param,
    STEPS_LEVEL.param,
    GRANULARITY.param,
    ORDER.param,
    SEGMENT_SAMPLES.param,
    HIGHEST_RATE.param,
    DROPPED.param,
    REMOVE_BIND.param,
    REMOVE_CONSTANTS.param,
];

/// For presets that follow the article.
const PUBLISHED: (&str, &str) = ("range", "clip-segment");

/// The article's way to one rate per track, and its alternatives.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "advanced-quantization",
        summary: "The article's result: one bit rate per track and segment, as fractions of the ranges of clip and segment.",
        values: &[PUBLISHED],
    },
    Preset {
        name: "per-clip",
        summary: "The article's first step: one bit rate for the whole clip.",
        values: &[PUBLISHED, ("granularity", "clip")],
    },
    Preset {
        name: "per-channel",
        summary: "The article's second step: one bit rate each for rotations, translations and scales in every segment.",
        values: &[PUBLISHED, ("granularity", "channel")],
    },
    Preset {
        name: "root-first",
        summary: "One bit rate per track, lowered from the root on. The article advises against this order.",
        values: &[PUBLISHED, ("order", "root")],
    },
    Preset {
        name: "19-bits",
        summary: "19 bits as the highest rate, which a float32 restores exactly.",
        values: &[PUBLISHED, ("highest_rate", "19")],
    },
];

/// The settings as the encoder uses them.
pub struct Settings {
    pub layout: Layout,
    pub level: Level,
    pub order: TrackOrder,
    pub dropped: Dropped,
    pub trivial: TrivialSettings,
}

impl Settings {
    pub fn new(values: &ParamValues) -> Self {
        let layout = Layout {
            granularity: values.get(&GRANULARITY),
            range: values.get(&RANGE),
            highest_bits: values.get(&HIGHEST_RATE) as u32,
            segment_samples: values.get(&SEGMENT_SAMPLES) as usize,
        };
        let trivial = TrivialSettings::chosen(values);
        Self {
            layout,
            level: values.get(&STEPS_LEVEL),
            order: values.get(&ORDER),
            dropped: values.get(&DROPPED),
            trivial,
        }
    }
}
