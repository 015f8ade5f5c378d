//! The key formats as people choose them.

use crate::codecs::runtime::{KeyFormat, RotationFormat, VectorFormat};
use crate::codecs::{ChoiceOption, Param, ParamKind, ParamValues};

const fn rotation(format: RotationFormat, label: &'static str, help: &'static str) -> ChoiceOption {
    ChoiceOption { key: format.key(), label, help }
}

const fn vector(format: VectorFormat, label: &'static str, help: &'static str) -> ChoiceOption {
    ChoiceOption { key: format.key(), label, help }
}

/// Formats of rotations, largest first.
pub static ROTATION_OPTIONS: &[ChoiceOption] = &[
    rotation(RotationFormat::Full, "Full, 128 bits", "Four float32: exact."),
    rotation(RotationFormat::Float96, "Float 96", "x, y, z as float32, w dropped. Half turns lose up to 0.0005 in w."),
    rotation(
        RotationFormat::Largest62,
        "Largest dropped, 62 bits",
        "2 + 20 + 20 + 20 bits. Every component within 0.0000014.",
    ),
    rotation(
        RotationFormat::Largest48,
        "Largest dropped, 48 bits",
        "2 + 15 + 15 + 15 bits (Riot). Every component within 0.000043.",
    ),
    rotation(
        RotationFormat::Harmonic48,
        "Harmonic mean map, 48 bits",
        "Three times 16 bits of the harmonic mean map: even precision everywhere.",
    ),
    rotation(
        RotationFormat::Fixed48,
        "Fixed 48",
        "x, y, z in 16 bits each, w dropped. Finer than the largest dropped near no rotation, coarser near half turns.",
    ),
    rotation(
        RotationFormat::Largest32,
        "Largest dropped, 32 bits",
        "2 + 10 + 10 + 10 bits. Every component within 0.0014: visible on long limbs.",
    ),
    rotation(
        RotationFormat::IntervalFixed32,
        "Interval fixed 32",
        "11 + 11 + 10 bits over each track's own range, w dropped.",
    ),
    rotation(RotationFormat::Fixed32, "Fixed 32", "11 + 11 + 10 bits, w dropped. Coarse."),
    rotation(
        RotationFormat::Float32,
        "Float 32",
        "x, y, z as small floats with 3-bit exponents, w dropped. Fine near no rotation, coarse elsewhere.",
    ),
    rotation(RotationFormat::Identity, "Identity", "No rotation at all, 0 bits."),
];

/// Formats of translations and scales, largest first.
pub static VECTOR_OPTIONS: &[ChoiceOption] = &[
    vector(VectorFormat::Float96, "Float 96", "Three float32: exact (Unreal's None is the same)."),
    vector(
        VectorFormat::TrackRange48,
        "16 bits over the track's range",
        "Three times 16 bits between each track's own smallest and largest value.",
    ),
    vector(
        VectorFormat::ClipRange48,
        "16 bits over the clip's range",
        "Three times 16 bits between the smallest and largest value of all tracks (Riot). Coarse when one joint travels far.",
    ),
    vector(
        VectorFormat::Fixed48,
        "16 bits over 20 m",
        "Three times 16 bits over -20 to 20. Within 0.31 mm; what lies outside is clamped.",
    ),
    vector(VectorFormat::IntervalFixed32, "Interval fixed 32", "11 + 11 + 10 bits over each track's own range."),
];

/// How every rotation is stored.
pub const ROTATION_FORMAT: Param = Param {
    key: "rotation_format",
    label: "Rotation format",
    help: "How every rotation is stored. Fewer bits are smaller; errors grow with the length of what hangs on a joint.",
    kind: ParamKind::Choice { options: ROTATION_OPTIONS, default: RotationFormat::Largest48.key() },
    only_if: None,
};

/// How every translation is stored.
pub const TRANSLATION_FORMAT: Param = Param {
    key: "translation_format",
    label: "Translation format",
    help: "How every translation is stored.",
    kind: ParamKind::Choice { options: VECTOR_OPTIONS, default: VectorFormat::ClipRange48.key() },
    only_if: None,
};

/// How every scale is stored.
pub const SCALE_FORMAT: Param = Param {
    key: "scale_format",
    label: "Scale format",
    help: "How every scale is stored.",
    kind: ParamKind::Choice { options: VECTOR_OPTIONS, default: VectorFormat::ClipRange48.key() },
    only_if: None,
};

/// The format of a choice.
pub fn rotation_format(values: &ParamValues, params: &[Param], key: &str) -> RotationFormat {
    by_key(RotationFormat::ALL, RotationFormat::key, &values.choice(params, key))
}

/// The format of a choice.
pub fn vector_format(values: &ParamValues, params: &[Param], key: &str) -> VectorFormat {
    by_key(VectorFormat::ALL, VectorFormat::key, &values.choice(params, key))
}

fn by_key<F: KeyFormat, const N: usize>(all: [F; N], key_of: fn(F) -> &'static str, key: &str) -> F {
    let found = all.into_iter().find(|f| key_of(*f) == key);
    found.unwrap_or_else(|| panic!("the list of choices names a format '{key}' that there is not"))
}
