//! The head of a payload: all that is stored once per clip, joint or track, entropy-coded. Written once for encoders and decoders.

use super::anchors::AnchorRange;
use super::chances::{About, Chances, Number, code_even, code_flag};
use super::components::segments_of;
use super::layout::{Layout, WIDE};
use crate::Channel;
use crate::format::DecodeError;
use crate::math::{LARGEST_DROPPED_LIMIT, Range3, Transform};
use crate::memory::{NoMemory, TryPush, filled, with_room};
use crate::parts::{CodeBit, REFERENCE_BITS, RotationFormat, is_usable};
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// Code of [`TrackKind::Constant`](crate::parts::TrackKind).
pub const CONSTANT: u8 = 1;
/// Code of [`TrackKind::Animated`](crate::parts::TrackKind).
pub const ANIMATED: u8 = 2;
/// Bits of a component of a constant rotation.
pub const CONSTANT_BITS: u32 = 20;

/// Bits of [`Layout::wide_bits`].
const WIDE_SIZE_BITS: u32 = 5;
/// The code of a step before the first track.
const FIRST_STEP: i32 = 128;

/// All that a payload stores once per clip, joint or track.
#[derive(Debug, Clone)]
pub struct Head {
    /// True for an archive: coded integers follow, not rows of bits. Then ranges of anchors and [`Layout::wide_bits`] are not stored.
    pub is_archive: bool,
    /// Settings of the clip.
    pub layout: Layout,
    /// Per joint, the kinds of its rotation, translation and scale: codes of [`TrackKind`](crate::parts::TrackKind).
    pub kinds: Vec<[u8; 3]>,
    /// True if constant rotations are four float32.
    pub is_full: bool,
    /// Constant tracks, joint by joint.
    pub constants: Vec<Constant>,
    /// Per animated track, true for float32; `None` if no track is float32.
    pub exact: Option<Vec<bool>>,
    /// Tracks on lattices.
    pub tracks: Vec<Record>,
}

/// A constant track, and the fields of its value.
#[derive(Debug, Clone)]
pub struct Constant {
    /// Its joint.
    pub joint: usize,
    /// Its channel.
    pub channel: Channel,
    /// Three or four float32; or the index of a rotation's dropped component, and the others in [`CONSTANT_BITS`] each.
    pub fields: [u32; 4],
}

/// A track on a lattice.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    /// Its joint.
    pub joint: usize,
    /// Its channel.
    pub channel: Channel,
    /// Step codes of its components.
    pub codes: [u8; 3],
    /// The reference of a rotation: the index of the dropped component, and the others in [`REFERENCE_BITS`] each.
    pub reference: [u32; 4],
    /// Ranges of the anchors of its components.
    pub anchors: [AnchorRange; 3],
}

/// A part of a payload, for code that counts its bits or checks limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Settings of the clip.
    Settings,
    /// The kinds of all tracks.
    Kinds,
    /// The value of a constant track.
    Constant {
        /// Its joint.
        joint: usize,
        /// Its channel.
        channel: Channel,
    },
    /// The flags of float32 tracks.
    Flags {
        /// Number of other tracks, on lattices.
        tracks: usize,
    },
    /// Steps, reference and ranges of a track on a lattice.
    Record {
        /// Index among the tracks on lattices.
        track: usize,
    },
    /// The widths of a track's residuals in a segment.
    Widths {
        /// Index among the tracks on lattices.
        track: usize,
    },
    /// The guides of all tracks of an archive.
    Guides,
    /// The three integers of a track in a sample of an archive.
    Integers {
        /// Index among the tracks on lattices.
        track: usize,
    },
    /// A float32 sample of an archive.
    Exact {
        /// Its joint.
        joint: usize,
        /// Its channel.
        channel: Channel,
    },
}

