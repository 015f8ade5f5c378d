//! Settings that several codecs with keys share.

use super::effectors::EffectorThresholds;
use super::metric::{LocalThresholds, Metric};
use super::reduce::KeyOrder;
use crate::codecs::runtime::BlockSize;
use crate::codecs::{BoolParam, ChoiceParam, FloatParam, IntParam, OnlyIf, ParamValues, Unit};
use crate::settings::choices;

/// Order in which keys are tried for removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderChoice {
    /// See [`KeyOrder::Forward`].
    Forward,
    /// See [`KeyOrder::SmallestError`].
    SmallestError,
    /// See [`KeyOrder::Random`].
    Random,
}

choices!(OrderChoice {
    Forward => ("forward", "Forward in time", "From each kept key, uses the longest blend within the tolerance."),
    SmallestError => ("smallest-error", "Smallest error first", "Repeatedly removes the key with the smallest error."),
    Random => ("random", "Random", "Tries keys in a random order until no more can be removed. Shows the cost of a careless order."),
});

/// The order in which keys are tried for removal.
pub const ORDER: ChoiceParam<OrderChoice> = ChoiceParam::new(
    "order",
    "Order",
    "Order in which keys are tried for removal. Smallest error first takes longer and may keep fewer keys.",
    "forward",
);

/// Seed of the random order.
pub const SEED: IntParam =
    IntParam::new("seed", "Seed", "Equal seeds give equal orders, and so equal bytes.", (0, 65_535), 1, Unit::None)
        .only_if(("order", &["random"]));

/// The setting that limits errors halfway between samples too.
pub const BETWEEN: BoolParam = BoolParam::new(
    "between",
    "Tolerance between samples too",
    "Keeps the error within the tolerance halfway between samples as well, where blends of fewer keys cut corners. On the corpus, files are 0.05 % larger and encoding takes 50 % longer.",
    false,
);

/// The metric that decides if a key can be removed, without its thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricChoice {
    /// See [`Metric::ObjectSpace`].
    ObjectSpace,
    /// See [`Metric::Local`].
    Local,
    /// See [`Metric::EndEffectors`].
    EndEffectors,
}

choices!(MetricChoice {
    ObjectSpace => ("object-space", "Object space", "The final error of a joint and its descendants, on top of the decoded parents."),
    Local => ("local", "Local thresholds", "Each track is judged alone. Most engines do this, and it is why feet slide."),
    EndEffectors => ("end-effectors", "End effectors only", "Local thresholds, and one virtual vertex per leaf and socket (Unreal). Joints in between are not checked."),
});

/// The metric that decides if a key can be removed.
pub const METRIC: ChoiceParam<MetricChoice> = ChoiceParam::new(
    "metric",
    "Error metric",
    "Decides if a key can be removed. Only object space guarantees the tolerance. The others are still measured against it.",
    "object-space",
);

/// Weight of errors where the parent has a key.
pub const PARENT_KEY_SCALE: FloatParam = FloatParam::new(
    "parent_key_scale",
    "Keep the parent's keys",
    "Weight of errors at the parent's keys, so that a child tends to drop the keys that its parent dropped (Unreal). 1 is off. Higher: fewer pops, larger file.",
    (1.0, 10.0),
    1.0,
    Unit::None,
);

const WITH_THRESHOLDS: OnlyIf = ("metric", &["local", "end-effectors"]);

