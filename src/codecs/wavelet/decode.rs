use crate::codecs::runtime::{
    ArithmeticReader, ByteReaderOf, ClipHeader, Context, EntropyCoder, HuffmanReader, HuffmanTables, Inflater,
    KeyFormat, PlainBytes, RotationFormat, SymbolReader, TrackTable, ZeroRunReader, check_keys, rotation3, unzigzag,
};
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::{Padding, Range3, Transform, Wavelet, nlerp, rotation_exp};
use crate::model::{Channel, Pose, Sampler, TimeGrid};
use glam::{Quat, Vec3, Vec3A, Vec4};

/// Decodes a block of samples at once and reads poses from what it keeps of it.
///
/// On disk, in bits, after the track table:
/// - [`Layout`];
/// - what each rotation track is relative to: see [`RotationMap`];
/// - code tables, for [`EntropyCoder::Huffman`] only;
/// - 5 bits: how many bits a block's length takes; the lengths of all blocks in bytes; zero bits up to a whole byte.
///
/// Then the blocks, of `block_samples` samples each but for the last. A block is one stream of numbers:
/// - the step code of each track (rotations, translations, scales), as the difference to the one before of its channel;
/// - the samples of tracks of step code [`EXACT`] as float32;
/// - the signals: values of one component of a track over the samples of the block, each a signal of its own; or all of a
///   channel one after another (track, component, sample), cut at [`JOINED_VALUES`]. A signal is padded to a power of two,
///   transformed, and written from its scale to its finest band: first those numbers that are kept whole, then quantized
///   ones, with the range of each band before it where ranges are a band's own.
pub struct WaveletSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    layout: Layout,
    tracks: Vec<Track>,
    /// Where each block starts, and where the last ends.
    starts: Vec<usize>,
    reader: Reader<'a>,
    scratch: Scratch,
    /// The block of the time asked for, and the next one where times lie between two.
    cache: [Block; 2],
    /// Blocks decoded so far.
    #[cfg(test)]
    pub decoded: usize,
}

/// How a clip is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    pub wavelet: Wavelet,
    pub padding: Padding,
    /// All tracks of a channel are one signal.
    pub is_joined: bool,
    pub rotation: RotationMap,
    pub range: CoefficientRange,
    /// Bits of each quantized number where they were chosen by hand; `None` where steps were searched.
    pub fixed_bits: Option<u32>,
    /// Numbers at the start of each signal that are float32: 0, or a power of two up to 8.
    pub whole: usize,
    pub has_zero_runs: bool,
    pub entropy: EntropyCoder,
    /// Blocks are kept from one pose to the next.
    pub is_cached: bool,
    pub block_samples: usize,
}

/// How a rotation becomes three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RotationMap {
    /// A component that the track never comes near zero in is left out: two bits a track say which.
    Farthest = 0,
    /// w is left out.
    W = 1,
    /// Half the rotation vector from a rotation in the middle of the track, stored in 62 bits.
    Log = 2,
}

/// Who shares the size of a quantization step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CoefficientRange {
    /// All bands of a track: the step is stored, and no range.
    Track = 0,
    /// Each band has its range, 16 bits; its step is the range divided by a power of two less one.
    Band = 1,
}

/// Values that a joined signal has at most: 64 KB of float32.
pub const JOINED_VALUES: usize = 16_384;
/// Samples that a block has at most.
pub const MAX_BLOCK_SAMPLES: usize = 4096;
/// Tracks times samples that a block has at most: the two blocks of a decoder then take at most 8 MB.
pub const MAX_BLOCK_VALUES: usize = 1 << 18;
/// Code of tracks whose samples are float32.
pub const EXACT: u8 = 0;
/// Steps double every so many codes.
pub const CODES_AN_OCTAVE: i32 = 8;
/// Code of a step of one.
const CODE_OF_ONE: i32 = 26 * CODES_AN_OCTAVE;
/// The code that a channel's first step is stored as the difference to: about a thousandth.
pub const FIRST_CODE: u8 = (CODE_OF_ONE - 10 * CODES_AN_OCTAVE) as u8;
/// Numbers read from float32 are no larger, as in all codecs.
const LARGEST: f32 = 1e18;
const LENGTH_BITS: u32 = 5;

