//! Float tracks, mostly morph weights: the smallest encoding within their limits.

use super::Source;
use super::runtime::{FloatSteps, FloatTracks, float_between, time_bits};
use crate::format::{BitWriter, ByteReader, ByteWriter};
use posepress_runtime::ClipHeader;

/// Extra bits that are tried for keys beyond what samples need. Finer values leave more of the limit to the lines between keys.
const FINER_WIDTHS: u8 = 3;

/// Writes what [`FloatTracks::read`] reads. `limits` has the largest error per track; tracks without a limit are stored without loss.
///
/// Each track takes the smallest of these: one value, quantized values at all samples, quantized keys with lines between them, or float32.
/// Exact zeros stay zero. The result has been decoded and compared at every sample.
pub fn write_floats(out: &mut ByteWriter, source: &Source<'_>, limits: &[f32]) {
    let clip = source.clip;
    let header = ClipHeader { float_tracks: 1, ..source.header() };
    for track in 0..clip.float_tracks() {
        let values: Vec<f32> = (0..clip.samples()).map(|s| clip.floats(s)[track]).collect();
        let limit = limits.get(track).copied().unwrap_or(0.0);
        out.bytes(&Track { values: &values, limit }.written(&header));
    }
}

/// A track and its largest error.
struct Track<'a> {
    values: &'a [f32],
    limit: f32,
}

/// The codes of all samples, and their values.
struct Quantized {
    steps: FloatSteps,
    codes: Vec<u64>,
    /// The decoded codes.
    values: Vec<f32>,
}

