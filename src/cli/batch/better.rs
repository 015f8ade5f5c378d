//! Only better: an earlier result stays, unless the new one is smaller and no worse.

use super::planner::{PlannedClip, PlannedFile, Planner};
use posepress_core::batch::{ClipNumbers, ManifestRow};
use posepress_core::store::ResultKey;

/// The result of a clip that the outputs get.
pub struct Chosen {
    /// Key of the result in the outputs. `None` if they get none.
    pub key: Option<ResultKey>,
    /// Its numbers.
    pub numbers: Option<ClipNumbers>,
    /// The reason of a failure.
    pub error: Option<String>,
    /// Why it is an earlier result.
    pub kept: Option<String>,
}

/// Why an earlier result stays if nothing takes its place.
const FAILED: &str = "this run failed for it";
/// Why it stays if they cannot be compared.
const UNKNOWN: &str = "the numbers of the earlier result are not known";

/// Chooses between the result of this run and the one of an earlier run.
pub fn choose(planner: &Planner, file: &PlannedFile, clip: &PlannedClip, made: Result<ClipNumbers, String>) -> Chosen {
    let new =
        |numbers: ClipNumbers| Chosen { key: Some(clip.key.clone()), numbers: Some(numbers), error: None, kept: None };
    let earlier = planner.outputs.only_better.then(|| earlier(planner, file, clip)).flatten();
    let Some((key, before)) = earlier else {
        return made.map_or_else(|error| Chosen { key: None, numbers: None, error: Some(error), kept: None }, new);
    };
    let kept = |why: String, error| Chosen { key: Some(key), numbers: before.clone(), error, kept: Some(why) };
    match (made, &before) {
        (Err(error), _) => kept(FAILED.into(), Some(error)),
        (Ok(_), None) => kept(UNKNOWN.into(), None),
        (Ok(now), Some(numbers)) => match numbers.why_not_better(&now) {
            Some(why) => kept(why, None),
            None => new(now),
        },
    }
}

/// Key and numbers of another result of the same source that is among the outputs.
fn earlier(planner: &Planner, file: &PlannedFile, clip: &PlannedClip) -> Option<(ResultKey, Option<ClipNumbers>)> {
    let row = earlier_row(planner, &file.input.label, &clip.name)?;
    let key = row.key.as_ref().filter(|key| **key != clip.key && row.subject.as_ref() == Some(&clip.subject))?;
    Some((key.clone(), row.numbers.clone()))
}

/// The row of a clip in the last manifest, if its outputs are there.
pub fn earlier_row<'a>(planner: &'a Planner, source: &str, clip: &str) -> Option<&'a ManifestRow> {
    planner.last.get(&(source.to_owned(), clip.to_owned())).filter(|row| is_there(planner, row))
}

/// The row of a clip without a result. Where only better results replace earlier ones, the row keeps what the outputs have.
pub fn failed_row(planner: &Planner, source: &str, clip: &str, error: &str) -> ManifestRow {
    let (source, clip, error) = (source.to_owned(), clip.to_owned(), Some(error.to_owned()));
    match earlier_row(planner, &source, &clip).filter(|_| planner.outputs.only_better) {
        Some(row) => ManifestRow { error, kept: Some(FAILED.into()), ..row.clone() },
        None => ManifestRow { source, clip, error, ..ManifestRow::default() },
    }
}

/// The rows of a file that cannot be read: those of its clips in the outputs, if these stay, else one for the file.
pub fn failed_rows(planner: &Planner, source: &str, error: &str) -> Vec<ManifestRow> {
    let clips = planner.last.values().filter(|row| row.source == source && is_there(planner, row));
    let clips = clips.filter(|row| planner.outputs.only_better && !row.clip.is_empty());
    let rows: Vec<_> = clips.map(|row| failed_row(planner, source, &row.clip, error)).collect();
    if rows.is_empty() { vec![failed_row(planner, source, "", error)] } else { rows }
}

fn is_there(planner: &Planner, row: &ManifestRow) -> bool {
    row.files().any(|file| planner.output.join(file).exists())
}
