//! Only better: an earlier result stays, unless the new one is smaller and no worse.

use super::planner::{PlannedClip, PlannedFile, Planner};
use posepress_core::batch::{ClipNumbers, ManifestRow};
use posepress_core::store::ResultKey;

/// The result of a clip that the outputs get.
pub struct Chosen {
    /// Key of the result in the outputs. `None` if they get none.
    pub key: Option<ResultKey>,
    /// The numbers of the row, or the reason of a failure.
    pub made: Result<ClipNumbers, String>,
    /// Why it is an earlier result.
    pub kept: Option<String>,
}

/// Chooses between the result of this run and the one of an earlier run.
pub fn choose(planner: &Planner, file: &PlannedFile, clip: &PlannedClip, made: Result<ClipNumbers, String>) -> Chosen {
    let earlier = planner.outputs.only_better.then(|| earlier(planner, file, clip)).flatten();
    let why = match (&made, &earlier) {
        (_, None) => None,
        (Ok(now), Some((_, Some(before)))) => before.why_not_better(now),
        (Ok(_), Some((_, None))) => None,
        (Err(_), Some(_)) => Some("the new result failed".to_owned()),
    };
    match (earlier, why, made) {
        (Some((key, Some(numbers))), kept @ Some(_), Ok(_)) => Chosen { key: Some(key), made: Ok(numbers), kept },
        (Some((key, _)), kept @ Some(_), Err(error)) => Chosen { key: Some(key), made: Err(error), kept },
        (_, _, made) => Chosen { key: made.is_ok().then(|| clip.key.clone()), made, kept: None },
    }
}

/// Key and numbers of another result of the same source that is among the outputs.
fn earlier(planner: &Planner, file: &PlannedFile, clip: &PlannedClip) -> Option<(ResultKey, Option<ClipNumbers>)> {
    let row = planner.last.get(&(file.input.label.clone(), clip.name.clone()))?;
    let key = row.key.as_ref().filter(|key| **key != clip.key && row.subject.as_ref() == Some(&clip.subject))?;
    is_there(planner, row).then(|| (key.clone(), row.numbers.clone()))
}

fn is_there(planner: &Planner, row: &ManifestRow) -> bool {
    row.files().any(|file| planner.output.join(file).exists())
}
