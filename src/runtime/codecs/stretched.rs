//! Long takes, cut into stretches that are encoded as separate clips. For codecs that encode a whole clip at once.

use super::{Decode, DecodeCursor};
use crate::format::{BindPose, ByteReader, DecodeError, section};
use crate::memory::{NoMemory, TryPush};
use crate::parts::{ClipHeader, PoseSlice, Stretches};
use crate::{List, StateMemory, TimeGrid};
use alloc::vec::Vec;
use core::ops::Range;

/// Decodes takes that are cut into [`Stretches`]. On disk, if there are several: the length of each stretch in bytes, u32; then their
/// payloads, each like that of a clip. A take of one stretch is stored like a clip.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // a box would take memory of every clip, and few are cut
pub enum Stretched<D> {
    /// A take of one stretch.
    Whole(D),
    /// A take that is cut.
    Cut {
        /// The cut.
        stretches: Stretches,
        /// Decoder of each stretch, and the range of its payload.
        decoders: Vec<(D, Range<usize>)>,
    },
}

/// The cursors of all stretches, and the stretch played last.
#[derive(Debug, Clone)]
pub struct StretchedCursor<C> {
    stretch: usize,
    /// First byte of that stretch's payload.
    start: usize,
    cursors: List<C>,
}

impl<D: Decode> Stretched<D> {
    /// Reads a payload that is not cut, for a take of any length.
    ///
    /// # Errors
    /// See [`Decode::open`].
    pub fn uncut(header: &ClipHeader, payload: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        Ok(Self::Whole(D::open(header, payload, bind)?))
    }
}

impl<D> Stretched<D> {
    /// The decoder of a clip that is not cut; `None` if it is cut.
    pub fn whole(&self) -> Option<&D> {
        match self {
            Self::Whole(decoder) => Some(decoder),
            Self::Cut { .. } => None,
        }
    }
}

/// Bit of the version byte of takes that are cut.
const CUT: u8 = 0x80;

impl<D: Decode> Decode for Stretched<D> {
    const VERSION: u8 = D::VERSION;
    type Cursor = StretchedCursor<D::Cursor>;

    fn version_byte(header: &ClipHeader) -> u8 {
        let is_cut = Stretches::of(header.joints, header.grid.samples()).count() > 1;
        D::VERSION | if is_cut { CUT } else { 0 }
    }

    fn open(header: &ClipHeader, payload: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let stretches = Stretches::of(header.joints, header.grid.samples());
        if stretches.count() == 1 {
            return Self::uncut(header, payload, bind);
        }
        let mut input = ByteReader::new(payload);
        let lengths = ByteReader::new(input.bytes("lengths of stretches", 4 * stretches.count())?);
        let (mut lengths, mut decoders) = (lengths, Vec::new());
        for stretch in 0..stretches.count() {
            let length = lengths.u32("length of a stretch")? as usize;
            let start = input.position();
            let bytes = input.bytes("stretch", length)?;
            let samples = stretches.samples_of(stretch).len();
            // These codecs do not use the duration.
            let header = ClipHeader { grid: TimeGrid::new(samples, 0.0), ..*header };
            decoders.try_push((D::open(&header, bytes, bind)?, start..start + length))?;
        }
        input.finish("stretches")?;
        Ok(Self::Cut { stretches, decoders })
    }

    fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
        match self {
            Self::Whole(decoder) => decoder.own(payload),
            Self::Cut { decoders, .. } => {
                for (decoder, range) in decoders {
                    if !decoder.own(section(payload, range))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<Self::Cursor, NoMemory> {
        let (cursors, start) = match self {
            Self::Whole(decoder) => (memory.list_of(1, [decoder.cursor(payload, memory)].into_iter())?, 0),
            Self::Cut { decoders, .. } => {
                let cursor = |(decoder, range): &(D, Range<usize>)| decoder.cursor(section(payload, range), memory);
                let start = decoders.first().map_or(0, |(_, range)| range.start);
                (memory.list_of(decoders.len(), decoders.iter().map(cursor))?, start)
            }
        };
        Ok(StretchedCursor { stretch: 0, start, cursors })
    }

    #[inline]
    fn sample(&self, payload: &[u8], cursor: &mut Self::Cursor, at_sample: f64, out: PoseSlice<'_>) {
        match self {
            Self::Whole(decoder) => decoder.sample(payload, &mut cursor.cursors[0], at_sample, out),
            Self::Cut { stretches, decoders } => {
                let stretch = stretches.at(at_sample);
                let (decoder, range) = &decoders[stretch];
                (cursor.stretch, cursor.start) = (stretch, range.start);
                let at_sample = at_sample - stretches.start(stretch) as f64;
                decoder.sample(section(payload, range), &mut cursor.cursors[stretch], at_sample, out);
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Whole(decoder) => decoder.heap_bytes(),
            Self::Cut { decoders, .. } => {
                size_of_val(&decoders[..]) + decoders.iter().map(|(decoder, _)| decoder.heap_bytes()).sum::<usize>()
            }
        }
    }
}

impl<C: DecodeCursor> DecodeCursor for StretchedCursor<C> {
    fn heap_bytes(&self) -> usize {
        size_of_val(&self.cursors[..]) + self.cursors.iter().map(DecodeCursor::heap_bytes).sum::<usize>()
    }

    fn position(&self) -> Option<usize> {
        self.cursors[self.stretch].position().map(|position| self.start + position)
    }
}
