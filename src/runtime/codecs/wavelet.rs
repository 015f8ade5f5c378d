//! Wavelet coefficients of blocks of samples, quantized and entropy-coded.

mod layout;

use super::{Decode, DecodeCursor, other_cursor};
use crate::format::{BindPose, BitReader, DecodeError, bits_at};
use crate::math::{bands, nlerp};
use crate::memory::{NoMemory, TryPush, with_room};
use crate::parts::{
    ArithmeticModel, ArithmeticReader, ByteReaderOf, ClipHeader, Context, EntropyCoder, HuffmanCodes, HuffmanReader,
    HuffmanTables, InflateBuffer, Inflater, PlainBytes, PoseSlice, RansReader, StillPose, StoredTracks, SymbolReader,
    ZeroRunReader, unzigzag,
};
use crate::{Boxed, Channel, List, StateMemory, TimeGrid};
use alloc::vec::Vec;
use glam::{Quat, Vec4};
use layout::{LARGEST, put_value, read_tracks};

pub use layout::{
    CoefficientRange, ESCAPE, EXACT, FIRST_CODE, Form, JOINED_VALUES, Layout, MAX_BLOCK_SAMPLES, MAX_BLOCK_VALUES,
    Numbers, REFERENCE, RotationMap, Track, band_extent, band_step, coefficient_context,
};

/// Bits of the width of block lengths.
pub const LENGTH_BITS: u32 = 5;

/// Decodes whole blocks of samples and keeps two of them for the poses that follow.
///
/// On disk, in bits, after the track table:
/// - [`Layout`];
/// - per rotation track, the data of its [`RotationMap`];
/// - code tables, for [`EntropyCoder::Huffman`] only;
/// - the width of a block's length (5 bits); the lengths of all blocks in bytes; zero bits up to a whole byte.
///
/// Then the blocks, of `block_samples` samples each; the last may have fewer. A block is one stream of numbers:
/// - the step code of each track (rotations, translations, scales), as a difference from the track before it of the same channel. In
///   [`Form::Axes`], those of y and z follow as differences from x, unless the code is [`EXACT`];
/// - the float32 samples of tracks with step code [`EXACT`];
/// - the signals. A signal is one component of a track over the block. If tracks are joined, it is all components of a channel (in the
///   order track, component, sample), cut at [`JOINED_VALUES`]. A signal is padded (see [`Layout::padded`]), transformed, and written
///   from its scale to its finest band. The first [`Layout::whole`] numbers are float32, the others quantized. If each band has its
///   range, the range precedes the band.
#[derive(Debug)]
pub struct WaveletDecoder {
    grid: TimeGrid,
    still: StillPose,
    layout: Layout,
    tracks: Vec<Track>,
    /// First track of each channel, then the number of tracks.
    channels: [usize; 4],
    /// First byte of each block, then the end of the last.
    starts: Vec<usize>,
    /// Huffman codes, for [`EntropyCoder::Huffman`].
    codes: Option<HuffmanCodes>,
}

/// State of a player: the blocks that it decoded last, and scratch memory for decoding.
#[derive(Debug, Clone)]
pub struct WaveletCursor {
    coder: Coder,
    scratch: Scratch,
    /// Up to two decoded blocks. A time between two blocks needs both.
    cache: [Block; 2],
}

/// Reads the first byte of each block, then the end of the last block, which must be the end of the payload.
fn read_starts(mut input: BitReader<'_>, bytes: &[u8], blocks: usize) -> Result<Vec<usize>, DecodeError> {
    let bits = input.read("width of block lengths", LENGTH_BITS)? as u32;
    let at = input.bit_position();
    if bits == 0 {
        return Err(DecodeError::invalid("width of block lengths", at / 8, 0, "1 bit or more"));
    }
    input.skip("lengths of blocks", blocks.saturating_mul(bits as usize))?;
    let to_byte = input.bit_position().next_multiple_of(8) - input.bit_position();
    if input.read("padding", to_byte as u32)? != 0 {
        return Err(DecodeError::invalid("padding", at / 8, "not zero", "zero bits"));
    }
    let mut start = input.bit_position() / 8;
    let mut starts = with_room(blocks + 1)?;
    starts.try_push(start)?;
    for block in 0..blocks {
        start += bits_at(bytes, at + block * bits as usize, bits) as usize;
        starts.try_push(start)?;
    }
    let len = bytes.len();
    if start == len { Ok(starts) } else { Err(DecodeError::invalid("end of the blocks", at / 8, start, len)) }
}

/// Memory of a clip's entropy decoder.
#[derive(Debug, Clone)]
enum Coder {
    None,
    Zlib(InflateBuffer),
    Huffman,
    Rans,
    Arithmetic(ArithmeticModel),
}

