//! What codecs with keys let people choose in the same words.

use super::effectors::EffectorThresholds;
use super::metric::LocalThresholds;
use super::reduce::KeyOrder;
use crate::codecs::runtime::BlockSize;
use crate::codecs::{BoolParam, ChoiceParam, FloatParam, IntParam, OnlyIf, ParamValues, Unit};
use crate::settings::choices;

/// In which order keys are tried for removal.
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
    Forward => ("forward", "Forward in time", "From each kept key, the longest blend that stays within the tolerance."),
    SmallestError => ("smallest-error", "Smallest error first", "Removes the key that costs least, again and again."),
    Random => ("random", "Random", "Tries keys in an order drawn from a seed until nothing more can go: what a careless order costs."),
});

/// In which order keys are tried.
pub const ORDER: ChoiceParam<OrderChoice> = ChoiceParam::new(
    "order",
    "Order",
    "In which order keys are tried. Smallest error first takes longer and may keep fewer keys.",
    "forward",
);

/// Where a random order starts.
pub const SEED: IntParam =
    IntParam::new("seed", "Seed", "Equal seeds give equal orders, and so equal bytes.", (0, 65_535), 1, Unit::None)
        .only_if(("order", &["random"]));

/// Whether the error halfway between samples counts.
pub const BETWEEN: BoolParam = BoolParam::new(
    "between",
    "Tolerance between samples too",
    "Keeps the error within the tolerance halfway between samples as well, where blends of other keys cut corners. On the corpus 0.05 % larger, and encoding takes half as long again.",
    false,
);

const WITH_THRESHOLDS: OnlyIf = ("metric", &["local", "end-effectors"]);

/// Largest error of translations by themselves.
pub const POSITION_THRESHOLD: FloatParam = FloatParam::new(
    "position_threshold",
    "Position threshold",
    "Largest distance that a translation may be off in its parent's space. Larger is smaller.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_THRESHOLDS);

/// Largest error of rotations by themselves.
pub const ROTATION_THRESHOLD: FloatParam = FloatParam::new("rotation_threshold", "Rotation threshold", "Largest angle of a rotation. Larger is smaller; the same angle moves a hand or a foot farther the higher up it is.", (0.000_001, 1.0), 0.001, Unit::Radians).only_if(WITH_THRESHOLDS);

/// Largest error of scales by themselves.
pub const SCALE_THRESHOLD: FloatParam = FloatParam::new(
    "scale_threshold",
    "Scale threshold",
    "Largest difference of a scale. Larger is smaller.",
    (0.000_001, 1.0),
    0.0001,
    Unit::None,
)
.only_if(WITH_THRESHOLDS);

const WITH_EFFECTORS: OnlyIf = ("metric", &["end-effectors"]);

/// How far end effectors may move.
pub const EFFECTOR_THRESHOLD: FloatParam = FloatParam::new(
    "effector_threshold",
    "End effectors",
    "Largest distance that the vertex of a leaf, or of a socket, may be off while keys of joints above it go (Unreal's MaxEffectorDiff). Larger is smaller.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// How far they may move while keys near them go.
pub const LAST_THRESHOLD: FloatParam = FloatParam::new(
    "last_threshold",
    "... last joints",
    "The same while keys of the end effector itself or of its parent go (Unreal's MinEffectorDiff).",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// How far sockets may move.
pub const SOCKET_THRESHOLD: FloatParam = FloatParam::new(
    "socket_threshold",
    "... sockets",
    "The same for joints on which something hangs (Unreal's EffectorDiffSocket): names with socket, slot, weapon, attach, prop or grip, and joints with a larger shell than most.",
    (0.000_001, 1.0),
    0.0001,
    Unit::Metres,
)
.only_if(WITH_EFFECTORS);

/// Whether tracks make up for what the joints above them err.
pub const RETARGET: BoolParam = BoolParam::new(
    "retarget",
    "Retarget",
    "Where a joint above has lost keys, tracks that move aim at where the raw clip has their joint, and not at their own values (Unreal's bRetarget, which turns inner joints towards the farthest end effector instead). Errors do not add up. Not with whole key frames.",
    false,
)
.only_if(WITH_EFFECTORS);

/// Sub-sampling before keys are removed.
pub const KEEP_EVERY: IntParam = IntParam::new(
    "keep_every",
    "Sub-sample, one key in",
    "Only one in so many samples may become a key, where a blend of them holds; elsewhere all may. A mix of sub-sampling and key reduction (Unreal): 1 is reduction alone. Larger is smaller on some clips, larger on others.",
    (1, 30),
    1,
    Unit::None,
);

/// Of codecs with a layout by the time at which keys are needed.
pub const JUMP_EVERY: IntParam = IntParam::new("jump_every", "Jump table, a jump in", "A jump tells a decoder where a scan may start, so that a seek need not read everything before it (Riot). Less is faster to seek and larger; 0 stores none. Playing forward is the same.", (0, 1000), 0, Unit::Samples).only_if(("layout", &["time-needed"]));

/// Of codecs with keys by track: how long the blocks of a clip are.
pub const BLOCK_SAMPLES: IntParam = IntParam::new(
    "block_samples",
    "Samples a block",
    "Cuts the clip into blocks of so many samples (8 at least): times of keys take few bits, a search at a random time looks at a block alone, and keys take as many bits as their block needs (Linear Key Reduction, its first remedy for searches). The same motion. 0 is the whole clip.",
    (0, 56),
    DEFAULT_BLOCK_SAMPLES,
    Unit::Samples,
);

/// What is smallest on the corpus at 0.1 mm.
const DEFAULT_BLOCK_SAMPLES: u32 = 12;

/// Blocks of as many samples as were chosen with [`BLOCK_SAMPLES`], for a clip of so many; `None` of one that is no longer than a
/// block.
pub fn block_size(chosen: u32, samples: usize) -> Option<BlockSize> {
    (chosen > 0).then(|| BlockSize::near(chosen as usize)).filter(|size| size.samples() < samples)
}

/// The chosen thresholds, of a codec that has [`POSITION_THRESHOLD`] and its like.
pub fn thresholds(values: &ParamValues) -> LocalThresholds {
    LocalThresholds {
        rotation_rad: values.get(&ROTATION_THRESHOLD) as f32,
        translation_m: values.get(&POSITION_THRESHOLD) as f32,
        scale: values.get(&SCALE_THRESHOLD) as f32,
    }
}

/// The chosen thresholds of end effectors.
pub fn effector_thresholds(values: &ParamValues) -> EffectorThresholds {
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
