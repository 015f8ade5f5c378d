//! Corrections stored with a clip and applied to its decoded poses.

use crate::format::{BitReader, DecodeError};
use crate::math::{Transform, product, unit};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::{ClipHeader, CorrectionTrack, LimbScratch, Limbs, PoseSlice};
use crate::{Channel, List, StateMemory};
use alloc::vec::Vec;

/// Stored corrections of a clip, applied to every decoded pose.
///
/// On disk, at the end of a clip's bytes: two bits for the kind; then for
/// - in place (1): nothing, the codec's own tracks hold the corrections;
/// - additive (2): u16 track count; for each track 14 bits joint, one bit channel (rotation, translation), its numbers;
/// - inverse kinematics (3): the limbs, then per limb the object-space vector from its end to the target;
/// - several (0): a bit for each of the three, then their data in this order. Limbs are solved after tracks are added.
#[derive(Debug)]
pub struct Correction {
    /// The kinds present.
    pub steps: CorrectionSteps,
    /// Additive tracks, ordered by joint and channel.
    pub tracks: Vec<AdditiveTrack>,
    /// Limbs to solve.
    pub limbs: Option<MovedLimbs>,
}

/// The kinds of correction, applied in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CorrectionSteps {
    /// The codec's own tracks hold corrections.
    pub in_place: bool,
    /// Tracks are added.
    pub additive: bool,
    /// Limbs are solved.
    pub ik: bool,
}

impl CorrectionSteps {
    /// The steps of a single kind, from its number on disk.
    fn of_kind(kind: u64) -> Self {
        Self { in_place: kind == IN_PLACE, additive: kind == ADDITIVE, ik: kind == IK }
    }

    /// The number on disk of a single kind, else [`Correction::SEVERAL`].
    pub fn kind(self) -> u64 {
        [IN_PLACE, ADDITIVE, IK].into_iter().find(|kind| Self::of_kind(*kind) == self).unwrap_or(Correction::SEVERAL)
    }

    /// One bit per kind, in order.
    pub fn bits(self) -> [bool; 3] {
        [self.in_place, self.additive, self.ik]
    }
}

const IN_PLACE: u64 = 1;
const ADDITIVE: u64 = 2;
const IK: u64 = 3;

/// Limbs and the targets of their ends.
#[derive(Debug)]
pub struct MovedLimbs {
    /// The limbs, with their ancestors.
    pub limbs: Limbs,
    /// Vectors from the end of each limb to its target, metres in object space.
    pub offsets: Vec<CorrectionTrack>,
}

/// A rotation applied after a joint's local rotation, or a vector added to its local translation.
#[derive(Debug)]
pub struct AdditiveTrack {
    /// The joint.
    pub joint: usize,
    /// Rotation or translation.
    pub channel: Channel,
    /// One value per sample: x, y, z of a rotation without w, or metres.
    pub track: CorrectionTrack,
}

impl Correction {
    /// Bits of the kind.
    pub const KIND_BITS: u32 = 2;
    /// Bits of a track's joint index.
    pub const JOINT_BITS: u32 = 14;
    /// See [`Correction`].
    pub const COUNT_BITS: u32 = 16;

    /// Number on disk for no kind or several kinds.
    pub const SEVERAL: u64 = 0;

    /// Reads and checks a correction.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = BitReader::new(bytes);
        let steps = read_steps(&mut input)?;
        let tracks = if steps.additive { read_tracks(&mut input, header, bytes)? } else { Vec::new() };
        let limbs = if steps.ik { Some(MovedLimbs::read(&mut input, header, bytes)?) } else { None };
        input.finish("compensation")?;
        Ok(Self { steps, tracks, limbs })
    }
}

/// Reads the kinds. A single kind must be written in its short form.
fn read_steps(input: &mut BitReader<'_>) -> Result<CorrectionSteps, DecodeError> {
    let kind = input.read("kind of compensation", Correction::KIND_BITS)?;
    if kind != Correction::SEVERAL {
        return Ok(CorrectionSteps::of_kind(kind));
    }
    let mut bit = || input.read("kinds of compensation", 1).map(|bit| bit == 1);
    let steps = CorrectionSteps { in_place: bit()?, additive: bit()?, ik: bit()? };
    let count = steps.bits().iter().filter(|bit| **bit).count();
    if count < 2 {
        return Err(DecodeError::invalid("kinds of compensation", 0, count, "two or three"));
    }
    Ok(steps)
}

