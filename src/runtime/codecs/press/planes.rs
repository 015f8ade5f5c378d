//! Bit planes of a payload that are stored in a tier, and their joining.

use super::LARGEST;
use super::components::{Component, rows_of, segments_of, wide_bits, write_anchor_range, write_integers, write_layout};
use super::layout::{
    FIRST_WIDTHS, Interval, Layout, STEP_BITS, WIDE, intervals, predict_fine, predict_middle, residual_bias,
};
use super::mark::{is_archive, is_in_proportion};
use super::places::PackedIntegers;
use super::records::{Records, Rows, reference_bits};
use crate::Channel;
use crate::format::{BindPose, BitReader, BitWriter, DecodeError, bits_at};
use crate::math::Transform;
use crate::memory::{NoMemory, TryList, TryPush, filled, with_room};
use crate::parts::{ClipHeader, StoredTracks, TrackTable, read_width};
use alloc::vec::Vec;
use core::iter::repeat_n;
use core::ops::Range;

/// Difference of the codes of a step and of twice that step: one bit plane.
pub const CODES_A_PLANE: u8 = 8;
/// Bits of the number of a track's planes in a tier.
pub const PLANES_BITS: u32 = 4;

/// A payload as integers, and the places of its other parts. It can be written again with finer or coarser steps.
///
/// Without the lowest `n` bit planes of a track, each integer is divided by `2^n` and rounded to the nearest, and the steps are `2^n`
/// times as large. The result is an ordinary payload.
///
/// A tier stores these planes. On disk, in bits:
/// - the [`Layout`] of the joined payload;
/// - per track on a lattice, the number `n` of its planes in the tier (4 bits);
/// - per sample, and per track with planes: `(integer + 2^n / 2) mod 2^n` of its three integers, `n` bits each;
/// - zero bits up to a whole byte.
#[derive(Debug)]
pub struct PressIntegers {
    /// Settings of the clip.
    pub layout: Layout,
    /// Tracks on lattices, in their order.
    pub tracks: Vec<LatticeIntegers>,
    samples: usize,
    /// Bits of the track table.
    table: Range<usize>,
    /// Bits of the float32 flags, one per track; empty if no track is float32.
    pub exact_flags: Range<usize>,
    /// Bits of the float32 samples.
    pub exact_rows: Range<usize>,
}

/// A track on a lattice.
#[derive(Debug)]
pub struct LatticeIntegers {
    /// Its joint.
    pub joint: usize,
    /// Its channel.
    pub channel: Channel,
    /// Step codes of its components.
    pub codes: [u8; 3],
    /// Per component, one integer per sample.
    pub values: [Vec<i32>; 3],
    /// Bits of its reference in the payload; empty for vectors.
    pub reference: Range<usize>,
}

impl PressIntegers {
    /// Reads a payload of runtime storage.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any bytes are safe to pass. Archives must be expanded first. A payload with too many integers for its bytes is
    /// an error too; `more` bytes count in addition, for a tier.
    pub fn read(header: &ClipHeader, bytes: &[u8], more: usize) -> Result<Self, DecodeError> {
        if is_archive(bytes) {
            return Err(DecodeError::invalid("storage of press", 0, "an archive", "runtime storage"));
        }
        let samples = header.grid.samples();
        let mut input = BitReader::new(bytes);
        // A bind pose takes more memory than the kinds of its tracks take bits, so these bits must be present before memory is allocated.
        input.clone().skip("kinds of tracks", 3 * TrackTable::KIND_BITS as usize * header.joints)?;
        let table =
            StoredTracks::read(&mut input, bytes, &BindPose::new(repeat_n(Transform::IDENTITY, header.joints))?)?;
        let table_bits = 0..input.bit_position();
        let layout = Layout::read(&mut input)?;
        let start = input.bit_position();
        let mut records = Records::new(&layout, &table, &mut input)?;
        let exact_flags = start..input.bit_position();
        let (mut tracks, mut anchors) = (Vec::new(), Vec::new());
        for channel in Channel::ALL {
            for joint in table.animated(channel) {
                let start = input.bit_position();
                let Some(track) = records.next(&mut input, bytes, joint, channel)? else { continue };
                let code = |i: usize| bits_at(bytes, start + i * layout.code_bits as usize, layout.code_bits) as u8;
                let codes = [0, 1, 2].map(|i| layout.least_code.saturating_add(code(i)));
                let reference = start + 3 * layout.code_bits as usize;
                let reference = reference..reference + reference_bits(channel);
                tracks.try_push(LatticeIntegers { joint, channel, codes, values: Default::default(), reference })?;
                anchors.try_push(track)?;
            }
        }
        let rows = Rows::read(&mut input, "anchors", records.anchor_bits as usize, intervals(samples) + 1)?;
        if !is_in_proportion(bytes.len().saturating_add(more), 3 * tracks.len(), samples) {
            let (what, expected) = ("integers of a clip with tiers", "fewer in a payload of this size");
            return Err(DecodeError::invalid(what, 0, 3 * tracks.len() * samples, expected));
        }
        for (track, anchored) in tracks.iter_mut().zip(&anchors) {
            track.values = [filled(0, samples)?, filled(0, samples)?, filled(0, samples)?];
            for row in 0..=intervals(samples) {
                let sample = Interval::anchor(row, samples);
                track.put(sample, anchored.anchors_at(bytes, rows.row(row)));
            }
        }
        if !tracks.is_empty() {
            read_segments(&mut input, bytes, &layout, samples, &mut tracks)?;
        }
        let start = input.bit_position();
        Rows::read(&mut input, "float32 samples", records.exact_bits, samples)?;
        let exact_rows = start..input.bit_position();
        input.finish("samples")?;
        Ok(Self { layout, tracks, samples, table: table_bits, exact_flags, exact_rows })
    }

