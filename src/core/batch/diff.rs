use super::{ClipNumbers, Manifest, ManifestRow};
use serde::Serialize;
use std::collections::BTreeMap;

/// The difference of two manifests.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ManifestDiff {
    /// Clips that differ, worst first: those whose errors grew most, then those that grew most, then the others.
    pub changes: Vec<ClipChange>,
    /// Size of all clips in the older manifest, bytes.
    pub bytes_before: u64,
    /// Size of all clips in the newer manifest, bytes.
    pub bytes_now: u64,
}

/// A clip that differs between two manifests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipChange {
    /// Its file.
    pub source: String,
    /// Its name.
    pub clip: String,
    /// Size in the older manifest, bytes. `None` if it had no result.
    pub bytes_before: Option<u64>,
    /// Size in the newer manifest, bytes. `None` if it has no result.
    pub bytes_now: Option<u64>,
    /// Errors that grew, with their growth in millimetres.
    pub worse: Vec<(&'static str, f64)>,
    /// Errors that fell, with the fall in millimetres.
    pub better: Vec<(&'static str, f64)>,
}

impl ManifestDiff {
    /// The clips that differ between an older and a newer manifest. Files and clips are matched by path and name.
    pub fn between(before: &Manifest, now: &Manifest) -> Self {
        let of = |manifest: &Manifest| -> BTreeMap<(String, String), ClipNumbers> {
            let place = |row: &ManifestRow| Some(((row.source.clone(), row.clip.clone()), row.numbers.clone()?));
            manifest.rows.iter().filter_map(place).collect()
        };
        let (old, new) = (of(before), of(now));
        let places = old.keys().chain(new.keys().filter(|place| !old.contains_key(*place)));
        let mut changes: Vec<ClipChange> =
            places.filter_map(|place| ClipChange::of(place, old.get(place), new.get(place))).collect();
        changes.sort_by(|a, b| {
            let by_growth = b.growth_mm().total_cmp(&a.growth_mm()).then_with(|| b.more_bytes().cmp(&a.more_bytes()));
            by_growth.then_with(|| (&a.source, &a.clip).cmp(&(&b.source, &b.clip)))
        });
        Self { changes, bytes_before: before.totals.bytes, bytes_now: now.totals.bytes }
    }

    /// Growth of the size of all clips, percent. Zero without an older size.
    pub fn growth_percent(&self) -> f64 {
        match self.bytes_before {
            0 => 0.0,
            before => (self.bytes_now as f64 / before as f64 - 1.0) * 100.0,
        }
    }
}

impl ClipChange {
    /// `None` if both are equal.
    fn of((source, clip): &(String, String), before: Option<&ClipNumbers>, now: Option<&ClipNumbers>) -> Option<Self> {
        let figures = |numbers: &ClipNumbers| ClipNumbers { words: String::new(), ..numbers.clone() };
        if before.map(figures) == now.map(figures) {
            return None;
        }
        let (worse, better) = match (before, now) {
            (Some(before), Some(now)) => (before.figures.worse(&now.figures), now.figures.worse(&before.figures)),
            _ => (Vec::new(), Vec::new()),
        };
        let bytes = |numbers: Option<&ClipNumbers>| numbers.map(|numbers| numbers.figures.bytes);
        let (bytes_before, bytes_now) = (bytes(before), bytes(now));
        Some(Self { source: source.clone(), clip: clip.clone(), bytes_before, bytes_now, worse, better })
    }

    /// The largest growth of an error, millimetres.
    pub fn growth_mm(&self) -> f64 {
        self.worse.iter().map(|(_, by)| *by).fold(0.0, f64::max)
    }

    /// Growth of the size, bytes.
    pub fn more_bytes(&self) -> i64 {
        self.bytes_now.unwrap_or(0) as i64 - self.bytes_before.unwrap_or(0) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::row;
    use super::*;

    #[test]
    fn the_clip_whose_error_grew_most_comes_first() {
        let before = Manifest::of(vec![
            row("a", "same", 10, 0.1),
            row("a", "worse", 10, 0.1),
            row("a", "worst", 10, 0.1),
            row("a", "larger", 10, 0.1),
            row("a", "gone", 10, 0.1),
        ]);
        let now = Manifest::of(vec![
            row("a", "same", 10, 0.1),
            row("a", "worse", 10, 0.2),
            row("a", "worst", 10, 0.5),
            row("a", "larger", 15, 0.1),
            row("a", "new", 7, 0.1),
        ]);
        let diff = ManifestDiff::between(&before, &now);
        let order: Vec<_> = diff.changes.iter().map(|change| &*change.clip).collect();
        assert_eq!(order, ["worst", "worse", "new", "larger", "gone"]);
        assert_eq!(diff.changes[0].worse, [("error", 0.4)]);
        assert_eq!((diff.bytes_before, diff.bytes_now), (50, 52));
        assert!((diff.growth_percent() - 4.0).abs() < 1e-9);
        assert_eq!(ManifestDiff::between(&now, &now).changes, []);
        assert_eq!(ManifestDiff::between(&now, &before).changes[0].better, []);
    }
}