/// Size of a quantization step, metres or parts of a unit quaternion: `2^(code / 8 - 26)`.
pub fn step_of_code(code: u8) -> f64 {
    const EIGHTHS: [f64; 8] = [
        1.0,
        1.090_507_732_665_257_7,
        1.189_207_115_002_721,
        1.296_839_554_651_009_6,
        std::f64::consts::SQRT_2,
        1.542_210_825_407_940_7,
        1.681_792_830_507_429,
        1.834_008_086_409_342_4,
    ];
    let code = i32::from(code) - CODE_OF_ONE;
    let octave = code.div_euclid(CODES_AN_OCTAVE);
    EIGHTHS[code.rem_euclid(CODES_AN_OCTAVE) as usize] * f64::from_bits(((1023 + octave) as u64) << 52)
}

/// Step of a band whose numbers are at most `extent`, in steps of its track: at most one where bits were searched.
pub fn band_step(extent: f64, fixed_bits: Option<u32>) -> f64 {
    let levels = |bits: u32| ((1u64 << (bits - 1)) - 1) as f64;
    let bits = fixed_bits.or_else(|| (2..32).find(|bits| extent <= levels(*bits))).unwrap_or(32);
    extent / levels(bits)
}

/// A range of 16 bits: the upper half of a float32. Damaged ones read as zero.
pub fn band_extent(code: u16) -> f64 {
    let extent = f32::from_bits(u32::from(code) << 16);
    if (0.0..LARGEST).contains(&extent) { f64::from(extent) } else { 0.0 }
}

/// What is known of a coefficient before it is read: the band, counted from the finest, whether it is of a rotation, and
/// how large those are that were read before it beside, above and in the component before.
#[inline]
pub fn coefficient_context(channel: Channel, index: usize, codes: &[u32], above: &[u32]) -> Context {
    const BANDS: u8 = Context::KINDS / 2;
    let bands = codes.len().ilog2();
    let band = if index == 0 { BANDS - 1 } else { ((bands - 1 - index.ilog2()) as u8).min(BANDS - 2) };
    let kind = band + if channel == Channel::Rotation { 0 } else { BANDS };
    let size = |code: u32| u64::from(code).div_ceil(2);
    let at = |back: usize| if index > back { size(codes[index - back]) } else { 0 };
    let coarser = if index > 1 { size(codes[index / 2]) } else { 0 };
    let near = 2 * at(1) + at(2) + coarser + 2 * above.get(index).copied().map_or(0, size);
    Context::value(kind, (u64::BITS - near.leading_zeros()) as u8)
}

impl Layout {
    /// Bits that it takes.
    pub const BITS: u64 = 36;