    /// Samples of the clip.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Writes a payload of that layout with these integers and steps. All else is copied from `bytes`, the payload that was read. The step
    /// codes must fit the layout.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn written(&self, bytes: &[u8], layout: &Layout, tracks: &[LatticeIntegers]) -> Result<Vec<u8>, NoMemory> {
        let mut out = BitWriter::new();
        let components = components_of(tracks)?;
        copy_bits(bytes, &self.table, &mut out);
        write_layout(layout, &mut out);
        copy_bits(bytes, &self.exact_flags, &mut out);
        for (track, components) in tracks.iter().zip(components.chunks(3)) {
            let code = |code: &u8| u64::from(code.saturating_sub(layout.least_code));
            track.codes.iter().for_each(|c| out.push(code(c), layout.code_bits));
            copy_bits(bytes, &track.reference, &mut out);
            components.iter().for_each(|component| write_anchor_range(component, &mut out));
        }
        write_integers(layout, &components, self.samples, &mut out)?;
        copy_bits(bytes, &self.exact_rows, &mut out);
        out.try_finish()
    }

    /// Joins the planes of a tier, and returns the payload. `bytes` is the payload that was read.
    ///
    /// # Errors
    /// See [`DecodeError`]. Any tier is safe to pass.
    pub fn join(mut self, bytes: &[u8], tier: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut input = BitReader::new(tier);
        let layout = Layout::read(&mut input)?;
        let mut tracks = core::mem::take(&mut self.tracks);
        let mut planes = with_room(tracks.len())?;
        for track in &mut tracks {
            let at = input.bit_position() / 8;
            let count = input.read("planes of a track", PLANES_BITS)? as u8;
            for code in &mut track.codes {
                let finer = code.checked_sub(count * CODES_A_PLANE).filter(|code| fits(&layout, *code));
                let expected = "no more than the steps of the layout allow";
                *code = finer.ok_or_else(|| DecodeError::invalid("planes of a track", at, count, expected))?;
            }
            planes.try_push(u32::from(count))?;
        }
        for sample in 0..self.samples {
            for (track, planes) in tracks.iter_mut().zip(&planes).filter(|(_, planes)| **planes > 0) {
                for values in &mut track.values {
                    let low = input.read("bits of a plane", *planes)? as i32;
                    let value = &mut values[sample];
                    *value = value.wrapping_shl(*planes).wrapping_add(low).wrapping_sub(half(*planes));
                }
            }
        }
        input.finish("tier")?;
        let is_small = |value: &i32| value.unsigned_abs() < LARGEST as u32;
        if !tracks.iter().flat_map(|track| &track.values).flatten().all(is_small) {
            return Err(DecodeError::invalid("bits of a plane", 0, "out of range", "integers of a clip"));
        }
        let components = components_of(&tracks)?;
        if wide_bits(&components) != layout.wide_bits {
            let found = wide_bits(&components);
            return Err(DecodeError::invalid("widest residual of a tier", 0, found, layout.wide_bits));
        }
        Ok(self.written(bytes, &layout, &tracks)?)
    }
}

