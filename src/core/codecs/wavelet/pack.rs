//! Writes blocks, and records the size after each step.

use super::block::{Block, BlockCodes};
use super::decode::{EXACT, FIRST_CODE, Form, Layout, Numbers, REFERENCE, RotationMap, coefficient_context};
use super::deflate::deflate;
use super::layout::{write_layout, write_lengths};
use super::signals::{SignalCodes, TrackSignals};
use crate::codecs::encode::write::{
    ArithmeticWriter, HuffmanWriter, RansWriter, SymbolWriter, VarintWriter, WriteKey, ZeroRunWriter,
    write_huffman_tables, write_track_table, zigzag,
};
use crate::codecs::runtime::{Context, EntropyCoder, HuffmanTables, LATTICE_REFERENCE, TrackTable};
use crate::codecs::{Encoded, Ledger, Section};
use crate::format::BitWriter;
use crate::math::{Range3, bands};
use crate::model::{Channel, Clip};
use rayon::prelude::*;

/// Writes the payload that [`super::decode`] reads. `blocks`: one per block of the clip. `tables`: for [`EntropyCoder::Huffman`].
pub fn pack(
    clip: &Clip,
    table: &TrackTable,
    layout: &Layout,
    tracks: &[TrackSignals],
    blocks: &[BlockCodes],
    tables: Option<HuffmanTables>,
) -> Encoded {
    let pairs = in_place(clip, layout, tracks, blocks);
    let plain: Vec<Packed> = pairs.par_iter().map(|(block, codes)| write_plain(clip, block, codes)).collect();
    let plain_bytes: usize = plain.iter().map(|p| p.bytes.len()).sum();
    let packed: Vec<Packed> = match &tables {
        Some(tables) => pairs.par_iter().map(|(block, codes)| write_huffman(clip, block, codes, tables)).collect(),
        None => pairs.par_iter().zip(plain).map(|((block, codes), p)| write_block(clip, block, codes, p)).collect(),
    };
    let mut ledger = Ledger::default();
    let mut out = write_head(table, layout, tracks, tables.as_ref(), &mut ledger);
    let before = out.bit_len();
    let lengths: Vec<usize> = packed.iter().map(|p| p.bytes.len()).collect();
    write_lengths(&lengths, &mut out);
    ledger.clip(Section::Tables, (out.bit_len() - before) as u64);
    let mut payload = out.finish();
    let head_bytes = payload.len();
    for packed in &packed {
        payload.extend_from_slice(&packed.bytes);
        ledger.extend(&packed.ledger);
    }
    ledger.stage("raw samples", clip.raw_joint_bytes() as u64);
    ledger.stage("trivial tracks removed", (head_bytes + moving_bytes(clip, tracks)) as u64);
    let quantized: u64 = pairs.iter().map(|(block, codes)| quantized_bits(block, codes)).sum();
    ledger.stage("transformed, quantized", head_bytes as u64 + quantized.div_ceil(8));
    let name = if layout.has_zero_runs { "zigzag, zero runs" } else { "zigzag" };
    ledger.stage(name, (head_bytes + plain_bytes) as u64);
    ledger.stage("entropy coded", payload.len() as u64);
    Encoded { payload, ledger, kept: Vec::new() }
}

/// Each block with its samples.
pub fn in_place<'b>(
    clip: &Clip,
    layout: &'b Layout,
    tracks: &'b [TrackSignals],
    blocks: &'b [BlockCodes],
) -> Vec<(Block<'b>, &'b BlockCodes)> {
    let place = |block: usize| Block { layout, tracks, samples: layout.block(block, clip.samples()) };
    blocks.iter().enumerate().map(|(i, codes)| (place(i), codes)).collect()
}

/// Writes everything before the lengths of the blocks.
fn write_head(
    table: &TrackTable,
    layout: &Layout,
    tracks: &[TrackSignals],
    tables: Option<&HuffmanTables>,
    ledger: &mut Ledger,
) -> BitWriter {
    let mut out = BitWriter::new();
    write_track_table(table, &mut out, |joint, channel, bits| ledger.track(joint, channel, Section::Constant, bits));
    ledger.clip(Section::Tables, table.head_bits());
    write_layout(layout, &mut out);
    ledger.clip(Section::Header, layout.bits());
    for TrackSignals { track, centre, .. } in tracks {
        let before = out.bit_len();
        match track.numbers {
            Numbers::Dropped(dropped) if layout.rotation == RotationMap::Farthest => {
                out.push(u64::from(dropped), 2);
            }
            Numbers::Log(_) => REFERENCE.write(*centre, &Range3::UNIT, &mut out),
            Numbers::Rodrigues(_) => LATTICE_REFERENCE.write(*centre, &Range3::UNIT, &mut out),
            _ => {}
        }
        ledger.track(track.joint, track.channel, Section::Tables, (out.bit_len() - before) as u64);
    }
    if let Some(tables) = tables {
        let before = out.bit_len();
        write_huffman_tables(tables, &mut out);
        ledger.clip(Section::Tables, (out.bit_len() - before) as u64);
    }
    out
}

