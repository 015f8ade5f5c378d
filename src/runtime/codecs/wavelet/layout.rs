//! How a clip is stored, and what its numbers mean.

use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::math::{
    Band, Padding, Range3, STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, Transform, Wavelet, quat_mul, rodrigues_unmap,
    rotation_exp, step_of_code,
};
use crate::memory::TryPush;
use crate::parts::{
    ARITHMETIC_TRAINED, ArithmeticStart, Context, EntropyCoder, KeyFormat, LATTICE_EXACT, LATTICE_REFERENCE,
    RotationFormat, TrackTable, check_keys, rotation3,
};
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec3A, Vec4};

/// How a clip is stored.
///
/// On disk, in the order of the fields: wavelet (1 bit), padding (3), joined (1), map of rotations (2), ranges (1), fixed
/// bits or 0 (5), 0 or one more than the logarithm of the whole numbers (3), zero runs (1), entropy coder (2), cached (1),
/// samples of a block (16). Of [`Form::Axes`] the map of rotations is [`ESCAPE`] and comes after it, in 2 bits, then the
/// upper bit of the wavelet, and the entropy coder has 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The wavelet of every signal.
    pub wavelet: Wavelet,
    /// What signals are taken to be beyond their ends.
    pub padding: Padding,
    /// All tracks of a channel are one signal.
    pub is_joined: bool,
    /// Who has a step.
    pub form: Form,
    /// How rotations become numbers.
    pub rotation: RotationMap,
    /// Who shares a step.
    pub range: CoefficientRange,
    /// Bits of each quantized number where they were chosen by hand; `None` where steps were searched.
    pub fixed_bits: Option<u32>,
    /// Numbers at the start of each signal that are float32: 0, or a power of two up to 8.
    pub whole: usize,
    /// A run of zeros is one zero and how many follow it.
    pub has_zero_runs: bool,
    /// How numbers become bits.
    pub entropy: EntropyCoder,
    /// Blocks are kept from one pose to the next.
    pub is_cached: bool,
    /// Samples of each block but the last, at most [`MAX_BLOCK_SAMPLES`].
    pub block_samples: usize,
}

/// Who has a step, and where chances begin: the parameters say which, by the map of rotations, wavelet and entropy coder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A step a track; chances that begin even.
    Track,
    /// A step for each component of a track; chances that begin where they were on clips of many kinds.
    Axes,
}

/// Two bits in place of the map of rotations: they say [`Form::Axes`].
pub const ESCAPE: u64 = 3;

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
    /// Modified Rodrigues parameters from a rotation in the middle of the track, stored in 32 bits; only with [`Form::Axes`].
    Rodrigues = 3,
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
pub const EXACT: u8 = LATTICE_EXACT;
/// The code that a channel's first step is stored as the difference to: about a thousandth.
pub const FIRST_CODE: u8 = (STEP_CODE_OF_ONE - 10 * STEP_CODES_AN_OCTAVE) as u8;
/// Numbers read from float32 are no larger, as in all codecs.
pub const LARGEST: f32 = 1e18;

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

/// What is known of a coefficient before it is read: its band, counted from the finest, the scale apart; and how large
/// those are that were read before it: beside it, in the coarser band, and in the component before. Rotations and vectors
/// are alike, since both are in steps that cause about the same error.
///
/// `band`: `None` for the scale.
#[inline]
pub fn coefficient_context(form: Form, band: Option<Band>, index: usize, codes: &[u32], above: &[u32]) -> Context {
    const SCALE: u8 = Context::KINDS - 1;
    let kind = band.map_or(SCALE, |band| (band.level as u8).min(SCALE - 1));
    let size = |code: u32| u64::from(code).div_ceil(2);
    let at = |back: usize| if index > back { size(codes[index - back]) } else { 0 };
    let coarser = |band: Band| size(codes[(band.coarser + (index - band.start) / 2).min(band.start - 1)]);
    let coarser = band.filter(|band| band.coarser > 0).map_or(0, coarser);
    let near = 2 * at(1) + at(2) + coarser + 2 * above.get(index).copied().map_or(0, size);
    let octave = u64::BITS - near.leading_zeros();
    Context::value(
        kind,
        match form {
            Form::Track => 2 * octave.min(7) as u8,
            Form::Axes => half_octave(near),
        },
    )
}

