//! Settings of a wavelet clip, and the meaning of its numbers.

use crate::Channel;
use crate::format::{BitReader, DecodeError};
use crate::math::{
    Band, LANES, Padding, Range3, STEP_CODE_OF_ONE, STEP_CODES_AN_OCTAVE, Transform, Wavelet, product, quat_mul,
    rodrigues_unmap, rotation_exp, step_of_code, unit,
};
use crate::memory::TryPush;
use crate::parts::{
    ARITHMETIC_TRAINED, ArithmeticStart, Context, EntropyCoder, KeyFormat, LATTICE_EXACT, LATTICE_REFERENCE,
    RotationFormat, StoredTracks, check_keys, rotation3, rotations,
};
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec3A, Vec4};

/// Settings of a clip.
///
/// On disk: wavelet (1 bit), padding (3), joined (1), map of rotations (2), ranges (1), fixed bits or 0 (5), float32 numbers (3: 0 for
/// none, else one more than the binary logarithm), zero runs (1), entropy coder (2), cached (1), samples per block (16). In
/// [`Form::Axes`], [`ESCAPE`] replaces the map of rotations; the map (2 bits) and the upper bit of the wavelet follow it; the entropy
/// coder has 3 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The wavelet of every signal.
    pub wavelet: Wavelet,
    /// Continuation of signals beyond their ends.
    pub padding: Padding,
    /// True if all tracks of a channel are one signal.
    pub is_joined: bool,
    /// Steps per track or per component.
    pub form: Form,
    /// Map from rotations to numbers.
    pub rotation: RotationMap,
    /// The bands that share a step.
    pub range: CoefficientRange,
    /// Bits per quantized number, if they are set in the recipe; `None` if the encoder searched for steps.
    pub fixed_bits: Option<u32>,
    /// Number of float32 numbers at the start of each signal: 0, or a power of two up to 8.
    pub whole: usize,
    /// True if a run of zeros is stored as one zero and the number of further zeros.
    pub has_zero_runs: bool,
    /// Entropy code of the numbers.
    pub entropy: EntropyCoder,
    /// True if decoded blocks are kept from one pose to the next.
    pub is_cached: bool,
    /// Samples per block, at most [`MAX_BLOCK_SAMPLES`]. The last block may have fewer.
    pub block_samples: usize,
}

/// The granularity of steps, and the first probabilities of arithmetic coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One step per track. Probabilities begin even.
    Track,
    /// One step per component of a track. Probabilities begin trained on clips of many kinds.
    Axes,
}

/// Two bits in place of the map of rotations: they mark [`Form::Axes`].
pub const ESCAPE: u64 = 3;

/// The map from a rotation to three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RotationMap {
    /// A component that stays away from zero on the whole track is dropped: two bits per track store its index.
    Farthest = 0,
    /// w is dropped.
    W = 1,
    /// Half the rotation vector, relative to a reference in the middle of the track (62 bits).
    Log = 2,
    /// Modified Rodrigues parameters, relative to a reference in the middle of the track (32 bits); only with [`Form::Axes`].
    Rodrigues = 3,
}

/// The bands that share a quantization step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CoefficientRange {
    /// All bands of a track. No ranges are stored.
    Track = 0,
    /// None: each band has a range (16 bits), and its step is the range divided by a power of two less one.
    Band = 1,
}

/// Most values of a joined signal: 64 KB of float32.
pub const JOINED_VALUES: usize = 16_384;
/// Most samples of a block.
pub const MAX_BLOCK_SAMPLES: usize = 4096;
/// Most tracks times samples of a block: the two blocks of a cursor then take at most 8 MB.
pub const MAX_BLOCK_VALUES: usize = 1 << 18;
/// Step code of tracks whose samples are float32.
pub const EXACT: u8 = LATTICE_EXACT;
/// The step code before a channel's first track: about a thousandth.
pub const FIRST_CODE: u8 = (STEP_CODE_OF_ONE - 10 * STEP_CODES_AN_OCTAVE) as u8;
/// Largest number, as in all codecs.
pub const LARGEST: f32 = 1e18;

/// Step of a band whose numbers are at most `extent`, in units of the track's step. Without `fixed_bits` it is at most one.
pub fn band_step(extent: f64, fixed_bits: Option<u32>) -> f64 {
    let levels = |bits: u32| ((1u64 << (bits - 1)) - 1) as f64;
    let bits = fixed_bits.or_else(|| (2..32).find(|bits| extent <= levels(*bits))).unwrap_or(32);
    extent / levels(bits)
}

/// Decodes the range of a band: the upper half of a float32. Damaged ranges read as zero.
pub fn band_extent(code: u16) -> f64 {
    let extent = f32::from_bits(u32::from(code) << 16);
    if (0.0..LARGEST).contains(&extent) { f64::from(extent) } else { 0.0 }
}

/// Context of a coefficient: its band, counted from the finest, and the size of coefficients that were read earlier. These are its
/// neighbours, the one in the coarser band, and the one in the component before. Rotations and vectors share contexts, because a step of
/// either causes about the same error.
///
/// `band` is `None` for the scale, which is its own kind.
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

/// Half octave of a size: 0, 1, 2, 3, 4, 6, 8, 12, ... as 0, 1, 2, ...
#[inline]
fn half_octave(near: u64) -> u8 {
    match near.checked_ilog2() {
        None => 0,
        Some(0) => 1,
        Some(octave) => (2 * octave + (near >> (octave - 1) & 1) as u32) as u8,
    }
}

impl RotationMap {
    /// All maps, ordered by code.
    pub const ALL: [Self; 4] = [Self::Farthest, Self::W, Self::Log, Self::Rodrigues];
}

