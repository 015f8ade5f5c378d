use crate::metrics::Verdict;
use crate::model::ClipId;
use crate::project::ReviewFilter;
use crate::report::{DecidedFigures, ReportColumn};
use crate::tasks::LoadedSource;
use crate::workspace::Workspace;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

/// Order of a list of clips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClipSort {
    /// Key of a report column: `clip` for the names.
    pub column: String,
    /// True for the largest first, or from the end of the alphabet.
    pub descending: bool,
}

/// The column of the names.
pub const NAMES: &str = "clip";

impl ClipSort {
    /// The order after a click on a column's head. The first click sorts worst first, or names by the alphabet. The second reverses the
    /// order, and the third restores the order of the files.
    pub fn next(current: Option<&Self>, column: &str) -> Option<Self> {
        let first_descends = column != NAMES;
        match current.filter(|sort| sort.column == column) {
            None => Some(Self { column: column.into(), descending: first_descends }),
            Some(sort) if sort.descending == first_descends => {
                Some(Self { column: column.into(), descending: !first_descends })
            }
            Some(_) => None,
        }
    }
}

/// Filter, order and grouping of a list of clips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipListing {
    /// Text that names must contain, ignoring case.
    pub name_part: String,
    /// Only clips with this verdict.
    pub verdict: Option<Verdict>,
    /// Only clips in this review state.
    pub review: Option<ReviewFilter>,
    /// `None`: the order of the files.
    pub sort: Option<ClipSort>,
    /// True to group clips by file, below its name.
    pub by_file: bool,
    /// Files whose clips are hidden.
    pub folded: BTreeSet<u32>,
}

/// A row of a list of clips.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ClipRow {
    /// A file, followed by its clips unless they are hidden.
    File {
        source: u32,
        name: String,
        clips: usize,
        /// The worst verdict of its clips. `None` while one is being computed.
        verdict: Option<Verdict>,
        /// True if its clips are hidden.
        folded: bool,
    },
    /// A file without clips.
    Rig {
        /// Id of its default pose.
        id: ClipId,
        name: String,
        joints: usize,
    },
    /// A clip.
    Clip {
        id: ClipId,
        /// Its name, with more words if another clip has the same name.
        name: String,
    },
}

impl ClipRow {
    /// The clip of the row, if it is a clip.
    pub fn clip(&self) -> Option<ClipId> {
        match self {
            Self::File { .. } | Self::Rig { .. } => None,
            Self::Clip { id, .. } => Some(*id),
        }
    }
}

impl Workspace {
    /// The verdict of a clip in a slot. `None` while it is computed. A clip that cannot be compressed fails.
    pub fn verdict(&self, clip: ClipId, slot: usize) -> Option<Verdict> {
        let answer = self.answer(clip, slot).filter(|answer| answer.done && self.is_fresh(clip, slot))?;
        Some(answer.report.as_ref().map_or(Verdict::Fail, |report| report.verdict))
    }

    /// True if nothing in a clip or its source warns or fails.
    pub fn has_no_flag(&self, clip: ClipId, slot: usize) -> bool {
        let report = self.answer(clip, slot).and_then(|answer| answer.report.as_ref().ok());
        let worst = report.map(|report| report.verdict.max(report.source_verdict));
        self.verdict(clip, slot).and(worst) == Some(Verdict::Good)
    }

    /// The clips of a list with their names, the most urgent first: by verdict, then by number of errors that are not good, then by slide.
    /// A list with its own order keeps it. A list of outdated decisions is ordered by the growth of the errors instead.
    pub fn queue(&self, slot: usize, listing: &ClipListing) -> Vec<(ClipId, String)> {
        let mut clips = self.wanted_clips(slot, listing);
        if listing.review == Some(ReviewFilter::Changed) {
            clips.sort_by(|a, b| self.growth_mm(*b, slot).total_cmp(&self.growth_mm(*a, slot)));
        } else if listing.sort.is_none() {
            clips
                .sort_by(|a, b| self.urgency(*b, slot).partial_cmp(&self.urgency(*a, slot)).unwrap_or(Ordering::Equal));
        }
        let names = Names::of(self);
        clips.into_iter().map(|id| (id, names.shown(id, false))).collect()
    }

