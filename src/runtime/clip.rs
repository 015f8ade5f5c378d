use crate::codecs;
use crate::compensation::{CorrectedSampler, Correction};
use crate::format::{ByteReader, DecodeError};
use crate::math::Transform;
use crate::parts::{ClipHeader, FloatTracks, WithExtras, read_holds};
use crate::{Hold, Sampler};

/// Four bytes on disk, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodecId(pub [u8; 4]);

/// Opens a clip's bytes for sampling. `bind` is the bind pose of the rig that the clip was made for.
///
/// # Errors
/// See [`DecodeError`]; any bytes are safe to pass.
pub fn open_clip<'a>(
    codec: CodecId,
    bytes: &'a [u8],
    bind: &'a [Transform],
) -> Result<(ClipHeader, Box<dyn Sampler + Send + 'a>), DecodeError> {
    let ClipParts { header, payload, floats, holds, compensation } = ClipParts::read(bytes)?;
    if header.joints != bind.len() {
        return Err(DecodeError::invalid("joint count", 0, header.joints, format!("the rig's {}", bind.len())));
    }
    let mut inner = codecs::decoder(codec, &header, payload, bind)?;
    if let Some(bytes) = compensation {
        inner = Box::new(CorrectedSampler::new(inner, &header, bytes, Correction::read(&header, bytes)?));
    }
    Ok((header, Box::new(WithExtras::new(inner, &header, floats, holds))))
}

/// The parts of a clip's bytes, one after another; the compensation is all that follows the others.
pub struct ClipParts<'a> {
    pub header: ClipHeader,
    pub payload: &'a [u8],
    pub floats: FloatTracks<'a>,
    pub holds: Vec<Hold>,
    pub compensation: Option<&'a [u8]>,
}

impl<'a> ClipParts<'a> {
    /// Reads and checks all parts but the payload, which its codec checks.
    ///
    /// # Errors
    /// See [`DecodeError`]; any bytes are safe to pass.
    pub fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut input = ByteReader::new(bytes);
        let (header, is_compensated) = ClipHeader::read(&mut input)?;
        let payload_len = input.u32("payload length")? as usize;
        let payload = input.bytes("payload", payload_len)?;
        let floats = FloatTracks::read(&mut input, &header)?;
        let holds = read_holds(&mut input, &header)?;
        let left = input.left();
        let compensation = is_compensated.then(|| input.bytes("compensation", left)).transpose()?;
        input.finish("clip")?;
        Ok(Self { header, payload, floats, holds, compensation })
    }
}
