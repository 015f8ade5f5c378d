//! Decoders, one file or folder a codec.

pub mod catmull_rom;
pub mod every_second_key;
pub mod linear_keys;
pub mod per_track;
pub mod quantize;
pub mod raw;
pub mod variable_rate;
pub mod wavelet;

use crate::format::DecodeError;
use crate::math::Transform;
use crate::parts::ClipHeader;
use crate::{CodecId, Sampler};

type Opened<'a> = Result<Box<dyn Sampler + Send + 'a>, DecodeError>;
type Open = for<'a> fn(&ClipHeader, &'a [u8], &'a [Transform]) -> Opened<'a>;

/// Every decoder by the id of its codec.
const DECODERS: &[(CodecId, Open)] = &[
    (CodecId(*b"RAW0"), |header, payload, _| Ok(Box::new(raw::RawSampler::new(header, payload)?))),
    (CodecId(*b"QNT1"), |header, payload, bind| Ok(Box::new(quantize::QuantizeSampler::new(header, payload, bind)?))),
    (CodecId(*b"ESK1"), |header, payload, bind| {
        Ok(Box::new(every_second_key::EverySecondKeySampler::new(header, payload, bind)?))
    }),
    (CodecId(*b"LKR1"), |header, payload, bind| linear_keys::open(header, payload, bind)),
    (CodecId(*b"PTK1"), |header, payload, bind| Ok(Box::new(per_track::open(header, payload, bind)?))),
    (CodecId(*b"VBR1"), |header, payload, bind| {
        Ok(Box::new(variable_rate::VariableRateSampler::new(header, payload, bind)?))
    }),
    (CodecId(*b"CMR1"), |header, payload, bind| catmull_rom::open(header, payload, bind)),
    (CodecId(*b"WAV1"), |header, payload, bind| Ok(Box::new(wavelet::WaveletSampler::new(header, payload, bind)?))),
];

/// A reader of a payload. `bind` is the bind pose of the rig, one a joint, as many as the header says.
///
/// # Errors
/// See [`DecodeError`]: any bytes are safe to pass.
pub fn decoder<'a>(id: CodecId, header: &ClipHeader, payload: &'a [u8], bind: &'a [Transform]) -> Opened<'a> {
    match DECODERS.iter().find(|(known, _)| *known == id) {
        Some((_, open)) => open(header, payload, bind),
        None => Err(DecodeError::invalid("codec", 0, id.0.escape_ascii(), "that of a codec of this build")),
    }
}
