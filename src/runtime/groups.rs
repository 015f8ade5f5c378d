//! Joints of a clip with their own encoding.

use crate::codecs::{Decoder, DecoderCursor, check_version};
use crate::format::{BindPose, ByteReader, DecodeError, section};
use crate::memory::{NoMemory, TryPush, filled};
use crate::parts::{ClipHeader, ExactTracks, PoseSlice};
use crate::{CodecId, List, StateMemory};
use alloc::vec::Vec;
use core::ops::Range;

/// Groups of joints with their own payload, which replaces that of the clip.
///
/// On disk, if the payload's version byte has [`JointGroups::FLAG`]: length of the clip's payload u32, that payload, number of groups u16;
/// per group a byte for its kind, the number of joints u16, the joints u16 each, ascending; then
/// - [`JointGroups::EXACT`]: their [`ExactTracks`] at all samples;
/// - [`JointGroups::EXACT_SPAN`]: first sample u32, number of samples u32, and their [`ExactTracks`] at these;
/// - [`JointGroups::OWN`]: version of the payload u8, its length u32, and a payload of the clip's codec, from which only these joints are
///   read.
#[derive(Debug, Default)]
pub struct JointGroups {
    groups: Vec<JointGroup>,
    /// Words of a mask of the rig's joints; 0 if no group needs one.
    mask_words: usize,
}

#[derive(Debug)]
enum JointGroup {
    Exact(ExactTracks),
    Own { mask: Vec<u64>, decoder: Decoder, payload: Range<usize> },
}

/// The state of a player of [`JointGroups`].
#[derive(Debug, Clone)]
pub struct JointGroupsCursor {
    /// One cursor per group with a payload.
    own: List<DecoderCursor>,
    /// Scratch mask for the wanted joints of a group.
    mask: List<u64>,
}

impl JointGroups {
    /// Bit of the version byte of payloads that have groups.
    pub const FLAG: u8 = 0x40;
    /// Lossless float32 at all samples.
    pub const EXACT: u8 = 0;
    /// The clip's codec with other parameters.
    pub const OWN: u8 = 1;
    /// Lossless float32 at a range of samples.
    pub const EXACT_SPAN: u8 = 2;

    /// Reads and checks a payload with groups, from the byte after its version. Returns the range of the clip's own payload, and the
    /// groups. `payload` is a range of `bytes`, the bytes of the clip.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        codec: CodecId,
        header: &ClipHeader,
        bytes: &[u8],
        payload: Range<usize>,
        bind: &BindPose,
    ) -> Result<(Range<usize>, Self), DecodeError> {
        let mut input = ByteReader::new(bytes.get(..payload.end).unwrap_or_default());
        input.bytes("clip", payload.start)?;
        let base = read_range(&mut input)?;
        let mut out = Self::default();
        for _ in 0..input.u16("count of joint groups")? {
            let at = input.position();
            let kind = input.u8("kind of a joint group")?;
            let joints = read_joints(&mut input, header.joints)?;
            let group = match kind {
                Self::EXACT => {
                    JointGroup::Exact(ExactTracks::read(&mut input, header, &joints, 0..header.grid.samples())?)
                }
                Self::EXACT_SPAN => {
                    let samples = read_samples(&mut input, header)?;
                    JointGroup::Exact(ExactTracks::read(&mut input, header, &joints, samples)?)
                }
                Self::OWN => {
                    out.mask_words = header.joints.div_ceil(64);
                    JointGroup::read_own(&mut input, (codec, header, bind), bytes, mask_of(&joints, out.mask_words)?)?
                }
                _ => return Err(DecodeError::invalid("kind of a joint group", at, kind, "0 to 2")),
            };
            out.groups.try_push(group)?;
        }
        input.finish("joint groups")?;
        Ok((base, out))
    }

    /// True if there are no groups.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// A cursor at the start; `bytes` are the bytes of the clip.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self, bytes: &[u8], memory: StateMemory) -> Result<JointGroupsCursor, NoMemory> {
        let decoders = || self.groups.iter().filter_map(JointGroup::decoder);
        let cursors = decoders().map(|(decoder, payload)| decoder.cursor(section(bytes, payload), memory));
        let own = memory.list_of(decoders().count(), cursors)?;
        Ok(JointGroupsCursor { own, mask: memory.filled(0, self.mask_words)? })
    }

    /// Samples the wanted joints that are in a group. Others keep their values.
    pub fn sample(&self, bytes: &[u8], cursor: &mut JointGroupsCursor, at_sample: f64, out: &mut PoseSlice<'_>) {
        let mut cursors = cursor.own.iter_mut();
        for group in &self.groups {
            match group {
                JointGroup::Exact(tracks) => tracks.sample(bytes, at_sample, out),
                JointGroup::Own { mask, decoder, payload } => {
                    if let Some(own) = cursors.next() {
                        let wanted = out.only(mask, &mut cursor.mask);
                        decoder.sample(section(bytes, payload), own, at_sample, wanted);
                    }
                }
            }
        }
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let of = |group: &JointGroup| match group {
            JointGroup::Exact(tracks) => tracks.heap_bytes(),
            JointGroup::Own { mask, decoder, .. } => size_of_val(&mask[..]) + decoder.heap_bytes(),
        };
        size_of_val(&self.groups[..]) + self.groups.iter().map(of).sum::<usize>()
    }
}

