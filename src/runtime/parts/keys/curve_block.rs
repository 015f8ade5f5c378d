use crate::format::{BindPose, BitReader, DecodeError, bits_at};
use crate::math::Range3;
use crate::memory::{TryList, TryPush};
use crate::parts::{
    ClipHeader, KeyCoding, KeyFormat, KeySearch, KeyTrack, KeyTracks, RotationFormat, StillPose, VectorFormat,
};
use alloc::vec::Vec;

/// Format of rotations in a block of curves: the harmonic mean map in 3 x 16 bits.
pub const CURVE_ROTATION: RotationFormat = RotationFormat::Harmonic48;
/// Format of positions: 3 x 16 bits over plus or minus 20 m.
pub const CURVE_POSITION: VectorFormat = VectorFormat::Fixed48;
/// Bits of a key's time, which is its sample.
pub const CURVE_TIME_BITS: u32 = 16;
/// Bits of a curve's joint, and of each of its two counts of keys.
pub const CURVE_FIELD_BITS: u32 = 16;
/// Bits of the number of curves, and of the number of keys.
pub const CURVE_COUNT_BITS: u32 = 32;

const KEY_BITS: usize = CURVE_TIME_BITS as usize + 48;

/// Reads and checks the `fa_anim_clip` of Animation Tech Intro 2, up to the end of the bytes.
///
/// On disk: number of curves and number of keys; per curve, its joint (ascending), its number of rotation keys and its number of position
/// keys; then one block of all keys, each a time (16 bits) and a value (3 x 16 bits). A channel without keys stays at the bind pose. A
/// channel with one key is constant. Scale is not stored.
///
/// # Errors
/// See [`DecodeError`].
pub fn read_curve_block(
    header: &ClipHeader,
    mut input: BitReader<'_>,
    bytes: &[u8],
    bind: &BindPose,
    search: KeySearch,
) -> Result<KeyTracks, DecodeError> {
    let curves = input.read("number of curves", CURVE_COUNT_BITS)? as usize;
    let keys = input.read("number of keys", CURVE_COUNT_BITS)? as usize;
    let mut fields = input.clone();
    input.skip("curves", curves.saturating_mul(3 * CURVE_FIELD_BITS as usize))?;
    let first_bit = input.skip("keys", keys.saturating_mul(KEY_BITS))?;
    input.finish("keys")?;
    let mut block = KeyBlock { bytes, samples: header.grid.samples(), first_bit, keys, next: 0 };
    let (mut rotations, mut translations, mut first_free) = (Vec::new(), Vec::new(), 0);
    for _ in 0..curves {
        let at = fields.bit_position() / 8;
        let mut field = || fields.read("curve", CURVE_FIELD_BITS).map(|value| value as usize);
        let (joint, rotation_keys, position_keys) = (field()?, field()?, field()?);
        if joint < first_free || joint >= bind.len() {
            let expected = format_args!("{first_free} to {}", bind.len().saturating_sub(1));
            return Err(DecodeError::invalid("joint of a curve", at, joint, expected));
        }
        first_free = joint + 1;
        rotations.try_extend(block.take(joint, CURVE_ROTATION, rotation_keys)?)?;
        translations.try_extend(block.take(joint, CURVE_POSITION, position_keys)?)?;
    }
    if block.next != keys {
        return Err(DecodeError::invalid("number of keys", 0, keys, format_args!("the curves' {}", block.next)));
    }
    Ok(KeyTracks::from_tracks(header.grid, search, StillPose::new(bind), rotations, translations))
}

/// Takes keys from the front of the block.
struct KeyBlock<'a> {
    bytes: &'a [u8],
    samples: usize,
    first_bit: usize,
    keys: usize,
    next: usize,
}

impl KeyBlock<'_> {
    /// The next `count` keys as a track; `None` for no keys.
    fn take<F: KeyFormat>(
        &mut self,
        joint: usize,
        format: F,
        count: usize,
    ) -> Result<Option<KeyTrack<F>>, DecodeError> {
        let start = self.first_bit + self.next * KEY_BITS;
        if count > self.keys - self.next {
            return Err(DecodeError::invalid(
                "keys of a curve",
                start / 8,
                count,
                "no more than are left in the block",
            ));
        }
        self.next += count;
        if count == 0 {
            return Ok(None);
        }
        let time = |key: usize| bits_at(self.bytes, start + key * KEY_BITS, CURVE_TIME_BITS) as u16;
        let times = (0..count).map(time).try_list()?;
        let is_ascending = times.windows(2).all(|w| w[0] < w[1]);
        if !is_ascending || times.last().is_some_and(|t| usize::from(*t) >= self.samples) {
            let expected = format_args!("ascending samples below {}", self.samples);
            return Err(DecodeError::invalid("times of a curve", start / 8, "out of order or too large", expected));
        }
        let first_value = start + CURVE_TIME_BITS as usize;
        Ok(Some(KeyTrack::from_parts(joint, KeyCoding::Format(format, Range3::UNIT), times, (first_value, KEY_BITS))))
    }
}
