use crate::codecs::payload_version;
use crate::format::{ByteReader, DecodeError};
use crate::groups::JointGroups;
use crate::parts::{ClipHeader, FloatTracks, ScaleOffset, read_holds};
use crate::{CodecId, HeldIntervals};
use alloc::vec::Vec;
use core::ops::Range;

/// The positions of the parts of a clip's bytes, in order. The compensation takes the rest.
#[derive(Debug, Clone)]
pub struct ClipSections {
    /// The header, which does not depend on the codec.
    pub header: ClipHeader,
    /// First byte of the payload, without the flags of [`JointGroups`] and [`ClipSections::WRAPPED`].
    pub version: u8,
    /// True if the payload and the compensation omit the last sample, which equals the first.
    pub is_wrapped: bool,
    /// True if some joints have their own payload.
    pub is_grouped: bool,
    /// The rest of the payload, for the decoder, or for [`JointGroups`] and the decoder.
    pub payload: Range<usize>,
    /// Morph weights and other scalars.
    pub floats: FloatTracks,
    /// Stepped intervals, ordered.
    pub holds: HeldIntervals,
    /// Offsets that are subtracted from decoded scales, ordered by joint.
    pub scale_offsets: Vec<ScaleOffset>,
    /// The compensation, if any.
    pub compensation: Option<Range<usize>>,
}

impl ClipSections {
    /// Bit of the version byte of payloads that omit the last sample.
    pub const WRAPPED: u8 = 0x20;

    /// The sections of an encoder's payload before it is wrapped. The payload has no version byte. It may have joint groups and a
    /// compensation.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] if this build lacks the codec.
    pub fn unwrapped(
        codec: CodecId,
        header: ClipHeader,
        (payload, is_grouped): (Range<usize>, bool),
        compensation: Option<Range<usize>>,
    ) -> Result<Self, DecodeError> {
        let version = payload_version(codec, &header)?;
        Ok(Self {
            header,
            version,
            is_wrapped: false,
            is_grouped,
            payload,
            floats: FloatTracks::default(),
            holds: HeldIntervals::default(),
            scale_offsets: Vec::new(),
            compensation,
        })
    }

    /// Reads and checks all parts but the payload and the compensation.
    ///
    /// # Errors
    /// See [`DecodeError`]; any bytes are safe to pass.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut input = ByteReader::new(bytes);
        let (header, following) = ClipHeader::read(&mut input)?;
        let payload_len = input.u32("payload length")? as usize;
        let start = input.position();
        let payload = input.bytes("payload", payload_len)?;
        let version = ByteReader::new(payload).u8("version of the payload")?;
        let floats = FloatTracks::read(&mut input, &header)?;
        let holds = read_holds(&mut input, &header)?;
        let scale_offsets = match following.scale_offsets {
            true => ScaleOffset::read_all(&mut input, &header)?,
            false => Vec::new(),
        };
        let compensation = following.compensation.then(|| input.position()..bytes.len());
        if !following.compensation {
            input.finish("clip")?;
        }
        let (is_wrapped, is_grouped) = (version & Self::WRAPPED != 0, version & JointGroups::FLAG != 0);
        if is_wrapped && header.grid.samples() < 2 {
            return Err(DecodeError::invalid("sample count", start, header.grid.samples(), "two or more in a loop"));
        }
        let version = version & !(JointGroups::FLAG | Self::WRAPPED);
        let payload = start + 1..start + payload_len;
        Ok(Self { header, version, is_wrapped, is_grouped, payload, floats, holds, scale_offsets, compensation })
    }

    /// The header of the stored samples.
    pub fn stored(&self) -> ClipHeader {
        let grid = self.header.grid;
        ClipHeader { grid: if self.is_wrapped { grid.without_last() } else { grid }, ..self.header }
    }
}