    /// Appends it.
    pub fn write(&self, out: &mut BitWriter) {
        out.push(self.wavelet as u64, 1);
        out.push(self.padding as u64, 3);
        out.push(u64::from(self.is_joined), 1);
        out.push(self.rotation as u64, 2);
        out.push(self.range as u64, 1);
        out.push(u64::from(self.fixed_bits.unwrap_or(0)), 5);
        out.push(if self.whole == 0 { 0 } else { u64::from(self.whole.ilog2()) + 1 }, 3);
        out.push(u64::from(self.has_zero_runs), 1);
        out.push(self.entropy as u64, 2);
        out.push(u64::from(self.is_cached), 1);
        out.push(self.block_samples as u64, 16);
    }

    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let invalid = |what, found: u64, expected| Err(DecodeError::invalid(what, at, found, expected));
        let wavelet = if input.read("wavelet", 1)? == 0 { Wavelet::Haar } else { Wavelet::D4 };
        let code = input.read("padding", 3)?;
        let Some(padding) = Padding::ALL.get(code as usize).copied() else { return invalid("padding", code, "0 to 4") };
        let is_joined = input.read("joined tracks", 1)? == 1;
        let rotation = match input.read("map of rotations", 2)? {
            0 => RotationMap::Farthest,
            1 => RotationMap::W,
            2 => RotationMap::Log,
            code => return invalid("map of rotations", code, "0 to 2"),
        };
        let range = if input.read("ranges", 1)? == 0 { CoefficientRange::Track } else { CoefficientRange::Band };
        let fixed_bits = match input.read("bits", 5)? {
            0 => None,
            1 => return invalid("bits", 1, "0, or 2 to 31"),
            bits => Some(bits as u32),
        };
        let whole = match input.read("whole numbers", 3)? {
            0 => 0,
            code @ 1..=4 => 1 << (code - 1),
            code => return invalid("whole numbers", code, "0 to 4"),
        };
        let has_zero_runs = input.read("zero runs", 1)? == 1;
        let entropy = EntropyCoder::ALL[input.read("entropy coder", 2)? as usize & 3];
        let is_cached = input.read("cache", 1)? == 1;
        let block_samples = input.read("length of blocks", 16)? as usize;
        if !(1..=MAX_BLOCK_SAMPLES).contains(&block_samples) {
            return invalid("length of blocks", block_samples as u64, "1 to 4096 samples");
        }
        Ok(Self {
            wavelet,
            padding,
            is_joined,
            rotation,
            range,
            fixed_bits,
            whole,
            has_zero_runs,
            entropy,
            is_cached,
            block_samples,
        })
    }

    /// Numbers at the start of a signal of some length that are float32. Where bands have ranges, the scale, which is in no
    /// band, always is.
    pub fn whole_of(&self, len: usize) -> usize {
        self.whole.max(usize::from(self.range == CoefficientRange::Band)).min(len)
    }

    /// Number of blocks of a clip.
    pub fn blocks(&self, samples: usize) -> usize {
        samples.div_ceil(self.block_samples)
    }

    /// Samples of one block.
    pub fn block(&self, block: usize, samples: usize) -> std::ops::Range<usize> {
        let start = block * self.block_samples;
        start..(start + self.block_samples).min(samples)
    }

    /// Values of each signal of a channel, of `runs` components of `samples` values each.
    pub fn signal_lengths(&self, runs: usize, samples: usize) -> impl Iterator<Item = usize> + use<> {
        let length = if self.is_joined { JOINED_VALUES } else { samples };
        let values = runs * samples;
        (0..values).step_by(length.max(1)).map(move |start| (values - start).min(length))
    }
}

/// One animated track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Track {
    pub joint: usize,
    pub channel: Channel,
    pub numbers: Numbers,
}

/// What a track's three numbers mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// A rotation without that component.
    Dropped(u8),
    /// Half the rotation vector that leads from there to a rotation.
    Log(Quat),
    /// A translation or a scale.
    Vector,
}

/// How a log's reference is stored.
pub const REFERENCE: RotationFormat = RotationFormat::Largest62;

impl Track {
    /// What the numbers of a sample mean: a quaternion, or a vector and nothing.
    #[inline]
    pub fn value(&self, numbers: [f32; 3]) -> Vec4 {
        match self.numbers {
            Numbers::Dropped(dropped) => rotation3(dropped, Vec3A::from_array(numbers)).into(),
            Numbers::Log(reference) => (reference * rotation_exp(Vec3::from_array(numbers))).normalize().into(),
            Numbers::Vector => Vec3::from_array(numbers).extend(0.0),
        }
    }
}

impl Track {
    /// Puts numbers into the part of a transform that the track moves.
    pub fn put(&self, numbers: [f32; 3], local: &mut Transform) {
        put_value(self.channel, self.value(numbers), local);
    }
}

#[inline]
fn put_value(channel: Channel, value: Vec4, local: &mut Transform) {
    match channel {
        Channel::Rotation => local.rotation = Quat::from_vec4(value),
        Channel::Translation => local.translation = value.truncate(),
        Channel::Scale => local.scale = value.truncate(),
    }
}

