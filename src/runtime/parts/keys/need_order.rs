use super::jump_table::JumpTable;
use super::key_place::KeyPlace;
use crate::format::{BitReader, DecodeError};
use crate::memory::{NoMemory, filled};
use crate::{List, StateMemory};
use core::fmt::Arguments;

/// The coding of the keys of a stream, as its scan needs it.
pub trait StreamLayout {
    /// Unit of places in a jump table, bits.
    const PLACE_BITS: usize;
    /// Name of a key in messages.
    const KEY: &'static str;

    /// Bits of a key before its value.
    fn head_bits(&self) -> usize;
    /// Bits of the value of a track's keys.
    fn value_bits(&self, track: usize) -> usize;
    /// Sample and track of the key at a bit; `None` for an unknown track.
    fn head_at(&self, bytes: &[u8], bit: usize) -> (u32, Option<usize>);
}

/// Keys of all tracks in one stream, in the order in which forward playback needs them (Riot). One sequential scan plays the whole clip,
/// and keys needed at the same time are stored together, in track order. The first key of a track is at the first sample, its last key
/// at the last sample.
///
/// A scan keeps a window of `WINDOW` keys per track; the second half of the window is ahead of the time. So the first `WINDOW / 2 + 1`
/// keys of a track are needed at the start. Each later key is needed when the key `WINDOW / 2` before it is reached.
///
/// A jump back or far ahead starts at the nearest entry of a [`JumpTable`]. The table is stored in the clip, or built when the clip is
/// opened.
#[derive(Debug)]
pub struct NeedOrder<L, const WINDOW: usize> {
    layout: L,
    tracks: usize,
    first_bit: usize,
    end_bit: usize,
    jumps: Option<JumpTable>,
}

/// The state of a scan through the stream.
#[derive(Debug, Clone)]
pub struct NeedScan<const WINDOW: usize> {
    /// Per track, the keys read last, oldest first. If fewer were read, the first key is repeated.
    tracks: List<[KeyPlace; WINDOW]>,
    /// The next key in the stream.
    next: KeyPlace,
    next_track: usize,
    /// Sample at which the next key is needed; `u32::MAX` at the end of the stream.
    next_needed: u32,
    /// Fractional sample of the last seek.
    reached: f64,
}

impl<L: StreamLayout, const WINDOW: usize> NeedOrder<L, WINDOW> {
    const AHEAD: usize = WINDOW / 2;

    /// Reads and checks all keys: their order, their values and a stored jump table. `check_value` checks the value of a track's key at a
    /// bit. The stream ends when every track has reached the last sample. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        layout: L,
        tracks: usize,
        (input, bytes): (&mut BitReader<'_>, &[u8]),
        samples: usize,
        jumps: Option<JumpTable>,
        check_value: impl Fn(usize, usize) -> Result<(), DecodeError>,
    ) -> Result<Self, DecodeError> {
        let first_bit = input.bit_position();
        if u32::try_from(8 * bytes.len()).is_err() {
            return Err(DecodeError::invalid("payload", 0, format_args!("{} bytes", bytes.len()), "less than 512 MB"));
        }
        let jumps = match jumps {
            None => JumpTable::to_build(samples, WINDOW * tracks + 1, bytes.len() - first_bit / 8)?,
            stored => stored,
        };
        let mut out = Self { layout, tracks, first_bit, end_bit: first_bit, jumps };
        out.scan_all((input, bytes), samples as u32 - 1, check_value)?;
        Ok(out)
    }

    fn scan_all(
        &mut self,
        (input, bytes): (&mut BitReader<'_>, &[u8]),
        last: u32,
        check_value: impl Fn(usize, usize) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut scanned = filled([KeyPlace::default(); WINDOW], self.tracks)?;
        let (mut unfinished, mut needed, mut jump) = (self.tracks, (0, 0), 0);
        while unfinished > 0 {
            let bit = input.skip(L::KEY, self.layout.head_bits())?;
            let wrong = |found: Arguments<'_>| {
                Err(DecodeError::invalid(L::KEY, bit / 8, found, "keys in the order in which playback needs them"))
            };
            let (sample, track) = self.layout.head_at(bytes, bit);
            let Some(number) = track.filter(|number| *number < self.tracks) else {
                return wrong(format_args!("no animated track"));
            };
            let latest = scanned[number][WINDOW - 1];
            let need = (scanned[number][WINDOW - Self::AHEAD].sample, number);
            let is_next = if latest.place == 0 { sample == 0 } else { sample > latest.sample };
            if sample > last || !is_next || need < needed {
                return wrong(format_args!("sample {sample} of track {number}"));
            }
            check_value(number, input.skip(L::KEY, self.layout.value_bits(number))?)?;
            self.note_jumps(bytes, &mut jump, need.0, (&scanned, bit))?;
            take(&mut scanned[number], KeyPlace { sample, place: bit as u32 });
            needed = need;
            unfinished -= usize::from(sample == last);
        }
        self.end_bit = input.bit_position();
        self.note_jumps(bytes, &mut jump, u32::MAX, (&scanned, self.end_bit))
    }

    /// Checks or builds the jumps whose samples lie before `needed_at`, from jump `next` on.
    fn note_jumps(
        &mut self,
        bytes: &[u8],
        next: &mut usize,
        needed_at: u32,
        (scanned, next_bit): (&[[KeyPlace; WINDOW]], usize),
    ) -> Result<(), DecodeError> {
        let places = ScannedPlaces {
            keys: scanned.as_flattened(),
            next_bit,
            first_bit: self.first_bit,
            place_bits: L::PLACE_BITS,
        };
        self.jumps.as_mut().map_or(Ok(()), |jumps| places.note(jumps, bytes, next, needed_at))
    }