impl Head {
    /// An empty head of a rig with so many joints, for decoders.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn blank(joints: usize) -> Result<Self, NoMemory> {
        Ok(Self {
            is_archive: false,
            layout: Layout { length: 0, wide_bits: WIDE },
            kinds: filled([0; 3], joints)?,
            is_full: false,
            constants: Vec::new(),
            exact: None,
            tracks: Vec::new(),
        })
    }

    /// Writes or reads the head: `bits` is an encoder or a decoder. A decoder begins with [`Head::blank`]. `after` is called after each part.
    ///
    /// # Errors
    /// The first error of `after`, or [`NoMemory`].
    pub fn code<B: CodeBit, E: From<NoMemory>>(
        &mut self,
        bind: &[Transform],
        chances: &mut Chances,
        bits: &mut B,
        after: &mut impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        self.code_settings(bits);
        after(bits, Part::Settings)?;
        self.code_kinds(chances, bits)?;
        after(bits, Part::Kinds)?;
        for constant in &mut self.constants {
            constant.code(self.is_full, &bind[constant.joint], chances, bits);
            after(bits, Part::Constant { joint: constant.joint, channel: constant.channel })?;
        }
        self.exact.iter_mut().flatten().for_each(|is_exact| *is_exact = code_flag(*is_exact, bits));
        self.fit_tracks()?;
        after(bits, Part::Flags { tracks: self.tracks.len() })?;
        let mut before = Record::BEFORE_FIRST;
        for (track, record) in self.tracks.iter_mut().enumerate() {
            record.code_steps(&before, chances, bits);
            if record.is_rotation() {
                code_reference(&mut record.reference, &bind[record.joint], chances, bits);
            }
            if !self.is_archive {
                record.code_anchors(&before, chances, bits);
            }
            before = *record;
            after(bits, Part::Record { track })?;
        }
        Ok(())
    }

    fn code_settings(&mut self, bits: &mut impl CodeBit) {
        self.is_archive = code_flag(self.is_archive, bits);
        self.layout.length = code_even(self.layout.length, Layout::LENGTH_BITS, bits);
        self.is_full = code_flag(self.is_full, bits);
        let has_exact = code_flag(self.exact.is_some(), bits);
        self.exact = has_exact.then(|| self.exact.take().unwrap_or_default());
        if !self.is_archive && code_flag(self.layout.wide_bits > WIDE, bits) {
            self.layout.wide_bits = code_even(self.layout.wide_bits, WIDE_SIZE_BITS, bits).max(WIDE);
        }
    }

    /// Codes the kinds of all tracks. Then sets the number of constants and flags accordingly.
    fn code_kinds(&mut self, chances: &mut Chances, bits: &mut impl CodeBit) -> Result<(), NoMemory> {
        let (mut before, mut is_scaled) = ([0; 3], false);
        for kinds in &mut self.kinds {
            kinds[0] = chances.kind(About::Rotation(before[0]), kinds[0], bits);
            kinds[1] = chances.kind(About::Translation(kinds[0], before[1]), kinds[1], bits);
            kinds[2] = chances.kind(About::Scale(is_scaled), kinds[2], bits);
            is_scaled |= kinds[2] != 0;
            before = *kinds;
        }
        let count = |kind: u8| self.kinds.as_flattened().iter().filter(|own| **own == kind).count();
        if self.constants.is_empty() {
            self.constants = with_room(count(CONSTANT))?;
            for (joint, kinds) in self.kinds.iter().enumerate() {
                for channel in Channel::ALL {
                    if kinds[channel as usize] == CONSTANT {
                        self.constants.push(Constant { joint, channel, fields: [0; 4] });
                    }
                }
            }
        }
        if let Some(exact) = self.exact.as_mut().filter(|exact| exact.is_empty()) {
            *exact = filled(false, count(ANIMATED))?;
        }
        Ok(())
    }

    /// Creates the tracks on lattices that the kinds and flags imply, unless they exist.
    fn fit_tracks(&mut self) -> Result<(), NoMemory> {
        let mut tracks = Vec::new();
        if self.tracks.is_empty() {
            self.each_animated(|joint, channel, is_exact| match is_exact {
                true => Ok(()),
                false => tracks.try_push(Record { joint, channel, ..Record::BEFORE_FIRST }),
            })?;
            self.tracks = tracks;
        }
        Ok(())
    }

    /// The tracks of a channel.
    pub fn of_channel(&self, channel: Channel) -> &[Record] {
        let end = |last: Channel| self.tracks.partition_point(|track| track.channel <= last);
        match channel {
            Channel::Rotation => &self.tracks[..end(channel)],
            Channel::Translation => &self.tracks[end(Channel::Rotation)..end(channel)],
            Channel::Scale => &self.tracks[end(Channel::Translation)..],
        }
    }

    /// The intervals of each segment of tracks on lattices, in a clip with so many samples.
    pub fn segments(&self, samples: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let segments = segments_of(&self.layout, samples);
        segments.take(if self.tracks.is_empty() { 0 } else { usize::MAX })
    }

    /// Calls a function with each animated track, in the order rotations, translations, scales: its joint and channel, and true for float32
    /// samples.
    ///
    /// # Errors
    /// The first one of the function.
    pub fn each_animated<E>(&self, mut call: impl FnMut(usize, Channel, bool) -> Result<(), E>) -> Result<(), E> {
        let mut exact = self.exact.iter().flatten();
        for channel in Channel::ALL {
            for (joint, kinds) in self.kinds.iter().enumerate() {
                if kinds[channel as usize] == ANIMATED {
                    call(joint, channel, exact.next().copied().unwrap_or(false))?;
                }
            }
        }
        Ok(())
    }
}

