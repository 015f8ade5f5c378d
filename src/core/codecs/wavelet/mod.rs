//! Wavelets (Animation Compression: Signal Processing, as used on Thief 2014). Tracks become smooth signals, signals become few numbers
//! that are not near zero, and those take few bits.

mod aimed;
mod block;
mod deflate;
use posepress_runtime::internal::codecs::wavelet as decode;
mod layout;
mod pack;
mod params;
mod search;
mod signals;
mod solve;
mod trim;

use super::encode::lattice::{Centre, LatticeTrack, Plan, animated_tracks, joint_plans};
use super::encode::write::{HuffmanCounter, SymbolWriter};
use super::encode::{
    AIM, Hierarchy, RawModel, SEARCHED_TRIVIAL_SHARE, ToleranceLoop, Trial, TrivialSettings, all_animated,
    check_usable, classify, reaches_m,
};
use super::{Cancelled, Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Source};
use crate::codecs::runtime::{EntropyCoder, TrackTable};
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

/// Stores wavelet coefficients, quantized and entropy coded.
#[derive(Debug)]
pub struct WaveletCodec;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"WAV1"),
    name: "wavelet",
    summary: "Wavelet coefficients of every track, as coarse as the tolerance allows, entropy coded.",
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
    /// Always false: a block is decoded as a whole.
    fn in_place(&self, _values: &ParamValues) -> Option<ParamValues> {
        None
    }

    fn encode(&self, source: &Source<'_>, values: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let layout = chosen_layout(values);
        if let Some(bits) = layout.fixed_bits {
            let sketch = Sketch::within(source, values, source.tolerance_m, progress)?;
            return Ok(sketch.pack(&fixed(&sketch, bits, progress)?));
        }
        let search = ToleranceLoop { codec: self, source, dense: source, stride: 1, aim: AIM };
        let found = search.run(progress, |limit_m| {
            let sketch = Sketch::within(source, values, limit_m, progress)?;
            Ok(Some(sketch.pack(&search_blocks(&sketch, limit_m, progress)?)))
        })?;
        Ok(found.unwrap_or_else(|| exact(source, layout)))
    }
}

/// The inputs of a clip's encoding, apart from the numbers of its blocks.
pub struct Sketch<'a> {
    source: &'a Source<'a>,
    table: TrackTable,
    layout: Layout,
    lattice: Vec<LatticeTrack>,
    tracks: Vec<TrackSignals>,
}

impl<'a> Sketch<'a> {
    fn new(source: &'a Source<'a>, layout: Layout, table: TrackTable) -> Self {
        let layout = fitted(layout, &table, source.clip.samples());
        let lattice = animated_tracks(source.clip, &table, Centre::Mean);
        let tracks = track_signals(source.clip, &lattice, &layout);
        Self { source, table, layout, lattice, tracks }
    }

    /// The sketch of a clip without the tracks that hardly move within the limit.
    ///
    /// # Errors
    /// [`Cancelled`] if `progress` was cancelled.
    pub fn within(
        source: &'a Source<'a>,
        values: &ParamValues,
        limit_m: f32,
        progress: &Progress,
    ) -> Result<Self, Cancelled> {
        let trivial = TrivialSettings::chosen(values).within(limit_m * SEARCHED_TRIVIAL_SHARE);
        Ok(Self::new(source, chosen_layout(values), classify(source, &trivial, progress)?))
    }

