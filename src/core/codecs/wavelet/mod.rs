//! Wavelets (Animation Compression: Signal Processing, as used on Thief 2014): tracks become smooth signals, signals few
//! numbers that are not near zero, and those few bits.

mod aimed;
mod block;
mod deflate;
use posepress_runtime::codecs::wavelet as decode;
mod layout;
mod pack;
mod params;
mod search;
mod signals;
mod solve;
mod trim;

use super::encode::lattice::{Centre, Plan, animated_tracks, joint_plans};
use super::encode::{
    AIM, Hierarchy, RawModel, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, Trial, TrivialSettings, all_animated,
    check_usable, classify, reaches_m,
};
use super::{Cancelled, Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::math::Transform;
use crate::model::Channel;
use aimed::AimedSearch;
use block::{Block, BlockCodes, Buffers};
use decode::{EXACT, Layout, Numbers, RotationMap};
use params::{PARAMS, PRESETS, chosen_layout};
use rayon::prelude::*;
use search::{Search, code_near};
use signals::{TrackSignals, fits, fitted, track_signals};
use solve::Solver;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Wavelet coefficients, quantized and entropy coded.
#[derive(Debug)]
pub struct WaveletCodec;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"WAV1"),
    name: "wavelet",
    summary: "Wavelet coefficients of every track, as coarse as the tolerance lets them be, entropy coded.",
    source: "Animation Compression: Signal Processing (Thief 2014)",
    promises_tolerance: true,
    params: PARAMS,
    presets: PRESETS,
};

