//! Corrections that are stored with a clip and applied to what its codec decodes.

use crate::format::{BitReader, DecodeError};
use crate::math::Transform;
use crate::parts::{ClipHeader, CorrectionTrack, LimbScratch, Limbs, PoseSlice};
use crate::{Channel, List, StateMemory};
use alloc::vec::Vec;

/// What was stored with a clip to bring it nearer to the original, and is applied to every decoded pose.
///
/// On disk, at the end of a clip's bytes: two bits that say which; then for
/// - in place (1): nothing, the codec's own tracks hold the corrections;
/// - additive (2): u16 track count; for each track 14 bits joint, one bit channel (rotation, translation), its numbers;
/// - inverse kinematics (3): the limbs, then for each the object-space vector from where its end is to where it ought to be.
#[derive(Debug)]
pub enum Correction {
    /// Nothing is applied: the codec's own tracks hold the corrections.
    InPlace,
    /// What is added to some tracks.
    Additive(Vec<AdditiveTrack>),
    /// Limbs whose ends are moved.
    Ik {
        /// Which limbs, with the joints above them.
        limbs: Limbs,
        /// One a limb: from where its end is to where it ought to be, metres in object space.
        offsets: Vec<CorrectionTrack>,
    },
}

/// A rotation that a joint's local rotation is followed by, or a vector that is added to its local translation.
#[derive(Debug)]
pub struct AdditiveTrack {
    /// Joint that it moves.
    pub joint: usize,
    /// Rotation or translation.
    pub channel: Channel,
    /// One a sample: x, y and z of a rotation whose w is left out, or metres.
    pub track: CorrectionTrack,
}

impl Correction {
    /// Bits of the number that says which.
    pub const KIND_BITS: u32 = 2;
    /// Bits of a track's joint and channel.
    pub const JOINT_BITS: u32 = 14;
    /// See [`Correction`].
    pub const COUNT_BITS: u32 = 16;

    /// Number on disk of [`Correction::InPlace`].
    pub const IN_PLACE: u64 = 1;
    /// Number on disk of [`Correction::Additive`].
    pub const ADDITIVE: u64 = 2;
    /// Number on disk of [`Correction::Ik`].
    pub const IK: u64 = 3;

    /// Reads and checks all of it.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let correction = match input.read("kind of compensation", Self::KIND_BITS)? {
            Self::IN_PLACE => Self::InPlace,
            Self::ADDITIVE => Self::read_additive(&mut input, header, bytes)?,
            Self::IK => Self::read_ik(&mut input, header, bytes)?,
            kind => return Err(DecodeError::invalid("kind of compensation", 0, kind, "1 to 3")),
        };
        input.finish("compensation")?;
        Ok(correction)
    }

    fn read_additive(input: &mut BitReader<'_>, header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut tracks: Vec<AdditiveTrack> = Vec::new();
        for _ in 0..input.read("count of additive tracks", Self::COUNT_BITS)? {
            let at = input.bit_position() / 8;
            let joint = input.read("joint of an additive track", Self::JOINT_BITS)? as usize;
            let channel =
                [Channel::Rotation, Channel::Translation][input.read("channel of an additive track", 1)? as usize];
            if joint >= header.joints
                || tracks.last().is_some_and(|last| (last.joint, last.channel) >= (joint, channel))
            {
                return Err(DecodeError::invalid("joint of an additive track", at, joint, "ordered joints of the rig"));
            }
            let track = CorrectionTrack::read(input, bytes, channel, header.grid.samples())?;
            tracks.push(AdditiveTrack { joint, channel, track });
        }
        Ok(Self::Additive(tracks))
    }

    fn read_ik(input: &mut BitReader<'_>, header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        let limbs = Limbs::read(input, header.joints)?;
        let read = |_| CorrectionTrack::read(input, bytes, Channel::Translation, header.grid.samples());
        let offsets = (0..limbs.len()).map(read).collect::<Result<_, _>>()?;
        Ok(Self::Ik { limbs, offsets })
    }
}

/// Room that applying a [`Correction`] needs.
#[derive(Debug, Clone)]
pub enum CorrectionCursor {
    /// None.
    Nothing,
    /// For limbs that are solved.
    Limbs {
        /// For the limbs.
        scratch: LimbScratch,
        /// A pose of which only the joints of limbs are set.
        pose: List<Transform>,
    },
}

impl CorrectionCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Limbs { scratch, pose } => scratch.heap_bytes() + size_of_val(&pose[..]),
        }
    }
}

impl Correction {
    /// Room for applying it to poses of a rig of that many joints.
    pub fn cursor(&self, joints: usize, memory: StateMemory) -> CorrectionCursor {
        match self {
            Self::InPlace | Self::Additive(_) => CorrectionCursor::Nothing,
            Self::Ik { limbs, .. } => {
                let pose = memory.filled(Transform::IDENTITY, joints);
                CorrectionCursor::Limbs { scratch: limbs.scratch(memory), pose }
            }
        }
    }

    /// Corrects the wanted joints, `alpha` of the way from a sample to the next. `bytes` are those that it was read from;
    /// `decode` gives other joints at the same time, uncorrected.
    pub fn apply(
        &self,
        bytes: &[u8],
        cursor: &mut CorrectionCursor,
        at: (usize, f32),
        mut out: PoseSlice<'_>,
        decode: impl FnMut(PoseSlice<'_>),
    ) {
        match (self, cursor) {
            (Self::Additive(tracks), _) => {
                for AdditiveTrack { joint, channel, track } in &tracks[out.of(tracks, |t| t.joint)] {
                    if let Some(local) = out.joint(*joint) {
                        correct(local, *channel, track, bytes, at);
                    }
                }
            }
            (Self::Ik { limbs, offsets }, CorrectionCursor::Limbs { scratch, pose }) => {
                let offset_of = |limb: usize| offsets[limb].vector(bytes, at.0, at.1);
                if out.is_whole() {
                    limbs.apply(out.joints(), scratch, offset_of);
                } else {
                    limbs.apply_to_part(out, (scratch, pose), decode, offset_of);
                }
            }
            (Self::InPlace | Self::Ik { .. }, _) => {}
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::InPlace => 0,
            Self::Additive(tracks) => {
                size_of_val(&tracks[..]) + tracks.iter().map(|t| t.track.heap_bytes()).sum::<usize>()
            }
            Self::Ik { limbs, offsets } => {
                let tracks = size_of_val(&offsets[..]) + offsets.iter().map(CorrectionTrack::heap_bytes).sum::<usize>();
                limbs.heap_bytes() + tracks
            }
        }
    }
}

/// Applies a track's correction, `alpha` of the way from a sample to the next, to a joint's local transform.
#[inline]
pub fn correct(
    local: &mut Transform,
    channel: Channel,
    track: &CorrectionTrack,
    bytes: &[u8],
    (sample, alpha): (usize, f32),
) {
    match channel {
        Channel::Rotation => local.rotation = (local.rotation * track.rotation(bytes, sample, alpha)).normalize(),
        _ => local.translation += track.vector(bytes, sample, alpha),
    }
}
