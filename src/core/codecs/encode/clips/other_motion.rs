use crate::codecs::EncodeError;
use crate::math::Transform;
use crate::model::{Clip, ClipData};

/// The clip with other transforms, without its float tracks, which no codec looks at.
///
/// # Errors
/// [`EncodeError::Unsupported`], where they make no clip.
pub fn with_locals(clip: &Clip, transforms: Vec<Transform>) -> Result<Clip, EncodeError> {
    Clip::new(ClipData {
        name: clip.name().into(),
        joints: clip.joints(),
        duration_secs: clip.duration_secs(),
        transforms,
        float_tracks: 0,
        floats: Vec::new(),
        holds: clip.holds().to_vec(),
        looping: Some(clip.is_looping()),
    })
    .map_err(|e| EncodeError::Unsupported(e.to_string()))
}
