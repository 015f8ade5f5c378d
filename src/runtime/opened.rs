use crate::codecs::{Decoder, DecoderCursor, payload_version};
use crate::compensation::{Correction, CorrectionCursor};
use crate::format::DecodeError;
use crate::math::Transform;
use crate::parts::{ClipHeader, FloatTracks, PoseSlice};
use crate::{ClipSections, CodecId, Hold, Pose};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A clip's bytes, checked once: immutable, shared by everyone who plays the clip. Where each of them is, a [`Cursor`] says.
///
/// `B` owns the bytes or borrows them; it must give the same ones whenever it is asked, as `Vec<u8>`, `Arc<[u8]>` and
/// `&[u8]` do. Any bytes are safe to open, and those that open are safe to sample at any time.
///
/// # Example
/// ```
/// use posepress_runtime::{DecodeError, Opened, Pose, Transform};
///
/// # fn play(codec: posepress_runtime::CodecId, bytes: Vec<u8>, bind: &[Transform]) -> Result<(), DecodeError> {
/// let clip = Opened::new(codec, bytes, bind)?;
/// let mut cursor = clip.cursor(); // one a character
/// let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
/// let at = clip.header().grid.sample_at(0.25); // seconds
/// clip.sample(&mut cursor, at, &mut pose);
/// assert_eq!(clip.sample_joint(&mut cursor, at, 0), pose.joints[0]);
/// # Ok(())
/// # }
/// ```
pub struct Opened<B> {
    bytes: B,
    /// Tells its cursors from those of other clips.
    id: usize,
    header: ClipHeader,
    decoder: Decoder,
    payload: Range<usize>,
    floats: FloatTracks,
    holds: Vec<Hold>,
    correction: Option<(Correction, Range<usize>)>,
}

/// Where one player of an [`Opened`] clip is: hints of where to go on, and values that need not be decoded again.
///
/// All memory that sampling needs is taken when it is made. Its state never shows in a pose: any cursor of a clip gives the
/// same bits.
#[derive(Debug, Clone)]
pub struct Cursor {
    clip: usize,
    decoder: DecoderCursor,
    correction: Option<CorrectionCursor>,
    /// Room for the joints of stepped intervals, of clips that have some.
    held: Vec<Transform>,
}

/// Cursors of clips that were opened before are told apart by this.
static NEXT_ID: AtomicUsize = AtomicUsize::new(0);

impl<B: AsRef<[u8]>> Opened<B> {
    /// Opens a clip's bytes. `bind` is the bind pose of the rig that the clip was made for, local transforms, one a joint; what
    /// is needed of it is copied.
    ///
    /// # Errors
    /// See [`DecodeError`]: damaged bytes, another rig's number of joints, a codec or a version that this build does not have.
    pub fn new(codec: CodecId, bytes: B, bind: &[Transform]) -> Result<Self, DecodeError> {
        let sections = ClipSections::read(bytes.as_ref())?;
        Self::from_sections(codec, bytes, sections, bind)
    }

