//! Whole poses in fixed formats, as [`crate::codecs::runtime::PoseRows`] reads them.

use super::format_params::{ROTATION_FORMAT, SCALE_FORMAT, TRANSLATION_FORMAT};
use crate::codecs::encode::write::{WriteKey, write_format, write_range, write_track_table};
use crate::codecs::runtime::{RANGE_BITS, RangeSource, RotationFormat, TrackTable, VectorFormat};
use crate::codecs::{Cancelled, Ledger, ParamValues, Progress, Section};
use crate::format::BitWriter;
use crate::math::{Range3, Transform};
use crate::model::{Channel, Clip};

/// One format per channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoseFormats {
    pub rotation: RotationFormat,
    pub translation: VectorFormat,
    pub scale: VectorFormat,
}

impl PoseFormats {
    /// The formats chosen in a codec's [`ROTATION_FORMAT`], [`TRANSLATION_FORMAT`] and [`SCALE_FORMAT`].
    pub fn chosen(values: &ParamValues) -> Self {
        Self {
            rotation: values.get(&ROTATION_FORMAT),
            translation: values.get(&TRANSLATION_FORMAT),
            scale: values.get(&SCALE_FORMAT),
        }
    }
}

/// The animated tracks of a clip, to be written as whole poses.
pub struct PoseChannels {
    rotations: ChannelKeys<RotationFormat>,
    translations: ChannelKeys<VectorFormat>,
    scales: ChannelKeys<VectorFormat>,
}

/// The animated tracks of one channel.
struct ChannelKeys<F: WriteKey> {
    channel: Channel,
    format: F,
    key_of: fn(&Transform) -> F::Key,
    /// Joints and the ranges of their keys.
    tracks: Vec<(usize, Range3)>,
}

impl<F: WriteKey> ChannelKeys<F> {
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

impl PoseChannels {
    /// The animated tracks of a table, with the ranges of their keys over the whole clip.
    pub fn new(clip: &Clip, table: &TrackTable, formats: &PoseFormats) -> Self {
        Self {
            rotations: ChannelKeys::new(clip, table, Channel::Rotation, formats.rotation, |t| t.rotation),
            translations: ChannelKeys::new(clip, table, Channel::Translation, formats.translation, |t| t.translation),
            scales: ChannelKeys::new(clip, table, Channel::Scale, formats.scale, |t| t.scale),
        }
    }

    /// Writes the table, formats, ranges, the poses of those samples and the padding.
    ///
    /// # Errors
    /// [`Cancelled`] if the job was cancelled.
    pub fn pack(
        &self,
        clip: &Clip,
        table: &TrackTable,
        samples: &[usize],
        out: &mut BitWriter,
        ledger: &mut Ledger,
        progress: &Progress,
    ) -> Result<(), Cancelled> {
        write_track_table(table, out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
        ledger.clip(Section::Tables, table.head_bits());
        let before_formats = out.bit_len();
        write_format(self.rotations.format, out);
        write_format(self.translations.format, out);
        write_format(self.scales.format, out);
        ledger.clip(Section::Header, (out.bit_len() - before_formats) as u64);
        self.rotations.write_ranges(out, ledger);
        self.translations.write_ranges(out, ledger);
        self.scales.write_ranges(out, ledger);
        for (done, &sample) in samples.iter().enumerate() {
            progress.check()?;
            progress.set_fraction(done as f32 / samples.len() as f32);
            let pose = clip.pose(sample);
            self.rotations.write_sample(pose, out);
            self.translations.write_sample(pose, out);
            self.scales.write_sample(pose, out);
        }
        self.rotations.count(samples.len(), ledger);
        self.translations.count(samples.len(), ledger);
        self.scales.count(samples.len(), ledger);
        ledger.clip(Section::Padding, out.bit_len().next_multiple_of(8) as u64 - out.bit_len() as u64);
        Ok(())
    }
}
