use super::key::KeyFormat;
use super::key_search::KeySearch;
use super::spline_section::{Spline, SplineKey, SplineSection, SplineShape};
use super::{ClipHeader, KeyTrack, RotationFormat, TrackTable, ValueFormat, VectorFormat};
use crate::format::{BitReader, DecodeError};
use crate::math::{Range3, Transform};
use crate::{Channel, Pose, Sampler, TimeGrid};
use glam::Vec4;

/// A section and its neighbours.
const WINDOW: usize = 4;

/// Curves through the keys of tracks that are stored one after another.
///
/// On disk: what [`super::KeyTracksSampler`] reads.
pub struct CurveTracksSampler<'a> {
    grid: TimeGrid,
    bytes: &'a [u8],
    still: Vec<Transform>,
    pub rotations: Vec<CurveTrack<RotationFormat>>,
    pub translations: Vec<CurveTrack<VectorFormat>>,
    pub scales: Vec<CurveTrack<VectorFormat>>,
}

/// A track, where the last pose was, and the four keys around it.
pub struct CurveTrack<F: KeyFormat> {
    pub keys: KeyTrack<F>,
    spline: Spline,
    index: usize,
    section: Option<SplineSection>,
    /// Keys that were read last, by number.
    window: [Option<(usize, SplineKey)>; WINDOW],
}

impl<'a> CurveTracksSampler<'a> {
    /// Reads and checks all tracks, up to the end of the bytes; `bytes` is what `input` reads from.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(
        header: &ClipHeader,
        spline: Spline,
        mut input: BitReader<'_>,
        bytes: &'a [u8],
        bind: &[Transform],
    ) -> Result<Self, DecodeError> {
        let table = TrackTable::read(&mut input, bytes, bind)?;
        let samples = header.grid.samples();
        let rotations = CurveTrack::read_all(&mut input, bytes, &table, Channel::Rotation, (samples, spline))?;
        let translations = CurveTrack::read_all(&mut input, bytes, &table, Channel::Translation, (samples, spline))?;
        let scales = CurveTrack::read_all(&mut input, bytes, &table, Channel::Scale, (samples, spline))?;
        input.finish("tracks")?;
        Ok(Self { grid: header.grid, bytes, still: table.still, rotations, translations, scales })
    }

    /// How the values of a track are stored, and their range; `None` for a track without keys.
    pub fn format_of(&self, (joint, channel): (usize, Channel)) -> Option<(ValueFormat, Range3)> {
        let vectors = match channel {
            Channel::Rotation => {
                let track = self.rotations.iter().find(|t| t.keys.joint() == joint)?;
                return Some((ValueFormat::Rotation(track.keys.format()), track.keys.range()));
            }
            Channel::Translation => &self.translations,
            Channel::Scale => &self.scales,
        };
        let track = vectors.iter().find(|t| t.keys.joint() == joint)?;
        Some((ValueFormat::Vector(track.keys.format()), track.keys.range()))
    }
}

impl Sampler for CurveTracksSampler<'_> {
    fn duration_secs(&self) -> f32 {
        self.grid.duration_secs()
    }

    fn sample(&mut self, time_secs: f32, out: &mut Pose) {
        let at = self.grid.sample_at(time_secs);
        out.joints.copy_from_slice(&self.still);
        for track in &mut self.rotations {
            out.joints[track.keys.joint()].rotation = track.value(self.bytes, at);
        }
        for track in &mut self.translations {
            out.joints[track.keys.joint()].translation = track.value(self.bytes, at);
        }
        for track in &mut self.scales {
            out.joints[track.keys.joint()].scale = track.value(self.bytes, at);
        }
    }
}

impl<F: KeyFormat> CurveTrack<F> {
    fn read_all(
        input: &mut BitReader<'_>,
        bytes: &[u8],
        table: &TrackTable,
        channel: Channel,
        (samples, spline): (usize, Spline),
    ) -> Result<Vec<Self>, DecodeError> {
        let read = |joint| {
            let keys = KeyTrack::read(input, bytes, joint, samples)?;
            Ok(Self { keys, spline, index: 0, section: None, window: [None; WINDOW] })
        };
        table.animated(channel).map(read).collect()
    }

    #[inline]
    fn value(&mut self, bytes: &[u8], at: f64) -> F::Key {
        let value = match self.section.filter(|section| section.holds(at)) {
            Some(section) => section.value(at),
            None => self.enter_section(bytes, at),
        };
        F::key_of(value)
    }

    fn enter_section(&mut self, bytes: &[u8], at: f64) -> Vec4 {
        let count = self.keys.times().len();
        if count < 2 {
            return F::numbers(self.keys.key(bytes, 0));
        }
        let index = KeySearch::Cursor.find(self.keys.times(), at, self.index);
        let known = self.window;
        let key = |index: usize| match known.iter().flatten().find(|(i, _)| *i == index) {
            Some((_, key)) => *key,
            None => SplineKey { sample: self.keys.times()[index], value: F::numbers(self.keys.key(bytes, index)) },
        };
        let (before, after) = (index.checked_sub(1), Some(index + 2).filter(|i| *i < count));
        let numbers = [before, Some(index), Some(index + 1), after];
        let [first, a, b, last] = numbers.map(|index| index.map(|i| (i, key(i))));
        let (Some((_, from)), Some((_, to))) = (a, b) else { return Vec4::ZERO };
        let shape = SplineShape { spline: self.spline, is_rotation: F::IS_ROTATION };
        let section = SplineSection::between(first.map(|k| k.1), [from, to], last.map(|k| k.1), shape);
        (self.index, self.window, self.section) = (index, [first, a, b, last], Some(section));
        section.value(at)
    }
}
