//! Writes the integers.

use super::decode::{
    AnchorRange, CONSTANT, CONSTANT_BITS, Component, Constant, Contents, Head, Layout, Part, Record, WIDE, exact_bits,
    rows_of, segments_of, wide_bits, width_code,
};
use super::rows::Rows;
use crate::codecs::encode::lattice::{LatticeTrack, Lattices};
use crate::codecs::encode::write::{WriteKey, write_channel};
use crate::codecs::runtime::{LATTICE_REFERENCE, REFERENCE_BITS, RotationFormat, TrackTable, width_difference};
use crate::codecs::{Encoded, Ledger, Section, SegmentRate};
use crate::format::{BitWriter, bits_at};
use crate::math::{Range3, Transform};
use crate::model::Channel;
use glam::Quat;
use posepress_runtime::NoMemory;

/// Width codes before the first segment, in estimates of the bits of widths: of residuals of middle samples, and of others.
const FIRST_WIDTHS: [u32; 2] = [5, 4];

/// Writes the payload that [`super::decode`] reads. `bind` has the bind pose of each joint.
pub fn pack(found: &Lattices<'_>, bind: &[Transform]) -> Encoded {
    let mut contents = contents_of(found);
    let components = contents.components().expect("memory");
    contents.head.layout = best_layout(contents.samples, &components);
    let lattice: Vec<&LatticeTrack> = lattice_tracks(found.tracks).map(|(_, track)| track).collect();
    let mut ledger = Ledger::default();
    let rows = Rows::new(contents.samples, contents.head.layout, &lattice, &components);
    rows.count(&mut ledger);
    for track in found.tracks.iter().filter(|track| track.is_exact()) {
        let bits = contents.samples * exact_bits(track.channel);
        ledger.track(track.joint, track.channel, Section::Animated, bits as u64);
    }
    let mut before = 0;
    let written = contents.written(&components, bind, |coder, part| {
        let after = coder.bit_position();
        count_part(part, after - before, &lattice, &mut ledger);
        before = after;
        Ok::<(), NoMemory>(())
    });
    let payload = written.expect("memory");
    let mut ledger = ledger.fitted(8 * payload.len() as u64);
    rows.rate(&mut ledger);
    rate_exact(found.tracks, &mut ledger);
    Encoded { payload, ledger, kept: Vec::new() }
}

/// The tracks on lattices, with their indices.
pub fn lattice_tracks(tracks: &[LatticeTrack]) -> impl Iterator<Item = (usize, &LatticeTrack)> + Clone {
    tracks.iter().enumerate().filter(|(_, track)| !track.is_exact())
}

/// Records the rates of float32 tracks.
pub fn rate_exact(tracks: &[LatticeTrack], ledger: &mut Ledger) {
    for track in tracks.iter().filter(|track| track.is_exact()) {
        let (joint, channel) = (track.joint as u16, track.channel);
        ledger.rate(SegmentRate { joint, channel, first_sample: 0, bits: u32::BITS });
    }
}

/// Counts the bits of a coded part. `lattice`: the tracks on lattices.
pub fn count_part(part: Part, bits: u64, lattice: &[&LatticeTrack], ledger: &mut Ledger) {
    let mut track = |track: usize, section| ledger.track(lattice[track].joint, lattice[track].channel, section, bits);
    match part {
        Part::Record { track: at } => track(at, Section::Range),
        Part::Widths { track: at } => track(at, Section::Tables),
        Part::Integers { track: at } => track(at, Section::Animated),
        Part::Settings => ledger.clip(Section::Header, bits),
        Part::Kinds | Part::Flags { .. } | Part::Guides => ledger.clip(Section::Tables, bits),
        Part::Constant { joint, channel } => ledger.track(joint, channel, Section::Constant, bits),
        Part::Exact { joint, channel } => ledger.track(joint, channel, Section::Animated, bits),
    }
}

/// The contents of a payload, with the shortest segments.
fn contents_of(found: &Lattices<'_>) -> Contents {
    let samples = found.clip.samples();
    let numbers = |index: usize, i: usize| found.frames.iter().map(|f| f.integers[index][i]).collect();
    let values = lattice_tracks(found.tracks).map(|(index, _)| [0, 1, 2].map(|i| numbers(index, i)));
    Contents { samples, head: head_of(found), values: values.collect(), exact_rows: exact_rows(found), guides: None }
}

