use crate::metrics::{Aspect, Verdict};
use crate::pipeline::FileSize;
use crate::report::ClipReport;
use serde::{Deserialize, Serialize};

/// Sums over all clips of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Number of open clips.
    pub clips: usize,
    /// Clips with numbers for the current recipe.
    pub measured: usize,
    /// Clips with numbers for any recipe.
    known: usize,
    /// Bytes of the clips with numbers.
    pub bytes: usize,
    /// Bytes of their containers besides the clips: names, recipes, checksums, rigs.
    pub other_bytes: usize,
    /// Raw bytes of the clips with numbers.
    pub raw_bytes: usize,
    /// Memory of these clips once they are opened, without their bind poses, bytes.
    pub resident_bytes: usize,
    /// The worst per aspect, in the order of [`Aspect::ALL`]. `None` if no clip has the aspect.
    worst: [Option<WorstFigure>; Aspect::ALL.len()],
    /// Clips that fail.
    pub failing: usize,
    /// Clips that warn.
    pub warning: usize,
    /// Clips over their tolerance.
    pub over_tolerance: usize,
}

/// The worst of all clips in one aspect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorstFigure {
    /// The largest error, millimetres.
    pub error_mm: f64,
    /// The worst verdict. It may belong to another clip than the largest error.
    pub verdict: Verdict,
}

impl Totals {
    /// Sums for that many clips without numbers.
    pub fn of_clips(clips: usize) -> Self {
        Self { clips, ..Self::default() }
    }

    /// Adds the numbers of one clip. `fresh` is false for numbers of an older recipe, and while a measurement is still missing.
    pub fn add(&mut self, report: &ClipReport, fresh: bool) {
        self.known += 1;
        self.measured += usize::from(fresh);
        self.bytes += report.bytes;
        self.raw_bytes += report.raw_bytes;
        self.resident_bytes += report.resident_bytes;
        for judged in &report.judged {
            let worst = &mut self.worst[judged.by as usize];
            *worst = worse(*worst, Some(WorstFigure { error_mm: report.largest_mm(judged), verdict: judged.verdict }));
        }
        self.failing += usize::from(report.verdict == Verdict::Fail);
        self.warning += usize::from(report.verdict == Verdict::Warn);
        self.over_tolerance += usize::from(!report.error.within);
    }

    /// Adds the sums of other clips. The number of open clips and the bytes besides clips stay.
    pub fn join(&mut self, other: &Self) {
        self.known += other.known;
        self.measured += other.measured;
        self.bytes += other.bytes;
        self.raw_bytes += other.raw_bytes;
        self.resident_bytes += other.resident_bytes;
        self.worst.iter_mut().zip(other.worst).for_each(|(worst, other)| *worst = worse(*worst, other));
        self.failing += other.failing;
        self.warning += other.warning;
        self.over_tolerance += other.over_tolerance;
    }

    /// Size of the containers that hold the clips.
    pub fn file_size(&self) -> FileSize {
        FileSize::new(self.bytes, self.other_bytes)
    }

    /// The worst of all clips in an aspect. `None` if no clip has it or if it is not measured yet.
    pub fn worst(&self, aspect: Aspect) -> Option<WorstFigure> {
        self.worst[aspect as usize]
    }

    /// Aspects in which a clip is not good. Failing aspects come first.
    pub fn flagged(&self) -> Vec<Aspect> {
        let verdict = |aspect: Aspect| self.worst(aspect).map_or(Verdict::Good, |worst| worst.verdict);
        let mut flagged: Vec<Aspect> = Aspect::ALL.into_iter().filter(|of| verdict(*of) > Verdict::Good).collect();
        flagged.sort_by_key(|aspect| (aspect.is_of_source(), std::cmp::Reverse(verdict(*aspect))));
        flagged
    }

    /// The worst verdict of the clips with numbers. Good if there are none.
    pub fn verdict(&self) -> Verdict {
        match (self.failing, self.warning) {
            (0, 0) => Verdict::Good,
            (0, _) => Verdict::Warn,
            _ => Verdict::Fail,
        }
    }

    /// Clips that neither fail nor warn. Clips without numbers are counted too.
    pub fn passing(&self) -> usize {
        self.clips - self.failing - self.warning
    }