/// A decoded block.
#[derive(Debug, Clone)]
struct Block {
    /// Index of the block in the clip; `None` if nothing is decoded.
    index: Option<usize>,
    /// One value per sample and track, sample by sample: a quaternion, or a vector and zero.
    rows: List<Vec4>,
}

/// Scratch memory for decoding a block.
#[derive(Debug, Clone)]
struct Scratch {
    /// Steps of the components of each track; zero for float32 tracks.
    steps: List<[f64; 3]>,
    signal: List<f64>,
    lifting: List<f64>,
    /// Zigzag codes of the signal.
    codes: List<u32>,
    /// Zigzag codes of the signal before it.
    above: List<u32>,
    /// Quantized tracks of the current channel.
    chosen: List<usize>,
}

impl WaveletDecoder {
    /// The cache slot of a block. The block is decoded if it is not cached. The slot `keep` must not change.
    fn slot(&self, bytes: &[u8], cursor: &mut WaveletCursor, block: usize, keep: Option<usize>) -> usize {
        if let Some(slot) = cursor.cache.iter().position(|b| b.index == Some(block)) {
            return slot;
        }
        // The block farther away is replaced: playback in either direction has left it behind.
        let distance = |slot: usize| cursor.cache[slot].index.map_or(usize::MAX, |index| index.abs_diff(block));
        let slot = keep.map_or(usize::from(distance(1) > distance(0)), |keep| 1 - keep);
        self.decode(bytes, cursor, block, slot);
        slot
    }

    fn decode(&self, bytes: &[u8], cursor: &mut WaveletCursor, block: usize, slot: usize) {
        let samples = self.layout.block(block, self.grid.samples()).len();
        let bytes = bytes.get(self.starts[block]..self.starts[block + 1]).unwrap_or_default();
        let WaveletCursor { coder, scratch, cache } = cursor;
        let Block { index, rows } = &mut cache[slot];
        *index = Some(block);
        let mut block = BlockReader { layout: &self.layout, tracks: &self.tracks, scratch, samples, rows };
        match (coder, &self.codes) {
            (Coder::None, _) => block.read(&mut ByteReaderOf(PlainBytes(bytes))),
            (Coder::Zlib(buffer), _) => block.read(&mut ByteReaderOf(Inflater::new(buffer, bytes))),
            (Coder::Huffman, Some(codes)) => block.read(&mut HuffmanReader::new(codes, bytes)),
            (Coder::Rans, _) => block.read(&mut RansReader::new(bytes)),
            (Coder::Arithmetic(model), _) => block.read(&mut ArithmeticReader::new(model, bytes)),
            (Coder::Huffman, None) => other_cursor(),
        }
    }

    fn row<'c>(&self, cursor: &'c WaveletCursor, slot: usize, sample: usize) -> &'c [Vec4] {
        let tracks = self.tracks.len();
        &cursor.cache[slot].rows[sample % self.layout.block_samples * tracks..][..tracks]
    }
}

impl Decode for WaveletDecoder {
    const VERSION: u8 = 1;
    /// In a box, since most players have a cursor of another codec.
    type Cursor = Boxed<WaveletCursor>;

    fn open(header: &ClipHeader, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = StoredTracks::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let tracks = read_tracks(&mut input, bytes, &table, &layout)?;
        let at = input.bit_position() / 8;
        let samples = header.grid.samples();
        let block_samples = layout.block_samples.min(samples);
        if tracks.len() * block_samples > MAX_BLOCK_VALUES {
            let found = format_args!("{} tracks of {block_samples} samples", tracks.len());
            return Err(DecodeError::invalid("size of a block", at, found, format_args!("at most {MAX_BLOCK_VALUES}")));
        }
        let codes = match layout.entropy {
            EntropyCoder::Huffman => Some(HuffmanCodes::new(&HuffmanTables::read(&mut input)?)?),
            EntropyCoder::None | EntropyCoder::Zlib | EntropyCoder::Arithmetic | EntropyCoder::Rans => None,
        };
        let blocks = if tracks.is_empty() { 0 } else { layout.blocks(samples) };
        let starts = read_starts(input, bytes, blocks)?;
        let starts_of = |channel: usize| tracks.partition_point(|t| (t.channel as usize) < channel);
        let channels = [starts_of(0), starts_of(1), starts_of(2), starts_of(3)];
        Ok(Self { grid: header.grid, still: table.still, layout, tracks, channels, starts, codes })
    }

