use crate::TimeGrid;
use crate::format::{ByteReader, DecodeError};
use alloc::format;

/// What is true of a clip whatever its codec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipHeader {
    /// Joints of the rig.
    pub joints: usize,
    /// Sample times.
    pub grid: TimeGrid,
    /// Float tracks.
    pub float_tracks: usize,
    /// Time wraps.
    pub looping: bool,
    /// Poses are differences, to be added to those of another clip: see [`Transform::plus`](crate::Transform::plus).
    pub additive: bool,
}

impl ClipHeader {
    /// Bytes that it takes.
    pub const BYTES: usize = 14;
    /// About ten hours at 30 Hz: more is a damaged file.
    pub const MAX_SAMPLES: usize = 1 << 20;

    /// Flag: time wraps.
    pub const LOOPING: u16 = 1;
    /// Flag: a compensation follows the held intervals.
    pub const COMPENSATED: u16 = 2;
    /// Flag: poses are differences. What is stored is them on top of the rig's bind pose, which readers take off again.
    pub const ADDITIVE: u16 = 4;

    /// The header, and whether a compensation follows the held intervals. On disk: joints u16, float tracks u16, samples u32,
    /// duration f32, flags u16: [`ClipHeader::LOOPING`], [`ClipHeader::COMPENSATED`] and [`ClipHeader::ADDITIVE`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut ByteReader<'_>) -> Result<(Self, bool), DecodeError> {
        let joints = usize::from(input.u16("joint count")?);
        let float_tracks = usize::from(input.u16("float track count")?);
        let at = input.position();
        let samples = input.u32("sample count")? as usize;
        if samples == 0 || samples > Self::MAX_SAMPLES {
            return Err(DecodeError::invalid("sample count", at, samples, format!("1 to {}", Self::MAX_SAMPLES)));
        }
        let at = input.position();
        let duration_secs = input.f32("duration")?;
        if duration_secs < 0.0 {
            return Err(DecodeError::invalid("duration", at, duration_secs, "zero or more seconds"));
        }
        let at = input.position();
        let flags = input.u16("clip flags")?;
        if flags & !(Self::LOOPING | Self::COMPENSATED | Self::ADDITIVE) != 0 {
            return Err(DecodeError::invalid("clip flags", at, flags, "0 to 7"));
        }
        let [looping, is_compensated, additive] =
            [Self::LOOPING, Self::COMPENSATED, Self::ADDITIVE].map(|flag| flags & flag != 0);
        let grid = TimeGrid::new(samples, duration_secs);
        Ok((Self { joints, float_tracks, grid, looping, additive }, is_compensated))
    }
}