impl Record {
    const BEFORE_FIRST: Self = Self {
        joint: 0,
        channel: Channel::Rotation,
        codes: [FIRST_STEP as u8; 3],
        reference: [0; 4],
        anchors: [AnchorRange::BEFORE_FIRST; 3],
    };

    /// True for rotations.
    pub fn is_rotation(&self) -> bool {
        self.channel == Channel::Rotation
    }

    fn code_steps(&mut self, before: &Self, chances: &mut Chances, bits: &mut impl CodeBit) {
        let mut code = i32::from(before.codes[0]);
        let is_rotation = self.is_rotation();
        for (component, own) in self.codes.iter_mut().enumerate() {
            let number = Number::Step(component, is_rotation);
            code = (code + chances.number(number, i32::from(*own) - code, bits)).clamp(0, 255);
            *own = code as u8;
        }
    }

    fn code_anchors(&mut self, before: &Self, chances: &mut Chances, bits: &mut impl CodeBit) {
        let is_rotation = self.is_rotation();
        let mut last = before.anchors[2].bits;
        for anchors in &mut self.anchors {
            anchors.code(last, is_rotation, chances, bits);
            last = anchors.bits;
        }
    }
}

impl Constant {
    /// Sets the track's channel to its value. `head_bytes` is the place of errors.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for numbers that are no rotation, or too large.
    pub fn put(&self, is_full: bool, out: &mut Transform, head_bytes: usize) -> Result<(), DecodeError> {
        let [x, y, z, _] = self.fields.map(f32::from_bits);
        let vector = Vec3::new(x, y, z);
        let is_valid = match self.channel {
            Channel::Rotation => {
                let format = if is_full { RotationFormat::Full } else { RotationFormat::Largest62 };
                let key = if is_full { words(self.fields) } else { packed(self.fields, CONSTANT_BITS) };
                out.rotation = format.read(&key, 0, &Range3::UNIT);
                format.is_valid(&key, 0)
            }
            Channel::Translation => {
                out.translation = vector;
                is_usable(vector)
            }
            Channel::Scale => {
                out.scale = vector;
                is_usable(vector)
            }
        };
        match is_valid {
            true => Ok(()),
            false => {
                let expected = "a rotation or numbers below 1e18";
                Err(DecodeError::invalid("constant track", head_bytes, "damaged", expected))
            }
        }
    }

    fn code(&mut self, is_full: bool, bind: &Transform, chances: &mut Chances, bits: &mut impl CodeBit) {
        let bind_vector = match self.channel {
            Channel::Rotation if is_full => {
                self.fields = self.fields.map(|field| code_even(field, 32, bits));
                return;
            }
            Channel::Rotation => return code_rotation(&mut self.fields, bind, chances, bits),
            Channel::Translation => bind.translation,
            Channel::Scale => bind.scale,
        };
        code_vector(&mut self.fields, bind_vector.to_array(), chances, bits);
    }
}

