use super::key::KeyFormat;
use super::key_blocks::{BlockSize, KeyBlocks};
use super::key_coding::KeyCoding;
use super::key_lists::KeyLists;
use super::key_times::KeyTimes;
use super::key_track::{KeyTrack, Keys};
use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::memory::{NoMemory, TryPush, with_room};
use crate::parts::{RotationFormat, StoredTracks, VectorFormat};
use alloc::vec::Vec;
use core::ops::Range;

/// Tracks of keys, one after another: rotations, translations, scales, each in joint order.
///
/// On disk, per track: format or [`crate::parts::RANGED_CODE`] (4 bits), number of keys ([`crate::parts::count_bits`]), the settings of [`KeyCoding`],
/// key times, keys. The first and the last sample are always keys, so their times are not stored. [`crate::parts::TimeLayout`] describes
/// the times between.
///
/// On disk, in blocks: format, the settings of [`KeyCoding`], then as [`KeyBlocks`].
#[derive(Debug)]
pub struct KeySet {
    rotations: Vec<KeyTrack<RotationFormat>>,
    /// Translations, then scales.
    vectors: Vec<KeyTrack<VectorFormat>>,
    translations: usize,
    times: KeyTimes,
    /// The bytes of the keys alone, if the set owns them.
    copy: Option<Vec<u8>>,
}

impl KeySet {
    /// Reads and checks the tracks of all animated joints. They are in blocks if there is a block size. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &StoredTracks,
        (samples, blocks): (usize, Option<BlockSize>),
    ) -> Result<Self, DecodeError> {
        check_size(bytes)?;
        let mut times = match blocks {
            Some(size) => KeyTimes::Blocks(KeyBlocks::new(size, samples)),
            None => KeyTimes::Lists(KeyLists::default()),
        };
        let count = |channel: Channel| table.animated(channel).count();
        let mut rotations = with_room(count(Channel::Rotation))?;
        let mut vectors = with_room(count(Channel::Translation) + count(Channel::Scale))?;
        read_channel(input, bytes, (table, Channel::Rotation), (samples, &mut times), &mut rotations)?;
        read_channel(input, bytes, (table, Channel::Translation), (samples, &mut times), &mut vectors)?;
        let translations = vectors.len();
        read_channel(input, bytes, (table, Channel::Scale), (samples, &mut times), &mut vectors)?;
        times.fit()?;
        Ok(Self { rotations, vectors, translations, times, copy: None })
    }

    /// Tracks whose keys the caller has checked. `times` has those of the rotations first.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn from_lists(
        rotations: Vec<KeyTrack<RotationFormat>>,
        translations: Vec<KeyTrack<VectorFormat>>,
        times: KeyLists,
    ) -> Result<Self, NoMemory> {
        let mut times = KeyTimes::Lists(times);
        times.fit()?;
        Ok(Self { rotations, translations: translations.len(), vectors: translations, times, copy: None })
    }

    /// Rotations.
    #[inline]
    pub fn rotations(&self) -> &[KeyTrack<RotationFormat>] {
        &self.rotations
    }

    /// Translations, and scales.
    #[inline]
    pub fn vectors(&self) -> (&[KeyTrack<VectorFormat>], &[KeyTrack<VectorFormat>]) {
        self.vectors.split_at(self.translations)
    }

    /// Number of tracks.
    #[inline]
    pub fn count(&self) -> usize {
        self.rotations.len() + self.vectors.len()
    }

    /// Number of the first track of a channel.
    #[inline]
    pub fn first(&self, channel: Channel) -> usize {
        match channel {
            Channel::Rotation => 0,
            Channel::Translation => self.rotations.len(),
            Channel::Scale => self.rotations.len() + self.translations,
        }
    }

    /// The keys of a track. The set was read from `bytes`; they may be empty once it owns its keys.
    #[inline]
    pub fn keys<'a>(&'a self, track: usize, bytes: &'a [u8]) -> Keys<'a> {
        (track, &self.times, self.copy.as_deref().unwrap_or(bytes))
    }

    /// Copies the keys, without what was read when the clip was opened.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn own(&mut self, bytes: &[u8]) -> Result<(), NoMemory> {
        if self.copy.is_some() {
            return Ok(());
        }
        let size = (0..self.count()).map(|track| self.bytes_of(track).len()).sum();
        let mut copy = with_room(size)?;
        for track in 0..self.count() {
            let range = self.bytes_of(track);
            self.times.moved(track, (8 * range.start, 8 * copy.len()));
            copy.extend_from_slice(bytes.get(range).unwrap_or_default());
        }
        self.copy = Some(copy);
        Ok(())
    }

    /// The bytes with keys of a track.
    fn bytes_of(&self, track: usize) -> Range<usize> {
        let bits = match self.rotations.get(track) {
            Some(rotation) => self.times.bits_of(track, &|| rotation.reader().widths()),
            None => {
                let vector = &self.vectors[track - self.rotations.len()];
                self.times.bits_of(track, &|| vector.reader().widths())
            }
        };
        bits.start / 8..bits.end.div_ceil(8)
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.rotations[..])
            + size_of_val(&self.vectors[..])
            + self.times.heap_bytes()
            + self.copy.as_ref().map_or(0, Vec::len)
    }
}

/// Bits of keys are counted in 31 bits.
///
/// # Errors
/// [`DecodeError::Invalid`].
pub fn check_size(bytes: &[u8]) -> Result<(), DecodeError> {
    if bytes.len() < 1 << 28 {
        return Ok(());
    }
    Err(DecodeError::invalid("payload", 0, format_args!("{} bytes", bytes.len()), "less than 256 MB"))
}

fn read_channel<F: KeyFormat>(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    (table, channel): (&StoredTracks, Channel),
    (samples, times): (usize, &mut KeyTimes),
    tracks: &mut Vec<KeyTrack<F>>,
) -> Result<(), DecodeError> {
    for joint in table.animated(channel) {
        let format = KeyCoding::<F>::read_code(input)?;
        let listed = times.read_count(input, samples)?;
        let coding = KeyCoding::read(format, input)?;
        let (count, bits) = times.add(input, (coding.ranged(), coding.bits()), (listed, samples))?;
        let first_bit = match coding {
            KeyCoding::Ranged(_) => input.skip("keys of a track", bits)?,
            KeyCoding::Format(..) => coding.check_keys(input, bytes, count)?,
        };
        times.moved(times.count() - 1, (0, first_bit));
        tracks.try_push(KeyTrack::new(joint, coding.reader()))?;
    }
    Ok(())
}
