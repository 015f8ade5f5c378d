//! Every sample in a fixed format: Riot's quantization, Unreal's "bitwise compress only", Animation Tech Intro 2.

mod decode;

use super::format_params::{ROTATION_OPTIONS, VECTOR_OPTIONS, rotation_format, vector_format};
use super::levers::RawModel;
use super::runtime::{
    ClipHeader, KeyFormat, RANGE_BITS, RangeSource, RotationFormat, TrackTable, VectorFormat, write_format, write_range,
};
use super::trivial::{TrivialSettings, check_usable, classify};
use super::{Codec, CodecId, EncodeError, Encoded, Ledger, Param, ParamKind, ParamValues, Progress, Section, Source};
use crate::format::{BitWriter, DecodeError};
use crate::math::{Range3, Transform};
use crate::model::{Channel, Clip, Sampler};

/// Every sample of every animated track in one format a channel.
#[derive(Debug)]
pub struct Quantize;

/// Share of the tolerance that leaving out a track may cost.
const TRIVIAL_SHARE: f32 = 0.1;

const PARAMS: &[Param] = &[
    Param {
        key: "rotation_format",
        label: "Rotation format",
        help: "How every rotation is stored. Fewer bits are smaller; errors grow with the length of what hangs on a joint.",
        kind: ParamKind::Choice { options: ROTATION_OPTIONS, default: RotationFormat::Largest48.key() },
        only_if: None,
    },
    Param {
        key: "translation_format",
        label: "Translation format",
        help: "How every translation is stored.",
        kind: ParamKind::Choice { options: VECTOR_OPTIONS, default: VectorFormat::ClipRange48.key() },
        only_if: None,
    },
    Param {
        key: "scale_format",
        label: "Scale format",
        help: "How every scale is stored.",
        kind: ParamKind::Choice { options: VECTOR_OPTIONS, default: VectorFormat::ClipRange48.key() },
        only_if: None,
    },
    Param {
        key: "remove_bind",
        label: "Remove tracks at bind pose",
        help: "Tracks that stay at the rig's bind pose within a tenth of the tolerance are not stored.",
        kind: ParamKind::Bool { default: true },
        only_if: None,
    },
    Param {
        key: "remove_constants",
        label: "One key for constant tracks",
        help: "Tracks that keep one value within a tenth of the tolerance store it once, in high precision.",
        kind: ParamKind::Bool { default: true },
        only_if: None,
    },
];

impl Codec for Quantize {
    fn id(&self) -> CodecId {
        CodecId(*b"QNT1")
    }

    fn name(&self) -> &'static str {
        "quantize"
    }

    fn summary(&self) -> &'static str {
        "Every sample, each channel in one fixed format: simple, fast, of known precision."
    }

    fn source(&self) -> &'static str {
        "Compressing Skeletal Animation Data (Riot), quantization; Animation Tech Intro 2; Unreal 4, bitwise compress only"
    }

    fn promises_tolerance(&self) -> bool {
        false
    }

    fn params(&self) -> &'static [Param] {
        PARAMS
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let raw = RawModel::new(source);
        let settings = TrivialSettings {
            remove_bind: values.bool(PARAMS, "remove_bind"),
            remove_constants: values.bool(PARAMS, "remove_constants"),
            limit_m: source.tolerance_m * TRIVIAL_SHARE,
        };
        let table = classify(source, &raw, &settings, progress)?;
        let channels = Channels {
            rotations: ChannelKeys::new(
                source.clip,
                &table,
                Channel::Rotation,
                rotation_format(values, PARAMS, "rotation_format"),
                |t| t.rotation,
            ),
            translations: ChannelKeys::new(
                source.clip,
                &table,
                Channel::Translation,
                vector_format(values, PARAMS, "translation_format"),
                |t| t.translation,
            ),
            scales: ChannelKeys::new(
                source.clip,
                &table,
                Channel::Scale,
                vector_format(values, PARAMS, "scale_format"),
                |t| t.scale,
            ),
        };
        channels.pack(source.clip, &table, progress)
    }

    fn decoder<'a>(
        &self,
        header: &ClipHeader,
        payload: &'a [u8],
        bind: &'a [Transform],
    ) -> Result<Box<dyn Sampler + Send + 'a>, DecodeError> {
        Ok(Box::new(decode::QuantizeSampler::new(header, payload, bind)?))
    }
}