/// The bytes of four words.
fn words(fields: [u32; 4]) -> [u8; 16] {
    let mut out = [0; 16];
    out.chunks_exact_mut(4).zip(fields).for_each(|(out, field)| out.copy_from_slice(&field.to_le_bytes()));
    out
}

/// The bytes of a rotation without its largest component: its index in two bits, then three fields of `bits` each.
pub fn packed(fields: [u32; 4], bits: u32) -> [u8; 16] {
    let field = |i: usize| u64::from(fields[i]) << (2 + bits * (i as u32 - 1));
    let word = u64::from(fields[0]) | field(1) | field(2) | field(3);
    words([word as u32, (word >> 32) as u32, 0, 0])
}

/// Index of the largest component of a rotation, and the others as signed integers of `bits`, like those of references and constants.
#[inline(never)]
fn parts_of(rotation: [f32; 4], bits: u32) -> (u32, [i32; 3]) {
    let magnitude = |i: &usize| if rotation[*i] < 0.0 { -rotation[*i] } else { rotation[*i] };
    let largest = (1..4).fold(0, |best, i| if magnitude(&i) > magnitude(&best) { i } else { best });
    let sign = if rotation[largest] < 0.0 { -1.0 } else { 1.0 };
    let half = f64::from((1i32 << (bits - 1)) - 1);
    let part = |i: usize| {
        let share: f64 = sign * f64::from(rotation[i]) / f64::from(LARGEST_DROPPED_LIMIT);
        (share.clamp(-1.0, 1.0) * half) as i32
    };
    let mut others = (0..4).filter(|i| *i != largest).map(part);
    (largest as u32, [0; 3].map(|_| others.next().unwrap_or(0)))
}

fn code_reference(reference: &mut [u32; 4], bind: &Transform, chances: &mut Chances, bits: &mut impl CodeBit) {
    let (largest, parts) = parts_of(bind.rotation.to_array(), REFERENCE_BITS);
    let is_same = code_largest(&mut reference[0], largest, chances, bits);
    let zero = (1 << (REFERENCE_BITS - 1)) - 1;
    for (own, part) in reference[1..].iter_mut().zip(parts) {
        let likely = zero + if is_same { part } else { 0 };
        let part = likely.wrapping_add(chances.number(Number::Reference(is_same), *own as i32 - likely, bits));
        *own = part.clamp(0, 2 * zero) as u32;
    }
}

/// Codes the index of a rotation's dropped component. Returns true if it is `largest`, that of the bind pose.
fn code_largest(own: &mut u32, largest: u32, chances: &mut Chances, bits: &mut impl CodeBit) -> bool {
    let is_same = chances.ask(About::SameLargest, *own == largest, bits);
    *own = if is_same { largest } else { code_even(*own, 2, bits) };
    is_same
}

fn code_rotation(fields: &mut [u32; 4], bind: &Transform, chances: &mut Chances, bits: &mut impl CodeBit) {
    let (largest, _) = parts_of(bind.rotation.to_array(), CONSTANT_BITS);
    code_largest(&mut fields[0], largest, chances, bits);
    let zero = (1 << (CONSTANT_BITS - 1)) - 1;
    for field in &mut fields[1..] {
        let is_zero = chances.ask(About::ZeroPart, *field == zero, bits);
        *field = if is_zero { zero } else { code_even(*field, CONSTANT_BITS, bits) };
    }
}

/// Codes three float32 as the difference (exclusive or) of their bits from those of the bind pose.
fn code_vector(fields: &mut [u32; 4], bind: [f32; 3], chances: &mut Chances, bits: &mut impl CodeBit) {
    let mut was_same = true;
    for (field, bind) in fields.iter_mut().zip(bind) {
        let differs = *field ^ bind.to_bits();
        was_same = chances.ask(About::SameAxis(was_same), differs == 0, bits);
        let differs = if was_same {
            0
        } else {
            let size = code_even(differs.max(1).ilog2(), 5, bits);
            1 << size | code_even(differs & ((1 << size) - 1), size, bits)
        };
        *field = bind.to_bits() ^ differs;
    }
}
