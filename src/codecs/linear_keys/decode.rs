use crate::codecs::runtime::{ClipHeader, KeyTrack, RotationFormat, TrackTable, VectorFormat};
use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::model::{Channel, Pose, Sampler, TimeGrid};

/// Blends the two keys around a time, each track with its own cursor.
///
/// On disk: the track table, then the animated tracks: rotations, translations, scales, each in joint order.
pub struct LinearKeysSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    rotations: Vec<KeyTrack<RotationFormat>>,
    translations: Vec<KeyTrack<VectorFormat>>,
    scales: Vec<KeyTrack<VectorFormat>>,
}

impl<'a> LinearKeysSampler<'a> {
    pub fn new(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let samples = header.grid.samples();
        let mut rotations = Vec::new();
        for joint in table.animated(Channel::Rotation) {
            rotations.push(KeyTrack::read(&mut input, bytes, joint, samples)?);
        }
        let mut vectors = |channel| -> Result<Vec<KeyTrack<VectorFormat>>, DecodeError> {
            table.animated(channel).map(|joint| KeyTrack::read(&mut input, bytes, joint, samples)).collect()
        };
        let (translations, scales) = (vectors(Channel::Translation)?, vectors(Channel::Scale)?);
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, bytes, still: table.still, rotations, translations, scales })
    }
}

impl Sampler for LinearKeysSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let at = self.grid.sample_at(time_secs);
        out.joints.copy_from_slice(&self.still);
        for track in &mut self.rotations {
            out.joints[track.joint()].rotation = track.sample(self.bytes, at);
        }
        for track in &mut self.translations {
            out.joints[track.joint()].translation = track.sample(self.bytes, at);
        }
        for track in &mut self.scales {
            out.joints[track.joint()].scale = track.sample(self.bytes, at);
        }
    }
}
