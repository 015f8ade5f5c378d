use crate::TimeGrid;
use crate::format::{ByteReader, DecodeError};

/// The header of a clip, which does not depend on the codec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipHeader {
    /// Joints of the rig.
    pub joints: usize,
    /// Sample times.
    pub grid: TimeGrid,
    /// Float tracks.
    pub float_tracks: usize,
    /// True if the clip loops.
    pub looping: bool,
    /// True if poses are differences, to add to the poses of another clip: see [`Transform::plus`](crate::Transform::plus).
    pub additive: bool,
}

/// The optional sections after the held intervals, in file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Following {
    /// Scale offsets.
    pub scale_offsets: bool,
    /// A compensation.
    pub compensation: bool,
}

/// Constants of the file format.
#[doc(hidden)]
impl ClipHeader {
    /// Size in bytes.
    pub const BYTES: usize = 14;
    /// About ten hours at 30 Hz. A larger count means a damaged file.
    pub const MAX_SAMPLES: usize = 1 << 20;

    /// Flag: the clip loops.
    pub const LOOPING: u16 = 1;
    /// Flag: a compensation follows the held intervals.
    pub const COMPENSATED: u16 = 2;
    /// Flag: poses are differences. They are stored on top of the rig's bind pose, which readers remove.
    pub const ADDITIVE: u16 = 4;
    /// Flag: scale offsets follow the held intervals, before a compensation: see [`ScaleOffset`](super::ScaleOffset).
    pub const SCALE_OFFSETS: u16 = 8;

    const FLAGS: u16 = Self::LOOPING | Self::COMPENSATED | Self::ADDITIVE | Self::SCALE_OFFSETS;

    /// Reads the header and the list of optional sections. On disk: joints u16, float tracks u16, samples u32, duration f32, flags
    /// u16: [`ClipHeader::LOOPING`], [`ClipHeader::COMPENSATED`], [`ClipHeader::ADDITIVE`] and [`ClipHeader::SCALE_OFFSETS`].
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut ByteReader<'_>) -> Result<(Self, Following), DecodeError> {
        let joints = usize::from(input.u16("joint count")?);
        let float_tracks = usize::from(input.u16("float track count")?);
        let at = input.position();
        let samples = input.u32("sample count")? as usize;
        if samples == 0 || samples > Self::MAX_SAMPLES {
            return Err(DecodeError::invalid("sample count", at, samples, format_args!("1 to {}", Self::MAX_SAMPLES)));
        }
        let at = input.position();
        let duration_secs = input.f32("duration")?;
        if duration_secs < 0.0 {
            return Err(DecodeError::invalid("duration", at, duration_secs, "zero or more seconds"));
        }
        let at = input.position();
        let flags = input.u16("clip flags")?;
        if flags & !Self::FLAGS != 0 {
            return Err(DecodeError::invalid("clip flags", at, flags, format_args!("0 to {}", Self::FLAGS)));
        }
        let has = |flag: u16| flags & flag != 0;
        let (looping, additive) = (has(Self::LOOPING), has(Self::ADDITIVE));
        let following = Following { scale_offsets: has(Self::SCALE_OFFSETS), compensation: has(Self::COMPENSATED) };
        let grid = TimeGrid::new(samples, duration_secs);
        Ok((Self { joints, float_tracks, grid, looping, additive }, following))
    }
}
