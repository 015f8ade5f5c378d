//! A compressed clip in a store. The payload has its container for outputs, and a record of everything measured for the window.

use super::{ClipNumbers, StoredHead};
use crate::export::ExportRecipes;
use crate::model::{Clip, Rig};
use crate::pipeline::{Archive, MeasuredClip, MeasuredRecord, OutcomeRecord, archive_to_write};
use crate::recipe::Recipe;
use crate::report::{ClipReport, Sides, TriedResult, TriedRow};
use crate::store::{Entry, ResultKey, Subject};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read, Write};
use std::sync::Arc;

/// Bytes in front of a payload, with the length of the container.
const LENGTH: usize = size_of::<u64>();

/// Largest size of a record, bytes. A damaged or hostile entry could ask for any.
const MOST_BYTES: u64 = 1 << 30;

/// Key of a clip's result. `clip` is the name by which overrides know it. `None`: the clip has no recipe.
pub fn clip_key(subject: &Subject, clip: &str, recipe: Option<&Recipe>) -> ResultKey {
    let text = recipe.map_or(String::new(), |recipe| of_clip(recipe, clip).to_toml());
    ResultKey::of(&[("kind", "clip"), ("subject", &subject.to_string()), ("recipe", &text)])
}

/// The recipe without the overrides of other clips, which change nothing.
pub(super) fn of_clip(recipe: &Recipe, clip: &str) -> Recipe {
    let overrides = recipe.overrides.iter().filter(|one| one.is_of_clip(clip)).cloned().collect();
    Recipe { overrides, ..recipe.clone() }
}

/// The entry of a compressed clip, and its numbers. The report has the clip's name, once in its file. `None` for an external result and for
/// a level of detail.
pub fn clip_entry(report: &ClipReport, sides: &Sides) -> Option<(Entry, ClipNumbers)> {
    let outcome = OutcomeRecord::of(&sides.outcome)?.to_store();
    let record = (MeasuredRecord::of(&sides.source), outcome);
    let clip = report.clip.clone();
    let archive = archive_to_write(&sides.source.rig, &[(&clip, &sides.outcome)], ExportRecipes::Kept).to_bytes();
    let report = without_times(report.clone());
    let numbers = ClipNumbers::of(&report);
    // Read back from the text, so that float32 numbers keep their digits.
    let text = serde_json::to_string(&report).unwrap_or_default();
    let report = serde_json::from_str(&text).unwrap_or_default();
    let head = StoredHead::Clip { clip, numbers: Box::new(numbers.clone()), report };
    let mut payload = (archive.len() as u64).to_le_bytes().to_vec();
    payload.extend_from_slice(&archive);
    let mut packed = DeflateEncoder::new(payload, Compression::fast());
    packed.write_all(&postcard::to_allocvec(&record).ok()?).ok()?;
    Some((head.entry(packed.finish().ok()?), numbers))
}

/// The container in the payload of a compressed clip. `None` if it is not one.
pub fn container_in(payload: &[u8]) -> Option<&[u8]> {
    parts(payload).map(|(container, _)| container)
}

/// Both sides of a compressed clip, complete. `file` is the name of its file, `known` the raw clip if it is measured already. `None` if the
/// entry is not of this clip and recipe.
pub fn sides_in(
    entry: &Entry,
    file: &str,
    (rig, clip): (&Arc<Rig>, &Arc<Clip>),
    (recipe, known): (&Recipe, Option<&MeasuredClip>),
) -> Option<Sides> {
    let (container, packed) = parts(&entry.payload)?;
    let mut record = Vec::new();
    std::io::copy(&mut DeflateDecoder::new(packed).take(MOST_BYTES), &mut record).ok()?;
    let (raw, outcome): (MeasuredRecord, OutcomeRecord) = postcard::from_bytes(&record).ok()?;
    let archive = Archive::open(container, Some(rig)).ok()?;
    let bytes = archive.clips().first()?.bytes.clone();
    let source = known.cloned().unwrap_or_else(|| raw.measured(rig.clone(), clip.clone()));
    let outcome = outcome.with_bytes(bytes).outcome(&source, recipe)?;
    Some(Sides::new(file, source, outcome))
}

fn parts(payload: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = payload.split_at_checked(LENGTH)?;
    let length = u64::from_le_bytes(length.try_into().ok()?);
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// The report without what differs between machines and copies of a file.
fn without_times(report: ClipReport) -> ClipReport {
    let tried = |row: TriedRow| match row.result {
        TriedResult::Measured { bytes, ratio, max_mm, within, slide_mm, .. } => TriedRow {
            result: TriedResult::Measured { bytes, ratio, max_mm, within, slide_mm, encode_ms: None },
            ..row
        },
        TriedResult::Larger { .. } | TriedResult::Failed { .. } => row,
    };
    let candidates = report.candidates.into_iter().map(tried).collect();
    ClipReport { source: String::new(), encode_ms: None, decode_ns_per_pose: 0.0, candidates, ..report }
}