/// The components of all tracks, three per track.
///
/// # Errors
/// [`NoMemory`].
pub fn components_of(tracks: &[LatticeIntegers]) -> Result<Vec<Component>, NoMemory> {
    tracks.iter().flat_map(|track| &track.values).map(|values| Component::new(values)).try_list_of()
}

/// Half of the unit of the remaining planes. It is added before planes are cut off, so that integers are rounded to the nearest.
pub fn half(planes: u32) -> i32 {
    (1 << planes) >> 1
}

/// True if the layout can store that step code.
fn fits(layout: &Layout, code: u8) -> bool {
    code.checked_sub(layout.least_code).is_some_and(|above| u32::from(above) < 1 << layout.code_bits)
}

impl LatticeIntegers {
    fn put(&mut self, sample: usize, integers: [i32; 3]) {
        for (values, integer) in self.values.iter_mut().zip(integers) {
            values[sample] = integer;
        }
    }

    fn at(&self, sample: usize) -> [i32; 3] {
        [0, 1, 2].map(|i| self.values[i][sample])
    }

    /// The track without its lowest planes.
    pub fn coarser(&self, planes: u8) -> Self {
        let cut = |value: &i32| value.wrapping_add(half(planes.into())) >> planes;
        Self {
            codes: self.codes.map(|code| code.saturating_add(planes * CODES_A_PLANE)),
            values: [0, 1, 2].map(|i| self.values[i].iter().map(cut).collect()),
            reference: self.reference.clone(),
            ..*self
        }
    }
}

/// Reads residuals, and computes all samples that are not anchors.
fn read_segments(
    input: &mut BitReader<'_>,
    bytes: &[u8],
    layout: &Layout,
    samples: usize,
    tracks: &mut [LatticeIntegers],
) -> Result<(), DecodeError> {
    let mut codes = filled([FIRST_WIDTHS; 3], tracks.len())?;
    for segment in segments_of(layout, samples) {
        for codes in codes.iter_mut().flatten() {
            *codes = [read_width(input, codes[0], WIDE)?, read_width(input, codes[1], WIDE)?];
        }
        let width = |of: &[[u32; 2]; 3]| [0, 1].map(|kind| [0, 1, 2].map(|i| layout.width(of[i][kind]) as u8));
        let widths = codes.iter().map(width).try_list()?;
        let rows = rows_of(&segment, samples);
        let (mut middle, mut fine) = (0, 0);
        for (kind, at) in [(0, &mut middle), (1, &mut fine)] {
            let row_bits: usize = widths.iter().flat_map(|of| of[kind]).map(usize::from).sum();
            *at = input.skip("residuals", rows[kind] * row_bits)?;
        }
        for interval in segment.map(|index| Interval::at(index, samples)).filter(|interval| interval.length > 1) {
            let start = interval.start();
            let (at_middle, end) = (start + interval.middle(), start + interval.length);
            let mut residuals = with_room(tracks.len())?;
            for (track, widths) in tracks.iter_mut().zip(&widths) {
                let residual = next_three(bytes, &mut middle, widths[0]);
                let (a, b) = (track.at(start), track.at(end));
                let line = |i: usize| predict_middle(a[i], b[i], interval.is_uneven()).wrapping_add(residual[i]);
                track.put(at_middle, [line(0), line(1), line(2)]);
                residuals.push(residual);
            }
            let places = [(1, start, at_middle), (3, at_middle, end)];
            for (place, before, after) in places.into_iter().take(interval.fine_rows()) {
                for ((track, widths), middle) in tracks.iter_mut().zip(&widths).zip(&residuals) {
                    let own = next_three(bytes, &mut fine, widths[1]);
                    let (a, b) = (track.at(before), track.at(after));
                    let line = |i: usize| predict_fine(a[i], b[i], middle[i]).wrapping_add(own[i]);
                    track.put(start + place, [line(0), line(1), line(2)]);
                }
            }
        }
    }
    Ok(())
}

fn next_three(bytes: &[u8], at: &mut usize, widths: [u8; 3]) -> [i32; 3] {
    let stored = PackedIntegers { at: 0, widths }.read(bytes, *at);
    let out = [0, 1, 2].map(|i| stored[i] - residual_bias(widths[i]));
    *at += widths.into_iter().map(usize::from).sum::<usize>();
    out
}

/// Copies a range of bits.
fn copy_bits(bytes: &[u8], bits: &Range<usize>, out: &mut BitWriter) {
    let mut at = bits.start;
    while at < bits.end {
        let count = (bits.end - at).min(STEP_BITS as usize * 4) as u32;
        out.push(bits_at(bytes, at, count), count);
        at += count as usize;
    }
}