impl JointGroup {
    fn read_own(
        input: &mut ByteReader<'_>,
        (codec, header, bind): (CodecId, &ClipHeader, &BindPose),
        bytes: &[u8],
        mask: Vec<u64>,
    ) -> Result<Self, DecodeError> {
        let at = input.position();
        let version = input.u8("version of a joint group's payload")?;
        check_version(codec, header, "version of a joint group's payload", (at, version))?;
        let payload = read_range(input)?;
        let decoder = Decoder::open(codec, header, section(bytes, &payload), bind)?;
        Ok(Self::Own { mask, decoder, payload })
    }

    fn decoder(&self) -> Option<(&Decoder, &Range<usize>)> {
        match self {
            Self::Exact(_) => None,
            Self::Own { decoder, payload, .. } => Some((decoder, payload)),
        }
    }
}

impl JointGroupsCursor {
    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        let own = self.own.iter().map(DecoderCursor::heap_bytes).sum::<usize>();
        size_of_val(&self.own[..]) + own + size_of_val(&self.mask[..])
    }
}

/// Reads a length u32. Returns the range that follows.
fn read_range(input: &mut ByteReader<'_>) -> Result<Range<usize>, DecodeError> {
    let len = input.u32("bytes of a payload")? as usize;
    let start = input.position();
    input.bytes("payload", len)?;
    Ok(start..start + len)
}

fn read_joints(input: &mut ByteReader<'_>, joints: usize) -> Result<Vec<usize>, DecodeError> {
    let mut out: Vec<usize> = Vec::new();
    for _ in 0..input.u16("joints of a joint group")? {
        let at = input.position();
        let joint = usize::from(input.u16("joint of a joint group")?);
        if joint >= joints || out.last().is_some_and(|last| *last >= joint) {
            return Err(DecodeError::invalid("joint of a joint group", at, joint, "ascending joints of the rig"));
        }
        out.try_push(joint)?;
    }
    Ok(out)
}

/// Reads the first sample and the number of samples.
fn read_samples(input: &mut ByteReader<'_>, header: &ClipHeader) -> Result<Range<usize>, DecodeError> {
    let at = input.position();
    let (first, count) =
        (input.u32("samples of a joint group")? as usize, input.u32("samples of a joint group")? as usize);
    let samples = first..first.saturating_add(count);
    if samples.is_empty() || samples.end > header.grid.samples() {
        return Err(DecodeError::invalid("samples of a joint group", at, count, "some of the clip's samples"));
    }
    Ok(samples)
}

fn mask_of(joints: &[usize], words: usize) -> Result<Vec<u64>, NoMemory> {
    let mut out = filled(0, words)?;
    joints.iter().for_each(|joint| out[joint / 64] |= 1 << (joint % 64));
    Ok(out)
}