fn read_tracks(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    table: &TrackTable,
    layout: &Layout,
) -> Result<Vec<Track>, DecodeError> {
    let mut tracks = Vec::new();
    for channel in Channel::ALL {
        for joint in table.animated(channel) {
            let numbers = match (channel, layout.rotation) {
                (Channel::Rotation, RotationMap::Farthest) => {
                    Numbers::Dropped(input.read("dropped component", 2)? as u8)
                }
                (Channel::Rotation, RotationMap::W) => Numbers::Dropped(3),
                (Channel::Rotation, RotationMap::Log) => {
                    let at = check_keys(input, bytes, REFERENCE, 1)?;
                    Numbers::Log(KeyFormat::read(REFERENCE, bytes, at, &Range3::UNIT))
                }
                _ => Numbers::Vector,
            };
            tracks.push(Track { joint, channel, numbers });
        }
    }
    Ok(tracks)
}

/// Where blocks start, the first at `first`, and where the last ends, which must be the end of the payload.
fn read_starts(mut input: BitReader<'_>, bytes: &[u8], blocks: usize) -> Result<Vec<usize>, DecodeError> {
    let bits = input.read("size of block lengths", LENGTH_BITS)? as u32;
    let at = input.bit_position();
    if bits == 0 {
        return Err(DecodeError::invalid("size of block lengths", at / 8, 0, "1 bit or more"));
    }
    input.skip("lengths of blocks", blocks.saturating_mul(bits as usize))?;
    let to_byte = input.bit_position().next_multiple_of(8) - input.bit_position();
    if input.read("padding", to_byte as u32)? != 0 {
        return Err(DecodeError::invalid("padding", at / 8, "not zero", "zero bits"));
    }
    let mut start = input.bit_position() / 8;
    let mut starts = Vec::with_capacity(blocks + 1);
    starts.push(start);
    for block in 0..blocks {
        start += bits_at(bytes, at + block * bits as usize, bits) as usize;
        starts.push(start);
    }
    let len = bytes.len();
    if start == len { Ok(starts) } else { Err(DecodeError::invalid("end of the blocks", at / 8, start, len)) }
}

/// Appends what [`read_starts`] reads, up to a whole byte.
pub fn write_lengths(lengths: &[usize], out: &mut BitWriter) {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let bits = (usize::BITS - longest.leading_zeros()).max(1);
    out.push(u64::from(bits), LENGTH_BITS);
    lengths.iter().for_each(|len| out.push(*len as u64, bits));
    out.push(0, (out.bit_len().next_multiple_of(8) - out.bit_len()) as u32);
}

