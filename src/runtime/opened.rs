use crate::codecs::{Decoder, check_version};
use crate::compensation::{Correction, CorrectionCursor};
use crate::cursor::{Cursor, CursorState, PayloadCursor, SeamCursor, StoredCursor};
use crate::format::{BindPose, DecodeError, section};
use crate::groups::JointGroups;
use crate::math::Transform;
use crate::memory::{Boxed, NoMemory, TryList, boxed, copied};
use crate::parts::{ClipHeader, PoseSlice, ScaleOffset};
use crate::rare::Rare;
use crate::state_memory::Lent;
use crate::{BlockError, ClipSections, CodecId, Hold, Joints, Pose, PoseLayout, StateMemory, TimeGrid};
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};

/// A clip's bytes, checked once. It is immutable and shared by all players of the clip; each player has a [`Cursor`].
///
/// `B` owns or borrows the bytes. It must always return the same bytes, as `Vec<u8>`, `Arc<[u8]>` and `&[u8]` do. Any bytes are safe to
/// open, and an opened clip is safe to sample at any time.
///
/// # Example
/// ```
/// # use posepress_runtime::{CodecId, Container, Transform};
/// use posepress_runtime::{Opened, Playback, Pose};
///
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
/// # let container = Container::read(file)?;
/// # let rig = container.rig.as_ref().ok_or("the rig was stripped")?;
/// # let bind = rig.bind_pose()?;
/// # let entry = &container.clips[0];
/// let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind)?;
/// let mut cursor = clip.cursor()?; // one per character
/// let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
/// let at = Playback::default().place(clip.header(), 0.25); // seconds, looped if the clip loops
/// clip.sample(&mut cursor, at, &mut pose);
/// assert_eq!(clip.sample_joint(&mut cursor, at, 0), pose.joints[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Opened<B> {
    bytes: B,
    /// Identifies the clip of a cursor.
    id: u32,
    /// Joints of the rig.
    joints: u16,
    looping: bool,
    /// True if the last sample equals the first and is not stored.
    is_wrapped: bool,
    grid: TimeGrid,
    decoder: Decoder,
    payload: Range<u32>,
    rare: Option<Boxed<Rare>>,
}

/// Joints that [`Opened::sample_into`] decodes at a time: 3 KB of stack, and one word of mask.
const BLOCK_JOINTS: usize = 64;

/// Identifies the clip of a cursor.
static NEXT_ID: AtomicU32 = AtomicU32::new(0);

impl<B: AsRef<[u8]>> Opened<B> {
    /// Opens a clip's bytes. All clips that are opened with a bind pose share it.
    ///
    /// # Errors
    /// [`DecodeError`] for damaged bytes, a rig with another number of joints, an unknown codec or version, or a lack of memory.
    pub fn new(codec: CodecId, bytes: B, bind: &BindPose) -> Result<Self, DecodeError> {
        let sections = ClipSections::read(bytes.as_ref())?;
        Self::from_sections(codec, bytes, sections, bind)
    }

    /// Like [`Opened::new`], with known sections: for encoders, which decode before wrapping.
    ///
    /// # Errors
    /// See [`DecodeError`].
    #[doc(hidden)]
    pub fn from_sections(
        codec: CodecId,
        bytes: B,
        sections: ClipSections,
        bind: &BindPose,
    ) -> Result<Self, DecodeError> {
        let stored = sections.stored();
        let ClipSections {
            header,
            version,
            is_wrapped,
            is_grouped,
            payload,
            floats,
            holds,
            scale_offsets,
            compensation,
        } = sections;
        if header.joints != bind.len() {
            let expected = format_args!("the rig's {}", bind.len());
            return Err(DecodeError::invalid("joint count", 0, header.joints, expected));
        }
        check_version(codec, &stored, "version of the payload", (payload.start.saturating_sub(1), version))?;
        let all = bytes.as_ref();
        let (payload, groups) = match is_grouped {
            true => JointGroups::read(codec, &stored, all, payload, bind)?,
            false => (payload, JointGroups::default()),
        };
        let decoder = Decoder::open(codec, &stored, section(all, &payload), bind)?;
        let Ok(end) = u32::try_from(payload.end) else {
            let found = format_args!("{} bytes", payload.len());
            return Err(DecodeError::invalid("payload", payload.start, found, "less than 4 GiB"));
        };
        let payload = payload.start as u32..end;
        let read = |range: Range<usize>| Correction::read(&stored, section(all, &range)).map(|read| (read, range));
        let correction = compensation.map(read).transpose()?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let carriers = bind.iter().filter(|_| header.additive).map(|bind| bind.as_carrier()).try_list()?;
        let ClipHeader { joints, grid, float_tracks: _, looping, additive } = header;
        let rare = Rare { floats, groups, holds, scale_offsets, correction, additive, carriers };
        let rare = if rare.is_empty() { None } else { Some(boxed(rare)?) };
        Ok(Self { bytes, id, joints: joints as u16, looping, is_wrapped, grid, decoder, payload, rare })
    }