    /// Verdict, number of warnings and slide.
    fn urgency(&self, clip: ClipId, slot: usize) -> (Option<Verdict>, usize, f64) {
        let report = self.answer(clip, slot).and_then(|answer| answer.report.as_ref().ok());
        let flags = report.map_or(0, |report| report.flags().count());
        let slide_mm = report.and_then(|report| DecidedFigures::of(report).slide_mm).unwrap_or(0.0);
        (self.verdict(clip, slot), flags, slide_mm)
    }

    /// The largest growth of an error since the decision about the clip.
    fn growth_mm(&self, clip: ClipId, slot: usize) -> f64 {
        let grown = self.worse_since(clip, slot).into_iter().map(|(_, by_mm)| by_mm);
        grown.fold(0.0, f64::max)
    }

    /// The errors that grew since the last decision about a clip, with their growth in millimetres.
    pub fn worse_since(&self, clip: ClipId, slot: usize) -> Vec<(&'static str, f64)> {
        let before = self.decision(clip).and_then(|decision| decision.figures);
        let now = self.answer(clip, slot).and_then(|answer| answer.report.as_ref().ok());
        before.zip(now).map_or(Vec::new(), |(before, now)| before.worse(&DecidedFigures::of(now)))
    }

    /// The clips of a list in the order of the list, without grouping.
    fn wanted_clips(&self, slot: usize, listing: &ClipListing) -> Vec<ClipId> {
        let mut clips = self.library().clips_named(&listing.name_part);
        if listing.verdict.is_some() {
            clips.retain(|id| self.verdict(*id, slot) == listing.verdict);
        }
        if let Some(wanted) = listing.review {
            clips.retain(|id| ReviewFilter::of(self.review_state(*id)) == wanted);
        }
        if let Some(sort) = &listing.sort {
            self.sort(&mut clips, slot, sort);
        }
        clips
    }

    /// The rows of a list of clips, with the numbers of a slot.
    pub fn clip_rows(&self, slot: usize, listing: &ClipListing) -> Vec<ClipRow> {
        let clips = self.wanted_clips(slot, listing);
        let names = Names::of(self);
        // A single file, and files with one clip, need no heading.
        let is_grouped = |source: u32| listing.by_file && names.is_one_of_many(source);
        let row = |id: ClipId| ClipRow::Clip { id, name: names.shown(id, is_grouped(id.source)) };
        let mut rows = Vec::with_capacity(clips.len());
        let mut grouped = BTreeSet::new();
        for &id in &clips {
            if !is_grouped(id.source) {
                rows.push(row(id));
            } else if grouped.insert(id.source) {
                let of_file: Vec<ClipId> = clips.iter().copied().filter(|other| other.source == id.source).collect();
                let folded = listing.folded.contains(&id.source);
                rows.push(self.heading(id.source, &of_file, slot, folded));
                rows.extend(of_file.into_iter().filter(|_| !folded).map(row));
            }
        }
        if listing.verdict.is_none() && listing.review.is_none() {
            rows.extend(self.rig_rows(&listing.name_part));
        }
        rows
    }

    fn rig_rows(&self, name_part: &str) -> impl Iterator<Item = ClipRow> {
        let (library, wanted) = (self.library(), name_part.to_lowercase());
        let rigs = library.rig_ids().filter_map(|id| Some((id, library.source(id.source)?)));
        let rigs = rigs.filter(move |(_, source)| source.name().to_lowercase().contains(&wanted));
        rigs.map(|(id, source)| ClipRow::Rig { id, name: source.name().to_owned(), joints: source.rig.skeleton.len() })
    }

    /// The next or previous failing clip in the rows of a list. It wraps around at the end.
    pub fn failing_clip(&self, rows: &[ClipRow], slot: usize, forward: bool) -> Option<ClipId> {
        let clips: Vec<ClipId> = rows.iter().filter_map(ClipRow::clip).collect();
        let count = clips.len();
        let from = clips.iter().position(|id| Some(*id) == self.selected());
        let fails = |at: &usize| self.verdict(clips[*at], slot) == Some(Verdict::Fail);
        let steps = 1..=count;
        let at = match (from, forward) {
            (Some(from), true) => steps.map(|step| (from + step) % count).find(fails),
            (Some(from), false) => steps.map(|step| (from + count - step) % count).find(fails),
            (None, true) => (0..count).find(fails),
            (None, false) => (0..count).rev().find(fails),
        };
        at.map(|at| clips[at])
    }

