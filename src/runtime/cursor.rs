use crate::codecs::DecoderCursor;
use crate::compensation::CorrectionCursor;
use crate::groups::JointGroupsCursor;
use crate::math::Transform;
use crate::state_memory::Lent;
use crate::{Boxed, List};

/// The state of one player of an [`Opened`](crate::Opened) clip: read positions and cached values.
///
/// It allocates all memory that sampling needs when it is created: on the heap, or for `'m` in a block of the caller. Its state never
/// affects a pose: every cursor of a clip gives the same bits.
///
/// # Example
/// ```
/// # use posepress_runtime::{CodecId, Container, Opened, Transform};
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/press.posepress"));
/// # let container = Container::read(file)?;
/// # let rig = container.rig.as_ref().ok_or("the rig was stripped")?;
/// # let bind = rig.bind_pose()?;
/// # let entry = &container.clips[0];
/// # let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], &bind)?;
/// let mut early = clip.cursor()?;
/// let mut late = clip.cursor()?;
/// clip.sample_joint(&mut late, 3.0, 0); // moves one cursor ahead
/// assert_eq!(clip.sample_joint(&mut early, 1.5, 0), clip.sample_joint(&mut late, 1.5, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Cursor<'m> {
    pub(crate) state: CursorState,
    pub(crate) _lent: Lent<'m>,
}

#[derive(Debug, Clone)]
pub(crate) struct CursorState {
    pub(crate) clip: u32,
    pub(crate) stored: StoredCursor,
    /// Scratch memory for joints with stepped intervals, if the clip has some.
    pub(crate) held: List<Transform>,
}

/// Cursor of the stored samples.
#[derive(Debug, Clone)]
pub(crate) struct StoredCursor {
    pub(crate) decoder: PayloadCursor,
    pub(crate) correction: Option<Boxed<CorrectionCursor>>,
    /// Cursor of the seam, for loops without their last sample.
    pub(crate) seam: Option<Boxed<SeamCursor>>,
}

/// A cursor at the first sample, so that a player need not scan back at the seam.
#[derive(Debug, Clone)]
pub(crate) struct SeamCursor {
    pub(crate) decoder: PayloadCursor,
    /// Scratch memory for the first pose.
    pub(crate) first: List<Transform>,
}

/// Cursors of the clip's payload and of joint groups.
#[derive(Debug, Clone)]
pub(crate) struct PayloadCursor {
    pub(crate) decoder: DecoderCursor,
    /// Cursors of joint groups, if the clip has some.
    pub(crate) groups: Option<Boxed<JointGroupsCursor>>,
}

/// Ends the process if memory runs out, like every clone of a list. [`Opened::cursor`](crate::Opened::cursor) returns an error instead.
impl Clone for Cursor<'static> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), _lent: Lent::HEAP }
    }
}

impl PayloadCursor {
    fn heap_bytes(&self) -> usize {
        let groups = self.groups.as_ref().map_or(0, |groups| size_of_val(&**groups) + groups.heap_bytes());
        self.decoder.heap_bytes() + groups
    }
}

impl Cursor<'_> {
    /// Bytes of the cursor in memory.
    pub fn resident_bytes(&self) -> usize {
        let CursorState { stored: StoredCursor { decoder, correction, seam }, held, .. } = &self.state;
        let correction = correction.as_ref().map_or(0, |cursor| size_of_val(&**cursor) + cursor.heap_bytes());
        let seam = seam
            .as_ref()
            .map_or(0, |seam| size_of_val(&**seam) + seam.decoder.heap_bytes() + size_of_val(&seam.first[..]));
        size_of_val(self) + decoder.heap_bytes() + correction + seam + size_of_val(&held[..])
    }

    /// Position of a sequential scan in the payload, bytes; `None` for codecs with random access. It only grows in forward playback, so a
    /// pose that needs no new key reads nothing.
    pub fn position(&self) -> Option<usize> {
        self.state.stored.decoder.decoder.position()
    }
}
