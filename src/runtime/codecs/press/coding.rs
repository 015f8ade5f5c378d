//! Entropy coding of the contents of a payload, written once for encoders and decoders.

use super::contents::{
    ANIMATED, CONSTANT, CONSTANT_BITS, Constant, ContentTrack, Contents, REFERENCE_BITS, from_zero, tracks_of,
};
use super::layout::Layout;
use super::record_chances::{About, Number, RecordChances, code_even};
use super::records::exact_bits;
use super::residuals::{Weights, trained_weights};
use super::series::SeriesModel;
use crate::Channel;
use crate::math::{LARGEST_DROPPED_LIMIT, Transform};
use crate::memory::{NoMemory, TryList, TryPush};
use crate::parts::CodeBit;

/// Bits of [`Contents::coarseness`].
const COARSENESS_BITS: u32 = 4;
/// The code of a step before the first track.
const FIRST_STEP: i32 = 128;
/// Most bits of the number of a guide.
const GUIDE_BITS: u32 = 16;

/// A part of an archive, for code that counts its bits or checks limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Settings of the clip.
    Head,
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
    /// Steps, reference and guide of a track on a lattice.
    Record {
        /// Index among the tracks on lattices.
        track: usize,
    },
    /// The three integers of a track in a sample.
    Integers {
        /// Index among the tracks on lattices.
        track: usize,
    },
    /// A float32 sample.
    Exact {
        /// Its joint.
        joint: usize,
        /// Its channel.
        channel: Channel,
    },
}

/// Adaptive state of the coding: at first trained, then adapted to an archive.
#[derive(Debug)]
pub struct Learned {
    /// Probabilities of everything but integers.
    pub chances: RecordChances,
    /// Weights of opinions about integers.
    pub weights: Weights,
}

impl Learned {
    /// The state at the start of every archive.
    pub fn trained() -> Self {
        Self { chances: RecordChances::trained(), weights: trained_weights() }
    }
}

impl Contents {
    /// Writes or reads everything: `bits` is an encoder or a decoder. A decoder begins with [`Contents::blank`]. `after` is called after
    /// each part.
    ///
    /// # Errors
    /// The first error of `after`, or [`NoMemory`].
    pub fn code<B: CodeBit, E: From<NoMemory>>(
        &mut self,
        bind: &[Transform],
        known: &mut Learned,
        bits: &mut B,
        mut after: impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let chances = &mut known.chances;
        self.code_head(bits);
        after(bits, Part::Head)?;
        self.code_kinds(chances, bits)?;
        after(bits, Part::Kinds)?;
        for constant in &mut self.constants {
            constant.code(self.is_full, &bind[constant.joint], chances, bits);
            after(bits, Part::Constant { joint: constant.joint, channel: constant.channel })?;
        }
        self.exact.iter_mut().flatten().for_each(|is_exact| *is_exact = bits.even(*is_exact));
        self.fit_tracks()?;
        after(bits, Part::Flags { tracks: self.tracks.len() })?;
        for track in 0..self.tracks.len() {
            self.code_record(track, bind, chances, bits);
            after(bits, Part::Record { track })?;
        }
        self.code_integers(&mut known.weights, bits, &mut after)?;
        self.code_exact(bits, &mut after)
    }

    fn code_head(&mut self, bits: &mut impl CodeBit) {
        self.length = code_even(self.length, Layout::LENGTH_BITS, bits);
        self.is_full = bits.even(self.is_full);
        let has_exact = bits.even(self.exact.is_some());
        self.exact = has_exact.then(|| self.exact.take().unwrap_or_default());
        self.has_guides = bits.even(self.has_guides);
        self.coarseness = code_even(self.coarseness, COARSENESS_BITS, bits).min(REFERENCE_BITS - 1);
    }