fn head_of(found: &Lattices<'_>) -> Head {
    let Lattices { table, tracks, .. } = found;
    let records: Vec<Record> = lattice_tracks(tracks).map(|(_, track)| record(track)).collect();
    let exact = || tracks.iter().map(LatticeTrack::is_exact);
    Head {
        is_archive: false,
        layout: Layout { length: 0, wide_bits: WIDE },
        kinds: table.kinds.iter().map(|kinds| kinds.map(|kind| kind as u8)).collect(),
        is_full: table.constant_format == RotationFormat::Full,
        constants: constants(table),
        exact: exact().any(|is_exact| is_exact).then(|| exact().collect()),
        tracks: records,
    }
}

fn record(track: &LatticeTrack) -> Record {
    let reference = match track.channel {
        Channel::Rotation => fields_of(LATTICE_REFERENCE, track.centre, REFERENCE_BITS),
        Channel::Translation | Channel::Scale => [0; 4],
    };
    Record {
        joint: track.joint,
        channel: track.channel,
        codes: track.codes,
        reference,
        anchors: [AnchorRange::BEFORE_FIRST; 3],
    }
}

fn constants(table: &TrackTable) -> Vec<Constant> {
    let is_full = table.constant_format == RotationFormat::Full;
    let mut out = Vec::new();
    for (joint, (kinds, still)) in table.kinds.iter().zip(&table.still).enumerate() {
        let words = |numbers: [f32; 4]| numbers.map(f32::to_bits);
        for channel in Channel::ALL.into_iter().filter(|channel| kinds[*channel as usize] as u8 == CONSTANT) {
            let fields = match channel {
                Channel::Rotation if is_full => words(still.rotation.to_array()),
                Channel::Rotation => fields_of(table.constant_format, still.rotation, CONSTANT_BITS),
                Channel::Translation => words(still.translation.extend(0.0).to_array()),
                Channel::Scale => words(still.scale.extend(0.0).to_array()),
            };
            out.push(Constant { joint, channel, fields });
        }
    }
    out
}

/// A rotation without its largest component: its index, and the others in `bits` each.
fn fields_of(format: RotationFormat, rotation: Quat, bits: u32) -> [u32; 4] {
    let mut key = BitWriter::new();
    format.write(rotation, &Range3::UNIT, &mut key);
    let key = key.finish();
    let field = |i: u32| bits_at(&key, (2 + i * bits) as usize, bits) as u32;
    [bits_at(&key, 0, 2) as u32, field(0), field(1), field(2)]
}

/// The samples of float32 tracks.
fn exact_rows(found: &Lattices<'_>) -> Vec<u32> {
    let exact = || found.tracks.iter().filter(|track| track.is_exact());
    let mut out = BitWriter::new();
    for sample in 0..if exact().next().is_some() { found.clip.samples() } else { 0 } {
        exact().for_each(|track| write_channel(&found.clip.at(sample, track.joint), track.channel, &mut out));
    }
    out.finish().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The layout that takes the fewest bits.
pub fn best_layout(samples: usize, components: &[Component]) -> Layout {
    let layouts = (0..1 << Layout::LENGTH_BITS).map(|length| Layout { length, wide_bits: wide_bits(components) });
    layouts.min_by_key(|layout| segments_bits(layout, components, samples)).expect("a length")
}

/// Bits of all anchors in a row.
pub fn row_bits(components: &[Component]) -> usize {
    components.iter().map(|c| c.range.bits as usize).sum()
}

/// Bits of all segments. The bits of widths are an estimate from above, so that segments are not short for little: each takes memory.
pub fn segments_bits(layout: &Layout, components: &[Component], samples: usize) -> usize {
    let mut sum = 0;
    for component in components {
        let mut before = FIRST_WIDTHS;
        for segment in segments_of(layout, samples) {
            let (rows, codes) = (rows_of(&segment, samples), component.widths(segment.clone()).map(width_code));
            let bits = |i: usize| {
                let row_bits = layout.width(codes[i]) as usize;
                rows[i] * row_bits + width_difference(before[i], codes[i]) as usize + 1
            };
            sum += bits(0) + bits(1);
            before = codes;
        }
    }
    sum
}