impl Track<'_> {
    fn written(&self, header: &ClipHeader) -> Vec<u8> {
        let exact = self.exact();
        if self.limit <= 0.0 || exact[0] == FloatTracks::CONSTANT {
            return exact;
        }
        let mut smaller = self.candidates();
        smaller.retain(|bytes| bytes.len() < exact.len());
        smaller.sort_by_key(Vec::len);
        smaller.into_iter().find(|bytes| self.is_held_by(bytes, header)).unwrap_or(exact)
    }

    fn exact(&self) -> Vec<u8> {
        if self.values.iter().all(|v| *v == self.values[0]) {
            return constant(self.values[0]);
        }
        let mut out = ByteWriter::new();
        out.u8(FloatTracks::SAMPLES);
        self.values.iter().for_each(|v| out.f32(*v));
        out.finish()
    }

    /// Encodings that should keep the limit.
    fn candidates(&self) -> Vec<Vec<u8>> {
        let (least, largest) = self.range();
        let middle = if self.values.contains(&0.0) { 0.0 } else { least.midpoint(largest) };
        if self.values.iter().all(|v| self.is_near(*v, middle)) {
            return vec![constant(middle)];
        }
        let Some(coarsest) = (1..=FloatSteps::MAX_WIDTH).find_map(|width| self.quantized(width)) else {
            return Vec::new();
        };
        let width = coarsest.steps.width;
        let finer = (width + 1..=FloatSteps::MAX_WIDTH.min(width + FINER_WIDTHS)).filter_map(|w| self.quantized(w));
        let mut out = vec![coarsest.all_samples()];
        out.extend(std::iter::once(&coarsest).filter_map(|q| self.keys(q)));
        out.extend(finer.filter_map(|quantized| self.keys(&quantized)));
        out
    }

    fn range(&self) -> (f32, f32) {
        self.values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)))
    }

    fn is_near(&self, raw: f32, decoded: f32) -> bool {
        (raw - decoded).abs() <= self.limit && (raw != 0.0 || decoded == 0.0)
    }

    /// Rounds to the finest steps that codes of this width allow. `None` if they are too coarse.
    fn quantized(&self, width: u8) -> Option<Quantized> {
        let (least, largest) = self.range();
        let span = f64::from(largest) - f64::from(least);
        let most = ((1u64 << width) - 1) as f64;
        // rounding may need one step more than the span has
        [most, most - 1.0].into_iter().find_map(|steps| {
            let a_unit = coarser(steps / span);
            let whole: Vec<i64> =
                self.values.iter().map(|v| (f64::from(*v) * f64::from(a_unit)).round() as i64).collect();
            let least = i32::try_from(*whole.iter().min()?).ok()?;
            let steps = FloatSteps { a_unit, least, width };
            let codes: Vec<u64> = whole.iter().map(|q| (q - i64::from(least)) as u64).collect();
            let values: Vec<f32> = codes.iter().map(|code| steps.value(*code)).collect();
            let fits = a_unit.is_normal() && codes.iter().all(|code| code >> width == 0);
            let is_held = fits && self.values.iter().zip(&values).all(|(raw, decoded)| self.is_near(*raw, *decoded));
            is_held.then_some(Quantized { steps, codes, values })
        })
    }

    /// Keys with lines between them: each key is as far as possible from the one before. `None` if there are too many.
    fn keys(&self, quantized: &Quantized) -> Option<Vec<u8>> {
        let last = self.values.len() - 1;
        let mut keys = vec![0];
        while keys[keys.len() - 1] < last {
            keys.push(self.farthest(quantized, keys[keys.len() - 1]));
        }
        let inner = &keys[1..keys.len() - 1];
        let mut out = ByteWriter::new();
        out.u8(FloatTracks::KEYS);
        quantized.write_steps(&mut out);
        out.u16(u16::try_from(inner.len()).ok()?);
        let mut bits = BitWriter::new();
        inner.iter().for_each(|key| bits.push(*key as u64, time_bits(self.values.len())));
        keys.iter().for_each(|key| bits.push(quantized.codes[*key], u32::from(quantized.steps.width)));
        out.bytes(&bits.finish());
        Some(out.finish())
    }

    /// The farthest sample that a line from a key reaches, by doubling and then halving the distance.
    fn farthest(&self, quantized: &Quantized, from: usize) -> usize {
        let last = self.values.len() - 1;
        let can_reach = |to: usize| to <= last && self.is_line(quantized, from, to);
        let (mut reached, mut stride) = (from + 1, 1);
        while can_reach(reached + stride) {
            reached += stride;
            stride *= 2;
        }
        while stride > 0 {
            if can_reach(reached + stride) {
                reached += stride;
            } else {
                stride /= 2;
            }
        }
        reached
    }

    fn is_line(&self, quantized: &Quantized, from: usize, to: usize) -> bool {
        let (start, end) = (quantized.values[from], quantized.values[to]);
        (from + 1..to).all(|sample| {
            let alpha = (sample - from) as f32 / (to - from) as f32;
            self.is_near(self.values[sample], float_between(start, end, alpha))
        })
    }

    /// True if the decoded values are within the limit at every sample.
    fn is_held_by(&self, bytes: &[u8], header: &ClipHeader) -> bool {
        let Ok(tracks) = FloatTracks::read(&mut ByteReader::new(bytes), header) else { return false };
        self.values.iter().enumerate().all(|(sample, raw)| {
            let mut decoded = [0.0];
            tracks.sample(bytes, self.values.len(), (sample, 0.0), &mut decoded);
            self.is_near(*raw, decoded[0])
        })
    }
}

impl Quantized {
    fn write_steps(&self, out: &mut ByteWriter) {
        let FloatSteps { a_unit, least, width } = self.steps;
        let least_bytes = self.steps.least_bytes();
        out.u8(width | (least_bytes as u8) << FloatSteps::WIDTH_BITS);
        out.u16((a_unit.to_bits() >> 16) as u16);
        out.bytes(&least.to_le_bytes()[..least_bytes]);
    }

    fn all_samples(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.u8(FloatTracks::STEPS);
        self.write_steps(&mut out);
        let mut bits = BitWriter::new();
        self.codes.iter().for_each(|code| bits.push(*code, u32::from(self.steps.width)));
        out.bytes(&bits.finish());
        out.finish()
    }
}

fn constant(value: f32) -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.u8(FloatTracks::CONSTANT);
    out.f32(value);
    out.finish()
}

/// The next coarser number of steps per unit that can be stored. Whole if it is at least one.
fn coarser(a_unit: f64) -> f32 {
    let a_unit = if a_unit >= 1.0 { a_unit.floor() } else { a_unit };
    f32::from_bits((a_unit as f32).to_bits() & 0xffff_0000)
}
