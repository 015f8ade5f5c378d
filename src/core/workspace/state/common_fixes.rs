use super::common_fix::{CommonFix, CommonFixRow, FixPrice};
use crate::metrics::Verdict;
use crate::model::ClipId;
use crate::study::ClipFigures;
use crate::tasks::PriceTask;

/// The fixes that help several clips.
#[derive(Debug, Default)]
pub struct CommonFixes {
    /// True while their prices are measured.
    pub is_open: bool,
    pub fixes: Vec<PricedFix>,
}

/// A fix with the parts of its price.
#[derive(Debug)]
pub struct PricedFix {
    pub fix: CommonFix,
    /// The clips with the problem, by file.
    pub clips: Vec<ClipId>,
    /// Empty while the list is closed.
    pub parts: Vec<FixPart>,
}

/// A part of a price that is measured at once: a clip, or the clips of a file.
#[derive(Debug)]
pub struct FixPart {
    /// Its first clip.
    pub first: ClipId,
    pub before: Vec<ClipFigures>,
    /// `None` if it cannot be measured.
    pub task: Option<PriceTask>,
    pub found: Option<Result<Vec<ClipFigures>, ()>>,
}

impl CommonFixes {
    /// Prices that are not measured yet.
    pub fn open(&self) -> impl Iterator<Item = PriceTask> + '_ {
        let parts = self.fixes.iter().flat_map(|fix| &fix.parts).filter(|part| part.found.is_none());
        parts.filter_map(|part| part.task.clone())
    }
}

impl PricedFix {
    /// Number of files with the problem.
    pub fn files(&self) -> usize {
        let mut sources: Vec<u32> = self.clips.iter().map(|clip| clip.source).collect();
        sources.dedup();
        sources.len()
    }

    /// Its row of the list.
    pub fn row(&self) -> CommonFixRow {
        CommonFixRow { fix: self.fix, clips: self.clips.len(), files: self.files(), price: self.price() }
    }

    fn price(&self) -> FixPrice {
        let is_failed = |part: &FixPart| part.task.is_none() || part.found.as_ref().is_some_and(Result::is_err);
        if self.parts.iter().any(is_failed) {
            return FixPrice::Unknown;
        }
        let found: Vec<_> =
            self.parts.iter().filter_map(|part| Some((part, part.found.as_ref()?.as_ref().ok()?))).collect();
        if found.len() < self.parts.len() || self.parts.is_empty() {
            return FixPrice::Measuring { done: found.len(), of: self.parts.len() };
        }
        let bytes = |of: &[ClipFigures]| of.iter().map(|clip| clip.figures.bytes as i64).sum::<i64>();
        let extra_bytes = found.iter().map(|(part, after)| bytes(after) - bytes(&part.before)).sum();
        let pairs = || found.iter().flat_map(|(part, after)| part.before.iter().zip(after.iter()));
        let better = pairs().filter(|(before, after)| after.verdict < before.verdict).count();
        let passing = pairs().filter(|(_, after)| after.verdict == Verdict::Good).count();
        FixPrice::Known { extra_bytes, passing, better }
    }
}

impl FixPart {
    /// True if both are measured in the same way.
    pub fn is_same(&self, other: &Self) -> bool {
        self.task.as_ref().zip(other.task.as_ref()).is_some_and(|(a, b)| a.is_same(b))
    }
}