/// Largest error of translations alone.
pub const POSITION_THRESHOLD: FloatParam = FloatParam::new(
    "position_threshold",
    "Position threshold",
    "Largest error of a translation in its parent's space. Higher: smaller file.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_THRESHOLDS);

/// Largest error of rotations alone.
pub const ROTATION_THRESHOLD: FloatParam = FloatParam::new("rotation_threshold", "Rotation threshold", "Largest angle error of a rotation. Higher: smaller file. The same angle moves a hand or a foot farther at a joint nearer to the root.", (0.000_001, 1.0), 0.001, Unit::Radians).only_if(WITH_THRESHOLDS);

/// Largest error of scales alone.
pub const SCALE_THRESHOLD: FloatParam = FloatParam::new(
    "scale_threshold",
    "Scale threshold",
    "Largest error of a scale. Higher: smaller file.",
    (0.000_001, 1.0),
    0.0001,
    Unit::None,
)
.only_if(WITH_THRESHOLDS);

const WITH_EFFECTORS: OnlyIf = ("metric", &["end-effectors"]);

/// Largest error of end effectors.
pub const EFFECTOR_THRESHOLD: FloatParam = FloatParam::new(
    "effector_threshold",
    "End effectors",
    "Largest error of the vertex of a leaf or socket, while keys of joints above it are removed (Unreal's MaxEffectorDiff). Higher: smaller file.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// Largest error of end effectors while keys near them are removed.
pub const LAST_THRESHOLD: FloatParam = FloatParam::new(
    "last_threshold",
    "... last joints",
    "The same, while keys of the end effector itself or of its parent are removed (Unreal's MinEffectorDiff).",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// Largest error of sockets.
pub const SOCKET_THRESHOLD: FloatParam = FloatParam::new(
    "socket_threshold",
    "... sockets",
    "The same for sockets, to which props are attached (Unreal's EffectorDiffSocket). A socket has socket, slot, weapon, attach, prop or grip in its name, or a larger shell than most joints.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// The setting that makes tracks correct the errors of the joints above.
pub const RETARGET: BoolParam = BoolParam::new(
    "retarget",
    "Retarget",
    "Animated tracks below a joint that has lost keys aim at their joint's pose in the raw clip, not at their own values. So errors do not add up. Unreal's bRetarget turns inner joints towards the farthest end effector instead. Not with whole key frames.",
    false,
)
.only_if(WITH_EFFECTORS);

/// Sub-sampling before keys are removed.
pub const KEEP_EVERY: IntParam = IntParam::new(
    "keep_every",
    "Sub-sampling",
    "Only one in this many samples may become a key, if blends of those are within the tolerance. Elsewhere all samples may. A mix of sub-sampling and key reduction (Unreal). 1: only key reduction. Higher: smaller files for some clips, larger for others.",
    (1, 30),
    1,
    Unit::None,
);

/// For codecs with a layout by the time at which keys are needed: samples per jump.
pub const JUMP_EVERY: IntParam = IntParam::new("jump_every", "Jump table interval", "A jump stores where a scan can start, so that a seek need not read everything before it (Riot). Lower: faster seeks, larger file. 0: no jumps. Sequential playback does not change.", (0, 1000), 0, Unit::Samples).only_if(("layout", &["time-needed"]));

/// For codecs with keys by track: samples per block.
pub const BLOCK_SAMPLES: IntParam = IntParam::new(
    "block_samples",
    "Samples per block",
    "Cuts the clip into blocks of this many samples (at least 8). Key times then take few bits, a random access searches only one block, and keys take as many bits as their block needs (Linear Key Reduction, its first remedy for searches). The motion does not change. 0: one block for the whole clip.",
    (0, 56),
    DEFAULT_BLOCK_SAMPLES,
    Unit::Samples,
);

/// The value with the smallest files on the corpus at 0.1 mm.
const DEFAULT_BLOCK_SAMPLES: u32 = 12;

/// Blocks of the size chosen with [`BLOCK_SAMPLES`], for a clip with `samples` samples. `None` for 0, or if the clip is not longer than a
/// block.
pub fn block_size(chosen: u32, samples: usize) -> Option<BlockSize> {
    (chosen > 0).then(|| BlockSize::near(chosen as usize)).filter(|size| size.samples() < samples)
}

/// The chosen thresholds of a codec that has [`POSITION_THRESHOLD`] and the other thresholds.
pub fn thresholds(values: &ParamValues) -> LocalThresholds {
    LocalThresholds {
        rotation_rad: values.get(&ROTATION_THRESHOLD) as f32,
        translation_m: values.get(&POSITION_THRESHOLD) as f32,
        scale: values.get(&SCALE_THRESHOLD) as f32,
    }
}

/// The chosen metric of a codec that has [`METRIC`] and all thresholds.
pub fn chosen_metric(values: &ParamValues) -> Metric {
    match values.get(&METRIC) {
        MetricChoice::ObjectSpace => Metric::ObjectSpace,
        MetricChoice::Local => Metric::Local(thresholds(values)),
        MetricChoice::EndEffectors => Metric::EndEffectors(thresholds(values), effector_thresholds(values)),
    }
}

/// True if tracks below joints that have lost keys are aimed again.
pub fn retarget(values: &ParamValues) -> bool {
    values.get(&METRIC) == MetricChoice::EndEffectors && values.get(&RETARGET)
}

/// The chosen thresholds of end effectors.
fn effector_thresholds(values: &ParamValues) -> EffectorThresholds {
    EffectorThresholds {
        most_m: values.get(&EFFECTOR_THRESHOLD) as f32,
        last_m: values.get(&LAST_THRESHOLD) as f32,
        socket_m: values.get(&SOCKET_THRESHOLD) as f32,
    }
}

/// The chosen order, of a codec that has [`ORDER`] and [`SEED`].
pub fn order(values: &ParamValues) -> KeyOrder {
    match values.get(&ORDER) {
        OrderChoice::Forward => KeyOrder::Forward,
        OrderChoice::SmallestError => KeyOrder::SmallestError,
        OrderChoice::Random => KeyOrder::Random { seed: values.get(&SEED).into() },
    }
}

/// The values of Unreal's removal of linear keys, the same in 4.15 and 5, and the given ones.
macro_rules! unreal_values {
    ($($value:expr),* $(,)?) => {
        &[
            ("metric", "end-effectors"),
            ("position_threshold", "0.00001"),
            // 0.00075 of Unreal's angle, which is acos |dot| / pi: half the rotation, as a part of half a circle.
            ("rotation_threshold", "0.004712"),
            ("scale_threshold", "0.000001"),
            ("effector_threshold", "0.00001"),
            ("last_threshold", "0.00001"),
            ("socket_threshold", "0.00001"),
            ("parent_key_scale", "2"),
            ("block_samples", "0"),
            ("remove_bind", "false"),
            $($value),*
        ]
    };
}
pub(in crate::codecs) use unreal_values;
