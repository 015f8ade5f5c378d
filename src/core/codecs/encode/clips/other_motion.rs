use crate::codecs::EncodeError;
use crate::math::Transform;
use crate::model::{Clip, ClipData};

/// The clip with other transforms and without its float tracks, which codecs do not use.
///
/// # Errors
/// [`EncodeError::Unsupported`] if they are not a valid clip.
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
