use super::jump_table::JumpTable;
use super::key::KeyFormat;
use super::key_coding::{KeyCoding, KeyReader};
use super::key_place::KeyPlace;
use super::need_order::{NeedOrder, NeedScan, StreamLayout};
use crate::format::{BindPose, BitReader, DecodeError, bits_at};
use crate::math::Transform;
use crate::memory::{NoMemory, TryList};
use crate::parts::{ClipHeader, PoseSlice, RotationFormat, StillPose, StoredTracks, VectorFormat, time_bits};
use crate::{Channel, List, StateMemory, TimeGrid};
use alloc::vec::Vec;

/// Tracks of keys in [`NeedOrder`] that are blended linearly.
///
/// On disk: the track table; per animated track (rotations, translations, scales, in joint order), its format or
/// [`crate::parts::RANGED_CODE`] (4 bits) and the settings of [`KeyCoding`]; the [`JumpTable`], if the layout has one, with the last two
/// keys of each track and places in bits; then the keys: track ([`track_bits`]), sample ([`time_bits`]), value. The first two keys of a
/// track are needed at the start. Each later key is needed when its predecessor is reached.
#[derive(Debug)]
pub struct KeyStream {
    grid: TimeGrid,
    still: StillPose,
    rotations: Vec<StreamTrack<RotationFormat>>,
    translations: Vec<StreamTrack<VectorFormat>>,
    scales: Vec<StreamTrack<VectorFormat>>,
    order: NeedOrder<StreamKeys, WINDOW>,
}

/// The position of a player of a [`KeyStream`], with its cached keys.
#[derive(Debug, Clone)]
pub struct KeyStreamCursor {
    scan: NeedScan<WINDOW>,
    rotations: List<Known<RotationFormat>>,
    translations: List<Known<VectorFormat>>,
    scales: List<Known<VectorFormat>>,
}

/// Bits of a track's index among `tracks`.
pub fn track_bits(tracks: usize) -> u32 {
    usize::BITS - tracks.saturating_sub(1).leading_zeros()
}

/// Number of keys that a blend needs.
const WINDOW: usize = 2;

/// The last two decoded keys of a track: places and values.
type Known<F> = [(u32, <F as KeyFormat>::Key); WINDOW];

/// Coding of consecutive keys.
#[derive(Debug)]
struct StreamKeys {
    track_bits: u32,
    time_bits: u32,
    /// Bits of a value, one number per track.
    value_bits: Vec<u8>,
}

impl StreamLayout for StreamKeys {
    const PLACE_BITS: usize = 1;
    const KEY: &'static str = "stream of keys";

    #[inline]
    fn head_bits(&self) -> usize {
        (self.track_bits + self.time_bits) as usize
    }

    #[inline]
    fn value_bits(&self, track: usize) -> usize {
        usize::from(self.value_bits[track])
    }

    #[inline]
    fn head_at(&self, bytes: &[u8], bit: usize) -> (u32, Option<usize>) {
        let word = bits_at(bytes, bit, self.track_bits + self.time_bits);
        ((word >> self.track_bits) as u32, Some((word & ((1 << self.track_bits) - 1)) as usize))
    }
}