    /// As [`Opened::new`], of bytes whose parts are known: for encoders, which decode what is not wrapped yet.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn from_sections(
        codec: CodecId,
        bytes: B,
        sections: ClipSections,
        bind: &[Transform],
    ) -> Result<Self, DecodeError> {
        let ClipSections { header, version, payload, floats, holds, compensation } = sections;
        if header.joints != bind.len() {
            let expected = format!("the rig's {}", bind.len());
            return Err(DecodeError::invalid("joint count", 0, header.joints, expected));
        }
        let expected = payload_version(codec, &header)?;
        if expected != version {
            let expected = format!("{expected}: open it with the Posepress that wrote it, or a newer one");
            return Err(DecodeError::invalid("version of the payload", 0, version, expected));
        }
        let all = bytes.as_ref();
        let decoder = Decoder::open(codec, &header, section(all, &payload), bind)?;
        let read = |range: Range<usize>| Ok((Correction::read(&header, section(all, &range))?, range));
        let correction = compensation.map(read).transpose()?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Ok(Self { bytes, id, header, decoder, payload, floats, holds, correction })
    }

    /// What is true of the clip whatever its codec: joints, times, float tracks, whether it loops.
    pub fn header(&self) -> &ClipHeader {
        &self.header
    }

    /// The bytes that were opened.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The decoder of its codec.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// A cursor for one player: the only allocation of playing. [`Cursor::resident_bytes`] says how much it takes.
    pub fn cursor(&self) -> Cursor {
        let held = if self.holds.is_empty() { 0 } else { self.header.joints };
        Cursor {
            clip: self.id,
            decoder: self.decoder.cursor(self.payload()),
            correction: self.correction.as_ref().map(|(correction, _)| correction.cursor(self.header.joints)),
            held: vec![Transform::IDENTITY; held],
        }
    }

    /// Overwrites `out` with the pose at a place in the clip, in samples from its start: `2.5` lies halfway between the third
    /// sample and the fourth. [`TimeGrid::sample_at`](crate::TimeGrid::sample_at) has it from seconds; places outside the clip are clamped. Nothing is allocated.
    ///
    /// # Panics
    /// Where `out` has another number of joints than the clip, or the cursor is that of another clip.
    #[inline]
    pub fn sample(&self, cursor: &mut Cursor, at_sample: f64, out: &mut Pose) {
        assert_eq!(out.joints.len(), self.header.joints, "joints of the pose and of the clip");
        self.sample_slice(cursor, at_sample, PoseSlice::whole(&mut out.joints));
        self.sample_floats(at_sample, &mut out.floats);
    }

    /// The local transform of one joint: the same bits as in [`Opened::sample`], for little more than that joint's
    /// part of the work (all of it for codecs that decode whole blocks).
    ///
    /// # Panics
    /// Where the clip has no such joint, or the cursor is that of another clip.
    #[inline]
    pub fn sample_joint(&self, cursor: &mut Cursor, at_sample: f64, joint: usize) -> Transform {
        let mut out = [Transform::IDENTITY];
        self.sample_range(cursor, at_sample, joint..joint + 1, &mut out);
        let [out] = out;
        out
    }

    /// As [`Opened::sample_joint`], for joints that follow each other: `out` has room for as many.
    ///
    /// # Panics
    /// Where `out` has another length than the range, the clip has no such joints, or the cursor is that of another clip.
    #[inline]
    pub fn sample_range(&self, cursor: &mut Cursor, at_sample: f64, joints: Range<usize>, out: &mut [Transform]) {
        assert_eq!(out.len(), joints.len(), "room for the joints asked for");
        assert!(joints.end <= self.header.joints, "joints {joints:?} of a clip of {}", self.header.joints);
        self.sample_slice(cursor, at_sample, PoseSlice::part(out, joints.start));
    }

    /// The values of the float tracks at a place in the clip, in samples from its start.
    #[inline]
    pub fn sample_floats(&self, at_sample: f64, out: &mut [f32]) {
        if out.is_empty() {
            return; // most clips have none, and need not know where they are
        }
        let (index, alpha) = self.header.grid.split(at_sample);
        self.floats.sample(self.bytes(), index, alpha, out);
    }

    /// Bytes that the clip keeps in memory: its own, and what opening worked out. Cursors come on top, one a player.
    pub fn resident_bytes(&self) -> usize {
        size_of_val(self)
            + self.bytes().len()
            + self.decoder.heap_bytes()
            + self.floats.heap_bytes()
            + size_of_val(&self.holds[..])
            + self.correction.as_ref().map_or(0, |(correction, _)| correction.heap_bytes())
    }

    fn payload(&self) -> &[u8] {
        section(self.bytes(), &self.payload)
    }

    /// The wanted joints with everything that is stored for them: stepped channels keep the value that they had at the start of
    /// their interval.
    #[inline]
    fn sample_slice(&self, cursor: &mut Cursor, at_sample: f64, mut out: PoseSlice<'_>) {
        assert_eq!(cursor.clip, self.id, "the cursor was made by another clip");
        if self.holds.is_empty() {
            return self.corrected((&mut cursor.decoder, &mut cursor.correction), at_sample, out);
        }
        let (index, alpha) = self.header.grid.split(at_sample);
        let holds = if alpha > 0.0 { Hold::at(&self.holds, index) } else { &[] };
        let Cursor { decoder, correction, held, .. } = cursor;
        let wanted = out.range();
        let joints = || holds.iter().map(|h| usize::from(h.joint)).filter(|joint| wanted.contains(joint));
        let first = joints().next().unwrap_or(0);
        let held = &mut held[..joints().next_back().map_or(0, |last| last + 1 - first)];
        if !held.is_empty() {
            self.corrected((decoder, correction), index as f64, PoseSlice::part(held, first));
        }
        self.corrected((decoder, correction), at_sample, out.again());
        for hold in holds {
            if let Some(out) = out.joint(usize::from(hold.joint)) {
                hold.apply(out, &held[usize::from(hold.joint) - first]);
            }
        }
    }

    /// The wanted joints as the codec's bytes have them, corrected.
    #[inline]
    fn corrected(
        &self,
        (decoder, state): (&mut DecoderCursor, &mut Option<CorrectionCursor>),
        at_sample: f64,
        mut out: PoseSlice<'_>,
    ) {
        let payload = self.payload();
        let mut decode = |out: PoseSlice<'_>| self.decoder.sample(payload, decoder, at_sample, out);
        decode(out.again());
        if let (Some((correction, range)), Some(state)) = (&self.correction, state) {
            let at = self.header.grid.split(at_sample);
            correction.apply(section(self.bytes(), range), state, at, out, decode);
        }
    }
}

impl<B> core::fmt::Debug for Opened<B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Opened").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Cursor {
    /// Bytes that it keeps in memory.
    pub fn resident_bytes(&self) -> usize {
        size_of_val(self)
            + self.decoder.heap_bytes()
            + self.correction.as_ref().map_or(0, CorrectionCursor::heap_bytes)
            + size_of_val(&self.held[..])
    }

    /// Byte of the codec's payload that a scan has come to; `None` for codecs that read in place. Playing forward it only grows,
    /// so a pose that asks for nothing new reads nothing new.
    pub fn position(&self) -> Option<usize> {
        self.decoder.position()
    }
}

/// Ranges were checked when the clip was opened.
#[inline]
fn section<'a>(bytes: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    bytes.get(range.clone()).unwrap_or_default()
}
