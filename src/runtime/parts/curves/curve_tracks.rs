use super::section_cursor::SectionCursor;
use super::spline_section::{Spline, SplineShape};
use crate::format::{BindPose, BitReader, DecodeError};
use crate::memory::NoMemory;
use crate::parts::keys::key::KeyFormat;
use crate::parts::keys::key_place::KeyPlace;
use crate::parts::keys::key_search::KeySearch;
use crate::parts::{
    BlockSize, ClipHeader, KeyTrack, PoseSlice, RotationFormat, StillPose, StoredTracks, ValueCoding, VectorFormat,
};
use crate::{Channel, List, StateMemory, TimeGrid};
use alloc::vec::Vec;

/// Splines through the keys of tracks. Tracks are stored one after another.
///
/// On disk: as [`crate::parts::KeyTracks`].
#[derive(Debug)]
pub struct CurveTracks {
    grid: TimeGrid,
    spline: Spline,
    still: StillPose,
    rotations: Vec<KeyTrack<RotationFormat>>,
    translations: Vec<KeyTrack<VectorFormat>>,
    scales: Vec<KeyTrack<VectorFormat>>,
}

/// The position of a player of [`CurveTracks`] on each track: rotations, translations, scales.
#[derive(Debug, Clone)]
pub struct CurveTracksCursor {
    tracks: List<CurveCursor>,
}

#[derive(Debug, Clone, Default)]
struct CurveCursor {
    index: usize,
    section: SectionCursor,
}

impl CurveTracks {
    /// Reads and checks all tracks, with or without blocks, up to the end of the bytes. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        (spline, blocks): (Spline, Option<BlockSize>),
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &BindPose,
    ) -> Result<Self, DecodeError> {
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let samples = (header.grid.samples(), blocks);
        let rotations = KeyTrack::read_all(&mut input, bytes, &table, Channel::Rotation, samples)?;
        let translations = KeyTrack::read_all(&mut input, bytes, &table, Channel::Translation, samples)?;
        let scales = KeyTrack::read_all(&mut input, bytes, &table, Channel::Scale, samples)?;
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, spline, still: table.still, rotations, translations, scales })
    }

    /// The coding of a track's values; `None` for a track without keys.
    pub fn coding_of(&self, (joint, channel): (usize, Channel)) -> Option<ValueCoding> {
        let vectors = match channel {
            Channel::Rotation => {
                let track = self.rotations.iter().find(|t| t.joint() == joint)?;
                return Some(ValueCoding::Rotation(track.coding()));
            }
            Channel::Translation => &self.translations,
            Channel::Scale => &self.scales,
        };
        let track = vectors.iter().find(|t| t.joint() == joint)?;
        Some(ValueCoding::Vector(track.coding()))
    }

    /// A cursor at the start of the clip.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, memory: StateMemory) -> Result<CurveTracksCursor, NoMemory> {
        let tracks = self.rotations.len() + self.translations.len() + self.scales.len();
        Ok(CurveTracksCursor { tracks: memory.filled(CurveCursor::default(), tracks)? })
    }

    /// Samples the wanted joints at a place in the clip, in samples. The tracks were read from `bytes`.
    #[inline]
    pub fn sample(&self, bytes: &[u8], cursor: &mut CurveTracksCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let at = self.grid.clamp(at_sample);
        self.still.put(&mut out);
        let (rotations, vectors) = cursor.tracks.split_at_mut(self.rotations.len());
        let (translations, scales) = vectors.split_at_mut(self.translations.len());
        for number in out.of(&self.rotations, KeyTrack::joint) {
            let track = &self.rotations[number];
            if let Some(out) = out.joint(track.joint()) {
                out.rotation = rotations[number].value(track, bytes, self.spline, at);
            }
        }
        for number in out.of(&self.translations, KeyTrack::joint) {
            let track = &self.translations[number];
            if let Some(out) = out.joint(track.joint()) {
                out.translation = translations[number].value(track, bytes, self.spline, at);
            }
        }
        for number in out.of(&self.scales, KeyTrack::joint) {
            let track = &self.scales[number];
            if let Some(out) = out.joint(track.joint()) {
                out.scale = scales[number].value(track, bytes, self.spline, at);
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

impl CurveTracksCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

impl CurveCursor {
    #[inline]
    fn value<F: KeyFormat>(&mut self, keys: &KeyTrack<F>, bytes: &[u8], spline: Spline, at: f64) -> F::Key {
        let value = match self.section.value(at) {
            Some(value) => value,
            None if keys.times().len() < 2 => return keys.key(bytes, 0),
            None => {
                let index = keys.find(KeySearch::Cursor, at, self.index);
                self.index = index;
                let place = |index: usize| KeyPlace { sample: keys.times()[index].into(), place: index as u32 + 1 };
                let before = index.checked_sub(1).map(place);
                let after = (index + 2 < keys.times().len()).then(|| place(index + 2));
                let shape = SplineShape { spline, is_rotation: F::IS_ROTATION };
                let read = |key: KeyPlace| F::numbers(keys.key(bytes, key.place as usize - 1));
                self.section.enter(before, [place(index), place(index + 1)], after, (shape, at), read)
            }
        };
        F::key_of(value)
    }
}
