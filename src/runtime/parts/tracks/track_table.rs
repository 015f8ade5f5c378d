use super::still_pose::StillPose;
use crate::Channel;
use crate::format::{BindPose, BitReader, DecodeError};
use crate::math::{Range3, Transform};
use crate::memory::with_room;
use crate::parts::formats::rotation_format::RotationFormat;
use crate::parts::formats::vector_format::VectorFormat;
use crate::parts::keys::key::{KeyFormat, check_key};
use alloc::vec::Vec;

/// Kind of a track: two bits on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TrackKind {
    /// Stays at the rig's bind pose: nothing is stored.
    Bind = 0,
    /// Keeps one value, stored once.
    Constant = 1,
    /// Changes over time.
    Animated = 2,
}

/// The kind of every track (bind pose, constant or animated), with the values of constant tracks.
///
/// On disk: two bits per channel (joint by joint; rotation, translation, scale), the code of the constant rotations'
/// format in 4 bits, then the constants in the same order: rotations in that format, vectors as three float32.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackTable<S = Vec<Transform>> {
    /// One per joint and channel.
    pub kinds: Vec<[TrackKind; 3]>,
    /// The pose of all tracks that do not move. Animated channels are at bind pose here.
    pub still: S,
    /// Format of constant rotations.
    pub constant_format: RotationFormat,
}

/// A table as decoders read it.
pub type StoredTracks = TrackTable<StillPose>;

/// Bits of a format's code.
pub const FORMAT_BITS: u32 = 4;

impl TrackTable {
    /// Bits of a track's kind.
    pub const KIND_BITS: u32 = 2;
}

impl<S> TrackTable<S> {
    /// Bits before the constants.
    pub fn head_bits(&self) -> u64 {
        3 * self.kinds.len() as u64 * u64::from(TrackTable::KIND_BITS) + u64::from(FORMAT_BITS)
    }

    /// Joints whose channel is animated, in order.
    pub fn animated(&self, channel: Channel) -> impl Iterator<Item = usize> + '_ {
        (0..self.kinds.len()).filter(move |&j| self.kinds[j][channel as usize] == TrackKind::Animated)
    }
}

impl StoredTracks {
    /// Reads the table of a rig with that bind pose; see [`TrackTable`] for its layout on disk.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut kinds = with_room(bind.len())?;
        for _ in bind.iter() {
            kinds.push([read_kind(input)?, read_kind(input)?, read_kind(input)?]);
        }
        let constant_format = read_format(input)?;
        let constant = |kinds: &[TrackKind; 3]| {
            let kinds = *kinds;
            Channel::ALL.into_iter().filter(move |channel| kinds[*channel as usize] == TrackKind::Constant)
        };
        let mut still = StillPose::with_room(bind, kinds.iter().flat_map(constant))?;
        for (joint, kinds) in kinds.iter().enumerate() {
            for channel in constant(kinds) {
                let mut local = Transform::IDENTITY;
                read_constant(input, bytes, constant_format, channel, &mut local)?;
                still.add(joint, channel, &local)?;
            }
        }
        Ok(Self { kinds, still, constant_format })
    }
}

fn read_kind(input: &mut BitReader<'_>) -> Result<TrackKind, DecodeError> {
    let at = input.bit_position() / 8;
    match input.read("kind of a track", TrackTable::KIND_BITS)? {
        0 => Ok(TrackKind::Bind),
        1 => Ok(TrackKind::Constant),
        2 => Ok(TrackKind::Animated),
        kind => Err(DecodeError::invalid("kind of a track", at, kind, "0 to 2")),
    }
}

/// Reads a format's code in 4 bits.
///
/// # Errors
/// [`DecodeError::Invalid`] for an unknown code.
pub fn read_format<F: KeyFormat>(input: &mut BitReader<'_>) -> Result<F, DecodeError> {
    let at = input.bit_position() / 8;
    let code = input.read("format of keys", FORMAT_BITS)? as u8;
    F::from_code(code).ok_or_else(|| DecodeError::invalid("format of keys", at, code, "a format's code"))
}

fn read_constant(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    rotation_format: RotationFormat,
    channel: Channel,
    still: &mut Transform,
) -> Result<(), DecodeError> {
    match channel {
        Channel::Rotation => still.rotation = read_checked(input, bytes, rotation_format)?,
        Channel::Translation => still.translation = read_checked(input, bytes, VectorFormat::Float96)?,
        Channel::Scale => still.scale = read_checked(input, bytes, VectorFormat::Float96)?,
    }
    Ok(())
}

fn read_checked<F: KeyFormat>(input: &mut BitReader<'_>, bytes: &[u8], format: F) -> Result<F::Key, DecodeError> {
    let at = input.skip("constant track", format.bits() as usize)?;
    check_key(bytes, at, format)?;
    Ok(format.read(bytes, at, &Range3::UNIT))
}
