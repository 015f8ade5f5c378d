use crate::codecs::{self, EncodedClip, Encoder};
use crate::format::DecodeError;
use crate::model::Rig;
use posepress_runtime::{Opened, Player};
use std::sync::Arc;

/// The bytes of an outcome, shared with it.
#[derive(Debug, Clone)]
pub struct OutcomeBytes(Arc<EncodedClip>);

impl AsRef<[u8]> for OutcomeBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

/// Opens encoded bytes without a copy. The reader shares them with their outcome.
pub(super) fn open_shared(
    codec: &dyn Encoder,
    encoded: &Arc<EncodedClip>,
    rig: &Rig,
) -> Result<Arc<Opened<OutcomeBytes>>, DecodeError> {
    let bind = rig.skeleton.bind_pose(0).joints;
    Ok(Arc::new(codecs::open(codec, OutcomeBytes(encoded.clone()), &bind)?))
}

/// A player of opened bytes.
pub(super) fn played(opened: Arc<Opened<OutcomeBytes>>) -> Player<Arc<Opened<OutcomeBytes>>> {
    Player::new(opened).expect("memory for a cursor")
}
