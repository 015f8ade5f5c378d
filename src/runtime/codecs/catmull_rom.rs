use crate::format::{BitReader, BitWriter, DecodeError};
use crate::math::{Range3, Transform};
use crate::parts::{
    ClipHeader, CurveTracksSampler, JumpTable, KeyFormat, Knots, RangeSource, RotationFormat, Spline, SplineKey,
    SplineSection, SplineShape, TrackTable, ValueFormat, VectorFormat, read_range,
};
use crate::{Channel, Pose, Sampler, TimeGrid};
use glam::Vec4;

/// How keys lie in memory. The number is the code on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum CurveLayout {
    /// One block of frames in the order in which playing forward needs them: [`FrameSampler`].
    TimeNeeded = 0,
    /// One track after another: [`CurveTracksSampler`].
    ByTrack = 1,
}

/// What comes first in a payload, in one byte: layout and jump table (4 bits), knots (3 bits), straight steps (1 bit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurveHeader {
    pub layout: CurveLayout,
    /// Only of frames by the time at which they are needed.
    pub has_jumps: bool,
    pub spline: Spline,
}

const LAYOUT_BITS: u32 = 4;
const KNOTS_BITS: u32 = 3;
const JUMPS_CODE: u64 = 2;

impl CurveHeader {
    pub fn write(self, out: &mut BitWriter) {
        out.push(if self.has_jumps { JUMPS_CODE } else { self.layout as u64 }, LAYOUT_BITS);
        out.push(self.spline.knots as u64, KNOTS_BITS);
        out.push(u64::from(self.spline.straight_steps), 1);
    }

    /// Reads what [`CurveHeader::write`] wrote.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(input: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let code = input.read("layout of curves", LAYOUT_BITS)?;
        let (layout, has_jumps) = match code {
            0 => (CurveLayout::TimeNeeded, false),
            1 => (CurveLayout::ByTrack, false),
            JUMPS_CODE => (CurveLayout::TimeNeeded, true),
            _ => return Err(DecodeError::invalid("layout of curves", 0, code, "0 to 2")),
        };
        let code = input.read("knots of curves", KNOTS_BITS)?;
        let knots = Knots::ALL.get(code as usize).copied();
        let knots = knots.ok_or_else(|| DecodeError::invalid("knots of curves", 0, code, "0 to 3"))?;
        let straight_steps = input.read("straight steps of curves", 1)? == 1;
        Ok(Self { layout, has_jumps, spline: Spline { knots, straight_steps } })
    }
}

/// How the values of a track are stored, and their range; `None` for a track without keys.
///
/// # Errors
/// See [`DecodeError`].
pub fn format_of(
    header: &ClipHeader,
    bytes: &[u8],
    bind: &[Transform],
    track: (usize, Channel),
) -> Result<Option<(ValueFormat, Range3)>, DecodeError> {
    let mut input = BitReader::new(bytes);
    let curves = CurveHeader::read(&mut input)?;
    Ok(match curves.layout {
        CurveLayout::TimeNeeded => {
            let sampler = FrameSampler::read(header, curves, input, bytes, bind)?;
            sampler.tracks.iter().find(|t| (t.joint, t.channel) == track).map(|t| (t.format, t.range))
        }
        CurveLayout::ByTrack => CurveTracksSampler::read(header, curves.spline, input, bytes, bind)?.format_of(track),
    })
}

/// Opens a payload of any layout.
///
/// # Errors
/// See [`DecodeError`].
pub fn open<'a>(
    header: &ClipHeader,
    bytes: &'a [u8],
    bind: &[Transform],
) -> Result<Box<dyn Sampler + Send + 'a>, DecodeError> {
    let mut input = BitReader::new(bytes);
    let curves = CurveHeader::read(&mut input)?;
    Ok(match curves.layout {
        CurveLayout::TimeNeeded => Box::new(FrameSampler::read(header, curves, input, bytes, bind)?),
        CurveLayout::ByTrack => Box::new(CurveTracksSampler::read(header, curves.spline, input, bytes, bind)?),
    })
}

/// Time and track of a frame, before its value: Riot's `keyTime` and `jointIndex`.
pub const FRAME_HEAD_BYTES: usize = 4;
/// The top two bits of `jointIndex` are the channel.
pub const JOINT_BITS: u32 = 14;
/// Frames keep at most this many keys of a track in sight: four control points make a section.
pub const WINDOW: usize = 4;

/// Bytes of a frame's value: whole 16-bit words.
fn value_bytes(format: ValueFormat) -> usize {
    format.bits().next_multiple_of(16) as usize / 8
}