    /// The coding of the keys.
    pub fn layout(&self) -> &L {
        &self.layout
    }

    /// A scan at the first sample.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn scan(&self, bytes: &[u8], memory: StateMemory) -> Result<NeedScan<WINDOW>, NoMemory> {
        let tracks = memory.filled([KeyPlace::default(); WINDOW], self.tracks)?;
        let next = KeyPlace::default();
        let mut scan = NeedScan { tracks, next, next_track: 0, next_needed: 0, reached: 0.0 };
        self.rewind(bytes, &mut scan);
        self.advance(bytes, &mut scan, 0.0);
        Ok(scan)
    }

    /// Moves a scan to a fractional sample.
    #[inline]
    pub fn seek(&self, bytes: &[u8], scan: &mut NeedScan<WINDOW>, at: f64) {
        let is_back = at < scan.reached;
        match self.jumps.as_ref().and_then(|jumps| Some((jumps, jumps.before(at)?))) {
            // Scanning on is cheaper than a jump that skips few keys.
            Some((jumps, jump)) if is_back || jumps.sample_of(jump) as f64 - scan.reached > jumps.every() as f64 => {
                self.jump(bytes, scan, (jumps, jump));
            }
            None if is_back => self.rewind(bytes, scan),
            Some(_) | None => {}
        }
        self.advance(bytes, scan, at);
        scan.reached = at;
    }

    /// Reads all keys that are needed up to a fractional sample.
    #[inline]
    fn advance(&self, bytes: &[u8], scan: &mut NeedScan<WINDOW>, at: f64) {
        while f64::from(scan.next_needed) <= at {
            let (number, key) = (scan.next_track, scan.next);
            take(&mut scan.tracks[number], key);
            let bits = self.layout.head_bits() + self.layout.value_bits(number);
            self.look_at(bytes, scan, key.place as usize + bits);
        }
    }

    /// Makes the key at a bit the next one.
    #[inline]
    fn look_at(&self, bytes: &[u8], scan: &mut NeedScan<WINDOW>, bit: usize) {
        // The keys were checked when the clip was opened, so a missing key is the end of the stream.
        let (sample, track) = self.layout.head_at(bytes, bit);
        let track = track.filter(|_| bit < self.end_bit);
        let window = track.and_then(|number| scan.tracks.get(number));
        scan.next_needed = window.map_or(u32::MAX, |window| window[WINDOW - Self::AHEAD].sample);
        scan.next_track = track.unwrap_or(0);
        scan.next = KeyPlace { sample, place: bit as u32 };
    }

    fn rewind(&self, bytes: &[u8], scan: &mut NeedScan<WINDOW>) {
        scan.tracks.fill([KeyPlace::default(); WINDOW]);
        self.look_at(bytes, scan, self.first_bit);
    }

    fn jump(&self, bytes: &[u8], scan: &mut NeedScan<WINDOW>, (jumps, jump): (&JumpTable, usize)) {
        let bit = |index: usize| self.first_bit + L::PLACE_BITS * jumps.place(bytes, jump, index);
        for (number, window) in scan.tracks.iter_mut().enumerate() {
            for (k, key) in window.iter_mut().enumerate() {
                let bit = bit(WINDOW * number + k);
                // Keys already in the window are not read again.
                if key.place as usize != bit {
                    *key = KeyPlace { sample: self.layout.head_at(bytes, bit).0, place: bit as u32 };
                }
            }
        }
        self.look_at(bytes, scan, bit(WINDOW * self.tracks));
    }

    /// Bytes of memory besides those of the type itself and of the layout.
    pub fn heap_bytes(&self) -> usize {
        self.jumps.as_ref().map_or(0, JumpTable::heap_bytes)
    }
}

/// The places of a scan's state.
struct ScannedPlaces<'a> {
    keys: &'a [KeyPlace],
    next_bit: usize,
    first_bit: usize,
    /// Unit of places in the jump table, bits.
    place_bits: usize,
}

impl ScannedPlaces<'_> {
    /// Checks or builds the jumps whose samples lie before `needed_at`, from jump `next` on.
    fn note(&self, jumps: &mut JumpTable, bytes: &[u8], next: &mut usize, needed_at: u32) -> Result<(), DecodeError> {
        while *next < jumps.len() && jumps.sample_of(*next) < needed_at as usize {
            let bits = self.keys.iter().map(|key| key.place as usize).chain([self.next_bit]);
            // A track whose first keys come too late has no place yet. The scan rejects these keys later.
            jumps.note(bytes, *next, bits.map(|bit| bit.saturating_sub(self.first_bit) / self.place_bits))?;
            *next += 1;
        }
        Ok(())
    }
}

impl<const WINDOW: usize> NeedScan<WINDOW> {
    /// The last keys of a track, oldest first; the first key is repeated if fewer were read.
    #[inline]
    pub fn window(&self, track: usize) -> &[KeyPlace; WINDOW] {
        &self.tracks[track]
    }

    /// [`NeedScan::window`] of every track.
    #[inline]
    pub fn windows(&self) -> &[[KeyPlace; WINDOW]] {
        &self.tracks
    }

    /// Byte of the payload at which the scan is.
    pub fn position(&self) -> usize {
        self.next.place as usize / 8
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.tracks[..])
    }
}

#[inline]
fn take<const WINDOW: usize>(window: &mut [KeyPlace; WINDOW], key: KeyPlace) {
    if window[WINDOW - 1].place == 0 {
        *window = [key; WINDOW];
    } else {
        window.copy_within(1.., 0);
        window[WINDOW - 1] = key;
    }
}
