use super::{ClipHeader, KeySearch, KeyTrack, RotationFormat, TrackTable, VectorFormat};
use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::{Channel, Pose, Sampler, TimeGrid};

/// Blends the two keys around a time, each track on its own.
///
/// On disk: the track table, then the animated tracks: rotations, translations, scales, each in joint order.
pub struct KeyTracksSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    search: KeySearch,
    still: Vec<Transform>,
    rotations: Vec<KeyTrack<RotationFormat>>,
    translations: Vec<KeyTrack<VectorFormat>>,
    scales: Vec<KeyTrack<VectorFormat>>,
}

impl<'a> KeyTracksSampler<'a> {
    /// Reads and checks all tracks, up to the end of the bytes; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &'a [u8],
        bind: &[Transform],
        search: KeySearch,
    ) -> Result<Self, DecodeError> {
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
        Ok(Self { grid: header.grid, bytes, search, still: table.still, rotations, translations, scales })
    }

    /// A sampler of tracks that somebody else read from `bytes`.
    pub fn from_tracks(
        grid: TimeGrid,
        bytes: &'a [u8],
        search: KeySearch,
        still: Vec<Transform>,
        rotations: Vec<KeyTrack<RotationFormat>>,
        translations: Vec<KeyTrack<VectorFormat>>,
    ) -> Self {
        Self { grid, bytes, search, still, rotations, translations, scales: Vec::new() }
    }
}

impl Sampler for KeyTracksSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let (at, search) = (self.grid.sample_at(time_secs), self.search);
        out.joints.copy_from_slice(&self.still);
        for track in &mut self.rotations {
            out.joints[track.joint()].rotation = track.sample(self.bytes, at, search);
        }
        for track in &mut self.translations {
            out.joints[track.joint()].translation = track.sample(self.bytes, at, search);
        }
        for track in &mut self.scales {
            out.joints[track.joint()].scale = track.sample(self.bytes, at, search);
        }
    }
}