impl Codec for WaveletCodec {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn promises_with(&self, values: &ParamValues) -> bool {
        chosen_layout(values).fixed_bits.is_none()
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for WaveletCodec {
    /// A block is decoded whole.
    fn plays_in_place(&self, _values: &ParamValues) -> bool {
        false
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let layout = chosen_layout(values);
        let trivial = |limit_m: f32| TrivialSettings::chosen(values).within(limit_m * SEARCHED_TRIVIAL_SHARE);
        if let Some(bits) = layout.fixed_bits {
            return Ok(encode_fixed(source, layout, bits, &trivial(source.tolerance_m), progress)?);
        }
        let search = ToleranceLoop { codec: self, source, dense: source, stride: 1, aim: AIM };
        let found =
            search.run(progress, |limit_m| Ok(Some(attempt(source, layout, limit_m, &trivial(limit_m), progress)?)))?;
        Ok(found.unwrap_or_else(|| exact(source, layout)))
    }
}

/// One search over all blocks. A block that has no steps within the limit is stored as float32.
fn attempt(
    source: &Source<'_>,
    layout: Layout,
    limit_m: f32,
    trivial: &TrivialSettings,
    progress: &Progress,
) -> Result<Encoded, Cancelled> {
    let clip = source.clip;
    let table = classify(source, trivial, progress)?;
    let layout = fitted(layout, &table, clip.samples());
    let lattice = animated_tracks(clip, &table, Centre::Mean);
    let tracks = track_signals(clip, &lattice, &layout);
    let guesses = guesses(source, &tracks, limit_m);
    let hierarchy = Hierarchy::new(source);
    let joints = joint_plans(source, &table, &lattice);
    let count = if tracks.is_empty() { 0 } else { layout.blocks(clip.samples()) };
    let done = AtomicUsize::new(0);
    let solve = |index: usize| {
        let block = Block { layout: &layout, tracks: &tracks, samples: layout.block(index, clip.samples()) };
        if is_aimed(&layout) {
            let raw = RawModel::new(source, block.samples.clone());
            let plan = Plan::new(source, &raw, &joints);
            let solver = Solver::new(&layout, &plan, &tracks, lattice.clone(), limit_m);
            let mut search = AimedSearch::new(solver, progress);
            let codes = if search.run()? { search.codes() } else { BlockCodes::exact(tracks.len()) };
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.set_fraction(done as f32 / count as f32);
            return Ok(codes);
        }
        let locals: Vec<Transform> =
            (0..clip.joints()).flat_map(|joint| block.samples.clone().map(move |s| clip.at(s, joint))).collect();
        let trial = Trial::new(source, &hierarchy, block.samples.clone(), limit_m, &table.still);
        let steps = Search::new(&block, source.skeleton, &locals, trial, &guesses, progress).run()?;
        let steps = steps.unwrap_or_else(|| vec![[EXACT; 3]; tracks.len()]);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.set_fraction(done as f32 / count as f32);
        Ok(block.codes(&steps, &mut Buffers::default()))
    };
    let blocks: Vec<BlockCodes> = (0..count).into_par_iter().map(solve).collect::<Result<_, Cancelled>>()?;
    Ok(pack::pack(clip, &table, &layout, &tracks, &blocks))
}

/// Joints are aimed at what their parents decode to: of tracks by themselves whose rotations turn as steps say.
fn is_aimed(layout: &Layout) -> bool {
    layout.rotation == RotationMap::Rodrigues && !layout.is_joined
}

/// The largest step of each track that keeps everything on its joint about within the limit were it alone, as a code.
fn guesses(source: &Source<'_>, tracks: &[TrackSignals], limit_m: f32) -> Vec<i32> {
    let reach_m = reaches_m(source);
    let step = |t: &TrackSignals| {
        let (limit_m, reach_m) = (f64::from(limit_m), f64::from(reach_m[t.track.joint]));
        match t.track.channel {
            // Steps of parameters are radians; a part of a quaternion changes by half of what the angle does.
            Channel::Rotation if matches!(t.track.numbers, Numbers::Rodrigues(_)) => limit_m / reach_m,
            Channel::Rotation => limit_m / (2.0 * reach_m),
            Channel::Translation => limit_m,
            Channel::Scale => limit_m / reach_m,
        }
    };
    tracks.iter().map(|t| code_near(step(t))).collect()
}

/// Every number of as many bits as were asked for, whatever the error.
fn encode_fixed(
    source: &Source<'_>,
    layout: Layout,
    bits: u32,
    trivial: &TrivialSettings,
    progress: &Progress,
) -> Result<Encoded, Cancelled> {
    let clip = source.clip;
    let table = classify(source, trivial, progress)?;
    let layout = fitted(layout, &table, clip.samples());
    let tracks = track_signals(clip, &animated_tracks(clip, &table, Centre::Mean), &layout);
    let count = if tracks.is_empty() { 0 } else { layout.blocks(clip.samples()) };
    let done = AtomicUsize::new(0);
    let solve = |index: usize| {
        progress.check()?;
        progress.set_fraction(done.fetch_add(1, Ordering::Relaxed) as f32 / count as f32);
        let block = Block { layout: &layout, tracks: &tracks, samples: layout.block(index, clip.samples()) };
        let mut buffers = Buffers::default();
        let steps: Vec<_> = (0..tracks.len()).map(|t| [fixed_step(&block, t, bits, &mut buffers); 3]).collect();
        Ok(block.codes(&steps, &mut buffers))
    };
    let blocks: Vec<BlockCodes> = (0..count).into_par_iter().map(solve).collect::<Result<_, Cancelled>>()?;
    Ok(pack::pack(clip, &table, &layout, &tracks, &blocks))
}

/// The finest step whose numbers, of the track by itself, have no more bits than that. In a joined signal, where neighbours
/// add to each other, a few may have one more.
fn fixed_step(block: &Block<'_>, track: usize, bits: u32, buffers: &mut Buffers) -> u8 {
    let coefficients = block.coefficients(track, buffers);
    let largest = coefficients.iter().flatten().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    let levels = f64::from((1u32 << (bits - 1)) - 1);
    let step = |code: u8| block.tracks[track].track.step(code);
    let fine = |code: &u8| largest <= levels * step(*code) && fits(largest, step(*code));
    (1..=255).find(fine).unwrap_or(EXACT)
}

/// Every sample of every track as float32: for matrices so large or so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>, layout: Layout) -> Encoded {
    let table = all_animated(source);
    let layout = fitted(layout, &table, source.clip.samples());
    let tracks = track_signals(source.clip, &animated_tracks(source.clip, &table, Centre::Mean), &layout);
    let blocks = vec![BlockCodes::exact(tracks.len()); layout.blocks(source.clip.samples())];
    pack::pack(source.clip, &table, &layout, &tracks, &blocks)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::codecs::runtime::{RotationFormat, TrackKind, TrackTable};
    use crate::math::step_of_code;

    #[test]
    fn steps_double_every_octave_and_codes_find_them() {
        assert_eq!(step_of_code(208), 1.0);
        for code in 1..=255u8 {
            assert_eq!(code_near(step_of_code(code)), i32::from(code));
            if code > 8 {
                assert_eq!(step_of_code(code), 2.0 * step_of_code(code - 8));
                assert!(step_of_code(code) > step_of_code(code - 1));
            }
        }
    }

    #[test]
    fn joined_signals_are_no_longer_than_64_kb() {
        let mut values = ParamValues::new();
        values.set_text(PARAMS, "layout", "joined").unwrap();
        let layout = chosen_layout(&values);
        let lengths: Vec<usize> = layout.signal_lengths(3 * 60, 300).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 3 * 60 * 300);
        assert!(lengths.iter().all(|len| 4 * len <= 64 * 1024));
        // Blocks are cut so that a channel is one signal.
        let kinds = vec![[TrackKind::Animated, TrackKind::Bind, TrackKind::Bind]; 60];
        let table = TrackTable { kinds, still: vec![Transform::IDENTITY; 60], constant_format: RotationFormat::Full };
        let fitted = fitted(layout, &table, 300);
        assert_eq!(fitted.signal_lengths(3 * 60, fitted.block_samples).count(), 1);
        assert_eq!((fitted.blocks(300), fitted.block_samples), (4, 75));
    }
}
