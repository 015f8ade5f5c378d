use crate::codecs::{CodecId, Source};
use crate::format::DecodeError;
use posepress_runtime::internal::ClipSections;
use posepress_runtime::{Opened, Player};
use std::borrow::Cow;

/// A player of an encoder's payload.
pub type OwnPayload<'a> = Player<Box<Opened<Cow<'a, [u8]>>>>;

/// A player of the payload of a codec. See [`open_own`].
///
/// # Errors
/// [`DecodeError`] if the payload does not come from the source.
pub fn play_own<'a>(
    codec: CodecId,
    source: &Source<'_>,
    payload: &'a [u8],
    compensation: Option<&[u8]>,
) -> Result<OwnPayload<'a>, DecodeError> {
    Ok(Player::new(Box::new(open_own(codec, source, payload, compensation)?))?)
}

/// Opens the payload of a codec before the clip's other sections are added, with the compensation if there is one. Joints only.
///
/// # Errors
/// [`DecodeError`] if the payload does not come from the source.
pub fn open_own<'a>(
    codec: CodecId,
    source: &Source<'_>,
    payload: &'a [u8],
    compensation: Option<&[u8]>,
) -> Result<Opened<Cow<'a, [u8]>>, DecodeError> {
    let (bytes, compensation) = match compensation {
        None => (Cow::Borrowed(payload), None),
        Some(tail) => (Cow::Owned([payload, tail].concat()), Some(payload.len()..payload.len() + tail.len())),
    };
    let sections =
        ClipSections::unwrapped(codec, source.header(), (0..payload.len(), source.has_groups()), compensation)?;
    Opened::from_sections(codec, bytes, sections, &source.skeleton.shared_bind()?)
}