    /// Codes the kinds of all tracks. Then sets the number of constants and flags accordingly.
    fn code_kinds(&mut self, chances: &mut RecordChances, bits: &mut impl CodeBit) -> Result<(), NoMemory> {
        let (mut before, mut is_scaled) = ([0; 3], false);
        for kinds in &mut self.kinds {
            kinds[0] = chances.kind(About::Rotation(before[0]), kinds[0], bits);
            kinds[1] = chances.kind(About::Translation(kinds[0], before[1]), kinds[1], bits);
            kinds[2] = chances.kind(About::Scale(is_scaled), kinds[2], bits);
            is_scaled |= kinds[2] != 0;
            before = *kinds;
        }
        if self.constants.is_empty() {
            let of = |(joint, channel)| Constant { joint, channel, fields: [0; 4] };
            self.constants = tracks_of(&self.kinds, CONSTANT).map(of).try_list()?;
            // A stable sort would allocate memory.
            self.constants.sort_unstable_by_key(|constant| (constant.joint, constant.channel));
        }
        let animated = tracks_of(&self.kinds, ANIMATED).count();
        if let Some(exact) = &mut self.exact {
            exact.try_reserve_exact(animated.saturating_sub(exact.len()))?;
            exact.resize(animated, false);
        }
        Ok(())
    }

    /// Creates the tracks on lattices that the kinds and flags imply, unless they exist.
    fn fit_tracks(&mut self) -> Result<(), NoMemory> {
        if !self.tracks.is_empty() {
            return Ok(());
        }
        let is_exact = |i: usize| self.exact.as_ref().is_some_and(|exact| exact[i]);
        let animated = tracks_of(&self.kinds, ANIMATED).enumerate().filter(|(i, _)| !is_exact(*i));
        self.tracks = animated.map(|(_, (joint, channel))| ContentTrack::blank(joint, channel)).try_list()?;
        Ok(())
    }

    fn code_record(&mut self, index: usize, bind: &[Transform], chances: &mut RecordChances, bits: &mut impl CodeBit) {
        let (before, rest) = self.tracks.split_at_mut(index);
        let track = &mut rest[0];
        let likely = likely_guide(before, track.joint, track.channel);
        track.guide = match self.has_guides {
            false => likely,
            true => code_guide(track.guide, likely, index, chances, bits),
        };
        let mut code = before.last().map_or(FIRST_STEP, |before| before.codes[0].into());
        for (component, own) in track.codes.iter_mut().enumerate() {
            let number = Number::Step(component, track.channel == Channel::Rotation);
            code = (code + chances.number(number, i32::from(*own) - code, bits)).clamp(0, 255);
            *own = code as u8;
        }
        if track.channel == Channel::Rotation {
            code_reference(&mut track.reference, self.coarseness, &bind[track.joint], chances, bits);
        }
    }

    fn code_integers<B: CodeBit, E: From<NoMemory>>(
        &mut self,
        weights: &mut Weights,
        bits: &mut B,
        after: &mut impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut model = SeriesModel::new(self.tracks.iter().map(ContentTrack::series).try_list()?)?;
        *model.weights() = *weights;
        for values in self.tracks.iter_mut().flat_map(|track| &mut track.values) {
            values.try_reserve_exact(self.samples.saturating_sub(values.len())).map_err(NoMemory::from)?;
            values.resize(self.samples, 0);
        }
        for sample in 0..self.samples {
            for (track, of) in self.tracks.iter_mut().enumerate() {
                let integers = model.code(track, [0, 1, 2].map(|i| of.values[i][sample]), bits);
                (0..3).for_each(|i| of.values[i][sample] = integers[i]);
                after(bits, Part::Integers { track })?;
            }
        }
        *weights = *model.weights();
        Ok(())
    }

    /// Codes float32 samples bit by bit.
    fn code_exact<B: CodeBit, E: From<NoMemory>>(
        &mut self,
        bits: &mut B,
        after: &mut impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(exact) = &self.exact else { return Ok(()) };
        let tracks = tracks_of(&self.kinds, ANIMATED).zip(exact).filter(|(_, is_exact)| **is_exact);
        let tracks = tracks.map(|(track, _)| track).try_list()?;
        let mut word = 0;
        for _ in 0..self.samples {
            for (joint, channel) in tracks.iter().copied() {
                for _ in 0..exact_bits(channel) / 32 {
                    if word == self.exact_rows.len() {
                        self.exact_rows.try_push(0)?;
                    }
                    self.exact_rows[word] = code_even(self.exact_rows[word], 32, bits);
                    word += 1;
                }
                after(bits, Part::Exact { joint, channel })?;
            }
        }
        Ok(())
    }
}

