//! On disk: four bytes of the id of the codec that won, then its payload to the end.

use crate::format::DecodeError;

/// Puts the id of the codec that made it in front of a payload.
pub fn join(id: [u8; 4], payload: &[u8]) -> Vec<u8> {
    [&id, payload].concat()
}

/// Splits what [`join`] made.
pub fn split(payload: &[u8]) -> Result<(&[u8; 4], &[u8]), DecodeError> {
    let left = payload.len();
    payload.split_first_chunk().ok_or(DecodeError::Truncated { what: "id of the codec", at: 0, needed: 4, left })
}
