use super::{ExportError, ExportOptions, PlayedLimits};
use crate::import::Origin;
use crate::model::{Clip, ClipSampler, Rig, Sampler};
use std::ops::Range;

/// What an export may add to the error of a clip where nobody says more, metres.
const EXPORT_ERROR_M: f32 = 1e-5;
/// Distance from a joint at which its own error counts where nobody says another, as by default in a recipe, metres.
const SHELL_M: f32 = 0.03;

/// One clip to write: what was decoded, and what it was made from.
pub struct ExportClip<'a> {
    /// Name in the file.
    pub name: String,
    /// The source: its sample times, float tracks and stepped intervals, and what errors are measured against.
    pub source: &'a Clip,
    /// Reads the decoded clip (or the raw one).
    pub sampler: Box<dyn Sampler + Send + 'a>,
    /// Shell error against the source that what is read from the file may have, metres, for formats that choose keys; where
    /// the decoded clip has more, it may have as much. Zero keeps every sample as it is.
    pub tolerance_m: f32,
    /// Distance at which each joint is measured, metres.
    pub shells_m: Vec<f32>,
    /// What the file is judged by.
    pub limits: PlayedLimits,
    /// Joints that are never touched, and at which samples: these stay as they are, as far as the format's numbers can say them.
    pub exact: Vec<(usize, Range<usize>)>,
}

/// How clips are exported, and what they go into.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportTarget {
    /// What people chose.
    pub options: ExportOptions,
    /// The file that the clips came from, if it is one on the disk.
    pub origin: Option<Origin>,
}

impl<'a> ExportClip<'a> {
    /// The raw clip, as it is.
    pub fn raw(clip: &'a Clip) -> Self {
        Self::decoded(clip, Box::new(ClipSampler::new(clip)))
    }

    /// What a sampler of the same shape makes of a clip, to be written closely.
    pub fn decoded(source: &'a Clip, sampler: Box<dyn Sampler + Send + 'a>) -> Self {
        let shells_m = vec![SHELL_M; source.joints()];
        Self {
            name: source.name().to_owned(),
            source,
            sampler,
            tolerance_m: EXPORT_ERROR_M,
            shells_m,
            limits: PlayedLimits::default(),
            exact: Vec::new(),
        }
    }

    /// True for a joint that is never touched, at some samples at least.
    pub(super) fn is_exact(&self, joint: usize) -> bool {
        self.exact.iter().any(|(exact, _)| *exact == joint)
    }

    pub(super) fn check(&self, rig: &Rig) -> Result<(), ExportError> {
        if self.source.fits(&rig.skeleton) {
            return Ok(());
        }
        let (name, found, expected) = (&self.name, self.source.joints(), rig.skeleton.len());
        let what =
            format!("clip '{name}' moves {found} joints, but the rig has {expected}. Export it with its own rig");
        Err(ExportError::Unsupported(what))
    }
}

/// The clip of a file that holds one; `file` says which kind of file that is.
pub(super) fn only_clip<'c, 'a>(
    clips: &'c mut [ExportClip<'a>],
    rig: &Rig,
    file: &str,
) -> Result<&'c mut ExportClip<'a>, ExportError> {
    let count = clips.len();
    let [clip] = clips else {
        let what = format!("{file} holds one clip, but {count} were given. Export one clip a file");
        return Err(ExportError::Unsupported(what));
    };
    clip.check(rig)?;
    Ok(clip)
}