impl Constant {
    fn code(&mut self, is_full: bool, bind: &Transform, chances: &mut RecordChances, bits: &mut impl CodeBit) {
        match self.channel {
            Channel::Rotation if is_full => self.fields = self.fields.map(|field| code_even(field, 32, bits)),
            Channel::Rotation => code_rotation(&mut self.fields, bind, chances, bits),
            Channel::Translation => code_vector(&mut self.fields, bind.translation.to_array(), chances, bits),
            Channel::Scale => code_vector(&mut self.fields, bind.scale.to_array(), chances, bits),
        }
    }
}

/// The most likely guide: the joint's own rotation for a vector, else the track before.
fn likely_guide(before: &[ContentTrack], joint: usize, channel: Channel) -> Option<usize> {
    let own =
        before.iter().position(|track| channel != Channel::Rotation && track.is_rotation() && track.joint == joint);
    own.or(before.len().checked_sub(1))
}

fn code_guide(
    guide: Option<usize>,
    likely: Option<usize>,
    tracks: usize,
    chances: &mut RecordChances,
    bits: &mut impl CodeBit,
) -> Option<usize> {
    if chances.ask(About::LikelyGuide, guide == likely, bits) {
        return likely;
    }
    let count = (usize::BITS - tracks.leading_zeros()).min(GUIDE_BITS);
    let number = code_even(guide.map_or(0, |guide| guide + 1) as u32, count, bits) as usize;
    number.checked_sub(1).filter(|guide| *guide < tracks)
}

/// Index of the largest component of a rotation, and the others as signed integers of `bits`, like those of references and constants.
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

fn code_reference(
    reference: &mut [u32; 4],
    coarseness: u32,
    bind: &Transform,
    chances: &mut RecordChances,
    bits: &mut impl CodeBit,
) {
    let (largest, parts) = parts_of(bind.rotation.to_array(), REFERENCE_BITS);
    let is_same = code_largest(&mut reference[0], largest, chances, bits);
    for (own, part) in reference[1..].iter_mut().zip(parts) {
        let likely = if is_same { part >> coarseness } else { 0 };
        let wanted = (from_zero(*own) >> coarseness) - likely;
        let found = likely.wrapping_add(chances.number(Number::Reference(is_same), wanted, bits));
        let limit = (1 << (REFERENCE_BITS - 1)) - 1;
        *own = ((found.clamp(-limit, limit) << coarseness).clamp(-limit, limit) + limit) as u32;
    }
}

/// Codes the index of a rotation's dropped component. Returns true if it is `largest`, that of the bind pose.
fn code_largest(own: &mut u32, largest: u32, chances: &mut RecordChances, bits: &mut impl CodeBit) -> bool {
    let is_same = chances.ask(About::SameLargest, *own == largest, bits);
    *own = if is_same { largest } else { code_even(*own, 2, bits) };
    is_same
}

fn code_rotation(fields: &mut [u32; 4], bind: &Transform, chances: &mut RecordChances, bits: &mut impl CodeBit) {
    let (largest, _) = parts_of(bind.rotation.to_array(), CONSTANT_BITS);
    code_largest(&mut fields[0], largest, chances, bits);
    let zero = (1 << (CONSTANT_BITS - 1)) - 1;
    for field in &mut fields[1..] {
        let is_zero = chances.ask(About::ZeroPart, *field == zero, bits);
        *field = if is_zero { zero } else { code_even(*field, CONSTANT_BITS, bits) };
    }
}

/// Codes three float32 as the difference (exclusive or) of their bits from those of the bind pose.
fn code_vector(fields: &mut [u32; 4], bind: [f32; 3], chances: &mut RecordChances, bits: &mut impl CodeBit) {
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
