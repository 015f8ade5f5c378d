//! Linear key reduction: keys that a blend of their neighbours rebuilds are not stored. The error is measured in object
//! space on top of the decoded parents, so the tolerance is what the user sees.

mod decode;
mod pack;
mod reduce;
mod solve;

use super::levers::RawModel;
use super::runtime::{ClipHeader, RotationFormat, VectorFormat};
use super::trivial::{TrivialSettings, check_usable, classify};
use super::verify::decoded_error_m;
use super::{
    ChoiceOption, Codec, CodecId, EncodeError, Encoded, Param, ParamKind, ParamValues, Progress, Source, format_params,
};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::model::Sampler;
use reduce::KeyOrder;
use solve::{JointKeys, SolveSettings, TrackKeys, solve};

/// Removes keys that a blend of their neighbours can rebuild within the tolerance.
#[derive(Debug)]
pub struct LinearKeys;

/// Share of the tolerance that leaving out one still track may cost.
const TRIVIAL_SHARE: f32 = 0.05;
/// The search aims this much below the tolerance: f32 rounding along a chain of matrices must not tip it over.
const AIM: f32 = 0.995;
/// Searches before the clip is stored exactly. One is usual, two are rare.
const ATTEMPTS: usize = 6;

const PARAMS: &[Param] = &[
    Param {
        key: "order",
        label: "Order",
        help: "In which order keys are tried. Smallest error first takes longer and may keep fewer keys.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "forward",
                    label: "Forward in time",
                    help: "From each kept key, the longest blend that stays within the tolerance.",
                },
                ChoiceOption {
                    key: "smallest-error",
                    label: "Smallest error first",
                    help: "Removes the key that costs least, again and again.",
                },
            ],
            default: "forward",
        },
        only_if: None,
    },
    Param {
        key: "key_format",
        label: "Key format",
        help: "How kept rotations are stored. Tracks that it is too coarse for are stored more finely, so that the tolerance holds.",
        kind: ParamKind::Choice {
            options: &[
                ChoiceOption {
                    key: "auto",
                    label: "Automatic",
                    help: "48 bits with the largest dropped where that is enough, else 62 bits or float32.",
                },
                ChoiceOption {
                    key: "largest48",
                    label: "Largest dropped, 48 bits",
                    help: "2 + 15 + 15 + 15 bits (Riot), else float32.",
                },
                ChoiceOption {
                    key: "largest32",
                    label: "Largest dropped, 32 bits",
                    help: "2 + 10 + 10 + 10 bits where that is enough, then 48, 62 bits or float32.",
                },
                ChoiceOption {
                    key: "harmonic48",
                    label: "Harmonic mean map, 48 bits",
                    help: "Three times 16 bits (Animation Tech Intro 2), else float32.",
                },
                ChoiceOption {
                    key: "fixed48",
                    label: "Fixed 48",
                    help: "x, y, z in 16 bits each (Unreal), else float32.",
                },
                ChoiceOption { key: "full", label: "Full, 128 bits", help: "Four float32: exact." },
            ],
            default: "auto",
        },
        only_if: None,
    },
];

impl Codec for LinearKeys {
    fn id(&self) -> CodecId {
        CodecId(*b"LKR1")
    }

    fn name(&self) -> &'static str {
        "linear-keys"
    }

    fn summary(&self) -> &'static str {
        "Removes keys that a blend of their neighbours can rebuild within the tolerance."
    }

    fn source(&self) -> &'static str {
        "Animation Compression: Linear Key Reduction; Unreal 4, remove linear keys; Animation Tech Intro 2"
    }

    fn promises_tolerance(&self) -> bool {
        true
    }

    fn params(&self) -> &'static [Param] {
        PARAMS
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let raw = RawModel::new(source);
        let order = match values.choice(PARAMS, "order").as_str() {
            "smallest-error" => KeyOrder::SmallestError,
            _ => KeyOrder::Forward,
        };
        let rotation_formats = rotation_formats(values);
        let mut limit_m = source.tolerance_m * AIM;
        for _ in 0..ATTEMPTS {
            let settings = SolveSettings {
                order,
                rotation_formats: &rotation_formats,
                vector_formats: &[VectorFormat::TrackRange48, VectorFormat::Float96],
                limit_m,
            };
            let encoded = self.attempt(source, &raw, &settings, progress)?;
            let error_m = self.measured_m(source, &raw, &encoded)?;
            if error_m <= source.tolerance_m {
                return Ok(encoded);
            }
            limit_m *= (AIM * source.tolerance_m / error_m).clamp(0.1, 0.95);
        }
        // Matrices so large or so flat that f32 cannot tell: every sample, exactly.
        Ok(pack::pack(&exact_keys(source), RotationFormat::Full, source.clip.samples()))
    }

    fn decoder<'a>(
        &self,
        header: &ClipHeader,
        payload: &'a [u8],
        bind: &'a [Transform],
    ) -> Result<Box<dyn Sampler + Send + 'a>, DecodeError> {
        Ok(Box::new(decode::LinearKeysSampler::new(header, payload, bind)?))
    }
}

impl LinearKeys {
    fn attempt(
        &self,
        source: &Source<'_>,
        raw: &RawModel,
        settings: &SolveSettings<'_>,
        progress: &Progress,
    ) -> Result<Encoded, EncodeError> {
        let limit_m = settings.limit_m * TRIVIAL_SHARE;
        let trivial = TrivialSettings { remove_bind: true, remove_constants: true, limit_m };
        let table = classify(source, raw, &trivial, progress)?;
        let joints = solve(source, raw, &table, settings, progress)?;
        Ok(pack::pack(&joints, table.constant_format, source.clip.samples()))
    }

    /// Shell error of the bytes as they decode.
    fn measured_m(&self, source: &Source<'_>, raw: &RawModel, encoded: &Encoded) -> Result<f32, EncodeError> {
        decoded_error_m(self, source, raw, &encoded.payload)
            .map_err(|e| EncodeError::Unsupported(format!("linear-keys cannot read its own bytes: {e}")))
    }
}

/// The chosen format and those that help out where it is too coarse, the exact one last.
fn rotation_formats(values: &ParamValues) -> Vec<RotationFormat> {
    use RotationFormat::{Full, Largest32, Largest48, Largest62};
    match values.choice(PARAMS, "key_format").as_str() {
        "auto" => vec![Largest48, Largest62, Full],
        "largest32" => vec![Largest32, Largest48, Largest62, Full],
        "full" => vec![Full],
        _ => vec![format_params::rotation_format(values, PARAMS, "key_format"), Full],
    }
}

/// Every sample of every track in float32.
fn exact_keys(source: &Source<'_>) -> Vec<JointKeys> {
    use super::runtime::{KeyFormat, TrackKind};
    fn all<F: KeyFormat>(format: F, keys: Vec<F::Key>) -> Option<TrackKeys<F>> {
        let (range, times) = (format.range(&keys), (0..keys.len() as u32).collect());
        Some(TrackKeys { format, range, times, keys })
    }
    let of_joint = |joint: usize| {
        let track = || source.clip.track(joint);
        JointKeys {
            kinds: [TrackKind::Animated; 3],
            still: source.skeleton.bind(joint),
            rotation: all(RotationFormat::Full, track().map(|t| t.rotation).collect()),
            translation: all(VectorFormat::Float96, track().map(|t| t.translation).collect()),
            scale: all(VectorFormat::Float96, track().map(|t| t.scale).collect()),
        }
    };
    (0..source.skeleton.len()).map(of_joint).collect()
}
