use crate::codecs::runtime::{
    ClipHeader, KeyFormat, RangeSource, RotationFormat, TrackTable, VectorFormat, check_keys, read_format, read_range,
};
use crate::format::{BitReader, DecodeError};
use crate::math::{Range3, Transform};
use crate::model::{Channel, Pose, Sampler, TimeGrid};

/// Reads samples of a fixed format in place: all tracks of a sample lie together, so a pose is one read.
///
/// On disk: the track table, the three formats' codes, the ranges that they want, then the samples one after another.
pub struct QuantizeSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    /// First bit of the first sample, and bits from one sample to the next.
    first_bit: usize,
    sample_bits: usize,
    still: Vec<Transform>,
    rotations: ChannelKeys<RotationFormat>,
    translations: ChannelKeys<VectorFormat>,
    scales: ChannelKeys<VectorFormat>,
}

/// Animated tracks of one channel and where their keys lie within a sample.
struct ChannelKeys<F> {
    format: F,
    tracks: Vec<TrackKey>,
}

struct TrackKey {
    joint: usize,
    /// First bit, from the start of the sample.
    offset: usize,
    range: Range3,
}

impl<'a> QuantizeSampler<'a> {
    pub fn new(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let formats = (read_format(&mut input)?, read_format(&mut input)?, read_format(&mut input)?);
        let mut sample_bits = 0;
        let rotations = ChannelKeys::read(&mut input, formats.0, &table, Channel::Rotation, &mut sample_bits)?;
        let translations = ChannelKeys::read(&mut input, formats.1, &table, Channel::Translation, &mut sample_bits)?;
        let scales = ChannelKeys::read(&mut input, formats.2, &table, Channel::Scale, &mut sample_bits)?;
        let samples = header.grid.samples();
        let first_bit = input.clone().skip("samples", samples * sample_bits)?;
        for _ in 0..samples {
            rotations.check(&mut input, bytes)?;
            translations.check(&mut input, bytes)?;
            scales.check(&mut input, bytes)?;
        }
        input.finish("samples")?;
        let still = table.still;
        Ok(Self { grid: header.grid, bytes, first_bit, sample_bits, still, rotations, translations, scales })
    }
}

impl<F: KeyFormat> ChannelKeys<F> {
    fn read(
        input: &mut BitReader<'_>,
        format: F,
        table: &TrackTable,
        channel: Channel,
        sample_bits: &mut usize,
    ) -> Result<Self, DecodeError> {
        let joints: Vec<usize> = table.animated(channel).collect();
        let shared = match format.range_source() {
            RangeSource::Clip if !joints.is_empty() => read_range(input)?,
            _ => Range3::UNIT,
        };
        let mut tracks = Vec::with_capacity(joints.len());
        for joint in joints {
            let range = if format.range_source() == RangeSource::Track { read_range(input)? } else { shared };
            tracks.push(TrackKey { joint, offset: *sample_bits, range });
            *sample_bits += format.bits() as usize;
        }
        Ok(Self { format, tracks })
    }

    /// Checks the keys of one sample, so that sampling needs no checks.
    fn check(&self, input: &mut BitReader<'_>, bytes: &[u8]) -> Result<(), DecodeError> {
        check_keys(input, bytes, self.format, self.tracks.len()).map(|_| ())
    }

    /// Reads every track at the samples that start at bits `a` and `b`, blended.
    #[inline]
    fn sample(&self, bytes: &[u8], (a, b): (usize, usize), alpha: f32, mut put: impl FnMut(usize, F::Key)) {
        let read = |row: usize, track: &TrackKey| self.format.read(bytes, row + track.offset, &track.range);
        if alpha == 0.0 {
            self.tracks.iter().for_each(|track| put(track.joint, read(a, track)));
        } else {
            self.tracks.iter().for_each(|track| put(track.joint, F::blend(read(a, track), read(b, track), alpha)));
        }
    }
}

impl Sampler for QuantizeSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (index, alpha) = self.grid.locate(time_secs);
        let start = self.first_bit + index * self.sample_bits;
        let rows = (start, start + self.sample_bits);
        out.joints.copy_from_slice(&self.still);
        let joints = &mut out.joints;
        self.rotations.sample(self.bytes, rows, alpha, |joint, q| joints[joint].rotation = q);
        self.translations.sample(self.bytes, rows, alpha, |joint, v| joints[joint].translation = v);
        self.scales.sample(self.bytes, rows, alpha, |joint, v| joints[joint].scale = v);
    }
}
