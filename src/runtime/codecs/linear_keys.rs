use crate::format::{BitReader, BitWriter, DecodeError};
use crate::math::Transform;
use crate::parts::{
    ClipHeader, KeySearch, KeyStreamSampler, KeyTracksSampler, PoseRows, count_bits, read_curve_block, read_times,
};
use crate::{Pose, Sampler, TimeGrid};

/// How kept keys lie in memory. The number is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum KeyLayout {
    /// One track after another (Unreal): [`KeyTracksSampler`].
    ByTrack = 0,
    /// In the order in which playing forward needs them (Riot): [`KeyStreamSampler`].
    TimeNeeded = 1,
    /// Whole poses at shared times: [`KeyFramesSampler`].
    KeyFrames = 2,
    /// Curves and one block of keys (Animation Tech Intro 2): [`read_curve_block`].
    CurveBlock = 3,
}

/// What comes first in a payload.
///
/// On disk: [`ESCAPE`], the layout and the search in two bits each. Payloads by track that are searched with a cursor
/// begin with their track table at once, as all did in the first version; no table begins with [`ESCAPE`]. Keys by the
/// time at which they are needed are scanned, not searched: there [`JUMPS`] says that a jump table helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyHeader {
    pub layout: KeyLayout,
    pub search: KeySearch,
    /// Only with [`KeyLayout::TimeNeeded`].
    pub has_jumps: bool,
}

/// Two bits that are no kind of a track.
const ESCAPE: u64 = 3;
/// Two bits that are no search.
const JUMPS: u64 = 3;
const CODE_BITS: u32 = 2;

impl KeyHeader {
    const FIRST_VERSION: Self = Self { layout: KeyLayout::ByTrack, search: KeySearch::Cursor, has_jumps: false };

    pub fn write(self, out: &mut BitWriter) {
        if self != Self::FIRST_VERSION {
            out.push(ESCAPE, CODE_BITS);
            out.push(self.layout as u64, CODE_BITS);
            out.push(if self.has_jumps { JUMPS } else { self.search as u64 }, CODE_BITS);
        }
    }

    fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        // A rig without joints may have nothing to read.
        if input.clone().read("layout of keys", CODE_BITS).is_ok_and(|bits| bits != ESCAPE) {
            return Ok(Self::FIRST_VERSION);
        }
        input.read("layout of keys", CODE_BITS)?;
        let layout = match input.read("layout of keys", CODE_BITS)? {
            0 => KeyLayout::ByTrack,
            1 => KeyLayout::TimeNeeded,
            2 => KeyLayout::KeyFrames,
            _ => KeyLayout::CurveBlock,
        };
        let code = input.read("search of keys", CODE_BITS)?;
        if code == JUMPS && layout == KeyLayout::TimeNeeded {
            return Ok(Self { layout, search: KeySearch::Cursor, has_jumps: true });
        }
        let search = KeySearch::ALL.get(code as usize).copied();
        let search = search.ok_or_else(|| DecodeError::invalid("search of keys", 0, code, "0 to 2"))?;
        Ok(Self { layout, search, has_jumps: false })
    }
}

/// Opens a payload of any layout.
pub fn open<'a>(
    header: &ClipHeader,
    bytes: &'a [u8],
    bind: &[Transform],
) -> Result<Box<dyn Sampler + Send + 'a>, DecodeError> {
    let mut input = BitReader::new(bytes);
    let KeyHeader { layout, search, has_jumps } = KeyHeader::read(&mut input)?;
    Ok(match layout {
        KeyLayout::ByTrack => Box::new(KeyTracksSampler::read(header, input, bytes, bind, search)?),
        KeyLayout::TimeNeeded => Box::new(KeyStreamSampler::read(header, input, bytes, bind, has_jumps)?),
        KeyLayout::CurveBlock => Box::new(read_curve_block(header, input, bytes, bind, search)?),
        KeyLayout::KeyFrames => Box::new(KeyFramesSampler::read(header, input, bytes, bind, search)?),
    })
}

/// Blends the two poses around a time: one search for all tracks.
///
/// On disk: number of key frames ([`count_bits`]), their times, then [`PoseRows`], one a key frame.
pub struct KeyFramesSampler<'a> {
    grid: TimeGrid,
    search: KeySearch,
    times: Vec<u32>,
    rows: PoseRows<'a>,
    cursor: usize,
}

impl<'a> KeyFramesSampler<'a> {
    fn read(
        header: &ClipHeader,
        mut input: BitReader<'_>,
        bytes: &'a [u8],
        bind: &[Transform],
        search: KeySearch,
    ) -> Result<Self, DecodeError> {
        let samples = header.grid.samples();
        let count = input.read("number of key frames", count_bits(samples))? as usize;
        if count < samples.min(2) || count > samples {
            return Err(DecodeError::invalid("number of key frames", 0, count, format!("2 to {samples}")));
        }
        let times = read_times(&mut input, count, samples)?;
        let rows = PoseRows::read(input, bytes, bind, count)?;
        Ok(Self { grid: header.grid, search, times, rows, cursor: 0 })
    }
}

impl Sampler for KeyFramesSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        if self.times.len() < 2 {
            return self.rows.sample((0, 0), 0.0, out);
        }
        let at = self.grid.sample_at(time_secs);
        let index = self.search.find(&self.times, at, self.cursor);
        self.cursor = index;
        let (start, end) = (f64::from(self.times[index]), f64::from(self.times[index + 1]));
        if at >= end {
            self.rows.sample((index + 1, index + 1), 0.0, out);
        } else {
            self.rows.sample((index, index + 1), ((at - start) / (end - start)) as f32, out);
        }
    }
}
