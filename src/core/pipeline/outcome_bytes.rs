use crate::codecs::{self, EncodedClip, Encoder};
use crate::format::DecodeError;
use crate::model::{Pose, Rig, Sampler};
use posepress_runtime::{Cursor, Opened, Player};
use std::sync::Arc;

/// The bytes that sampling an outcome reads.
#[derive(Debug, Clone)]
pub enum OutcomeBytes {
    /// All of them, shared with the outcome.
    All(Arc<EncodedClip>),
    /// A few of them.
    Few(Vec<u8>),
}

impl AsRef<[u8]> for OutcomeBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::All(encoded) => &encoded.bytes,
            Self::Few(bytes) => bytes,
        }
    }
}

/// Opens encoded bytes as a game does, with those that sampling reads.
pub(super) fn open_shared(
    codec: &dyn Encoder,
    encoded: &Arc<EncodedClip>,
    rig: &Rig,
) -> Result<Arc<Opened<OutcomeBytes>>, DecodeError> {
    let bind = rig.skeleton.bind_pose(0).joints;
    let opened = codecs::open(codec, OutcomeBytes::All(encoded.clone()), &bind)?;
    Ok(Arc::new(opened.with_fewer_bytes(|bytes| Ok(OutcomeBytes::Few(bytes.to_vec())))?))
}

/// A player of opened bytes.
pub(super) fn played(opened: Arc<Opened<OutcomeBytes>>) -> Player<Arc<Opened<OutcomeBytes>>> {
    Player::new(opened).expect("memory for a cursor")
}

/// A player that decodes the joints of a mask; the others keep their values.
pub(super) struct MaskedPlayer {
    opened: Arc<Opened<OutcomeBytes>>,
    cursor: Cursor<'static>,
    /// `None`: all joints.
    mask: Option<Vec<u64>>,
}

impl MaskedPlayer {
    /// A player of opened bytes.
    pub(super) fn new(opened: Arc<Opened<OutcomeBytes>>, mask: Option<&[u64]>) -> Self {
        let cursor = opened.cursor().expect("memory for a cursor");
        Self { opened, cursor, mask: mask.map(<[u64]>::to_vec) }
    }
}

impl Sampler for MaskedPlayer {
    fn sample(&mut self, at_sample: f64, out: &mut Pose) {
        let Some(mask) = &self.mask else { return self.opened.sample(&mut self.cursor, at_sample, out) };
        self.opened.sample_mask(&mut self.cursor, at_sample, mask, &mut out.joints);
        self.opened.sample_floats(at_sample, &mut out.floats);
    }
}