    /// Solves every block.
    fn blocks(
        &self,
        progress: &Progress,
        solve: impl Fn(Block<'_>) -> Result<BlockCodes, Cancelled> + Sync,
    ) -> Result<Vec<BlockCodes>, Cancelled> {
        let samples = self.source.clip.samples();
        let count = if self.tracks.is_empty() { 0 } else { self.layout.blocks(samples) };
        let done = AtomicUsize::new(0);
        let of_index = |index: usize| {
            progress.check()?;
            let samples = self.layout.block(index, samples);
            let codes = solve(Block { layout: &self.layout, tracks: &self.tracks, samples })?;
            progress.set_fraction((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / count as f32);
            Ok(codes)
        };
        (0..count).into_par_iter().map(of_index).collect()
    }

    fn pack(&self, blocks: &[BlockCodes]) -> Encoded {
        let has_tables = self.layout.entropy == EntropyCoder::Huffman;
        let tables = has_tables.then(|| self.count(blocks, HuffmanCounter::default()).tables());
        pack::pack(self.source.clip, &self.table, &self.layout, &self.tracks, blocks, tables)
    }

    /// Passes the numbers of all blocks to a counter.
    pub fn count<W: SymbolWriter>(&self, blocks: &[BlockCodes], counter: W) -> W {
        let clip = self.source.clip;
        pack::count(clip, &pack::in_place(clip, &self.layout, &self.tracks, blocks), counter)
    }
}

/// One search over all blocks. A block without steps within the limit is stored as float32.
///
/// # Errors
/// [`Cancelled`] if `progress` was cancelled.
pub fn search_blocks(sketch: &Sketch<'_>, limit_m: f32, progress: &Progress) -> Result<Vec<BlockCodes>, Cancelled> {
    if is_aimed(&sketch.layout) { aimed(sketch, limit_m, progress) } else { by_themselves(sketch, limit_m, progress) }
}

/// Searches with every joint aimed at the decoded pose of its parent.
fn aimed(sketch: &Sketch<'_>, limit_m: f32, progress: &Progress) -> Result<Vec<BlockCodes>, Cancelled> {
    let joints = joint_plans(sketch.source, &sketch.table, &sketch.lattice);
    sketch.blocks(progress, |block| {
        let raw = RawModel::new(sketch.source, block.samples);
        let plan = Plan::new(sketch.source, &raw, &joints);
        let solver = Solver::new(&sketch.layout, &plan, &sketch.tracks, sketch.lattice.clone(), limit_m);
        let mut search = AimedSearch::new(solver, progress);
        Ok(if search.run()? { search.codes() } else { BlockCodes::exact(sketch.tracks.len()) })
    })
}

/// Searches with every track approximating its own source.
fn by_themselves(sketch: &Sketch<'_>, limit_m: f32, progress: &Progress) -> Result<Vec<BlockCodes>, Cancelled> {
    let (source, clip) = (sketch.source, sketch.source.clip);
    let (guesses, hierarchy) = (guesses(source, &sketch.tracks, limit_m), Hierarchy::new(source));
    sketch.blocks(progress, |block| {
        let locals: Vec<Transform> =
            (0..clip.joints()).flat_map(|joint| block.samples.clone().map(move |s| clip.at(s, joint))).collect();
        let trial = Trial::new(source, &hierarchy, block.samples.clone(), limit_m, &sketch.table.still);
        let steps = Search::new(&block, source.skeleton, &locals, trial, &guesses, progress).run()?;
        Ok(steps.map_or_else(|| BlockCodes::exact(sketch.tracks.len()), |s| block.codes(&s, &mut Buffers::default())))
    })
}

/// True if joints are aimed at the decoded pose of their parents. This needs separate tracks, and rotations whose steps are angles.
fn is_aimed(layout: &Layout) -> bool {
    layout.rotation == RotationMap::Rodrigues && !layout.is_joined
}

/// The largest step of each track, as a code, that alone would keep its joint and descendants about within the limit.
fn guesses(source: &Source<'_>, tracks: &[TrackSignals], limit_m: f32) -> Vec<i32> {
    let reach_m = reaches_m(source);
    let step = |t: &TrackSignals| {
        let (limit_m, reach_m) = (f64::from(limit_m), f64::from(reach_m[t.track.joint]));
        match t.track.channel {
            // Steps of parameters are radians; a quaternion component changes by half of the angle.
            Channel::Rotation if matches!(t.track.numbers, Numbers::Rodrigues(_)) => limit_m / reach_m,
            Channel::Rotation => limit_m / (2.0 * reach_m),
            Channel::Translation => limit_m,
            Channel::Scale => limit_m / reach_m,
        }
    };
    tracks.iter().map(|t| code_near(step(t))).collect()
}

/// Stores every number in the requested bits, with any error.
fn fixed(sketch: &Sketch<'_>, bits: u32, progress: &Progress) -> Result<Vec<BlockCodes>, Cancelled> {
    sketch.blocks(progress, |block| {
        let mut buffers = Buffers::default();
        let steps: Vec<_> = (0..sketch.tracks.len()).map(|t| [fixed_step(&block, t, bits, &mut buffers); 3]).collect();
        Ok(block.codes(&steps, &mut buffers))
    })
}

/// The finest step with which the track's own numbers fit into the bits. In a joined signal, where neighbours add up, a few may need one
/// bit more.
fn fixed_step(block: &Block<'_>, track: usize, bits: u32, buffers: &mut Buffers) -> u8 {
    let coefficients = block.coefficients(track, buffers);
    let largest = coefficients.iter().flatten().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    let levels = f64::from((1u32 << (bits - 1)) - 1);
    let step = |code: u8| block.tracks[track].track.step(code);
    let fine = |code: &u8| largest <= levels * step(*code) && fits(largest, step(*code));
    (1..=255).find(fine).unwrap_or(EXACT)
}

/// Every sample of every track as float32, for clips with values so large or matrices so flat that nothing else is within the tolerance.
fn exact(source: &Source<'_>, layout: Layout) -> Encoded {
    let sketch = Sketch::new(source, layout, all_animated(source));
    sketch.pack(&vec![BlockCodes::exact(sketch.tracks.len()); sketch.layout.blocks(source.clip.samples())])
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
    fn blocks_of_any_length_are_cut_evenly() {
        let kinds = vec![[TrackKind::Animated, TrackKind::Bind, TrackKind::Bind]; 4];
        let table = TrackTable { kinds, still: vec![Transform::IDENTITY; 4], constant_format: RotationFormat::Full };
        let lengths = |wavelet: &str, samples: usize| {
            let mut values = ParamValues::new();
            values.set_text(PARAMS, "wavelet", wavelet).unwrap();
            let layout = fitted(chosen_layout(&values), &table, samples);
            (0..layout.blocks(samples)).map(|block| layout.block(block, samples).len()).collect::<Vec<_>>()
        };
        assert_eq!([32, 33, 65].map(|samples| lengths("cdf97", samples)), [vec![32], vec![17, 16], vec![22, 22, 21]]);
        assert_eq!(lengths("d4", 33), [32, 1]);
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
