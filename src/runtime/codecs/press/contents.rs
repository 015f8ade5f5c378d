//! The contents of a payload, in the order in which an archive codes them.

use super::components::{Component, wide_bits, write_anchor_range, write_integers, write_layout};
use super::layout::Layout;
use super::planes::PressIntegers;
use super::series::{LARGEST, SeriesTrack};
use crate::Channel;
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::step_of_code;
use crate::memory::{NoMemory, TryList, TryPush, filled, with_room};
use crate::parts::{ClipHeader, FORMAT_BITS, RotationFormat, TrackTable};
use alloc::vec::Vec;

/// Code of [`TrackKind::Constant`](crate::parts::TrackKind).
pub const CONSTANT: u8 = 1;
/// Code of [`TrackKind::Animated`](crate::parts::TrackKind).
pub const ANIMATED: u8 = 2;
/// Bits of a component of a reference.
pub const REFERENCE_BITS: u32 = 10;
/// Bits of a component of a constant rotation.
pub const CONSTANT_BITS: u32 = 20;

/// The contents of a payload.
#[derive(Debug)]
pub struct Contents {
    /// Samples of the clip.
    pub samples: usize,
    /// Per joint, the kinds of its rotation, translation and scale, as on disk.
    pub kinds: Vec<[u8; 3]>,
    /// True if constant rotations are four float32.
    pub is_full: bool,
    /// Constant tracks, joint by joint.
    pub constants: Vec<Constant>,
    /// [`Layout::length`].
    pub length: u32,
    /// Per animated track, true for float32; `None` if no track is float32.
    pub exact: Option<Vec<bool>>,
    /// Tracks on lattices.
    pub tracks: Vec<ContentTrack>,
    /// Number of lowest bits that are zero in all components of all references.
    pub coarseness: u32,
    /// True if the guides of tracks are coded; else each track has the likely guide.
    pub has_guides: bool,
    /// Samples of float32 tracks, one word per number.
    pub exact_rows: Vec<u32>,
}

/// A constant track, and the fields of its value as on disk.
#[derive(Debug)]
pub struct Constant {
    pub joint: usize,
    pub channel: Channel,
    pub fields: [u32; 4],
}

/// A track on a lattice.
#[derive(Debug)]
pub struct ContentTrack {
    pub joint: usize,
    pub channel: Channel,
    /// Index of its guide, an earlier track that helps to predict its integers.
    pub guide: Option<usize>,
    pub codes: [u8; 3],
    /// Index of the reference's dropped component, then the others, as on disk.
    pub reference: [u32; 4],
    pub values: [Vec<i32>; 3],
}

impl Contents {
    /// Reads a payload of runtime storage. `parents` has the parent of each joint.
    ///
    /// # Errors
    /// See [`DecodeError`].
    pub fn read(header: &ClipHeader, bytes: &[u8], parents: &[Option<usize>]) -> Result<Self, DecodeError> {
        let integers = PressIntegers::read(header, bytes, usize::MAX)?;
        let (kinds, is_full, constants) = read_table(bytes, header.joints)?;
        let exact = integers
            .layout
            .has_exact
            .then(|| integers.exact_flags.clone().map(|bit| bits_at(bytes, bit, 1) == 1).try_list())
            .transpose()?;
        let rows = integers.exact_rows.clone();
        let mut tracks = with_room::<ContentTrack>(integers.tracks.len())?;
        for track in integers.tracks {
            let (joint, channel) = (track.joint, track.channel);
            let guide = guide_of(&tracks, joint, channel, parents);
            let reference = [(0, 2), (2, 10), (12, 10), (22, 10)].map(|(at, count)| {
                if track.reference.is_empty() { 0 } else { bits_at(bytes, track.reference.start + at, count) as u32 }
            });
            tracks.try_push(ContentTrack {
                joint,
                channel,
                guide,
                codes: track.codes,
                reference,
                values: track.values,
            })?;
        }
        let parts = tracks.iter().filter(|track| track.is_rotation()).flat_map(|track| &track.reference[1..]);
        Ok(Self {
            samples: header.grid.samples(),
            kinds,
            is_full,
            constants,
            length: integers.layout.length,
            exact,
            coarseness: parts.map(|part| from_zero(*part).trailing_zeros().min(REFERENCE_BITS - 1)).min().unwrap_or(0),
            has_guides: true,
            tracks,
            exact_rows: rows.step_by(32).map(|bit| bits_at(bytes, bit, 32) as u32).try_list()?,
        })
    }

    /// The same contents with `has_guides` changed.
    pub fn with_guides(self, has_guides: bool) -> Self {
        Self { has_guides, ..self }
    }

    /// Empty contents, for a decoder.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn blank(joints: usize, samples: usize) -> Result<Self, NoMemory> {
        Ok(Self {
            samples,
            kinds: filled([0; 3], joints)?,
            is_full: false,
            constants: Vec::new(),
            length: 0,
            exact: None,
            tracks: Vec::new(),
            coarseness: 0,
            has_guides: false,
            exact_rows: Vec::new(),
        })
    }
}

impl Contents {
    /// True if all integers are in the range of a clip's integers.
    pub fn is_of_a_clip(&self) -> bool {
        self.tracks.iter().flat_map(|track| &track.values).flatten().all(|x| x.unsigned_abs() < LARGEST as u32)
    }