impl KeyStream {
    /// Reads and checks the stream, up to the end of the bytes. `input` reads from `bytes`.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &[u8],
        bind: &BindPose,
        has_jumps: bool,
    ) -> Result<Self, DecodeError> {
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let samples = header.grid.samples();
        let rotations = StreamTrack::<RotationFormat>::read_all(&mut input, &table, Channel::Rotation)?;
        let translations = StreamTrack::<VectorFormat>::read_all(&mut input, &table, Channel::Translation)?;
        let scales = StreamTrack::<VectorFormat>::read_all(&mut input, &table, Channel::Scale)?;
        let vectors = translations.iter().chain(&scales).map(|t| t.reader.bits() as u8);
        let value_bits = rotations.iter().map(|t| t.reader.bits() as u8).chain(vectors).try_list()?;
        let tracks = value_bits.len();
        let jumps = has_jumps.then(|| JumpTable::read(&mut input, samples, WINDOW * tracks + 1)).transpose()?;
        let (r, t) = (rotations.len(), translations.len());
        let check_value = |track: usize, bit: usize| match track {
            track if track < r => rotations[track].reader.check_key(bytes, bit),
            track if track < r + t => translations[track - r].reader.check_key(bytes, bit),
            track => scales[track - r - t].reader.check_key(bytes, bit),
        };
        let layout = StreamKeys { track_bits: track_bits(tracks), time_bits: time_bits(samples), value_bits };
        let order = NeedOrder::read(layout, tracks, (&mut input, bytes), samples, jumps, check_value)?;
        input.finish("keys")?;
        Ok(Self { grid: header.grid, still: table.still, rotations, translations, scales, order })
    }

    /// A cursor at the start of the clip. The stream was read from `bytes`.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<KeyStreamCursor, NoMemory> {
        Ok(KeyStreamCursor {
            scan: self.order.scan(bytes, memory)?,
            rotations: memory.filled(Known::<RotationFormat>::default(), self.rotations.len())?,
            translations: memory.filled(Known::<VectorFormat>::default(), self.translations.len())?,
            scales: memory.filled(Known::<VectorFormat>::default(), self.scales.len())?,
        })
    }

    /// Samples the wanted joints at a place in the clip, in samples.
    #[inline]
    pub fn sample(&self, bytes: &[u8], cursor: &mut KeyStreamCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let (at, mut out) = (self.grid.clamp(at_sample), out.again());
        let KeyStreamCursor { scan, rotations, translations, scales } = cursor;
        self.order.seek(bytes, scan, at);
        self.still.put(&mut out);
        let from = (bytes, self.order.layout().head_bits());
        let (of_rotations, of_others) = scan.windows().split_at(self.rotations.len());
        let (of_translations, of_scales) = of_others.split_at(self.translations.len());
        let rotated = (&self.rotations[..], of_rotations, &mut rotations[..]);
        sample_channel(rotated, from, at, &mut out, |out, value| out.rotation = value);
        let translated = (&self.translations[..], of_translations, &mut translations[..]);
        sample_channel(translated, from, at, &mut out, |out, value| out.translation = value);
        let scaled = (&self.scales[..], of_scales, &mut scales[..]);
        sample_channel(scaled, from, at, &mut out, |out, value| out.scale = value);
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.still.heap_bytes()
            + size_of_val(&self.rotations[..])
            + size_of_val(&self.translations[..])
            + size_of_val(&self.scales[..])
            + self.order.layout().value_bits.len()
            + self.order.heap_bytes()
    }
}

impl KeyStreamCursor {
    /// Byte of the payload at which the scan is.
    pub fn position(&self) -> usize {
        self.scan.position()
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.scan.heap_bytes()
            + size_of_val(&self.rotations[..])
            + size_of_val(&self.translations[..])
            + size_of_val(&self.scales[..])
    }
}

/// Tracks of a channel, their keys around the time, and their decoded keys.
type ChannelTracks<'a, F> = (&'a [StreamTrack<F>], &'a [[KeyPlace; WINDOW]], &'a mut [Known<F>]);

/// Samples the wanted tracks of a channel and passes their values to `put`. `head_bits` are the bits of a key before its value.
#[inline(always)]
fn sample_channel<F: KeyFormat>(
    (tracks, windows, known): ChannelTracks<'_, F>,
    (bytes, head_bits): (&[u8], usize),
    at: f64,
    out: &mut PoseSlice<'_>,
    put: impl Fn(&mut Transform, F::Key),
) {
    let range = out.of(tracks, |track| track.joint);
    let keys = windows[range.clone()].iter().zip(&mut known[range.clone()]);
    for (track, (window, known)) in tracks[range].iter().zip(keys) {
        if let Some(out) = out.joint(track.joint) {
            put(out, track.value(bytes, window, head_bits, known, at));
        }
    }
}

/// Joint of a track, and the reader of its keys.
#[derive(Debug)]
struct StreamTrack<F> {
    joint: usize,
    reader: KeyReader<F>,
}

impl<F: KeyFormat> StreamTrack<F> {
    fn read_all(input: &mut BitReader<'_>, table: &StoredTracks, channel: Channel) -> Result<Vec<Self>, DecodeError> {
        table.animated(channel).map(|joint| Self::read(input, joint)).try_list_of()
    }

    fn read(input: &mut BitReader<'_>, joint: usize) -> Result<Self, DecodeError> {
        let format = KeyCoding::read_code(input)?;
        Ok(Self { joint, reader: KeyCoding::read(format, input)?.reader() })
    }

    #[inline]
    fn value(
        &self,
        bytes: &[u8],
        window: &[KeyPlace; WINDOW],
        head_bits: usize,
        known: &mut Known<F>,
        at: f64,
    ) -> F::Key {
        let [from, to] = window;
        if known[0].0 != from.place && known[1].0 == from.place {
            known[0] = known[1];
        }
        for (known, key) in known.iter_mut().zip(window) {
            if known.0 != key.place {
                *known = (key.place, self.reader.key(bytes, key.place as usize + head_bits));
            }
        }
        let [(_, a), (_, b)] = *known;
        let (start, end) = (f64::from(from.sample), f64::from(to.sample));
        if at >= end {
            b
        } else if at <= start {
            a
        } else {
            F::blend(a, b, ((at - start) / (end - start)) as f32)
        }
    }
}