/// The animated tracks of a clip.
struct Channels {
    rotations: ChannelKeys<RotationFormat>,
    translations: ChannelKeys<VectorFormat>,
    scales: ChannelKeys<VectorFormat>,
}

/// The animated tracks of one channel.
struct ChannelKeys<F: KeyFormat> {
    channel: Channel,
    format: F,
    key_of: fn(&Transform) -> F::Key,
    /// Joints and the ranges of their keys.
    tracks: Vec<(usize, Range3)>,
}

impl<F: KeyFormat> ChannelKeys<F> {
    fn new(clip: &Clip, table: &TrackTable, channel: Channel, format: F, key_of: fn(&Transform) -> F::Key) -> Self {
        let joints: Vec<usize> = table.animated(channel).collect();
        let keys_of = |joint: usize| clip.track(joint).map(|t| key_of(&t));
        let range_of = |joints: &[usize]| format.range(&joints.iter().flat_map(|&j| keys_of(j)).collect::<Vec<_>>());
        let shared = match format.range_source() {
            RangeSource::Clip => range_of(&joints),
            _ => Range3::UNIT,
        };
        let range =
            |joint: usize| if format.range_source() == RangeSource::Track { range_of(&[joint]) } else { shared };
        let tracks = joints.into_iter().map(|joint| (joint, range(joint))).collect();
        Self { channel, format, key_of, tracks }
    }

    fn write_ranges(&self, out: &mut BitWriter, ledger: &mut Ledger) {
        match self.format.range_source() {
            RangeSource::None => {}
            RangeSource::Clip => {
                if let Some((_, range)) = self.tracks.first() {
                    write_range(range, out);
                    ledger.clip(Section::Range, u64::from(RANGE_BITS));
                }
            }
            RangeSource::Track => {
                for (joint, range) in &self.tracks {
                    write_range(range, out);
                    ledger.track(*joint, self.channel, Section::Range, u64::from(RANGE_BITS));
                }
            }
        }
    }

    fn write_sample(&self, pose: &[Transform], out: &mut BitWriter) {
        for (joint, range) in &self.tracks {
            self.format.write((self.key_of)(&pose[*joint]), range, out);
        }
    }

    fn count(&self, samples: usize, ledger: &mut Ledger) {
        let bits = u64::from(self.format.bits()) * samples as u64;
        self.tracks.iter().for_each(|(joint, _)| ledger.track(*joint, self.channel, Section::Animated, bits));
    }
}

impl Channels {
    fn pack(&self, clip: &Clip, table: &TrackTable, progress: &Progress) -> Result<Encoded, EncodeError> {
        let mut out = BitWriter::new();
        let mut ledger = Ledger::default();
        table.write(&mut out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
        ledger.clip(Section::Tables, table.head_bits());
        let before_formats = out.bit_len();
        write_format(self.rotations.format, &mut out);
        write_format(self.translations.format, &mut out);
        write_format(self.scales.format, &mut out);
        ledger.clip(Section::Header, (out.bit_len() - before_formats) as u64);
        self.rotations.write_ranges(&mut out, &mut ledger);
        self.translations.write_ranges(&mut out, &mut ledger);
        self.scales.write_ranges(&mut out, &mut ledger);
        for sample in 0..clip.samples() {
            progress.check()?;
            progress.set_fraction(sample as f32 / clip.samples() as f32);
            let pose = clip.pose(sample);
            self.rotations.write_sample(pose, &mut out);
            self.translations.write_sample(pose, &mut out);
            self.scales.write_sample(pose, &mut out);
        }
        self.rotations.count(clip.samples(), &mut ledger);
        self.translations.count(clip.samples(), &mut ledger);
        self.scales.count(clip.samples(), &mut ledger);
        ledger.clip(Section::Padding, out.bit_len().next_multiple_of(8) as u64 - out.bit_len() as u64);
        Ok(Encoded { payload: out.finish(), ledger, kept: Vec::new() })
    }
}