    fn heading(&self, source: u32, clips: &[ClipId], slot: usize, folded: bool) -> ClipRow {
        let name = self.library().source(source).map_or(String::new(), |s| s.name().to_owned());
        let verdicts: Option<Vec<Verdict>> = clips.iter().map(|id| self.verdict(*id, slot)).collect();
        let verdict = verdicts.and_then(|all| all.into_iter().max());
        ClipRow::File { source, name, clips: clips.len(), verdict, folded }
    }

    /// Sorts clips. Those without a number come last, ties keep the order of the files.
    fn sort(&self, clips: &mut [ClipId], slot: usize, sort: &ClipSort) {
        let Some(column) = ReportColumn::of_key(&sort.column) else { return };
        let figure = |id: &ClipId| {
            let report = self.answer(*id, slot)?.report.as_ref().ok()?;
            Some((column.figure)(report)).filter(|figure| figure.is_known())
        };
        if sort.column == NAMES {
            clips.sort_by_cached_key(|id| self.library().clip(*id).map(|(_, clip)| clip.name().to_lowercase()));
            if sort.descending {
                clips.reverse();
            }
            return;
        }
        let mut keyed: Vec<_> = clips.iter().map(|id| (figure(id), *id)).collect();
        keyed.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) if sort.descending => b.compare(a),
            (Some(a), Some(b)) => a.compare(b),
            (a, b) if a.is_some() == b.is_some() => Ordering::Equal,
            (a, _) => {
                if a.is_some() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        });
        clips.iter_mut().zip(keyed).for_each(|(clip, (_, id))| *clip = id);
    }
}

/// Display names that distinguish clips with the same name.
struct Names<'a> {
    workspace: &'a Workspace,
    /// Number of clips per name, over all files.
    clips: HashMap<&'a str, usize>,
    /// Number of files per name.
    files: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(workspace: &'a Workspace) -> Self {
        let (mut clips, mut files) = (HashMap::new(), HashMap::new());
        for source in workspace.library().sources() {
            *files.entry(source.name()).or_default() += 1;
            source.clips.iter().for_each(|clip| *clips.entry(clip.name()).or_default() += 1);
        }
        Self { workspace, clips, files }
    }

    fn is_one_of_many(&self, source: u32) -> bool {
        let library = self.workspace.library();
        library.sources().len() > 1 && library.source(source).is_some_and(|s| s.clips.len() > 1)
    }

    /// The clip's name. The file's name is added if another clip has the same name, except below the file's heading.
    fn shown(&self, id: ClipId, below_heading: bool) -> String {
        let library = self.workspace.library();
        let (Some((_, clip)), Some(source)) = (library.clip(id), library.source(id.source)) else {
            return String::new();
        };
        match self.clips.get(clip.name()) {
            Some(2..) if !below_heading => {
                [&[clip.name()], self.place(clip.name(), source).as_slice()].concat().join(" \u{b7} ")
            }
            _ => clip.name().to_owned(),
        }
    }

    /// Words that identify the clip's file: its stem, and its folder if another file has the same name. The stem is dropped if the clip has
    /// the same name and the folder is there. The words follow the clip's name, because the end of a shortened name stays visible.
    fn place<'b>(&self, clip: &str, source: &'b LoadedSource) -> Vec<&'b str> {
        let stem = source.name().rsplit_once('.').map_or(source.name(), |(stem, _)| stem);
        let is_one_of_many = self.files.get(source.name()).is_some_and(|&files| files > 1);
        let folder = source.path.as_ref().and_then(|path| path.parent()?.file_name()?.to_str());
        let folder = folder.filter(|_| is_one_of_many);
        let stem = Some(stem).filter(|&stem| stem != clip || folder.is_none());
        stem.into_iter().chain(folder).collect()
    }
}
