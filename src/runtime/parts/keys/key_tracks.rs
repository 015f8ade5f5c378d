use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::NoMemory;
use crate::parts::{
    BlockSize, ClipHeader, KeyFormat, KeyPair, KeySearch, KeyTrack, PoseSlice, RotationFormat, StillPose, StoredTracks,
    VectorFormat,
};
use crate::{Channel, List, StateMemory, TimeGrid};
use alloc::vec::Vec;

/// Tracks of keys that are blended linearly. The keys of each track are searched separately.
///
/// On disk: the track table, then the animated tracks: rotations, translations, scales, each in joint order.
#[derive(Debug)]
pub struct KeyTracks {
    grid: TimeGrid,
    search: KeySearch,
    still: StillPose,
    rotations: Vec<KeyTrack<RotationFormat>>,
    translations: Vec<KeyTrack<VectorFormat>>,
    scales: Vec<KeyTrack<VectorFormat>>,
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
        let samples = (header.grid.samples(), blocks);
        let rotations = KeyTrack::read_all(&mut input, bytes, &table, Channel::Rotation, samples)?;
        let translations = KeyTrack::read_all(&mut input, bytes, &table, Channel::Translation, samples)?;
        let scales = KeyTrack::read_all(&mut input, bytes, &table, Channel::Scale, samples)?;
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, search, still: table.still, rotations, translations, scales })
    }

    /// Builds the type from tracks that the caller has read.
    pub fn from_tracks(
        grid: TimeGrid,
        search: KeySearch,
        still: StillPose,
        rotations: Vec<KeyTrack<RotationFormat>>,
        translations: Vec<KeyTrack<VectorFormat>>,
    ) -> Self {
        Self { grid, search, still, rotations, translations, scales: Vec::new() }
    }

    /// A cursor at the start of the clip. The tracks were read from `bytes`.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<KeyTracksCursor, NoMemory> {
        Ok(KeyTracksCursor {
            rotations: memory.list(self.rotations.iter().map(|t| t.start(bytes)))?,
            translations: memory.list(self.translations.iter().map(|t| t.start(bytes)))?,
            scales: memory.list(self.scales.iter().map(|t| t.start(bytes)))?,
        })
    }

    /// Samples the wanted joints at a place in the clip, in samples.
    #[inline]
    pub fn sample(&self, bytes: &[u8], cursor: &mut KeyTracksCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let (at, search) = (self.grid.clamp(at_sample), self.search);
        self.still.put(&mut out);
        let range = out.of(&self.rotations, KeyTrack::joint);
        for (track, cursor) in self.rotations[range.clone()].iter().zip(&mut cursor.rotations[range]) {
            if let Some(out) = out.joint(track.joint()) {
                out.rotation = track.sample(bytes, at, search, cursor);
            }
        }
        let range = out.of(&self.translations, KeyTrack::joint);
        for (track, cursor) in self.translations[range.clone()].iter().zip(&mut cursor.translations[range]) {
            if let Some(out) = out.joint(track.joint()) {
                out.translation = track.sample(bytes, at, search, cursor);
            }
        }
        let range = out.of(&self.scales, KeyTrack::joint);
        for (track, cursor) in self.scales[range.clone()].iter().zip(&mut cursor.scales[range]) {
            if let Some(out) = out.joint(track.joint()) {
                out.scale = track.sample(bytes, at, search, cursor);
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let vectors = self.translations.iter().chain(&self.scales);
        self.still.heap_bytes()
            + self.rotations.iter().map(|t| size_of_val(t) + t.heap_bytes()).sum::<usize>()
            + vectors.map(|t| size_of_val(t) + t.heap_bytes()).sum::<usize>()
    }
}

impl KeyTracksCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.rotations[..]) + size_of_val(&self.translations[..]) + size_of_val(&self.scales[..])
    }
}
