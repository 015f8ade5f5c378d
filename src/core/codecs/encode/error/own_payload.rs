use crate::codecs::{CodecId, Source};
use crate::format::DecodeError;
use posepress_runtime::internal::ClipSections;
use posepress_runtime::{Opened, Player};
use std::borrow::Cow;

/// A player of what an encoder wrote.
pub type OwnPayload<'a> = Player<Box<Opened<Cow<'a, [u8]>>>>;

/// Opens a payload that a codec made of a source, as it is before it is wrapped, and perhaps the compensation that is to be
/// stored with it: joints only.
///
/// # Errors
/// [`DecodeError`], where the payload is not that of the source.
pub fn open_own<'a>(
    codec: CodecId,
    source: &Source<'_>,
    payload: &'a [u8],
    compensation: Option<&[u8]>,
) -> Result<OwnPayload<'a>, DecodeError> {
    let (bytes, compensation) = match compensation {
        None => (Cow::Borrowed(payload), None),
        Some(tail) => (Cow::Owned([payload, tail].concat()), Some(payload.len()..payload.len() + tail.len())),
    };
    let sections =
        ClipSections::unwrapped(codec, source.header(), (0..payload.len(), source.has_groups()), compensation)?;
    let bind = source.skeleton.bind_pose(0).joints;
    Ok(Player::new(Box::new(Opened::from_sections(codec, bytes, sections, &bind)?))?)
}