/// A block's bytes, and their use.
struct Packed {
    bytes: Vec<u8>,
    ledger: Ledger,
}

impl Packed {
    fn new(bytes: Vec<u8>, counted: &Ledger) -> Self {
        let ledger = counted.fitted(8 * bytes.len() as u64);
        Self { bytes, ledger }
    }
}

fn write_plain(clip: &Clip, block: &Block<'_>, codes: &BlockCodes) -> Packed {
    let mut out = VarintWriter::default();
    let counted = BlockWriter::new(clip, block, codes, &mut out).write();
    Packed::new(out.finish(), &counted)
}

fn write_huffman(clip: &Clip, block: &Block<'_>, codes: &BlockCodes, tables: &HuffmanTables) -> Packed {
    let mut out = HuffmanWriter::new(tables);
    let counted = BlockWriter::new(clip, block, codes, &mut out).write();
    Packed::new(out.finish(), &counted)
}

/// Writes a block with any coder except Huffman's, which needs tables.
fn write_block(clip: &Clip, block: &Block<'_>, codes: &BlockCodes, plain: Packed) -> Packed {
    match block.layout.entropy {
        EntropyCoder::Zlib => {
            let mut packed = Packed::new(deflate(&plain.bytes), &plain.ledger);
            packed.ledger.share_out();
            packed
        }
        EntropyCoder::Arithmetic => {
            let mut out = ArithmeticWriter::new(block.layout.form.start());
            let counted = BlockWriter::new(clip, block, codes, &mut out).write();
            Packed::new(out.finish(), &counted)
        }
        EntropyCoder::Rans => {
            let mut out = RansWriter::default();
            let counted = BlockWriter::new(clip, block, codes, &mut out).write();
            Packed::new(out.finish(), &counted)
        }
        EntropyCoder::None | EntropyCoder::Huffman => plain,
    }
}