/// 0, 1, 2, 3, 4, 6, 8, 12, ... as 0, 1, 2, ...
#[inline]
fn half_octave(near: u64) -> u8 {
    match near.checked_ilog2() {
        None => 0,
        Some(0) => 1,
        Some(octave) => (2 * octave + (near >> (octave - 1) & 1) as u32) as u8,
    }
}

impl RotationMap {
    /// In the order of their codes.
    pub const ALL: [Self; 4] = [Self::Farthest, Self::W, Self::Log, Self::Rodrigues];
}

impl Form {
    /// Where chances of arithmetic coding begin.
    pub fn start(self) -> &'static ArithmeticStart {
        match self {
            Self::Track => &ArithmeticStart::EVEN,
            Self::Axes => &ARITHMETIC_TRAINED,
        }
    }

    /// Bits of the code of an entropy coder.
    pub fn entropy_bits(self) -> u32 {
        match self {
            Self::Track => 2,
            Self::Axes => 3,
        }
    }
}

/// The one of five that a code means.
fn one_of<T: Copy>(
    all: &[T; 5],
    input: &mut BitReader<'_>,
    at: usize,
    (what, bits): (&'static str, u32),
) -> Result<T, DecodeError> {
    let code = input.read(what, bits)?;
    all.get(code as usize).copied().ok_or_else(|| DecodeError::invalid(what, at, code, "0 to 4"))
}

fn read_fixed_bits(input: &mut BitReader<'_>, at: usize) -> Result<Option<u32>, DecodeError> {
    match input.read("bits", 5)? {
        0 => Ok(None),
        1 => Err(DecodeError::invalid("bits", at, 1, "0, or 2 to 31")),
        bits => Ok(Some(bits as u32)),
    }
}

fn read_whole(input: &mut BitReader<'_>, at: usize) -> Result<usize, DecodeError> {
    match input.read("whole numbers", 3)? {
        0 => Ok(0),
        code @ 1..=4 => Ok(1 << (code - 1)),
        code => Err(DecodeError::invalid("whole numbers", at, code, "0 to 4")),
    }
}

fn read_block_samples(input: &mut BitReader<'_>, at: usize) -> Result<usize, DecodeError> {
    let samples = input.read("length of blocks", 16)? as usize;
    if !(1..=MAX_BLOCK_SAMPLES).contains(&samples) {
        return Err(DecodeError::invalid("length of blocks", at, samples, "1 to 4096 samples"));
    }
    Ok(samples)
}

impl Layout {
    /// Bits that it takes.
    pub fn bits(&self) -> u64 {
        36 + if self.form == Form::Axes { 4 } else { 0 }
    }

    /// Reads the layout of a clip.
    ///
    /// # Errors
    /// [`DecodeError`], where it is cut short or a code means nothing.
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let at = input.bit_position() / 8;
        let mut wavelet = input.read("wavelet", 1)?;
        let padding = one_of(&Padding::ALL, input, at, ("padding", 3))?;
        let is_joined = input.read("joined tracks", 1)? == 1;
        let mut map = input.read("map of rotations", 2)?;
        let form = if map == ESCAPE { Form::Axes } else { Form::Track };
        if form == Form::Axes {
            map = input.read("map of rotations", 2)?;
            wavelet |= input.read("wavelet", 1)? << 1;
        }
        let range = if input.read("ranges", 1)? == 0 { CoefficientRange::Track } else { CoefficientRange::Band };
        Ok(Self {
            wavelet: Wavelet::ALL[wavelet as usize & 3],
            padding,
            is_joined,
            form,
            rotation: RotationMap::ALL[map as usize & 3],
            range,
            fixed_bits: read_fixed_bits(input, at)?,
            whole: read_whole(input, at)?,
            has_zero_runs: input.read("zero runs", 1)? == 1,
            entropy: one_of(&EntropyCoder::ALL, input, at, ("entropy coder", form.entropy_bits()))?,
            is_cached: input.read("cache", 1)? == 1,
            block_samples: read_block_samples(input, at)?,
        })
    }

    /// Numbers at the start of a signal of some length that are float32. Where bands have ranges, the scale, which is in no
    /// band, always is.
    pub fn whole_of(&self, len: usize) -> usize {
        self.whole.max(usize::from(self.range == CoefficientRange::Band)).min(len)
    }

    /// Length of a signal of so many values when it is transformed: a power of two, but for wavelets that take any length, where no
    /// number and no band is apart.
    pub fn padded(&self, len: usize) -> usize {
        let is_whole = self.wavelet.takes_any_length() && self.range == CoefficientRange::Track && self.whole == 0;
        if is_whole { len } else { len.next_power_of_two() }
    }

    /// Number of blocks of a clip.
    pub fn blocks(&self, samples: usize) -> usize {
        samples.div_ceil(self.block_samples)
    }

    /// Samples of one block.
    pub fn block(&self, block: usize, samples: usize) -> core::ops::Range<usize> {
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
    /// Joint that it moves.
    pub joint: usize,
    /// What of the joint it moves.
    pub channel: Channel,
    /// What its three numbers mean.
    pub numbers: Numbers,
}

/// What a track's three numbers mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// A rotation without that component.
    Dropped(u8),
    /// Half the rotation vector that leads from there to a rotation.
    Log(Quat),
    /// Modified Rodrigues parameters of what leads from there to a rotation.
    Rodrigues(Quat),
    /// A translation or a scale.
    Vector,
}

