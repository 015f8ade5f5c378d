//! Entropy coding of a whole archive, written once for encoders and decoders.

use super::chances::{About, Chances, code_even};
use super::contents::Contents;
use super::head::{Part, Record};
use super::records::exact_bits;
use super::residuals::{Weights, trained_weights};
use super::series::SeriesModel;
use crate::Channel;
use crate::math::Transform;
use crate::memory::{NoMemory, TryList, TryPush, filled, with_room};
use crate::parts::CodeBit;
use alloc::vec::Vec;

/// Most bits of the number of a guide.
const GUIDE_BITS: u32 = 16;

/// Adaptive state of the coding: at first trained, then adapted to an archive.
#[derive(Debug)]
pub struct Learned {
    /// Probabilities of everything but integers.
    pub chances: Chances,
    /// Weights of opinions about integers.
    pub weights: Weights,
}

impl Learned {
    /// The state at the start of every archive.
    pub fn trained() -> Self {
        Self { chances: Chances::trained(), weights: trained_weights() }
    }
}

impl Contents {
    /// Writes or reads an archive: `bits` is an encoder or a decoder. A decoder begins with [`Contents::blank`]. `after` is called after
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
        self.head.is_archive = true;
        self.head.code(bind, &mut known.chances, bits, &mut after)?;
        self.code_guides(&mut known.chances, bits)?;
        after(bits, Part::Guides)?;
        self.code_integers(&mut known.weights, bits, &mut after)?;
        self.code_exact(bits, &mut after)
    }

    fn code_guides(&mut self, chances: &mut Chances, bits: &mut impl CodeBit) -> Result<(), NoMemory> {
        if !bits.even(self.guides.is_some()) {
            return Ok(());
        }
        let tracks = &self.head.tracks;
        if self.guides.is_none() {
            self.guides = Some(filled(None, tracks.len())?);
        }
        for (track, guide) in self.guides.iter_mut().flatten().enumerate() {
            *guide = code_guide(*guide, likely_guide(tracks, track), track, chances, bits);
        }
        Ok(())
    }

    /// The guide of each track.
    fn guide_list(&self) -> Result<Vec<Option<usize>>, NoMemory> {
        let mut out = with_room(self.head.tracks.len())?;
        match &self.guides {
            Some(guides) => out.extend_from_slice(guides),
            None => out.extend((0..self.head.tracks.len()).map(|track| likely_guide(&self.head.tracks, track))),
        }
        Ok(out)
    }

    fn code_integers<B: CodeBit, E: From<NoMemory>>(
        &mut self,
        weights: &mut Weights,
        bits: &mut B,
        after: &mut impl FnMut(&B, Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let guides = self.guide_list()?;
        let mut model =
            SeriesModel::new(guides.iter().enumerate().map(|(track, of)| self.series(track, *of)).try_list()?)?;
        *model.weights() = *weights;
        self.values.try_reserve_exact(guides.len().saturating_sub(self.values.len())).map_err(NoMemory::from)?;
        self.values.resize_with(guides.len(), Default::default);
        for values in self.values.iter_mut().flatten() {
            values.try_reserve_exact(self.samples.saturating_sub(values.len())).map_err(NoMemory::from)?;
            values.resize(self.samples, 0);
        }
        for sample in 0..self.samples {
            for (track, values) in self.values.iter_mut().enumerate() {
                let integers = model.code(track, [0, 1, 2].map(|i| values[i][sample]), bits);
                (0..3).for_each(|i| values[i][sample] = integers[i]);
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
        let tracks = self.exact_tracks()?;
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

/// The most likely guide: the joint's own rotation for a vector, else the track before.
fn likely_guide(tracks: &[Record], track: usize) -> Option<usize> {
    let (before, own) = (&tracks[..track], &tracks[track]);
    let is_own = |other: &Record| own.channel != Channel::Rotation && other.is_rotation() && other.joint == own.joint;
    before.iter().position(is_own).or(track.checked_sub(1))
}

fn code_guide(
    guide: Option<usize>,
    likely: Option<usize>,
    tracks: usize,
    chances: &mut Chances,
    bits: &mut impl CodeBit,
) -> Option<usize> {
    if chances.ask(About::LikelyGuide, guide == likely, bits) {
        return likely;
    }
    let count = (usize::BITS - tracks.leading_zeros()).min(GUIDE_BITS);
    let number = code_even(guide.map_or(0, |guide| guide + 1) as u32, count, bits) as usize;
    number.checked_sub(1).filter(|guide| *guide < tracks)
}
