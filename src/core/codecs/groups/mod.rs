//! Joints of a clip that are kept in another way than the rest: as they were, or by the clip's codec with other parameters.
//!
//! The clip's own payload holds them at their bind pose, which costs next to nothing; what each group has lies over it. As a whole
//! it is held to what the codec promises.

mod exact;

use super::encode::{CLOSE_AIM, ToleranceLoop, with_locals};
use super::{EncodeError, Encoded, Encoder, KeptKeys, Ledger, ParamError, ParamValues, Progress, Section, Source};
use crate::format::ByteWriter;
use crate::model::{Clip, Skeleton};
use crate::settings::ParamValue;
use posepress_runtime::JointGroups;
use posepress_runtime::codecs::payload_versions;
use std::collections::BTreeMap;

/// Joints that are kept in another way than the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct JointGroup {
    /// Which: ascending, and of no other group.
    pub joints: Vec<usize>,
    /// How they are kept.
    pub kept: Kept,
}

/// How a group of joints is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// Float32, to the bit.
    Exactly,
    /// By the clip's codec, with some parameters of their own.
    With(ParamChanges),
}

/// Values of some of a codec's parameters, by key; they may be the defaults.
pub type ParamChanges = BTreeMap<String, ParamValue>;

/// A codec's values with some changed.
///
/// # Errors
/// [`ParamError`], where one does not fit the codec.
pub fn with_changes(
    codec: &dyn super::Codec,
    values: &ParamValues,
    changes: &ParamChanges,
) -> Result<ParamValues, ParamError> {
    let mut out = values.clone();
    changes.iter().try_for_each(|(key, value)| out.set(codec.params(), key, value.clone()))?;
    Ok(out)
}

/// What a codec makes of a source, with the groups that the source has.
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
    match held.run(|limit_m| payloads.encode(limit_m, progress).map(Some))? {
        Some(encoded) => Ok(encoded),
        None => Payloads::all_exact(codec, source, values)?.encode(source.tolerance_m, progress),
    }
}

/// Clips that are encoded one by one and played over each other.
struct Payloads<'a> {
    codec: &'a dyn Encoder,
    source: &'a Source<'a>,
    /// With the joints of all groups at their bind pose.
    base: Clip,
    values: &'a ParamValues,
    groups: Vec<GroupClip>,
}

struct GroupClip {
    joints: Vec<usize>,
    /// With all other joints at their bind pose, and the values of the codec; `None` for float32.
    own: Option<(Clip, ParamValues)>,
}

impl<'a> Payloads<'a> {
    fn new(codec: &'a dyn Encoder, source: &'a Source<'a>, values: &'a ParamValues) -> Result<Self, EncodeError> {
        let still = |is_still: &dyn Fn(usize) -> bool| with_still(source.skeleton, source.clip, is_still);
        let base = still(&|joint| source.is_grouped(joint))?;
        let group = |group: &super::JointGroup| {
            let own = match &group.kept {
                Kept::Exactly => None,
                Kept::With(changes) => {
                    let clip = still(&|joint| group.joints.binary_search(&joint).is_err())?;
                    Some((clip, with_changes(codec, values, changes)?))
                }
            };
            Ok(GroupClip { joints: group.joints.clone(), own })
        };
        let groups = source.groups.iter().map(group).collect::<Result<_, EncodeError>>()?;
        Ok(Self { codec, source, base, values, groups })
    }

    /// Every joint as it was: for clips of which nothing coarser holds the tolerance.
    fn all_exact(codec: &'a dyn Encoder, source: &'a Source<'a>, values: &'a ParamValues) -> Result<Self, EncodeError> {
        let joints = (0..source.clip.joints()).collect();
        let base = with_still(source.skeleton, source.clip, &|_| true)?;
        Ok(Self { codec, source, base, values, groups: vec![GroupClip { joints, own: None }] })
    }

    fn all_promise(&self) -> bool {
        let of_groups = self.groups.iter().filter_map(|group| group.own.as_ref());
        std::iter::once(self.values).chain(of_groups.map(|(_, values)| values)).all(|v| self.codec.promises_with(v))
    }

    /// The version byte is not in it, but says that there are groups.
    fn encode(&self, tolerance_m: f32, progress: &Progress) -> Result<Encoded, EncodeError> {
        let source = Source { tolerance_m, groups: &[], ..*self.source };
        let parts = 1.0 + self.groups.iter().filter(|group| group.own.is_some()).count() as f32;
        let encode = |at: usize, clip: &Clip, values: &ParamValues| {
            let share = progress.share(at as f32 / parts..(at + 1) as f32 / parts);
            self.codec.encode(&Source { clip, ..source }, values, &share)
        };
        let mut out = encode(0, &self.base, self.values)?;
        let mut bytes = ByteWriter::new();
        sized(&mut bytes, &mut out.ledger, &out.payload);
        let drops_keys = !out.kept.is_empty();
        out.kept.retain(|kept| !self.source.is_grouped(usize::from(kept.joint)));
        bytes.u16(self.groups.len() as u16);
        out.ledger.clip(Section::Tables, 16);
        let mut at = 0;
        for group in &self.groups {
            let kind = if group.own.is_some() { JointGroups::OWN } else { JointGroups::EXACT };
            write_joints(kind, &group.joints, &mut bytes, &mut out.ledger);
            let Some((clip, values)) = &group.own else {
                exact::write(self.source.clip, &group.joints, &mut bytes, &mut out.ledger);
                out.kept.extend(exact::kept(self.source.clip, &group.joints).filter(|_| drops_keys));
                continue;
            };
            at += 1;
            let own = encode(at, clip, values)?;
            bytes.u8(self.version(&source)?);
            out.ledger.clip(Section::Tables, 8);
            out.ledger.add_group(&own.ledger);
            sized(&mut bytes, &mut out.ledger, &own.payload);
            let is_of_group = |kept: &KeptKeys| group.joints.binary_search(&usize::from(kept.joint)).is_ok();
            out.kept.extend(own.kept.into_iter().filter(is_of_group));
        }
        Ok(Encoded { payload: bytes.finish(), ..out })
    }

    fn version(&self, source: &Source<'_>) -> Result<u8, EncodeError> {
        let versions = payload_versions(self.codec.id(), &source.header());
        Ok(*versions.map_err(|e| super::unreadable(self.codec, &e))?.end())
    }
}

/// Length u32, and the payload; the ledger has the payload already.
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

/// The clip with some joints at their bind pose.
fn with_still(skeleton: &Skeleton, clip: &Clip, is_still: &dyn Fn(usize) -> bool) -> Result<Clip, EncodeError> {
    let of_pose = |sample| clip.pose(sample).iter().enumerate();
    let transforms = (0..clip.samples()).flat_map(of_pose);
    let still = |(joint, local): (usize, &_)| if is_still(joint) { skeleton.bind(joint) } else { *local };
    with_locals(clip, transforms.map(still).collect())
}