impl Form {
    /// First probabilities of arithmetic coding.
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

/// Reads the code of one of five items.
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
    /// Size on disk, bits.
    pub fn bits(&self) -> u64 {
        36 + if self.form == Form::Axes { 4 } else { 0 }
    }

    /// Reads the layout of a clip.
    ///
    /// # Errors
    /// [`DecodeError`] if it is cut short or a code is unknown.
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

    /// Number of float32 numbers at the start of a signal of `len` numbers. With [`CoefficientRange::Band`], the scale is always float32,
    /// because it belongs to no band.
    pub fn whole_of(&self, len: usize) -> usize {
        self.whole.max(usize::from(self.range == CoefficientRange::Band)).min(len)
    }

    /// Length of a signal of `len` values after padding: the next power of two. It stays `len` if the wavelet takes any length, bands have
    /// no ranges and no number is float32.
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

    /// Lengths of the signals of a channel with `runs` components of `samples` values each.
    pub fn signal_lengths(&self, runs: usize, samples: usize) -> impl Iterator<Item = usize> + use<> {
        let length = if self.is_joined { JOINED_VALUES } else { samples };
        let values = runs * samples;
        (0..values).step_by(length.max(1)).map(move |start| (values - start).min(length))
    }
}

/// One animated track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Track {
    /// Its joint.
    pub joint: usize,
    /// Channel of the joint.
    pub channel: Channel,
    /// Meaning of its three numbers.
    pub numbers: Numbers,
}

/// The meaning of a track's three numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers {
    /// A rotation without the component of that index.
    Dropped(u8),
    /// Half the rotation vector of a rotation relative to the reference.
    Log(Quat),
    /// Modified Rodrigues parameters of a rotation relative to the reference.
    Rodrigues(Quat),
    /// A translation or a scale.
    Vector,
}

/// Format of the reference of [`Numbers::Log`].
pub const REFERENCE: RotationFormat = RotationFormat::Largest62;

impl Track {
    /// Step size of a code. For [`Numbers::Rodrigues`], the code's step is in radians; the parameters are a quarter of it.
    #[inline]
    pub fn step(&self, code: u8) -> f64 {
        match self.numbers {
            Numbers::Rodrigues(_) => 0.25 * step_of_code(code),
            _ => step_of_code(code),
        }
    }

    /// The value of a sample's numbers: a quaternion, or a vector and zero.
    #[inline]
    pub fn value(&self, numbers: [f32; 3]) -> Vec4 {
        match self.numbers {
            Numbers::Dropped(dropped) => rotation3(dropped, Vec3A::from_array(numbers)).into(),
            Numbers::Log(reference) => unit(product(reference, rotation_exp(Vec3::from_array(numbers)))).into(),
            Numbers::Rodrigues(reference) => quat_mul(reference.to_array(), rodrigues_unmap(numbers)).into(),
            Numbers::Vector => Vec3::from_array(numbers).extend(0.0),
        }
    }
}

impl Track {
    /// Sets the track's channel of a transform from the track's numbers.
    pub fn put(&self, numbers: [f32; 3], local: &mut Transform) {
        put_value(self.channel, self.value(numbers), local);
    }

    /// The same for many samples, one number per component and sample.
    pub fn put_all(&self, numbers: &[Vec<f32>; 3], locals: &mut [Transform]) {
        let ([x, y, z], mut done) = (numbers, 0);
        if let Numbers::Rodrigues(reference) = self.numbers {
            let reference = reference.to_array().map(Vec4::splat);
            let fours = x.as_chunks().0.iter().zip(y.as_chunks().0).zip(z.as_chunks().0);
            for (((x, y), z), locals) in fours.zip(locals.as_chunks_mut::<LANES>().0) {
                let turn = rodrigues_unmap([x, y, z].map(|four: &[f32; LANES]| Vec4::from_array(*four)));
                let values = rotations(quat_mul(reference, turn));
                locals.iter_mut().zip(values).for_each(|(local, q)| put_value(self.channel, q.into(), local));
                done += LANES;
            }
        }
        for (sample, local) in locals.iter_mut().enumerate().skip(done) {
            self.put([x[sample], y[sample], z[sample]], local);
        }
    }
}

/// Sets a channel of a transform from a value.
#[inline]
pub fn put_value(channel: Channel, value: Vec4, local: &mut Transform) {
    match channel {
        Channel::Rotation => local.rotation = Quat::from_vec4(value),
        Channel::Translation => local.translation = value.truncate(),
        Channel::Scale => local.scale = value.truncate(),
    }
}

/// Reads the references or dropped components of all animated tracks.
pub fn read_tracks(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    table: &StoredTracks,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_samples_are_put_as_single_ones_are() {
        let reference = Quat::from_xyzw(0.1, -0.7, 0.2, 0.6).normalize();
        for (channel, numbers) in
            [(Channel::Rotation, Numbers::Rodrigues(reference)), (Channel::Translation, Numbers::Vector)]
        {
            let track = Track { joint: 0, channel, numbers };
            let numbers: [Vec<f32>; 3] =
                [0.1f32, -0.2, 0.3].map(|x| (0..11u8).map(|n| x * f32::from(n) - 0.2).collect());
            let mut all = [Transform::IDENTITY; 11];
            track.put_all(&numbers, &mut all);
            for (sample, found) in all.into_iter().enumerate() {
                let mut single = Transform::IDENTITY;
                track.put([0, 1, 2].map(|i| numbers[i][sample]), &mut single);
                assert_eq!(found.numbers().map(f32::to_bits), single.numbers().map(f32::to_bits));
            }
        }
    }
}