/// 0 is the start of the clip, 65,535 its end.
pub fn ticks_of(sample: u32, samples: usize) -> u16 {
    let last = samples.saturating_sub(1).max(1) as u64;
    ((u64::from(sample) * u64::from(u16::MAX) + last / 2) / last) as u16
}

/// The sample of a key: keys lie at samples, of which no more than 65,536 have ticks of their own, so the rounding of
/// 16 bits does no harm.
pub fn sample_of(ticks: u16, samples: usize) -> u32 {
    let last = samples.saturating_sub(1) as u64;
    ((u64::from(ticks) * last + u64::from(u16::MAX / 2)) / u64::from(u16::MAX)) as u32
}

/// Frames of all tracks in one block, in the order in which playing forward needs them (Riot): one scan reads the whole
/// clip, and what is needed at one time lies together. A jump starts from the jump table, or from the first frame.
///
/// On disk, after [`CurveHeader`]: the track table; for each animated track (rotations, translations, scales, in joint
/// order) its format (4 bits) and, if it has one of its own, its range; the range that translations share, then that of
/// scales, where a track wants it; the jump table; bits that fill the byte. Then the frames: time (16 bits of the clip's
/// duration), joint (14 bits) and channel (2 bits), value (48 bits as published; 32 to 128 in other formats).
///
/// The first three keys of a track are needed at once, each later one when the key two before it is reached; keys needed
/// at the same time follow their tracks. The first key of a track is at the first sample, the last at the last.
pub struct FrameSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    spline: Spline,
    still: Vec<Transform>,
    pub tracks: Vec<FrameTrack>,
    /// Track of each joint's channel, [`NO_TRACK`] where there is none.
    track_of: Vec<[u16; 3]>,
    jumps: Option<JumpTable>,
    /// Byte of the first frame, and of the next one.
    first: usize,
    next: usize,
    /// Sample from which on the next frame is needed; the largest number after the last.
    next_needed: u32,
    /// Fractional sample of the last pose.
    reached: f64,
}

const NO_TRACK: u16 = u16::MAX;

/// A track and the frames of it that the scan saw last.
pub struct FrameTrack {
    joint: usize,
    channel: Channel,
    format: ValueFormat,
    range: Range3,
    /// Oldest first; the last `count` are there.
    window: [FrameKey; WINDOW],
    count: usize,
    /// Where the last pose was.
    section: Option<SplineSection>,
}

#[derive(Debug, Clone, Copy, Default)]
struct FrameKey {
    sample: u32,
    /// Byte of the frame.
    at: usize,
    /// Once it was read.
    value: Option<Vec4>,
}