    /// The header, which does not depend on the codec: joints, times, float tracks, loop and additive flags.
    pub fn header(&self) -> ClipHeader {
        let rare = self.rare.as_deref();
        ClipHeader {
            joints: self.joints(),
            grid: self.grid,
            float_tracks: rare.map_or(0, |rare| rare.floats.count()),
            looping: self.looping,
            additive: rare.is_some_and(|rare| rare.additive),
        }
    }

    #[inline]
    fn joints(&self) -> usize {
        self.joints.into()
    }

    /// Replaces its bytes without checking them, and returns the old ones. Cursors stay valid. Changed bytes are safe, but give arbitrary
    /// poses. This shows which bytes a pose depends on.
    ///
    /// # Panics
    /// If the length differs.
    #[doc(hidden)]
    pub fn replace_bytes(&mut self, bytes: B) -> B {
        assert_eq!(bytes.as_ref().len(), self.bytes().len(), "length of the clip and of its replacement");
        core::mem::replace(&mut self.bytes, bytes)
    }

    /// The bytes that were opened; after [`Opened::owned`], the copied ones.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The decoder of its codec.
    #[doc(hidden)]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// True if some joints have their own encoding.
    #[doc(hidden)]
    pub fn has_groups(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !rare.groups.is_empty())
    }

    /// A cursor for one player: the only allocation of playback. [`Cursor::resident_bytes`] is its size.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor(&self) -> Result<Cursor<'static>, NoMemory> {
        Ok(Cursor { state: self.state(StateMemory::HEAP)?, _lent: Lent::HEAP })
    }

    /// The layout of the block that [`Opened::cursor_in`] needs. It creates a cursor on the heap and drops it, so call it once after
    /// opening.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn cursor_layout(&self) -> Result<Layout, NoMemory> {
        StateMemory::measure(|memory| self.state(memory))
    }

    /// Like [`Opened::cursor`], in a block of the caller and without allocation. The block must not move.
    ///
    /// # Errors
    /// [`BlockError`] if the block is smaller than [`Opened::cursor_layout`].
    pub fn cursor_in<'m>(&self, block: &'m mut [MaybeUninit<u8>]) -> Result<Cursor<'m>, BlockError> {
        let (state, lent) = StateMemory::place(block, |memory| self.state(memory))?;
        Ok(Cursor { state, _lent: lent })
    }

    fn state(&self, memory: StateMemory) -> Result<CursorState, NoMemory> {
        let joints = self.joints();
        let room = |is_needed: bool| memory.filled(Transform::IDENTITY, if is_needed { joints } else { 0 });
        let decoder = self.payload_cursor(memory)?;
        let rare = self.rare.as_deref();
        let correction = rare.and_then(|rare| rare.correction.as_ref());
        let correction = correction.map(|(correction, _)| memory.boxed(correction.cursor(joints, memory)?));
        let seam = match self.is_wrapped {
            true => Some(memory.boxed(SeamCursor { decoder: self.payload_cursor(memory)?, first: room(true)? })?),
            false => None,
        };
        let stored = StoredCursor { decoder, correction: correction.transpose()?, seam };
        let has_holds = rare.is_some_and(|rare| !rare.holds.joints.is_empty());
        Ok(CursorState { clip: self.id, stored, held: room(has_holds)? })
    }

    fn payload_cursor(&self, memory: StateMemory) -> Result<PayloadCursor, NoMemory> {
        let decoder = self.decoder.cursor(self.payload(), memory)?;
        let groups = self.rare.as_ref().map(|rare| &rare.groups).filter(|groups| !groups.is_empty());
        let groups = groups.map(|groups| memory.boxed(groups.cursor(self.bytes(), memory)?)).transpose()?;
        Ok(PayloadCursor { decoder, groups })
    }

    /// True if the cursor belongs to this clip.
    pub fn has_made(&self, cursor: &Cursor<'_>) -> bool {
        cursor.state.clip == self.id
    }

    /// Overwrites `out` with the pose at a place in the clip, in samples from its start: `2.5` is halfway between the third and the fourth
    /// sample. [`Playback::place`](crate::Playback::place) converts seconds. Places outside the clip are clamped. It allocates nothing.
    ///
    /// # Panics
    /// If `out` has another number of joints than the clip, or the cursor belongs to another clip.
    #[inline]
    pub fn sample(&self, cursor: &mut Cursor<'_>, at_sample: f64, out: &mut Pose) {
        assert_eq!(out.joints.len(), self.joints(), "joints of the pose and of the clip");
        self.sample_slice(cursor, at_sample, PoseSlice::whole(&mut out.joints));
        self.sample_floats(at_sample, &mut out.floats);
    }

    /// The local transform of one joint, with the same bits as [`Opened::sample`]. It costs little more than that joint's share of the
    /// work. Codecs that decode whole blocks decode the whole block.
    ///
    /// # Panics
    /// If the clip has no such joint, or the cursor belongs to another clip.
    #[inline]
    pub fn sample_joint(&self, cursor: &mut Cursor<'_>, at_sample: f64, joint: usize) -> Transform {
        let mut out = [Transform::IDENTITY];
        self.sample_range(cursor, at_sample, joint..joint + 1, &mut out);
        let [out] = out;
        out
    }

    /// Like [`Opened::sample_joint`], for a range of joints; `out` has the length of the range.
    ///
    /// # Panics
    /// If `out` has another length than the range, the clip has no such joints, or the cursor belongs to another clip.
    #[inline]
    pub fn sample_range(&self, cursor: &mut Cursor<'_>, at_sample: f64, joints: Range<usize>, out: &mut [Transform]) {
        assert_eq!(out.len(), joints.len(), "room for the joints asked for");
        assert!(joints.end <= self.joints(), "joints {joints:?} of a clip of {}", self.joints());
        self.sample_slice(cursor, at_sample, PoseSlice::part(out, joints.start));
    }

    /// Like [`Opened::sample`], for joints with a set bit: bit `joint % 64` of word `joint / 64`. Joints beyond the last word are off.
    /// `out` has all joints; the others keep their values. Tracks without wanted joints are not decoded. Codecs that read groups of tracks
    /// skip whole groups only.
    ///
    /// # Panics
    /// If `out` has another number of joints than the clip, or the cursor belongs to another clip.
    #[inline]
    pub fn sample_mask(&self, cursor: &mut Cursor<'_>, at_sample: f64, mask: &[u64], out: &mut [Transform]) {
        assert_eq!(out.len(), self.joints(), "joints of the pose and of the clip");
        self.sample_slice(cursor, at_sample, PoseSlice::masked(out, 0, mask));
    }

    /// Writes the wanted joints in the caller's layout, with the same bits as [`Opened::sample`]. It decodes in blocks on the stack and
    /// needs no extra pose.
    ///
    /// # Panics
    /// If `out` is shorter than [`PoseLayout::floats`] of the wanted joints (of the whole clip with a mask), if the clip has no such
    /// joints, or if the cursor belongs to another clip.
    pub fn sample_into(
        &self,
        cursor: &mut Cursor<'_>,
        at_sample: f64,
        joints: &Joints<'_>,
        layout: PoseLayout,
        out: &mut [f32],
    ) {
        let (range, mask) = match joints {
            Joints::All => (0..self.joints(), None),
            Joints::Range(range) => (range.clone(), None),
            Joints::Mask(mask) => (0..self.joints(), Some(*mask)),
        };
        assert!(range.end <= self.joints(), "joints {range:?} of a clip of {}", self.joints());
        assert!(layout.floats(range.len()) <= out.len(), "room for {} joints in {} floats", range.len(), out.len());
        let mut block = [Transform::IDENTITY; BLOCK_JOINTS];
        for start in range.clone().step_by(BLOCK_JOINTS) {
            if mask.is_some_and(|mask| mask.get(start / BLOCK_JOINTS).is_none_or(|word| *word == 0)) {
                continue; // no wanted joint in this block
            }
            let block = &mut block[..BLOCK_JOINTS.min(range.end - start)];
            let mut slice = match mask {
                Some(mask) => PoseSlice::masked(block, start, mask),
                None if block.len() == self.joints() => PoseSlice::whole(block),
                None => PoseSlice::part(block, start),
            };
            self.sample_slice(cursor, at_sample, slice.again());
            for joint in slice.range() {
                if let Some(local) = slice.joint(joint) {
                    layout.put(joint - range.start, local, out);
                }
            }
        }
    }

    /// Writes the values of the float tracks at a place in the clip, in samples from its start.
    #[inline]
    pub fn sample_floats(&self, at_sample: f64, out: &mut [f32]) {
        if out.is_empty() {
            return; // most clips have no float tracks
        }
        let Some(Rare { floats, holds, .. }) = self.rare.as_deref() else { return };
        let (bytes, samples) = (self.bytes(), self.grid.samples());
        let (index, alpha) = self.grid.split(at_sample);
        floats.sample(bytes, samples, (index, alpha), out);
        if alpha > 0.0 {
            floats.hold(bytes, samples, index, &holds.floats, out);
        }
    }

    /// Bytes of the clip in memory: its data, and tables from opening. The bind pose, once per rig, and cursors, one per player, are extra.
    pub fn resident_bytes(&self) -> usize {
        size_of_val(self)
            + self.bytes().len()
            + self.decoder.heap_bytes()
            + self.rare.as_ref().map_or(0, |rare| rare.bytes())
    }

    fn payload(&self) -> &[u8] {
        section(self.bytes(), &self.payload_range())
    }

    fn payload_range(&self) -> Range<usize> {
        self.payload.start as usize..self.payload.end as usize
    }

    /// Samples the wanted joints. For an additive clip, these are differences.
    #[inline]
    fn sample_slice(&self, cursor: &mut Cursor<'_>, at_sample: f64, mut out: PoseSlice<'_>) {
        self.stored(cursor, at_sample, out.again());
        let Some(rare) = &self.rare else { return };
        if !rare.scale_offsets.is_empty() {
            ScaleOffset::take_off(&rare.scale_offsets, &mut out);
        }
        if !rare.carriers.is_empty() {
            out.take_off(&rare.carriers);
        }
    }

    /// Samples the wanted joints with all stored corrections. Stepped channels keep the value at the start of their interval.
    #[inline]
    fn stored(&self, cursor: &mut Cursor<'_>, at_sample: f64, mut out: PoseSlice<'_>) {
        let CursorState { clip, stored, held } = &mut cursor.state;
        assert_eq!(*clip, self.id, "the cursor was made by another clip");
        let Some(rare) = self.rare.as_ref().filter(|rare| !rare.holds.joints.is_empty()) else {
            return self.wrapped(stored, at_sample, out);
        };
        let (index, alpha) = self.grid.split(at_sample);
        let holds = if alpha > 0.0 { Hold::at(&rare.holds.joints, index) } else { &[] };
        let joints = || holds.iter().map(|h| usize::from(h.joint)).filter(|joint| out.wants(*joint));
        let first = joints().next().unwrap_or(0);
        let held = &mut held[..joints().next_back().map_or(0, |last| last + 1 - first)];
        if !held.is_empty() {
            self.wrapped(stored, index as f64, PoseSlice::part(held, first));
        }
        self.wrapped(stored, at_sample, out.again());
        for hold in holds {
            if let Some(out) = out.joint(usize::from(hold.joint)) {
                hold.apply(out, &held[usize::from(hold.joint) - first]);
            }
        }
    }

    /// Samples the wanted joints from the stored samples. If the last sample is not stored, the first sample takes its place.
    #[inline]
    fn wrapped(&self, cursor: &mut StoredCursor, at_sample: f64, mut out: PoseSlice<'_>) {
        let StoredCursor { decoder, correction, seam } = cursor;
        let mut correction = correction.as_deref_mut();
        let Some(SeamCursor { decoder: at_seam, first }) = seam.as_deref_mut() else {
            return self.corrected((decoder, correction), at_sample, out);
        };
        let (index, alpha) = self.grid.split(at_sample);
        match self.grid.samples() - 1 - index {
            0 => self.corrected((at_seam, correction), 0.0, out),
            1 => {
                self.corrected((decoder, correction.as_deref_mut()), index as f64, out.again());
                if alpha > 0.0 {
                    self.corrected((at_seam, correction), 0.0, out.beside(first));
                    out.lerp(first, alpha);
                }
            }
            _ => self.corrected((decoder, correction), at_sample, out),
        }
    }

    /// Samples the wanted joints from the payload, with compensation.
    #[inline]
    fn corrected(
        &self,
        (cursor, state): (&mut PayloadCursor, Option<&mut CorrectionCursor>),
        at_sample: f64,
        mut out: PoseSlice<'_>,
    ) {
        let payload = self.payload();
        let mut decode = |mut out: PoseSlice<'_>| {
            self.decoder.sample(payload, &mut cursor.decoder, at_sample, out.again());
            if let (Some(rare), Some(groups)) = (&self.rare, &mut cursor.groups) {
                rare.groups.sample(self.bytes(), groups, at_sample, &mut out);
            }
        };
        decode(out.again());
        let correction = self.rare.as_ref().and_then(|rare| rare.correction.as_ref());
        if let (Some((correction, range)), Some(state)) = (correction, state) {
            let at = self.grid.split(at_sample);
            correction.apply(section(self.bytes(), range), state, at, out, decode);
        }
    }
}