fn read_tracks(
    input: &mut BitReader<'_>,
    header: &ClipHeader,
    bytes: &[u8],
) -> Result<Vec<AdditiveTrack>, DecodeError> {
    let mut tracks: Vec<AdditiveTrack> = Vec::new();
    for _ in 0..input.read("count of additive tracks", Correction::COUNT_BITS)? {
        let at = input.bit_position() / 8;
        let joint = input.read("joint of an additive track", Correction::JOINT_BITS)? as usize;
        let channel =
            [Channel::Rotation, Channel::Translation][input.read("channel of an additive track", 1)? as usize];
        if joint >= header.joints || tracks.last().is_some_and(|last| (last.joint, last.channel) >= (joint, channel)) {
            return Err(DecodeError::invalid("joint of an additive track", at, joint, "ordered joints of the rig"));
        }
        let track = CorrectionTrack::read(input, bytes, channel, header.grid.samples())?;
        tracks.try_push(AdditiveTrack { joint, channel, track })?;
    }
    Ok(tracks)
}

impl MovedLimbs {
    fn read(input: &mut BitReader<'_>, header: &ClipHeader, bytes: &[u8]) -> Result<Self, DecodeError> {
        let limbs = Limbs::read(input, header.joints)?;
        let read = |_| CorrectionTrack::read(input, bytes, Channel::Translation, header.grid.samples());
        let offsets = (0..limbs.len()).map(read).try_list_of()?;
        Ok(Self { limbs, offsets })
    }

    fn heap_bytes(&self) -> usize {
        let tracks =
            size_of_val(&self.offsets[..]) + self.offsets.iter().map(CorrectionTrack::heap_bytes).sum::<usize>();
        self.limbs.heap_bytes() + tracks
    }
}

/// Scratch memory for applying a [`Correction`] with limbs.
#[derive(Debug, Clone)]
pub struct CorrectionCursor(Option<LimbCursor>);

#[derive(Debug, Clone)]
struct LimbCursor {
    scratch: LimbScratch,
    /// A pose with only the joints of limbs set.
    pose: List<Transform>,
}

impl CorrectionCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |limbs| limbs.scratch.heap_bytes() + size_of_val(&limbs.pose[..]))
    }
}

impl Correction {
    /// Scratch memory for poses with `joints` joints.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, joints: usize, memory: StateMemory) -> Result<CorrectionCursor, NoMemory> {
        let Some(MovedLimbs { limbs, .. }) = &self.limbs else { return Ok(CorrectionCursor(None)) };
        let pose = memory.filled(Transform::IDENTITY, joints)?;
        Ok(CorrectionCursor(Some(LimbCursor { scratch: limbs.scratch(memory)?, pose })))
    }

    /// Corrects the wanted joints between a sample and the next at `alpha`. `bytes` is the source of [`Self::read`]. `decode` returns other
    /// joints at the same time, uncorrected.
    pub fn apply(
        &self,
        bytes: &[u8],
        cursor: &mut CorrectionCursor,
        at: (usize, f32),
        mut out: PoseSlice<'_>,
        mut decode: impl FnMut(PoseSlice<'_>),
    ) {
        self.add_tracks(bytes, at, &mut out);
        let (Some(MovedLimbs { limbs, offsets }), Some(LimbCursor { scratch, pose })) = (&self.limbs, &mut cursor.0)
        else {
            return;
        };
        let offset_of = |limb: usize| offsets[limb].vector(bytes, at.0, at.1);
        if out.is_whole() {
            limbs.apply(out.joints(), scratch, offset_of);
        } else {
            let decode = |mut part: PoseSlice<'_>| {
                decode(part.again());
                self.add_tracks(bytes, at, &mut part);
            };
            limbs.apply_to_part(out, (scratch, pose), decode, offset_of);
        }
    }

    fn add_tracks(&self, bytes: &[u8], at: (usize, f32), out: &mut PoseSlice<'_>) {
        for AdditiveTrack { joint, channel, track } in &self.tracks[out.of(&self.tracks, |t| t.joint)] {
            if let Some(local) = out.joint(*joint) {
                correct(local, *channel, track, bytes, at);
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let tracks = size_of_val(&self.tracks[..]) + self.tracks.iter().map(|t| t.track.heap_bytes()).sum::<usize>();
        tracks + self.limbs.as_ref().map_or(0, MovedLimbs::heap_bytes)
    }
}

/// Applies a track's correction between a sample and the next at `alpha` to a joint's local transform.
#[inline]
pub fn correct(
    local: &mut Transform,
    channel: Channel,
    track: &CorrectionTrack,
    bytes: &[u8],
    (sample, alpha): (usize, f32),
) {
    match channel {
        Channel::Rotation => {
            local.rotation = unit(product(local.rotation, track.rotation(bytes, sample, alpha)));
        }
        _ => local.translation += track.vector(bytes, sample, alpha),
    }
}