impl<'a> FrameSampler<'a> {
    /// Reads and checks all frames, up to the end of the bytes; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        curves: CurveHeader,
        mut input: BitReader<'_>,
        bytes: &'a [u8],
        bind: &[Transform],
    ) -> Result<Self, DecodeError> {
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let tracks = read_tracks(&mut input, &table)?;
        let samples = header.grid.samples();
        let places = WINDOW * tracks.len() + 1;
        let jumps = curves.has_jumps.then(|| JumpTable::read(&mut input, samples, places)).transpose()?;
        let fill = input.bit_position().next_multiple_of(8) - input.bit_position();
        if input.read("padding before frames", fill as u32)? != 0 {
            return Err(DecodeError::invalid("padding before frames", input.bit_position() / 8, "ones", "zeros"));
        }
        let mut track_of = vec![[NO_TRACK; 3]; bind.len()];
        for (number, track) in tracks.iter().enumerate() {
            track_of[track.joint][track.channel as usize] = number as u16;
        }
        let first = input.bit_position() / 8;
        let mut out = Self {
            grid: header.grid,
            bytes,
            spline: curves.spline,
            still: table.still,
            tracks,
            track_of,
            jumps,
            first,
            next: first,
            next_needed: 0,
            reached: 0.0,
        };
        out.check()?;
        out.rewind();
        out.scan(0.0);
        Ok(out)
    }

    /// Scans all frames once: each must be there, in order and sound, and the jump table must say the same.
    fn check(&mut self) -> Result<(), DecodeError> {
        let samples = self.grid.samples();
        let last = samples as u32 - 1;
        let mut unfinished = self.tracks.len();
        let mut needed = (0, 0);
        let mut jump = 0;
        while self.next < self.bytes.len() {
            let at = self.next;
            let wrong = |found: String| {
                Err(DecodeError::invalid("frame", at, found, "frames in the order in which they are needed"))
            };
            let Some((number, sample)) = self.frame(at).filter(|(number, _)| *number < self.tracks.len()) else {
                return wrong("no animated track".to_owned());
            };
            let track = &self.tracks[number];
            let need = track.needed();
            let is_next = if track.count == 0 { sample == 0 } else { sample > track.latest() };
            if !is_next || sample > last || (need, number) < needed {
                return wrong(format!("sample {sample} of track {number}"));
            }
            if need > needed.0 {
                self.check_jumps(&mut jump, need)?;
            }
            let end = at + FRAME_HEAD_BYTES + value_bytes(track.format);
            if end > self.bytes.len() {
                let (needed, left) = (end - at, self.bytes.len() - at);
                return Err(DecodeError::Truncated { what: "frame", at, needed, left });
            }
            track.format.check(self.bytes, 8 * (at + FRAME_HEAD_BYTES))?;
            needed = (need, number);
            unfinished -= usize::from(sample == last);
            self.tracks[number].take(sample, at);
            self.next = end;
        }
        self.check_jumps(&mut jump, u32::MAX)?;
        if unfinished > 0 {
            let at = self.next;
            return Err(DecodeError::Truncated { what: "frames", at, needed: unfinished * FRAME_HEAD_BYTES, left: 0 });
        }
        Ok(())
    }

    /// Compares the jumps before a sample, of which the scan has seen all frames.
    fn check_jumps(&self, jump: &mut usize, sample: u32) -> Result<(), DecodeError> {
        let Some(jumps) = &self.jumps else { return Ok(()) };
        while *jump < jumps.len() && (jumps.sample_of(*jump) as u64) < u64::from(sample) {
            let keys = self.tracks.iter().flat_map(|t| t.places().map(|at| (at - self.first) / 2));
            jumps.check(self.bytes, *jump, keys.chain([(self.next - self.first) / 2]))?;
            *jump += 1;
        }
        Ok(())
    }

    /// Track and sample of the frame at a byte.
    #[inline]
    fn frame(&self, at: usize) -> Option<(usize, u32)> {
        let &[t0, t1, j0, j1] = self.bytes.get(at..)?.first_chunk::<FRAME_HEAD_BYTES>()?;
        let joint = u16::from_le_bytes([j0, j1]);
        let channel = usize::from(joint >> JOINT_BITS);
        let number = *self.track_of.get(usize::from(joint & ((1 << JOINT_BITS) - 1)))?.get(channel)?;
        Some((usize::from(number), sample_of(u16::from_le_bytes([t0, t1]), self.grid.samples())))
    }

    /// Takes all frames that are needed up to a fractional sample.
    #[inline]
    fn scan(&mut self, at: f64) {
        while f64::from(self.next_needed) <= at {
            // Checked when it was opened: a frame that is not there is the end.
            let Some((number, sample)) = self.frame(self.next) else { break };
            let track = &mut self.tracks[number];
            track.take(sample, self.next);
            self.next += FRAME_HEAD_BYTES + value_bytes(track.format);
            self.look_ahead();
        }
    }

    fn look_ahead(&mut self) {
        self.next_needed = self.frame(self.next).map_or(u32::MAX, |(number, _)| self.tracks[number].needed());
    }

    /// Goes to where a scan to a fractional sample may start.
    fn seek(&mut self, at: f64) {
        let jump = self.jumps.as_ref().and_then(|jumps| Some((jumps, jumps.before(at)?)));
        let Some((jumps, jump)) = jump else {
            if at < self.reached {
                self.rewind();
            }
            return;
        };
        let start = jumps.sample_of(jump) as f64;
        // Scanning on is cheaper than a jump that skips next to nothing.
        let gains = start - self.reached > (jumps.sample_of(1) - jumps.sample_of(0)) as f64;
        if at >= self.reached && !gains {
            return;
        }
        let place = |index: usize| self.first + 2 * jumps.place(self.bytes, jump, index);
        let samples = self.grid.samples();
        let bytes = self.bytes;
        for (number, track) in self.tracks.iter_mut().enumerate() {
            track.restore(std::array::from_fn(|k| {
                let at = place(WINDOW * number + k);
                (sample_of(ticks_at(bytes, at), samples), at)
            }));
        }
        self.next = place(WINDOW * self.tracks.len());
        self.look_ahead();
    }

    fn rewind(&mut self) {
        self.tracks.iter_mut().for_each(FrameTrack::rewind);
        self.next = self.first;
        self.next_needed = 0;
    }
}

fn ticks_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()).map_or(0, |b| u16::from_le_bytes(*b))
}

