use super::key_pair::KeyPair;
use super::key_set::KeySet;
use super::key_track::KeyTrack;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::{
    BlockSize, ClipHeader, KeyFormat, KeySearch, PoseSlice, RotationFormat, StillPose, StoredTracks, VectorFormat,
};
use crate::{Channel, List, StateMemory, TimeGrid};

/// Tracks of keys that are blended linearly. The keys of each track are found separately.
///
/// On disk: the track table, then the animated tracks, as [`KeySet`].
#[derive(Debug)]
pub struct KeyTracks {
    grid: TimeGrid,
    search: KeySearch,
    still: StillPose,
    set: KeySet,
}

/// The position of a player of [`KeyTracks`] on each track.
#[derive(Debug, Clone)]
pub struct KeyTracksCursor {
    rotations: List<KeyPair<<RotationFormat as KeyFormat>::Key>>,
    translations: List<KeyPair<<VectorFormat as KeyFormat>::Key>>,
    scales: List<KeyPair<<VectorFormat as KeyFormat>::Key>>,
}

impl KeyTracks {
    /// Reads and checks all tracks, with or without blocks, up to the end of the bytes. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &BindPose,
        search: KeySearch,
        blocks: Option<BlockSize>,
    ) -> Result<Self, DecodeError> {
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let set = KeySet::read(&mut input, bytes, &table, (header.grid.samples(), blocks))?;
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, search, still: table.still, set })
    }

    /// Builds the type from tracks that the caller has read.
    pub fn from_set(grid: TimeGrid, search: KeySearch, still: StillPose, set: KeySet) -> Self {
        Self { grid, search, still, set }
    }

    /// See [`KeySet::own`].
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn own(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        self.set.own(bytes)
    }

    /// A cursor without keys.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, memory: StateMemory) -> Result<KeyTracksCursor, NoMemory> {
        let (translations, scales) = self.set.vectors();
        Ok(KeyTracksCursor {
            rotations: memory.filled(KeyPair::nowhere(), self.set.rotations().len())?,
            translations: memory.filled(KeyPair::nowhere(), translations.len())?,
            scales: memory.filled(KeyPair::nowhere(), scales.len())?,
        })
    }

    /// Samples the wanted joints at a place in the clip, in samples.
    #[inline]
    pub fn sample(&self, bytes: &[u8], cursor: &mut KeyTracksCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let at = self.grid.clamp(at_sample);
        self.still.put(&mut out);
        let (rotations, (translations, scales)) = (self.set.rotations(), self.set.vectors());
        let of = |channel: Channel| (channel, bytes, at);
        let rotated = (rotations, &mut cursor.rotations[..]);
        self.sample_channel(rotated, of(Channel::Rotation), &mut out, |out, value| out.rotation = value);
        let translated = (translations, &mut cursor.translations[..]);
        self.sample_channel(translated, of(Channel::Translation), &mut out, |out, value| out.translation = value);
        let scaled = (scales, &mut cursor.scales[..]);
        self.sample_channel(scaled, of(Channel::Scale), &mut out, |out, value| out.scale = value);
    }

    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn sample_channel<F: KeyFormat>(
        &self,
        (tracks, cursors): (&[KeyTrack<F>], &mut [KeyPair<F::Key>]),
        (channel, bytes, at): (Channel, &[u8], f64),
        out: &mut PoseSlice<'_>,
        put: fn(&mut Transform, F::Key),
    ) {
        let (range, first) = (out.of(tracks, KeyTrack::joint), self.set.first(channel));
        let sample = (at as usize).min(self.grid.samples().saturating_sub(2)) as u16;
        for (i, cursor) in range.clone().zip(&mut cursors[range]) {
            if let Some(out) = out.joint(tracks[i].joint()) {
                put(out, tracks[i].sample(self.set.keys(first + i, bytes), (at, sample), self.search, cursor));
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.still.heap_bytes() + self.set.heap_bytes()
    }
}

impl KeyTracksCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.rotations[..]) + size_of_val(&self.translations[..]) + size_of_val(&self.scales[..])
    }
}
