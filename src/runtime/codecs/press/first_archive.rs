//! Archives as they were first: only integers are entropy-coded. They are read, and no longer written.

use super::archive::{ARCHIVE_MARK_BITS, ARCHIVE_ZEROS, copy_bits, is_in_proportion};
use super::components::{Component, wide_bits, write_anchor_range, write_integers};
use super::first_series::SeriesModel;
use super::layout::Layout;
use super::records::exact_bits;
use super::series::LARGEST;
use crate::Channel;
use crate::format::{BitReader, BitWriter, DecodeError, bits_at};
use crate::math::Transform;
use crate::memory::{NoMemory, TryList, TryPush, filled};
use crate::parts::{ClipHeader, LATTICE_REFERENCE, RangeDecoder, TrackTable};
use alloc::vec::Vec;
use core::ops::Range;

/// The payload of runtime storage that an archive stands for.
///
/// On disk: [`ARCHIVE_MARK`](super::ARCHIVE_MARK); the bits of the payload up to its records; the float32 rows; the steps and references of its
/// records; zeros up to a byte; then the integers of all tracks, sample after sample, through [`SeriesModel`].
///
/// # Errors
/// See [`DecodeError`].
pub fn expand_first(header: &ClipHeader, bytes: &[u8], bind: &[Transform]) -> Result<Vec<u8>, DecodeError> {
    let mut input = BitReader::new(bytes);
    input.read("mark of an archive", ARCHIVE_MARK_BITS)?;
    let parts = Parts::read(&mut input, bytes, bind, header.grid.samples())?;
    let samples = header.grid.samples();
    let tracks = parts.records.len();
    let at = input.bit_position();
    let padding = at.next_multiple_of(8) - at;
    if input.read("padding of an archive", padding as u32)? != 0 {
        return Err(DecodeError::invalid("padding of an archive", at / 8, "ones", "zero bits"));
    }
    let stream = bytes.get(input.bit_position() / 8..).unwrap_or_default();
    if !is_in_proportion(bytes.len(), 3 * tracks, samples) {
        let expected = "fewer for so few bytes";
        return Err(DecodeError::invalid("integers of an archive", at / 8, 3 * tracks * samples, expected));
    }
    let start = bytes.len() - stream.len();
    let wrong = |what: &str| DecodeError::invalid("integers of an archive", start, what, "those of a clip");
    let components = read_components(stream, 3 * tracks, samples, wrong)?;
    if wide_bits(&components) != parts.layout.wide_bits {
        let found = wide_bits(&components);
        return Err(DecodeError::invalid("widest residual of an archive", at / 8, found, parts.layout.wide_bits));
    }
    Ok(parts.write(bytes, &components, samples)?)
}

/// Where an archive keeps what is copied.
struct Parts {
    layout: Layout,
    head: Range<usize>,
    exact_rows: Range<usize>,
    /// Steps and reference of each track on a lattice.
    records: Vec<Range<usize>>,
}

impl Parts {
    fn read(input: &mut BitReader<'_>, bytes: &[u8], bind: &[Transform], samples: usize) -> Result<Self, DecodeError> {
        let start = input.bit_position();
        let table = TrackTable::read(input, bytes, bind)?;
        let layout = Layout::read(input)?;
        let tracks = || Channel::ALL.into_iter().flat_map(|channel| table.animated(channel).map(move |_| channel));
        let flags = layout.has_exact.then(|| input.skip("exact tracks", tracks().count())).transpose()?;
        let is_exact = |track: usize| flags.is_some_and(|flags| bits_at(bytes, flags + track, 1) == 1);
        let head = start..input.bit_position();
        let row_bits: usize = tracks().enumerate().filter(|(i, _)| is_exact(*i)).map(|(_, c)| exact_bits(c)).sum();
        let exact_rows = skipped(input, "float32 samples", samples.saturating_mul(row_bits))?;
        let mut records = Vec::new();
        for (_, channel) in tracks().enumerate().filter(|(i, _)| !is_exact(*i)) {
            let reference_bits = if channel == Channel::Rotation { LATTICE_REFERENCE.bits() } else { 0 };
            let bits = 3 * layout.code_bits + reference_bits;
            records.try_push(skipped(input, "record of a track", bits as usize)?)?;
        }
        Ok(Self { layout, head, exact_rows, records })
    }

    /// The payload with those integers.
    fn write(&self, bytes: &[u8], components: &[Component], samples: usize) -> Result<Vec<u8>, NoMemory> {
        let mut out = BitWriter::new();
        copy_bits(bytes, &self.head, &mut out);
        for (record, components) in self.records.iter().zip(components.chunks(3)) {
            copy_bits(bytes, record, &mut out);
            components.iter().for_each(|component| write_anchor_range(component, &mut out));
        }
        write_integers(&self.layout, components, samples, &mut out)?;
        copy_bits(bytes, &self.exact_rows, &mut out);
        out.try_finish()
    }
}

fn skipped(input: &mut BitReader<'_>, what: &'static str, bits: usize) -> Result<Range<usize>, DecodeError> {
    let start = input.skip(what, bits)?;
    Ok(start..start + bits)
}

/// Reads all integers; `wrong` says what is wrong with them.
fn read_components(
    stream: &[u8],
    components: usize,
    samples: usize,
    wrong: impl Fn(&str) -> DecodeError,
) -> Result<Vec<Component>, DecodeError> {
    if components == 0 {
        return if stream.is_empty() { Ok(Vec::new()) } else { Err(wrong("bytes for no track")) };
    }
    let mut bits = RangeDecoder::new(stream);
    let mut model = SeriesModel::new(components)?;
    let mut values = (0..components).map(|_| filled(0, samples)).try_list_of::<_, NoMemory>()?;
    for sample in 0..samples {
        for values in &mut values {
            values[sample] = model.code(0, &mut bits);
            if values[sample].unsigned_abs() >= LARGEST as u32 {
                return Err(wrong("an integer of no clip"));
            }
        }
        if bits.missing() > ARCHIVE_ZEROS {
            return Err(wrong("too few bytes"));
        }
    }
    if bits.missing() != ARCHIVE_ZEROS || bits.left() > 0 {
        return Err(wrong("another number of bytes"));
    }
    Ok(values.into_iter().map(|values| Component::new(&values)).try_list_of::<_, NoMemory>()?)
}