/// The entropy coder of a clip.
enum Reader<'a> {
    None(ByteReaderOf<PlainBytes<'a>>),
    Zlib(Box<ByteReaderOf<Inflater<'a>>>),
    Huffman(HuffmanReader<'a>),
    Arithmetic(ArithmeticReader<'a>),
}

/// Poses of a block, by sample, then by track.
#[derive(Debug, Default)]
struct Block {
    /// Which block of the clip it is.
    index: Option<usize>,
    /// Quaternions, or vectors and nothing.
    rows: Vec<Vec4>,
}

/// What decoding a block needs on its way.
#[derive(Debug, Default)]
struct Scratch {
    /// One a track, zero for tracks that are exact.
    steps: Vec<f64>,
    signal: Vec<f64>,
    lifting: Vec<f64>,
    /// Zigzag codes of the signal, and of the one before if it is of the same track.
    codes: Vec<u32>,
    above: Vec<u32>,
    /// Tracks that are not exact, of the channel at work.
    chosen: Vec<usize>,
}

impl<'a> WaveletSampler<'a> {
    pub fn new(header: &ClipHeader, bytes: &'a [u8], bind: &[Transform]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let layout = Layout::read(&mut input)?;
        let tracks = read_tracks(&mut input, bytes, &table, &layout)?;
        let at = input.bit_position() / 8;
        let samples = header.grid.samples();
        let block_samples = layout.block_samples.min(samples);
        if tracks.len() * block_samples > MAX_BLOCK_VALUES {
            let found = format!("{} tracks of {block_samples} samples", tracks.len());
            return Err(DecodeError::invalid("size of a block", at, found, format!("at most {MAX_BLOCK_VALUES}")));
        }
        let reader = match layout.entropy {
            EntropyCoder::None => Reader::None(ByteReaderOf::new(PlainBytes::default())),
            EntropyCoder::Zlib => Reader::Zlib(Box::new(ByteReaderOf::new(Inflater::new()))),
            EntropyCoder::Huffman => Reader::Huffman(HuffmanReader::new(&HuffmanTables::read(&mut input)?)),
            EntropyCoder::Arithmetic => Reader::Arithmetic(ArithmeticReader::new()),
        };
        let blocks = if tracks.is_empty() { 0 } else { layout.blocks(samples) };
        let starts = read_starts(input, bytes, blocks)?;
        let scratch = Scratch::new(&layout, tracks.len(), block_samples);
        let block = || Block { index: None, rows: vec![Vec4::ZERO; tracks.len() * block_samples] };
        let cache = [block(), block()];
        let (grid, still) = (header.grid, table.still);
        Ok(Self {
            grid,
            bytes,
            still,
            layout,
            tracks,
            starts,
            reader,
            scratch,
            cache,
            #[cfg(test)]
            decoded: 0,
        })
    }

    /// The slot of a block, decoded now unless it is there; `keep` is the slot that must stay as it is.
    fn slot(&mut self, block: usize, keep: Option<usize>) -> usize {
        if let Some(slot) = self.cache.iter().position(|b| b.index == Some(block)) {
            return slot;
        }
        // The earlier of the two is the one that playing forward is done with.
        let earlier = usize::from(self.cache[1].index < self.cache[0].index);
        let slot = keep.map_or(earlier, |keep| 1 - keep);
        self.decode(block, slot);
        slot
    }

    fn decode(&mut self, block: usize, slot: usize) {
        let samples = self.layout.block(block, self.grid.samples()).len();
        let bytes = self.bytes.get(self.starts[block]..self.starts[block + 1]).unwrap_or_default();
        let (layout, tracks, scratch) = (&self.layout, &self.tracks, &mut self.scratch);
        let Block { index, rows } = &mut self.cache[slot];
        *index = Some(block);
        let mut block = BlockReader { layout, tracks, scratch, samples, rows };
        match &mut self.reader {
            Reader::None(reader) => {
                reader.start(bytes);
                block.read(reader);
            }
            Reader::Zlib(reader) => {
                reader.start(bytes);
                block.read(reader.as_mut());
            }
            Reader::Huffman(reader) => {
                reader.start(bytes);
                block.read(reader);
            }
            Reader::Arithmetic(reader) => {
                reader.start(bytes);
                block.read(reader);
            }
        }
        #[cfg(test)]
        {
            self.decoded += 1;
        }
    }

    fn row(&self, slot: usize, sample: usize) -> &[Vec4] {
        let tracks = self.tracks.len();
        &self.cache[slot].rows[sample % self.layout.block_samples * tracks..][..tracks]
    }
}

impl Scratch {
    fn new(layout: &Layout, tracks: usize, samples: usize) -> Self {
        let longest = if layout.is_joined { (3 * tracks * samples).min(JOINED_VALUES) } else { samples };
        let values = longest.next_power_of_two();
        Self {
            steps: vec![0.0; tracks],
            signal: vec![0.0; values],
            lifting: vec![0.0; values],
            codes: vec![0; values],
            above: vec![0; values],
            chosen: Vec::with_capacity(tracks),
        }
    }
}

impl Sampler for WaveletSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        out.joints.copy_from_slice(&self.still);
        if self.tracks.is_empty() {
            return;
        }
        if !self.layout.is_cached {
            self.cache.iter_mut().for_each(|b| b.index = None);
        }
        let (index, alpha) = self.grid.locate(time_secs);
        let a = self.slot(index / self.layout.block_samples, None);
        if alpha == 0.0 {
            for (track, value) in self.tracks.iter().zip(self.row(a, index)) {
                put_value(track.channel, *value, &mut out.joints[track.joint]);
            }
            return;
        }
        let b = self.slot((index + 1) / self.layout.block_samples, Some(a));
        for (track, (a, b)) in self.tracks.iter().zip(self.row(a, index).iter().zip(self.row(b, index + 1))) {
            let value = match track.channel {
                Channel::Rotation => nlerp(Quat::from_vec4(*a), Quat::from_vec4(*b), alpha).into(),
                _ => *a + (*b - *a) * alpha,
            };
            put_value(track.channel, value, &mut out.joints[track.joint]);
        }
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
        for (track, step) in self.tracks.iter().zip(&mut self.scratch.steps) {
            let before = &mut before[track.channel as usize];
            *before = before.wrapping_add(unzigzag(from.symbol(Context::SETTING)) as u8);
            *step = if *before == EXACT { 0.0 } else { step_of_code(*before) };
        }
    }

    fn read_exact<R: SymbolReader>(&mut self, from: &mut R) {
        for (place, track) in self.tracks.iter().enumerate() {
            if self.scratch.steps[place] != 0.0 {
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

    /// All signals of the tracks of a channel that are not exact.
    fn read_channel<R: SymbolReader>(&mut self, channel: Channel, from: &mut R) {
        let Scratch { steps, chosen, .. } = &mut *self.scratch;
        let has_signal = |place: &usize| self.tracks[*place].channel == channel && steps[*place] != 0.0;
        chosen.clear();
        chosen.extend((0..self.tracks.len()).filter(has_signal));
        let mut start = 0;
        let mut runs = ZeroRunReader::new(from, self.layout.has_zero_runs);
        for len in self.layout.signal_lengths(3 * self.scratch.chosen.len(), self.samples) {
            let is_first = self.layout.is_joined || start / self.samples % 3 == 0;
            self.read_signal(channel, len, is_first, &mut runs);
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

    /// Reads one signal into `scratch.signal`, in steps of its tracks.
    fn read_signal<R: SymbolReader>(
        &mut self,
        channel: Channel,
        len: usize,
        is_first: bool,
        from: &mut ZeroRunReader<'_, R>,
    ) {
        let padded = len.next_power_of_two();
        let Scratch { signal, lifting, codes, above, .. } = &mut *self.scratch;
        std::mem::swap(codes, above);
        let (signal, codes) = (&mut signal[..padded], &mut codes[..padded]);
        let above = if is_first { &[][..] } else { &above[..padded] };
        let whole = self.layout.whole_of(padded);
        for (number, code) in signal[..whole].iter_mut().zip(codes.iter_mut()) {
            (*number, *code) = (f64::from(read_float(from.inner())), 0);
        }
        let mut step = 1.0;
        for index in whole..padded {
            if self.layout.range == CoefficientRange::Band && index.is_power_of_two() {
                step = band_step(band_extent(from.inner().raw(16) as u16), self.layout.fixed_bits);
            }
            let code = from.symbol(coefficient_context(channel, index, codes, above));
            codes[index] = code;
            signal[index] = f64::from(unzigzag(code)) * step;
        }
        self.layout.wavelet.inverse(self.layout.padding, signal, &mut lifting[..padded]);
    }

    /// Puts the values of a signal, the first of which is the channel's `start`-th, where they belong.
    fn spread(&mut self, start: usize, len: usize) {
        let (mut run, mut sample) = (start / self.samples, start % self.samples);
        for value in &self.scratch.signal[..len] {
            let place = self.scratch.chosen[run / 3];
            let number = as_number(value * self.scratch.steps[place]);
            self.rows[sample * self.tracks.len() + place][run % 3] = number;
            sample += 1;
            if sample == self.samples {
                (run, sample) = (run + 1, 0);
            }
        }
    }
}

/// A value of a signal as a number of its track.
#[inline]
pub fn as_number(value: f64) -> f32 {
    value.clamp(-f64::from(LARGEST), f64::from(LARGEST)) as f32
}

/// A float32; damaged ones read as zero.
fn read_float(from: &mut impl SymbolReader) -> f32 {
    let value = f32::from_bits(from.raw(32));
    if value.abs() <= LARGEST { value } else { 0.0 }
}

/// A quaternion as it is, or the identity where damage left none.
fn unit_or_identity(values: [f32; 4]) -> Vec4 {
    let q = Quat::from_array(values);
    if (q.length_squared() - 1.0).abs() < 1e-3 { q.into() } else { Quat::IDENTITY.into() }
}