impl<B: AsRef<[u8]>> Opened<B> {
    /// Keeps only the bytes that sampling reads, often fewer than were opened: see [`Opened::owned`]. `copy` makes a value of them; it is not
    /// called where all bytes are needed.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn with_fewer_bytes(mut self, copy: impl FnOnce(&[u8]) -> Result<B, NoMemory>) -> Result<Self, NoMemory> {
        let first = self.own_payload()?;
        if first > 0 {
            self.bytes = copy(&self.bytes.as_ref()[first..])?;
        }
        Ok(self)
    }

    /// Has the decoder copy what it reads of the payload, if it can. Returns the first of the bytes that are still needed.
    fn own_payload(&mut self) -> Result<usize, NoMemory> {
        let payload = self.payload_range();
        if self.has_groups() || !self.decoder.own(section(self.bytes.as_ref(), &payload))? {
            return Ok(0);
        }
        let end = payload.end;
        self.payload = 0..0;
        if let Some(rare) = &mut self.rare {
            rare.floats.move_back(end);
            if let Some((_, range)) = &mut rare.correction {
                *range = range.start - end..range.end - end;
            }
        }
        Ok(end)
    }
}

impl Opened<Vec<u8>> {
    /// Opens a clip and copies the bytes that sampling reads, often fewer than `bytes` has: rows of `press`, of `variable-rate` in whole
    /// steps and of fixed formats, and keys by track, without their heads. An archive keeps only its expanded rows. Other codecs keep a copy of the clip.
    ///
    /// # Errors
    /// See [`Opened::new`].
    pub fn owned(codec: CodecId, bytes: &[u8], bind: &BindPose) -> Result<Self, DecodeError> {
        let mut opened = Opened::new(codec, bytes, bind)?;
        let first = opened.own_payload()?;
        let Opened { bytes: _, id, joints, looping, is_wrapped, grid, decoder, payload, rare } = opened;
        let bytes = copied(&bytes[first..])?;
        Ok(Self { bytes, id, joints, looping, is_wrapped, grid, decoder, payload, rare })
    }
}

impl<B> core::fmt::Debug for Opened<B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Opened").field("joints", &self.joints).field("grid", &self.grid).finish_non_exhaustive()
    }
}
