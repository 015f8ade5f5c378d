//! Joints of a clip that are stored differently from the rest: bit for bit, or by the clip's codec with other settings.
//!
//! The clip's own payload holds these joints at bind pose, which costs almost nothing. The data of each group overrides them. The clip as a
//! whole keeps what the codec guarantees.

mod exact;
mod group;

pub use group::{GroupStorage, JointGroup, ParamChanges};

use super::encode::{CLOSE_AIM, ToleranceLoop, with_locals};
use super::{
    Codec, EncodeError, Encoded, Encoder, KeptKeys, Ledger, ParamError, ParamValues, Progress, Section, Source,
};
use crate::format::ByteWriter;
use crate::model::{Clip, Skeleton};
use exact::Exact;
use posepress_runtime::internal::JointGroups;
use posepress_runtime::internal::codecs::payload_version;
use std::ops::Range;

/// The values of a codec with some of them changed.
///
/// # Errors
/// [`ParamError`] if a change does not fit the codec.
pub fn with_changes(
    codec: &dyn Codec,
    values: &ParamValues,
    changes: &ParamChanges,
) -> Result<ParamValues, ParamError> {
    let mut out = values.clone();
    changes.iter().try_for_each(|(key, value)| out.set(codec.params(), key, value.clone()))?;
    Ok(out)
}

/// Encodes a source with its groups.
///
/// # Errors
/// See [`EncodeError`].
pub fn encode_payload(
    codec: &dyn Encoder,
    source: &Source<'_>,
    values: &ParamValues,
    progress: &Progress,
) -> Result<Encoded, EncodeError> {
    if source.groups.is_empty() {
        return codec.encode(source, values, progress);
    }
    let payloads = Payloads::new(codec, source, values)?;
    if !payloads.all_promise() {
        return payloads.encode(source.tolerance_m, progress);
    }
    let held = ToleranceLoop { codec, source, dense: source, stride: 1, aim: CLOSE_AIM };
    match held.run(progress, |limit_m| payloads.encode(limit_m, progress).map(Some))? {
        Some(encoded) => Ok(encoded),
        None => Payloads::all_exact(codec, source, values)?.encode(source.tolerance_m, progress),
    }
}

/// Clips that are encoded one by one and combined when played.
struct Payloads<'a> {
    codec: &'a dyn Encoder,
    source: &'a Source<'a>,
    /// The clip with the joints of all groups at bind pose.
    base: Clip,
    values: &'a ParamValues,
    groups: Vec<GroupClip>,
}

struct GroupClip {
    joints: Vec<usize>,
    kept: GroupData,
}

enum GroupData {
    /// Stored bit for bit at these samples.
    Exactly(Range<usize>),
    /// The clip with all other joints at bind pose, and the values of the codec.
    Own(Box<Clip>, ParamValues),
}

impl GroupClip {
    fn own(&self) -> Option<(&Clip, &ParamValues)> {
        match &self.kept {
            GroupData::Exactly(_) => None,
            GroupData::Own(clip, values) => Some((clip, values)),
        }
    }
}

impl<'a> Payloads<'a> {
    fn new(codec: &'a dyn Encoder, source: &'a Source<'a>, values: &'a ParamValues) -> Result<Self, EncodeError> {
        let still = |is_still: &dyn Fn(usize) -> bool| with_still(source.skeleton, source.clip, is_still);
        let base = still(&|joint| is_elsewhere(source, joint))?;
        let group = |group: &JointGroup| {
            let kept = match &group.kept {
                GroupStorage::Exactly => GroupData::Exactly(0..source.clip.samples()),
                GroupStorage::ExactlyWithin(samples) => GroupData::Exactly(samples.clone()),
                GroupStorage::With(changes) => {
                    GroupData::Own(still(&|joint| !group.has(joint))?.into(), with_changes(codec, values, changes)?)
                }
            };
            Ok(GroupClip { joints: group.joints.clone(), kept })
        };
        let groups = source.groups.iter().map(group).collect::<Result<_, EncodeError>>()?;
        Ok(Self { codec, source, base, values, groups })
    }

    /// Stores every joint bit for bit, for clips that nothing coarser keeps within the tolerance.
    fn all_exact(codec: &'a dyn Encoder, source: &'a Source<'a>, values: &'a ParamValues) -> Result<Self, EncodeError> {
        let (joints, kept) = ((0..source.clip.joints()).collect(), GroupData::Exactly(0..source.clip.samples()));
        let base = with_still(source.skeleton, source.clip, &|_| true)?;
        Ok(Self { codec, source, base, values, groups: vec![GroupClip { joints, kept }] })
    }