/// How a log's reference is stored.
pub const REFERENCE: RotationFormat = RotationFormat::Largest62;

impl Track {
    /// Size of the steps of a code: those of [`Numbers::Rodrigues`] are radians.
    #[inline]
    pub fn step(&self, code: u8) -> f64 {
        match self.numbers {
            Numbers::Rodrigues(_) => 0.25 * step_of_code(code),
            _ => step_of_code(code),
        }
    }

    /// What the numbers of a sample mean: a quaternion, or a vector and nothing.
    #[inline]
    pub fn value(&self, numbers: [f32; 3]) -> Vec4 {
        match self.numbers {
            Numbers::Dropped(dropped) => rotation3(dropped, Vec3A::from_array(numbers)).into(),
            Numbers::Log(reference) => (reference * rotation_exp(Vec3::from_array(numbers))).normalize().into(),
            Numbers::Rodrigues(reference) => quat_mul(reference.to_array(), rodrigues_unmap(numbers)).into(),
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

/// Puts a value into the part of a transform that a channel is.
#[inline]
pub fn put_value(channel: Channel, value: Vec4, local: &mut Transform) {
    match channel {
        Channel::Rotation => local.rotation = Quat::from_vec4(value),
        Channel::Translation => local.translation = value.truncate(),
        Channel::Scale => local.scale = value.truncate(),
    }
}

/// Reads what each animated track is relative to.
pub fn read_tracks(
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
                (Channel::Rotation, RotationMap::Rodrigues) => {
                    let at = check_keys(input, bytes, LATTICE_REFERENCE, 1)?;
                    Numbers::Rodrigues(KeyFormat::read(LATTICE_REFERENCE, bytes, at, &Range3::UNIT))
                }
                _ => Numbers::Vector,
            };
            tracks.try_push(Track { joint, channel, numbers })?;
        }
    }
    Ok(tracks)
}