    fn cursor(&self, _: &[u8], memory: StateMemory) -> Result<Boxed<WaveletCursor>, NoMemory> {
        let block_samples = self.layout.block_samples.min(self.grid.samples());
        let coder = match self.layout.entropy {
            EntropyCoder::None => Coder::None,
            EntropyCoder::Zlib => Coder::Zlib(InflateBuffer::new(memory)?),
            EntropyCoder::Huffman => Coder::Huffman,
            EntropyCoder::Arithmetic => Coder::Arithmetic(ArithmeticModel::new(self.layout.form.start(), memory)?),
            EntropyCoder::Rans => Coder::Rans,
        };
        let scratch = Scratch::new(&self.layout, self.tracks.len(), block_samples, memory)?;
        let rows = || memory.filled(Vec4::ZERO, self.tracks.len() * block_samples);
        let block = || rows().map(|rows| Block { index: None, rows });
        memory.boxed(WaveletCursor { coder, scratch, cache: [block()?, block()?] })
    }

    fn sample(&self, bytes: &[u8], cursor: &mut Boxed<WaveletCursor>, at_sample: f64, mut out: PoseSlice<'_>) {
        self.still.put(&mut out);
        if self.tracks.is_empty() {
            return;
        }
        if !self.layout.is_cached {
            cursor.cache.iter_mut().for_each(|b| b.index = None);
        }
        let (index, alpha) = self.grid.split(at_sample);
        let a = self.slot(bytes, cursor, index / self.layout.block_samples, None);
        let next = if alpha == 0.0 { index } else { index + 1 };
        let b = self.slot(bytes, cursor, next / self.layout.block_samples, Some(a));
        let (a, b) = (self.row(cursor, a, index), self.row(cursor, b, next));
        for channel in self.channels.windows(2) {
            let (first, tracks) = (channel[0], &self.tracks[channel[0]..channel[1]]);
            for number in out.of(tracks, |t| t.joint) {
                let (track, a, b) = (&tracks[number], a[first + number], b[first + number]);
                let Some(out) = out.joint(track.joint) else { continue };
                let value = match track.channel {
                    _ if alpha == 0.0 => a,
                    Channel::Rotation => nlerp(Quat::from_vec4(a), Quat::from_vec4(b), alpha).into(),
                    Channel::Translation | Channel::Scale => a + (b - a) * alpha,
                };
                put_value(track.channel, value, out);
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        self.still.heap_bytes()
            + size_of_val(&self.tracks[..])
            + size_of_val(&self.starts[..])
            + self.codes.as_ref().map_or(0, HuffmanCodes::heap_bytes)
    }
}

impl DecodeCursor for Boxed<WaveletCursor> {
    fn heap_bytes(&self) -> usize {
        let coder = match &self.coder {
            Coder::None | Coder::Huffman | Coder::Rans => 0,
            Coder::Zlib(buffer) => buffer.heap_bytes(),
            Coder::Arithmetic(model) => model.heap_bytes(),
        };
        size_of_val(&**self)
            + coder
            + self.scratch.heap_bytes()
            + self.cache.iter().map(|b| size_of_val(&b.rows[..])).sum::<usize>()
    }

    fn position(&self) -> Option<usize> {
        None
    }
}

impl Scratch {
    fn new(layout: &Layout, tracks: usize, samples: usize, memory: StateMemory) -> Result<Self, NoMemory> {
        let longest = if layout.is_joined { (3 * tracks * samples).min(JOINED_VALUES) } else { samples };
        let values = longest.next_power_of_two();
        Ok(Self {
            steps: memory.filled([0.0; 3], tracks)?,
            signal: memory.filled(0.0, values)?,
            lifting: memory.filled(0.0, values)?,
            codes: memory.filled(0, values)?,
            above: memory.filled(0, values)?,
            chosen: memory.with_room(tracks)?,
        })
    }

    fn heap_bytes(&self) -> usize {
        let numbers = 3 * self.steps.len() + self.signal.len() + self.lifting.len();
        numbers * size_of::<f64>()
            + (self.codes.len() + self.above.len()) * size_of::<u32>()
            + self.chosen.capacity() * size_of::<usize>()
    }
}

/// Reads one block.
struct BlockReader<'b> {
    layout: &'b Layout,
    tracks: &'b [Track],
    scratch: &'b mut Scratch,
    samples: usize,
    rows: &'b mut [Vec4],
}

impl BlockReader<'_> {
    fn read<R: SymbolReader>(&mut self, from: &mut R) {
        self.read_steps(from);
        self.read_exact(from);
        for channel in Channel::ALL {
            self.read_channel(channel, from);
        }
    }

    fn read_steps<R: SymbolReader>(&mut self, from: &mut R) {
        let mut before = [FIRST_CODE; 3];
        for (track, steps) in self.tracks.iter().zip(&mut self.scratch.steps) {
            let before = &mut before[track.channel as usize];
            let mut next = |code: u8, axis: u8| code.wrapping_add(unzigzag(from.symbol(Context::setting(axis))) as u8);
            *before = next(*before, 0);
            let mut codes = [*before; 3];
            if self.layout.form == Form::Axes && *before != EXACT {
                codes[1] = next(codes[0], 1);
                codes[2] = next(codes[0], 2);
            }
            *steps = codes.map(|code| if *before == EXACT { 0.0 } else { track.step(code) });
        }
    }