    fn all_promise(&self) -> bool {
        let of_groups = self.groups.iter().filter_map(GroupClip::own);
        std::iter::once(self.values).chain(of_groups.map(|(_, values)| values)).all(|v| self.codec.promises_with(v))
    }

    /// Encodes all parts. The version byte is written elsewhere and says that there are groups.
    fn encode(&self, tolerance_m: f32, progress: &Progress) -> Result<Encoded, EncodeError> {
        let source = Source { tolerance_m, groups: &[], ..*self.source };
        let parts = 1.0 + self.groups.iter().filter_map(GroupClip::own).count() as f32;
        let encode = |at: usize, clip: &Clip, values: &ParamValues| {
            let share = progress.share(at as f32 / parts..(at + 1) as f32 / parts);
            self.codec.encode(&Source { clip, ..source }, values, &share)
        };
        let mut out = encode(0, &self.base, self.values)?;
        let mut bytes = ByteWriter::new();
        sized(&mut bytes, &mut out.ledger, &out.payload);
        let drops_keys = !out.kept.is_empty();
        out.kept.retain(|kept| !is_elsewhere(self.source, usize::from(kept.joint)));
        bytes.u16(self.groups.len() as u16);
        out.ledger.clip(Section::Tables, 16);
        let mut at = 0;
        for group in &self.groups {
            write_joints(self.kind(group), &group.joints, &mut bytes, &mut out.ledger);
            let (clip, values) = match &group.kept {
                GroupData::Own(clip, values) => (clip, values),
                GroupData::Exactly(samples) => {
                    let exact = Exact { clip: self.source.clip, joints: &group.joints, samples: samples.clone() };
                    exact.write(&mut bytes, &mut out.ledger);
                    if drops_keys {
                        exact.add_to(&mut out.kept);
                    }
                    continue;
                }
            };
            at += 1;
            let own = encode(at, clip, values)?;
            bytes.u8(self.version(&source)?);
            out.ledger.clip(Section::Tables, 8);
            out.ledger.add_group(&own.ledger);
            sized(&mut bytes, &mut out.ledger, &own.payload);
            let is_of_group = |kept: &KeptKeys| group.joints.contains(&usize::from(kept.joint));
            out.kept.extend(own.kept.into_iter().filter(is_of_group));
        }
        Ok(Encoded { payload: bytes.finish(), ..out })
    }

    fn kind(&self, group: &GroupClip) -> u8 {
        match &group.kept {
            GroupData::Own(..) => JointGroups::OWN,
            GroupData::Exactly(samples) if *samples == (0..self.source.clip.samples()) => JointGroups::EXACT,
            GroupData::Exactly(_) => JointGroups::EXACT_SPAN,
        }
    }

    fn version(&self, source: &Source<'_>) -> Result<u8, EncodeError> {
        payload_version(self.codec.id(), &source.header()).map_err(|e| super::unreadable(self.codec, &e))
    }
}

/// True for a joint that the clip's own payload need not hold.
fn is_elsewhere(source: &Source<'_>, joint: usize) -> bool {
    source.groups.iter().any(|group| group.is_throughout() && group.has(joint))
}

/// Writes the length as u32 and the payload. The ledger already has the payload.
fn sized(out: &mut ByteWriter, ledger: &mut Ledger, payload: &[u8]) {
    out.u32(payload.len() as u32);
    out.bytes(payload);
    ledger.clip(Section::Tables, 32);
}

fn write_joints(kind: u8, joints: &[usize], out: &mut ByteWriter, ledger: &mut Ledger) {
    out.u8(kind);
    out.u16(joints.len() as u16);
    joints.iter().for_each(|joint| out.u16(*joint as u16));
    ledger.clip(Section::Tables, 8 + 16 + 16 * joints.len() as u64);
}

/// The clip with some joints at bind pose.
fn with_still(skeleton: &Skeleton, clip: &Clip, is_still: &dyn Fn(usize) -> bool) -> Result<Clip, EncodeError> {
    let of_pose = |sample| clip.pose(sample).iter().enumerate();
    let transforms = (0..clip.samples()).flat_map(of_pose);
    let still = |(joint, local): (usize, &_)| if is_still(joint) { skeleton.bind(joint) } else { *local };
    with_locals(clip, transforms.map(still).collect())
}
