use super::section_cursor::SectionCursor;
use super::spline_section::{Spline, SplineShape};
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::Transform;
use crate::memory::NoMemory;
use crate::parts::keys::key::KeyFormat;
use crate::parts::keys::key_place::{KeyAt, KeyPlace};
use crate::parts::keys::key_set::KeySet;
use crate::parts::keys::key_track::{KeyTrack, Keys};
use crate::parts::{BlockSize, ClipHeader, PoseSlice, StillPose, StoredTracks, ValueCoding};
use crate::{Channel, List, StateMemory, TimeGrid};

/// Splines through the keys of tracks. Tracks are stored one after another.
///
/// On disk: as [`crate::parts::KeyTracks`].
#[derive(Debug)]
pub struct CurveTracks {
    grid: TimeGrid,
    spline: Spline,
    still: StillPose,
    set: KeySet,
}

/// The position of a player of [`CurveTracks`] on each track: rotations, translations, scales.
#[derive(Debug, Clone)]
pub struct CurveTracksCursor {
    tracks: List<CurveCursor>,
}

#[derive(Debug, Clone, Default)]
struct CurveCursor {
    from: KeyAt,
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
        let set = KeySet::read(&mut input, bytes, &table, (header.grid.samples(), blocks))?;
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, spline, still: table.still, set })
    }

    /// See [`KeySet::own`].
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn own(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        self.set.own(bytes)
    }

    /// The coding of a track's values; `None` for a track without keys.
    pub fn coding_of(&self, (joint, channel): (usize, Channel)) -> Option<ValueCoding> {
        let vectors = match channel {
            Channel::Rotation => {
                let track = self.set.rotations().iter().find(|t| t.joint() == joint)?;
                return track.reader().coding().map(ValueCoding::Rotation);
            }
            Channel::Translation => self.set.vectors().0,
            Channel::Scale => self.set.vectors().1,
        };
        let track = vectors.iter().find(|t| t.joint() == joint)?;
        track.reader().coding().map(ValueCoding::Vector)
    }

    /// A cursor at the start of the clip.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, memory: StateMemory) -> Result<CurveTracksCursor, NoMemory> {
        Ok(CurveTracksCursor { tracks: memory.filled(CurveCursor::default(), self.set.count())? })
    }

    /// Samples the wanted joints at a place in the clip, in samples. The tracks were read from `bytes`.
    #[inline]
    pub fn sample(&self, bytes: &[u8], cursor: &mut CurveTracksCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let at = self.grid.clamp(at_sample);
        self.still.put(&mut out);
        let (rotations, (translations, scales)) = (self.set.rotations(), self.set.vectors());
        let from = (&mut cursor.tracks[..], bytes, at);
        self.sample_channel(rotations, Channel::Rotation, from, &mut out, |out, value| out.rotation = value);
        let from = (&mut cursor.tracks[..], bytes, at);
        self.sample_channel(translations, Channel::Translation, from, &mut out, |out, value| out.translation = value);
        let from = (&mut cursor.tracks[..], bytes, at);
        self.sample_channel(scales, Channel::Scale, from, &mut out, |out, value| out.scale = value);
    }

    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    fn sample_channel<F: KeyFormat>(
        &self,
        tracks: &[KeyTrack<F>],
        channel: Channel,
        (cursors, bytes, at): (&mut [CurveCursor], &[u8], f64),
        out: &mut PoseSlice<'_>,
        put: fn(&mut Transform, F::Key),
    ) {
        let first = self.set.first(channel);
        let sample = (at as usize).min(self.grid.samples().saturating_sub(2)) as u16;
        for i in out.of(tracks, KeyTrack::joint) {
            if let Some(out) = out.joint(tracks[i].joint()) {
                let keys = self.set.keys(first + i, bytes);
                put(out, cursors[first + i].value(&tracks[i], keys, self.spline, (at, sample)));
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.still.heap_bytes() + self.set.heap_bytes()
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
    fn value<F: KeyFormat>(
        &mut self,
        track: &KeyTrack<F>,
        keys: Keys<'_>,
        spline: Spline,
        (at, sample): (f64, u16),
    ) -> F::Key {
        if let Some(value) = self.section.value(at) {
            return F::key_of(value);
        }
        let (number, times, _) = keys;
        let [from, to] = times.around(number, &|| track.reader().widths(), sample, self.from);
        if from == to {
            return track.key(keys, from);
        }
        self.from = from;
        let place = |key: KeyAt| KeyPlace { sample: key.sample.into(), place: u32::from(key.index) + 1 };
        let (before, after) = (times.before(number, from).map(place), times.after(number, to).map(place));
        let shape = SplineShape { spline, is_rotation: F::IS_ROTATION };
        let read = |key: KeyPlace| {
            F::numbers(track.key(keys, KeyAt { sample: key.sample as u16, index: key.place as u16 - 1 }))
        };
        F::key_of(self.section.enter(before, [place(from), place(to)], after, (shape, at), read))
    }
}