/// Passes every symbol of the clip to a counter.
pub fn count<W: SymbolWriter>(clip: &Clip, blocks: &[(Block<'_>, &BlockCodes)], mut counter: W) -> W {
    for (block, codes) in blocks {
        BlockWriter::new(clip, block, codes, &mut counter).write();
    }
    counter
}

/// Bytes of the animated tracks as float32, with four floats per rotation.
fn moving_bytes(clip: &Clip, tracks: &[TrackSignals]) -> usize {
    let floats = |t: &TrackSignals| if t.track.channel == Channel::Rotation { 4 } else { 3 };
    4 * clip.samples() * tracks.iter().map(floats).sum::<usize>()
}

/// Bits of a block if each number took as many bits as the largest of its signal: the input size of entropy coding.
fn quantized_bits(block: &Block<'_>, codes: &BlockCodes) -> u64 {
    let samples = block.samples.len() as u64;
    let exact = block.tracks.iter().zip(&codes.steps).filter(|(_, codes)| codes[0] == EXACT);
    let exact_floats: u64 = exact.map(|(t, _)| if t.track.channel == Channel::Rotation { 4 } else { 3 }).sum();
    let signal = |signal: &SignalCodes| {
        let largest = signal.codes.iter().map(|c| c.unsigned_abs()).max().unwrap_or(0);
        let bits = if largest == 0 { 0 } else { u64::from(u32::BITS - largest.leading_zeros()) + 1 };
        32 * signal.whole.len() as u64 + 16 * signal.extents.len() as u64 + bits * signal.codes.len() as u64
    };
    let steps = codes.steps.len() * if block.layout.form == Form::Axes { 3 } else { 1 };
    let signals: u64 = codes.signals.iter().flatten().map(signal).sum();
    8 * steps as u64 + 32 * samples * exact_floats + signals
}

/// Writes one block in the order in which [`super::decode`] reads it, and counts the bits of each track.
struct BlockWriter<'b, W> {
    clip: &'b Clip,
    block: &'b Block<'b>,
    codes: &'b BlockCodes,
    out: &'b mut W,
    counted: Ledger,
    at: u64,
}

impl<'b, W: SymbolWriter> BlockWriter<'b, W> {
    fn new(clip: &'b Clip, block: &'b Block<'b>, codes: &'b BlockCodes, out: &'b mut W) -> Self {
        Self { clip, block, codes, out, counted: Ledger::default(), at: 0 }
    }

    fn write(mut self) -> Ledger {
        self.at = self.out.bit_position();
        self.write_steps();
        self.write_exact();
        for channel in Channel::ALL {
            self.write_channel(channel);
        }
        self.counted
    }

    /// Bits written since the last call.
    fn bits(&mut self) -> u64 {
        let before = std::mem::replace(&mut self.at, self.out.bit_position());
        self.at - before
    }

    fn count(&mut self, track: usize, section: Section, bits: u64) {
        let track = &self.block.tracks[track].track;
        self.counted.track(track.joint, track.channel, section, bits);
    }

    fn write_steps(&mut self) {
        let mut before = [FIRST_CODE; 3];
        for (track, codes) in self.codes.steps.iter().enumerate() {
            let before = &mut before[self.block.tracks[track].track.channel as usize];
            let mut write = |axis: u8, from: u8| {
                let difference = i32::from(codes[usize::from(axis)].wrapping_sub(from) as i8);
                self.out.symbol(zigzag(difference), Context::setting(axis));
            };
            write(0, *before);
            if self.block.layout.form == Form::Axes && codes[0] != EXACT {
                write(1, codes[0]);
                write(2, codes[0]);
            }
            *before = codes[0];
            let bits = self.bits();
            self.count(track, Section::Tables, bits);
        }
    }

    fn write_exact(&mut self) {
        for track in (0..self.block.tracks.len()).filter(|t| self.codes.steps[*t][0] == EXACT) {
            let of = &self.block.tracks[track].track;
            for sample in self.block.samples.clone() {
                let raw = self.clip.at(sample, of.joint);
                let mut write = |floats: &[f32]| floats.iter().for_each(|x| self.out.raw(x.to_bits(), 32));
                match of.channel {
                    Channel::Rotation => write(&raw.rotation.to_array()),
                    Channel::Translation => write(&raw.translation.to_array()),
                    Channel::Scale => write(&raw.scale.to_array()),
                }
            }
            let bits = self.bits();
            self.count(track, Section::Animated, bits);
        }
    }

    fn write_channel(&mut self, channel: Channel) {
        let layout = self.block.layout;
        let runs = self.block.runs(channel, &self.codes.steps);
        let mut codes: Vec<u32> = Vec::new();
        let mut above: Vec<u32> = Vec::new();
        let mut start = 0;
        let samples = self.block.samples.len();
        let lengths = layout.signal_lengths(runs.len(), samples);
        for (signal, len) in self.codes.signals[channel as usize].iter().zip(lengths) {
            let is_first = layout.is_joined || (start / samples).is_multiple_of(3);
            std::mem::swap(&mut codes, &mut above);
            let above = if is_first { &[][..] } else { &above[..] };
            write_signal(signal, layout, &mut codes, above, self.out);
            let bits = self.bits();
            self.share(&runs, start, len, bits);
            start += len;
        }
    }

    /// Counts the bits of a signal for its tracks, in proportion to the number of their values. The remainder belongs to the clip.
    fn share(&mut self, runs: &[(usize, usize)], start: usize, len: usize, bits: u64) {
        let samples = self.block.samples.len();
        let mut left = bits;
        let mut at = start;
        while at < start + len {
            let run = at / samples;
            let end = ((run + 1) * samples).min(start + len);
            let part = bits * (end - at) as u64 / len as u64;
            self.count(runs[run].0, Section::Animated, part);
            left -= part;
            at = end;
        }
        self.counted.clip(Section::Animated, left);
    }
}

fn write_signal<W: SymbolWriter>(
    signal: &SignalCodes,
    layout: &Layout,
    codes: &mut Vec<u32>,
    above: &[u32],
    out: &mut W,
) {
    let mut runs = ZeroRunWriter::new(out, layout.has_zero_runs);
    signal.whole.iter().for_each(|x| runs.inner().raw(x.to_bits(), 32));
    let whole = signal.whole.len();
    codes.clear();
    codes.resize(whole + signal.codes.len(), 0);
    let mut extents = signal.extents.iter();
    let scale = std::iter::once((None, whole..1));
    let bands = bands(codes.len()).map(|band| (Some(band), band.start.max(whole)..band.end));
    for (band, numbers) in scale.chain(bands) {
        if let Some(extent) = (!numbers.is_empty()).then(|| extents.next()).flatten() {
            runs.inner().raw(u32::from(*extent), 16);
        }
        for index in numbers {
            codes[index] = zigzag(signal.codes[index - whole]);
            runs.symbol(codes[index], coefficient_context(layout.form, band, index, codes, above));
        }
    }
    runs.flush();
}