    /// Clips with numbers, for the current recipe or an older one.
    pub fn known(&self) -> usize {
        self.known
    }

    /// True if every clip has numbers for the current recipe.
    pub fn is_complete(&self) -> bool {
        self.measured == self.clips
    }

    /// True if no clip warns or fails so far, but clips without numbers remain: they are waiting, or their compression ended with an error.
    pub fn is_open(&self) -> bool {
        self.verdict() == Verdict::Good && self.known < self.clips
    }

    /// The order of slots: fewer failing clips, then fewer warnings.
    fn rank(&self) -> (usize, usize) {
        (self.failing, self.warning)
    }
}

/// The larger error and the worse verdict of two.
fn worse(a: Option<WorstFigure>, b: Option<WorstFigure>) -> Option<WorstFigure> {
    let both = |a: WorstFigure, b: WorstFigure| WorstFigure {
        error_mm: a.error_mm.max(b.error_mm),
        verdict: a.verdict.max(b.verdict),
    };
    a.into_iter().chain(b).reduce(both)
}

/// The best complete slot, if it has fewer failing clips than the active one, or as many but fewer warnings. Ties go to the fewest bytes,
/// then to the first. `None` if no slot is better.
pub fn better_slot(slots: &[Totals], active: usize) -> Option<usize> {
    let rank = slots.get(active)?.rank();
    let better = slots.iter().enumerate().filter(|(slot, t)| *slot != active && t.is_complete() && t.rank() < rank);
    better.min_by_key(|(_, t)| (t.rank(), t.bytes)).map(|(slot, _)| slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ErrorRow, JudgedRow, WorstRow};

    fn totals(failing: usize, warning: usize, bytes: usize) -> Totals {
        Totals { clips: 5, measured: 5, failing, warning, bytes, ..Totals::default() }
    }

    #[test]
    fn totals_add_up_and_the_worst_clip_gives_the_verdict() {
        let clip = |slide_mm: Option<f64>, verdict, within| {
            let slide = slide_mm.map(|error_mm| JudgedRow {
                by: Aspect::Slide,
                verdict,
                error_mm,
                warn_mm: 2.0,
                fail_mm: Some(5.0),
                worst: WorstRow::default(),
                reason: None,
            });
            let error = ErrorRow { within, ..ErrorRow::default() };
            let judged = slide.into_iter().collect();
            ClipReport { bytes: 10, raw_bytes: 100, verdict, error, judged, ..ClipReport::default() }
        };
        let slide = |sum: &Totals| sum.worst(Aspect::Slide).map(|worst| (worst.error_mm, worst.verdict));
        let mut sum = Totals { clips: 3, ..Totals::default() };
        sum.add(&clip(None, Verdict::Good, true), true);
        assert!(sum.is_open(), "two clips are not measured");
        assert_eq!((slide(&sum), sum.verdict(), sum.passing()), (None, Verdict::Good, 3));
        sum.add(&clip(Some(3.0), Verdict::Warn, false), true);
        assert!(!sum.is_open(), "a warning stands, also before the last clip is measured");
        assert_eq!((sum.verdict(), sum.is_complete(), sum.over_tolerance), (Verdict::Warn, false, 1));
        sum.add(&clip(Some(1.0), Verdict::Fail, true), true);
        assert_eq!((slide(&sum), sum.verdict(), sum.passing()), (Some((3.0, Verdict::Fail)), Verdict::Fail, 1));
        assert!(sum.is_complete() && (sum.bytes, sum.raw_bytes) == (30, 300));
    }

    #[test]
    fn the_better_slot_is_complete_has_fewer_failures_and_is_the_smallest_of_the_best() {
        let bad = totals(2, 0, 10);
        assert_eq!(better_slot(&[bad, totals(0, 0, 30), totals(0, 0, 20)], 0), Some(2));
        assert_eq!(better_slot(&[bad, totals(0, 3, 30), totals(1, 0, 20)], 0), Some(1), "failures weigh more");
        assert_eq!(better_slot(&[bad, totals(2, 0, 5)], 0), None, "as bad, if smaller");
        let half = Totals { measured: 3, ..totals(0, 0, 5) };
        assert_eq!(better_slot(&[bad, half], 0), None, "not known yet");
        assert_eq!(better_slot(&[bad], 7), None);
    }
}
