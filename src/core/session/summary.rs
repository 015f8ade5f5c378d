use super::Outcome;
use crate::metrics::Verdict;
use crate::model::Clip;

/// What the lists say of a compressed clip; small, kept for every clip and slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// All that belongs to the clip.
    pub bytes: usize,
    /// The field's count of the raw clip.
    pub raw_bytes: usize,
    /// Largest shell error at samples.
    pub max_error_m: f32,
    /// Within the recipe's tolerance.
    pub within: bool,
    /// Largest slide of a plant; `None` without plants.
    pub worst_slide_m: Option<f32>,
    /// Of error and feet together.
    pub verdict: Verdict,
}

impl Summary {
    /// The summary of an outcome.
    pub fn new(clip: &Clip, outcome: &Outcome) -> Self {
        let report = &outcome.report;
        Self {
            bytes: outcome.bytes(),
            raw_bytes: clip.raw_bytes(),
            max_error_m: report.samples.stats.max_m,
            within: report.within(),
            worst_slide_m: report.contacts.worst_slide_m(),
            verdict: report.verdict(),
        }
    }
}

/// All clips of one slot together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Clips that are open.
    pub clips: usize,
    /// Clips with numbers of the recipe as it is now.
    pub measured: usize,
    /// Bytes of the measured clips.
    pub bytes: usize,
    /// Raw bytes of the measured clips.
    pub raw_bytes: usize,
    /// Largest shell error.
    pub max_error_m: f32,
    /// Largest slide.
    pub worst_slide_m: Option<f32>,
    /// Clips that fail.
    pub failing: usize,
    /// Clips that warn.
    pub warning: usize,
    /// Clips over their tolerance.
    pub over_tolerance: usize,
}

impl Totals {
    /// Adds one clip's numbers; those of an older recipe count as not `fresh`.
    pub fn add(&mut self, summary: &Summary, fresh: bool) {
        self.measured += usize::from(fresh);
        self.bytes += summary.bytes;
        self.raw_bytes += summary.raw_bytes;
        self.max_error_m = self.max_error_m.max(summary.max_error_m);
        self.worst_slide_m = self.worst_slide_m.into_iter().chain(summary.worst_slide_m).reduce(f32::max);
        self.failing += usize::from(summary.verdict == Verdict::Fail);
        self.warning += usize::from(summary.verdict == Verdict::Warn);
        self.over_tolerance += usize::from(!summary.within);
    }

    /// That of the worst clip.
    pub fn verdict(&self) -> Verdict {
        match (self.failing, self.warning) {
            (0, 0) => Verdict::Good,
            (0, _) => Verdict::Warn,
            _ => Verdict::Fail,
        }
    }

    /// Clips that neither fail nor warn.
    pub fn passing(&self) -> usize {
        self.clips - self.failing - self.warning
    }

    /// Every clip has numbers of the recipe as it is now.
    pub fn is_complete(&self) -> bool {
        self.measured == self.clips
    }

    /// Fewer clips that fail, then fewer that warn, is better.
    fn rank(&self) -> (usize, usize) {
        (self.failing, self.warning)
    }
}

/// The slot that is better than the active one, of those that are complete: the best, then the smallest, then the first.
/// `None` when none is better.
pub fn better_slot(slots: &[Totals], active: usize) -> Option<usize> {
    let rank = slots.get(active)?.rank();
    let better = slots.iter().enumerate().filter(|(slot, t)| *slot != active && t.is_complete() && t.rank() < rank);
    better.min_by_key(|(_, t)| (t.rank(), t.bytes)).map(|(slot, _)| slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(failing: usize, warning: usize, bytes: usize) -> Totals {
        Totals { clips: 5, measured: 5, failing, warning, bytes, ..Totals::default() }
    }

    #[test]
    fn totals_add_up_and_the_worst_clip_gives_the_verdict() {
        let clip = |slide_m, verdict, within| Summary {
            bytes: 10,
            raw_bytes: 100,
            max_error_m: 0.001,
            within,
            worst_slide_m: slide_m,
            verdict,
        };
        let mut sum = Totals { clips: 3, ..Totals::default() };
        sum.add(&clip(None, Verdict::Good, true), true);
        assert_eq!((sum.worst_slide_m, sum.verdict(), sum.passing()), (None, Verdict::Good, 3));
        sum.add(&clip(Some(0.003), Verdict::Warn, false), true);
        assert_eq!((sum.verdict(), sum.is_complete(), sum.over_tolerance), (Verdict::Warn, false, 1));
        sum.add(&clip(Some(0.001), Verdict::Fail, true), true);
        assert_eq!((sum.worst_slide_m, sum.verdict(), sum.passing()), (Some(0.003), Verdict::Fail, 1));
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