    /// Writes the payload of runtime storage.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn written(&self) -> Result<Vec<u8>, NoMemory> {
        let values = self.tracks.iter().flat_map(|track| &track.values);
        let components = values.map(|values| Component::new(values)).try_list_of::<_, NoMemory>()?;
        let layout = self.layout(&components);
        let mut out = BitWriter::new();
        self.kinds.iter().flatten().for_each(|kind| out.push((*kind).into(), TrackTable::KIND_BITS));
        out.push(constant_format(self.is_full) as u64, FORMAT_BITS);
        self.constants.iter().for_each(|constant| constant.write(self.is_full, &mut out));
        write_layout(&layout, &mut out);
        self.exact.iter().flatten().for_each(|is_exact| out.push(u64::from(*is_exact), 1));
        for (track, components) in self.tracks.iter().zip(components.chunks(3)) {
            track.codes.iter().for_each(|code| out.push(u64::from(code - layout.least_code), layout.code_bits));
            if track.channel == Channel::Rotation {
                push_all(&track.reference, &[2, REFERENCE_BITS, REFERENCE_BITS, REFERENCE_BITS], &mut out);
            }
            components.iter().for_each(|component| write_anchor_range(component, &mut out));
        }
        write_integers(&layout, &components, self.samples, &mut out)?;
        self.exact_rows.iter().for_each(|word| out.push((*word).into(), 32));
        out.try_finish()
    }

    fn layout(&self, components: &[Component]) -> Layout {
        let codes = || self.tracks.iter().flat_map(|track| track.codes);
        let least_code = codes().min().unwrap_or(0);
        let code_bits = u8::BITS - (codes().max().unwrap_or(0) - least_code).leading_zeros();
        let (length, has_exact) = (self.length, self.exact.is_some());
        Layout { length, wide_bits: wide_bits(components), has_exact, least_code, code_bits }
    }
}

impl ContentTrack {
    pub fn blank(joint: usize, channel: Channel) -> Self {
        Self { joint, channel, guide: None, codes: [0; 3], reference: [0; 4], values: Default::default() }
    }

    pub fn is_rotation(&self) -> bool {
        self.channel == Channel::Rotation
    }

    pub fn series(&self) -> SeriesTrack {
        SeriesTrack { guide: self.guide, steps: self.codes.map(step_of_code), is_rotation: self.is_rotation() }
    }
}

impl Constant {
    fn write(&self, is_full: bool, out: &mut BitWriter) {
        match self.channel {
            Channel::Rotation if !is_full => {
                push_all(&self.fields, &[2, CONSTANT_BITS, CONSTANT_BITS, CONSTANT_BITS], out)
            }
            Channel::Rotation => push_all(&self.fields, &[32; 4], out),
            Channel::Translation | Channel::Scale => push_all(&self.fields, &[32; 3], out),
        }
    }
}

fn push_all(fields: &[u32], bits: &[u32], out: &mut BitWriter) {
    fields.iter().zip(bits).for_each(|(field, bits)| out.push((*field).into(), *bits));
}

/// Tracks of a kind, in the order rotations, translations, scales.
pub fn tracks_of(kinds: &[[u8; 3]], kind: u8) -> impl Iterator<Item = (usize, Channel)> + '_ {
    let joints = move |channel: Channel| (0..kinds.len()).filter(move |joint| kinds[*joint][channel as usize] == kind);
    Channel::ALL.into_iter().flat_map(move |channel| joints(channel).map(move |joint| (joint, channel)))
}

fn constant_format(is_full: bool) -> RotationFormat {
    if is_full { RotationFormat::Full } else { RotationFormat::Largest62 }
}

/// Reads the track table: kinds of tracks, true if constant rotations are float32, constants.
#[allow(clippy::type_complexity)]
fn read_table(bytes: &[u8], joints: usize) -> Result<(Vec<[u8; 3]>, bool, Vec<Constant>), DecodeError> {
    let mut input = BitReader::new(bytes);
    let mut kinds = filled([0; 3], joints)?;
    for kind in kinds.iter_mut().flatten() {
        *kind = input.read("kind of a track", TrackTable::KIND_BITS)? as u8;
    }
    let format = input.read("format of keys", FORMAT_BITS)?;
    let is_full = format == RotationFormat::Full as u64;
    if format != constant_format(is_full) as u64 {
        return Err(DecodeError::invalid("format of constants", 0, format, "a format of archives"));
    }
    let mut constants = Vec::new();
    for (joint, kinds) in kinds.iter().enumerate() {
        for channel in Channel::ALL.into_iter().filter(|channel| kinds[*channel as usize] == CONSTANT) {
            let widths: &[u32] = match channel {
                Channel::Rotation if !is_full => &[2, CONSTANT_BITS, CONSTANT_BITS, CONSTANT_BITS],
                Channel::Rotation => &[32; 4],
                Channel::Translation | Channel::Scale => &[32; 3],
            };
            let mut fields = [0; 4];
            for (field, width) in fields.iter_mut().zip(widths) {
                *field = input.read("constant track", *width)? as u32;
            }
            constants.try_push(Constant { joint, channel, fields })?;
        }
    }
    Ok((kinds, is_full, constants))
}

/// The guide of a track: the joint's own rotation for a vector, else the nearest animated rotation among its ancestors.
fn guide_of(before: &[ContentTrack], joint: usize, channel: Channel, parents: &[Option<usize>]) -> Option<usize> {
    let own = if channel == Channel::Rotation { parents[joint] } else { Some(joint) };
    core::iter::successors(own, |joint| parents[*joint])
        .find_map(|joint| before.iter().position(|track| track.is_rotation() && track.joint == joint))
}

/// A component of a reference as a signed integer; zero stands for zero.
pub fn from_zero(part: u32) -> i32 {
    part as i32 - ((1 << (REFERENCE_BITS - 1)) - 1)
}
