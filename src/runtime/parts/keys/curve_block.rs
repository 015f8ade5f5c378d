use super::key_lists::{KeyLists, is_ascending};
use super::key_set::{KeySet, check_size};
use crate::format::{BindPose, BitReader, DecodeError, bits_at};
use crate::math::Range3;
use crate::memory::{NoMemory, TryPush, with_room};
use crate::parts::{
    ClipHeader, KeyFormat, KeyReader, KeySearch, KeyTrack, KeyTracks, RotationFormat, StillPose, VectorFormat,
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
    let fields = input.clone();
    input.skip("curves", curves.saturating_mul(3 * CURVE_FIELD_BITS as usize))?;
    let first_bit = input.skip("keys", keys.saturating_mul(KEY_BITS))?;
    input.finish("keys")?;
    let curves = Curves { fields: &fields, curves, joints: bind.len(), bytes, samples: header.grid.samples() };
    check_size(bytes)?;
    let mut times = KeyLists::default();
    let rotations = curves.read(true, (first_bit, keys), &mut times)?;
    let translations = curves.read(false, (first_bit, keys), &mut times)?;
    let rotations = tracks(&rotations, CURVE_ROTATION)?;
    let translations = tracks(&translations, CURVE_POSITION)?;
    let set = KeySet::from_lists(rotations, translations, times)?;
    Ok(KeyTracks::from_set(header.grid, search, StillPose::new(bind), set))
}

/// The fields of all curves, and what they are checked against.
struct Curves<'a> {
    fields: &'a BitReader<'a>,
    curves: usize,
    joints: usize,
    bytes: &'a [u8],
    samples: usize,
}

impl Curves<'_> {
    /// Reads the times of rotations or of positions, and checks the fields of both. Returns the joints of the tracks. The block of `keys` keys
    /// begins at `first_bit`.
    fn read(
        &self,
        rotations: bool,
        (first_bit, keys): (usize, usize),
        times: &mut KeyLists,
    ) -> Result<Vec<usize>, DecodeError> {
        let (mut fields, mut joints, mut first_free, mut next) = (self.fields.clone(), Vec::new(), 0, 0);
        for _ in 0..self.curves {
            let at = fields.bit_position() / 8;
            let mut field = || fields.read("curve", CURVE_FIELD_BITS).map(|value| value as usize);
            let (joint, rotation_keys, position_keys) = (field()?, field()?, field()?);
            if joint < first_free || joint >= self.joints {
                let expected = format_args!("{first_free} to {}", self.joints.saturating_sub(1));
                return Err(DecodeError::invalid("joint of a curve", at, joint, expected));
            }
            first_free = joint + 1;
            for (count, is_rotation) in [(rotation_keys, true), (position_keys, false)] {
                let start = first_bit + next * KEY_BITS;
                if count > keys - next {
                    let expected = "no more than are left in the block";
                    return Err(DecodeError::invalid("keys of a curve", start / 8, count, expected));
                }
                next += count;
                if count > 0 && is_rotation == rotations {
                    let first_value = start + CURVE_TIME_BITS as usize;
                    times.add((first_value, KEY_BITS as u32, count), |times| self.read_times(start, count, times))?;
                    joints.try_push(joint)?;
                }
            }
        }
        if next != keys {
            return Err(DecodeError::invalid("number of keys", 0, keys, format_args!("the curves' {next}")));
        }
        Ok(joints)
    }

    /// Appends the times of the keys from a bit on.
    fn read_times(&self, start: usize, count: usize, times: &mut Vec<u16>) -> Result<(), DecodeError> {
        let first = times.len();
        let time = |key: usize| bits_at(self.bytes, start + key * KEY_BITS, CURVE_TIME_BITS) as u16;
        times.try_extend((0..count).map(time))?;
        if !is_ascending(&times[first..]) || times.last().is_some_and(|t| usize::from(*t) >= self.samples) {
            let expected = format_args!("ascending samples below {}", self.samples);
            return Err(DecodeError::invalid("times of a curve", start / 8, "out of order or too large", expected));
        }
        Ok(())
    }
}

fn tracks<F: KeyFormat>(joints: &[usize], format: F) -> Result<Vec<KeyTrack<F>>, NoMemory> {
    let mut tracks = with_room(joints.len())?;
    tracks.extend(joints.iter().map(|joint| KeyTrack::new(*joint, KeyReader::new(format, Range3::UNIT))));
    Ok(tracks)
}
