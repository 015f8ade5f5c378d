//! The key formats as settings.

use crate::codecs::ChoiceParam;
use crate::codecs::runtime::{RotationFormat, VectorFormat};
use crate::settings::choices;

// Largest first.
choices!(RotationFormat {
    Full => (RotationFormat::Full.key(), "Full, 128 bits", "Four float32: exact."),
    Float96 => (RotationFormat::Float96.key(), "Float 96", "x, y, z as float32, w dropped. Rotations by 180 degrees lose up to 0.0005 in w."),
    Largest62 => (RotationFormat::Largest62.key(), "Largest dropped, 62 bits", "2 + 20 + 20 + 20 bits. Every component within 0.0000014."),
    Largest48 => (RotationFormat::Largest48.key(), "Largest dropped, 48 bits", "2 + 15 + 15 + 15 bits (Riot). Every component within 0.000043."),
    Harmonic48 => (RotationFormat::Harmonic48.key(), "Harmonic mean map, 48 bits", "Three times 16 bits of the harmonic mean map. Even precision everywhere."),
    Fixed48 => (RotationFormat::Fixed48.key(), "Fixed 48", "x, y, z in 16 bits each, w dropped. Finer than the largest dropped near the identity, coarser near 180 degrees."),
    Largest32 => (RotationFormat::Largest32.key(), "Largest dropped, 32 bits", "2 + 10 + 10 + 10 bits. Every component within 0.0014, which is visible on long limbs."),
    IntervalFixed32 => (RotationFormat::IntervalFixed32.key(), "Interval fixed 32", "11 + 11 + 10 bits over each track's own range, w dropped."),
    Fixed32 => (RotationFormat::Fixed32.key(), "Fixed 32", "11 + 11 + 10 bits, w dropped. Coarse."),
    Float32 => (RotationFormat::Float32.key(), "Float 32", "x, y, z as small floats with 3-bit exponents, w dropped. Precise near the identity, coarse for large angles."),
    Identity => (RotationFormat::Identity.key(), "Identity", "No rotation, 0 bits."),
});

choices!(VectorFormat {
    Float96 => (VectorFormat::Float96.key(), "Float 96", "Three float32: exact (Unreal's None is the same)."),
    TrackRange48 => (VectorFormat::TrackRange48.key(), "16 bits over the track's range", "Three times 16 bits between each track's own smallest and largest value."),
    ClipRange48 => (VectorFormat::ClipRange48.key(), "16 bits over the clip's range", "Three times 16 bits between the smallest and largest value of all tracks (Riot). Coarse when one joint travels far."),
    Fixed48 => (VectorFormat::Fixed48.key(), "16 bits over 20 m", "Three times 16 bits over -20 to 20. Within 0.31 mm; values outside are clamped."),
    IntervalFixed32 => (VectorFormat::IntervalFixed32.key(), "Interval fixed 32", "11 + 11 + 10 bits over each track's own range."),
});

/// The format of every rotation.
pub const ROTATION_FORMAT: ChoiceParam<RotationFormat> = ChoiceParam::new(
    "rotation_format",
    "Rotation format",
    "The format of every rotation. Fewer bits make a smaller file. The error grows with the length of the chain below a joint.",
    RotationFormat::Largest48.key(),
);

/// The format of every translation.
pub const TRANSLATION_FORMAT: ChoiceParam<VectorFormat> = ChoiceParam::new(
    "translation_format",
    "Translation format",
    "The format of every translation.",
    VectorFormat::ClipRange48.key(),
);

/// The format of every scale.
pub const SCALE_FORMAT: ChoiceParam<VectorFormat> =
    ChoiceParam::new("scale_format", "Scale format", "The format of every scale.", VectorFormat::ClipRange48.key());
