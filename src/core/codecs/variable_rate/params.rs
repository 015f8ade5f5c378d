//! What people may choose of variable bit rates.

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
    Bits19 => ("19", "19 bits", "All of them exact as a float32, with some to spare."),
});

choices!(Granularity {
    Track => ("track", "Per track", "Each track has its own in every segment."),
    Channel => ("channel", "Per channel type", "Rotations, translations and scales have one each in every segment."),
    Clip => ("clip", "Per clip", "One for everything."),
});

choices!(TrackOrder {
    Leaves => ("leaves", "Leaves first", "From joints without children to the root."),
    Root => ("root", "Root first", "From the root to joints without children."),
});

choices!(RangeReduction {
    Steps => ("steps", "Whole steps", "Each number in whole steps from the segment's lowest, in as many bits as reach the highest; joints make up for what their decoded parents err."),
    ClipAndSegment => ("clip-segment", "Clip and segment", "The track's range in the segment, in 48 bits of the one in the clip."),
    Clip => ("clip", "Clip", "The track's range in the clip."),
    None => ("none", "None", "Rotations of -1 to 1, the others of one range for all tracks of their type."),
});

choices!(Dropped {
    Farthest => ("farthest", "Farthest from zero", "For each track the one that never comes near zero: precise whatever the bind pose."),
    W => ("w", "w", "Coarse for joints that turn by half a circle."),
});

/// What the article has: ranges, fractions of which are stored.
const SPANS: OnlyIf = ("range", &["clip-segment", "clip", "none"]);

const GRANULARITY: ChoiceParam<Granularity> = ChoiceParam::new(
    "granularity",
    "Bit rates",
    "Who shares a bit rate. The fewer share one, the smaller the clip.",
    "track",
)
.only_if(SPANS);
const ORDER: ChoiceParam<TrackOrder> = ChoiceParam::new(
    "order",
    "Order",
    "Which tracks the second phase lowers first, of one bit rate a track; they get the fewest bits.",
    "leaves",
)
.only_if(SPANS);
const SEGMENT_SAMPLES: IntParam = IntParam::new(
    "segment_samples",
    "Segment length",
    "Samples that share bit rates and spans. Short segments fit the motion better, but each pays for its tables.",
    (4, 256),
    16,
    Unit::Samples,
)
.only_if(SPANS);
const RANGE: ChoiceParam<RangeReduction> = ChoiceParam::new(
    "range",
    "Range reduction",
    "What values are fractions of. The tighter it is, the fewer bits they need.",
    "steps",
);
const STEPS_LEVEL: ChoiceParam<Level> = LEVEL.only_if(("range", &["steps"]));
const HIGHEST_RATE: ChoiceParam<HighestRate> = ChoiceParam::new(
    "highest_rate",
    "Highest rate",
    "Bits a number at the highest rate; below it are 16 to 3 and 0. Where it is too coarse, samples are float32.",
    "23",
)
.only_if(SPANS);
const DROPPED: ChoiceParam<Dropped> = ChoiceParam::new(
    "dropped",
    "Dropped component",
    "The part of a rotation that is not stored but restored from the others.",
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

/// Of presets as the article has it.
const PUBLISHED: (&str, &str) = ("range", "clip-segment");

/// The steps by which the article arrives at one rate per track, and what it weighs up.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "advanced-quantization",
        summary: "The article's: one bit rate a track in every segment, in fractions of the ranges of clip and segment.",
        values: &[PUBLISHED],
    },
    Preset {
        name: "per-clip",
        summary: "One bit rate for the whole clip: the article's first step.",
        values: &[PUBLISHED, ("granularity", "clip")],
    },
    Preset {
        name: "per-channel",
        summary: "One bit rate for rotations, translations and scales each in every segment: its second step.",
        values: &[PUBLISHED, ("granularity", "channel")],
    },
    Preset {
        name: "root-first",
        summary: "One bit rate a track, lowered from the root on: the order that it advises against.",
        values: &[PUBLISHED, ("order", "root")],
    },
    Preset {
        name: "19-bits",
        summary: "19 bits as the highest rate: what a float32 can restore exactly.",
        values: &[PUBLISHED, ("highest_rate", "19")],
    },
];

/// The parameters, read.
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