    fn read_exact<R: SymbolReader>(&mut self, from: &mut R) {
        for (place, track) in self.tracks.iter().enumerate() {
            if self.scratch.steps[place] != [0.0; 3] {
                continue;
            }
            for sample in 0..self.samples {
                let mut float = || read_float(from);
                let value = match track.channel {
                    Channel::Rotation => unit_or_identity([float(), float(), float(), float()]),
                    _ => Vec4::new(float(), float(), float(), 0.0),
                };
                self.rows[sample * self.tracks.len() + place] = value;
            }
        }
    }

    /// Reads the signals of all quantized tracks of a channel.
    fn read_channel<R: SymbolReader>(&mut self, channel: Channel, from: &mut R) {
        let Scratch { steps, chosen, .. } = &mut *self.scratch;
        let has_signal = |place: &usize| self.tracks[*place].channel == channel && steps[*place] != [0.0; 3];
        chosen.clear();
        chosen.extend((0..self.tracks.len()).filter(has_signal));
        let mut start = 0;
        let mut runs = ZeroRunReader::new(from, self.layout.has_zero_runs);
        for len in self.layout.signal_lengths(3 * self.scratch.chosen.len(), self.samples) {
            let is_first = self.layout.is_joined || (start / self.samples).is_multiple_of(3);
            self.read_signal(len, is_first, &mut runs);
            self.spread(start, len);
            start += len;
        }
        for place in &self.scratch.chosen {
            for row in self.rows.chunks_exact_mut(self.tracks.len()).take(self.samples) {
                let [x, y, z, _] = row[*place].to_array();
                row[*place] = self.tracks[*place].value([x, y, z]);
            }
        }
    }

    /// Reads one signal into `scratch.signal`, in units of its tracks' steps.
    fn read_signal<R: SymbolReader>(&mut self, len: usize, is_first: bool, from: &mut ZeroRunReader<'_, R>) {
        let padded = self.layout.padded(len);
        let Scratch { signal, lifting, codes, above, .. } = &mut *self.scratch;
        core::mem::swap(codes, above);
        let (signal, codes) = (&mut signal[..padded], &mut codes[..padded]);
        let above = if is_first { &[][..] } else { &above[..padded] };
        let whole = self.layout.whole_of(padded);
        for (number, code) in signal[..whole].iter_mut().zip(codes.iter_mut()) {
            (*number, *code) = (f64::from(read_float(from.inner())), 0);
        }
        let scale = core::iter::once((None, whole..1));
        let bands = bands(padded).map(|band| (Some(band), band.start.max(whole)..band.end));
        for (band, numbers) in scale.chain(bands) {
            let mut step = 1.0;
            if self.layout.range == CoefficientRange::Band && !numbers.is_empty() {
                step = band_step(band_extent(from.inner().raw(16) as u16), self.layout.fixed_bits);
            }
            for index in numbers {
                let code = from.symbol(coefficient_context(self.layout.form, band, index, codes, above));
                codes[index] = code;
                signal[index] = f64::from(unzigzag(code)) * step;
            }
        }
        self.layout.wavelet.inverse(self.layout.padding, signal, &mut lifting[..padded]);
    }

    /// Multiplies the values of a signal by their steps and writes them to `rows`. `start` is the index of its first value in the channel.
    fn spread(&mut self, start: usize, len: usize) {
        let (mut run, mut sample) = (start / self.samples, start % self.samples);
        for value in &self.scratch.signal[..len] {
            let place = self.scratch.chosen[run / 3];
            let number = as_number(value * self.scratch.steps[place][run % 3]);
            self.rows[sample * self.tracks.len() + place][run % 3] = number;
            sample += 1;
            if sample == self.samples {
                (run, sample) = (run + 1, 0);
            }
        }
    }
}

/// Converts a value of a signal to float32, clamped to plus or minus 1e18.
#[inline]
pub fn as_number(value: f64) -> f32 {
    value.clamp(-f64::from(LARGEST), f64::from(LARGEST)) as f32
}

/// Reads a float32. Damaged numbers read as zero.
fn read_float(from: &mut impl SymbolReader) -> f32 {
    let value = f32::from_bits(from.raw(32));
    if value.abs() <= LARGEST { value } else { 0.0 }
}

/// The quaternion, or the identity if its length is not one.
fn unit_or_identity(values: [f32; 4]) -> Vec4 {
    let q = Quat::from_array(values);
    if (q.length_squared() - 1.0).abs() < 1e-3 { q.into() } else { Quat::IDENTITY.into() }
}