impl Sampler for FrameSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let at = self.grid.sample_at(time_secs);
        self.seek(at);
        self.scan(at);
        self.reached = at;
        out.joints.copy_from_slice(&self.still);
        for track in &mut self.tracks {
            put(track.channel, track.value(self.bytes, self.spline, at), &mut out.joints[track.joint]);
        }
    }
}

/// Sets a channel of a transform from the four numbers of a key.
#[inline]
fn put(channel: Channel, value: Vec4, out: &mut Transform) {
    match channel {
        Channel::Rotation => out.rotation = RotationFormat::key_of(value),
        Channel::Translation => out.translation = VectorFormat::key_of(value),
        Channel::Scale => out.scale = VectorFormat::key_of(value),
    }
}

fn read_tracks(input: &mut BitReader<'_>, table: &TrackTable) -> Result<Vec<FrameTrack>, DecodeError> {
    let mut tracks = Vec::new();
    for channel in Channel::ALL {
        for joint in table.animated(channel) {
            tracks.push(FrameTrack::read(input, joint, channel)?);
        }
    }
    for channel in [Channel::Translation, Channel::Scale] {
        let shares = |t: &FrameTrack| t.channel == channel && t.format.range_source() == RangeSource::Clip;
        if tracks.iter().any(shares) {
            let range = read_range(input)?;
            tracks.iter_mut().filter(|t| shares(t)).for_each(|t| t.range = range);
        }
    }
    Ok(tracks)
}

impl FrameTrack {
    fn read(input: &mut BitReader<'_>, joint: usize, channel: Channel) -> Result<Self, DecodeError> {
        let format = ValueFormat::read_code(input, channel)?;
        let has_range = format.range_source() == RangeSource::Track;
        let range = if has_range { read_range(input)? } else { Range3::UNIT };
        let window = [FrameKey::default(); WINDOW];
        Ok(Self { joint, channel, format, range, window, count: 0, section: None })
    }

    #[inline]
    fn latest(&self) -> u32 {
        self.window[WINDOW - 1].sample
    }

    /// Sample from which on the next frame is needed: that of the key two before it.
    #[inline]
    fn needed(&self) -> u32 {
        if self.count < 2 { 0 } else { self.window[WINDOW - 2].sample }
    }

    #[inline]
    fn take(&mut self, sample: u32, at: usize) {
        self.window.rotate_left(1);
        self.window[WINDOW - 1] = FrameKey { sample, at, value: None };
        self.count = (self.count + 1).min(WINDOW);
        self.section = None;
    }

    /// Frames of the window, oldest first; where fewer were seen, the first stands for those before it.
    fn places(&self) -> [usize; WINDOW] {
        std::array::from_fn(|k| self.window[k.max(WINDOW - self.count.max(1))].at)
    }

    /// Undoes [`FrameTrack::places`].
    fn restore(&mut self, keys: [(u32, usize); WINDOW]) {
        self.window = keys.map(|(sample, at)| {
            // What is known already need not be read again.
            let value = self.window.iter().find(|k| k.at == at).and_then(|k| k.value);
            FrameKey { sample, at, value }
        });
        self.count = 1 + keys.windows(2).filter(|w| w[0].1 != w[1].1).count();
        self.section = None;
    }

    fn rewind(&mut self) {
        (self.count, self.section) = (0, None);
    }

    #[inline]
    fn value(&mut self, bytes: &[u8], spline: Spline, at: f64) -> Vec4 {
        match self.section.filter(|section| section.holds(at)) {
            Some(section) => section.value(at),
            None => self.enter_section(bytes, spline, at),
        }
    }

    /// Makes the section around a fractional sample, or keeps the only key.
    fn enter_section(&mut self, bytes: &[u8], spline: Spline, at: f64) -> Vec4 {
        let (format, range) = (self.format, self.range);
        let seen = &mut self.window[WINDOW - self.count.max(1)..];
        let mut key = |index: usize| {
            let key = &mut seen[index];
            let value = *key.value.get_or_insert_with(|| format.read(bytes, 8 * (key.at + FRAME_HEAD_BYTES), &range));
            SplineKey { sample: key.sample, value }
        };
        if self.count < 2 {
            return key(0).value;
        }
        let last = self.count - 2;
        let start = (0..=last).rev().find(|i| f64::from(key(*i).sample) <= at).unwrap_or(0);
        let before = start.checked_sub(1).map(&mut key);
        let after = (start < last).then(|| key(start + 2));
        let shape = SplineShape { spline, is_rotation: self.channel == Channel::Rotation };
        let section = SplineSection::between(before, [key(start), key(start + 1)], after, shape);
        self.section = Some(section);
        section.value(at)
    }
}
