use super::{ExportError, ExportOptions, PlayedLimits};
use crate::import::Origin;
use crate::model::{Clip, ClipSampler, Rig, Sampler};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Default error that an export may add to a clip, metres.
const EXPORT_ERROR_M: f32 = 1e-5;
/// Default shell of a joint, as in a recipe, metres.
const SHELL_M: f32 = 0.03;

/// One clip to write: the decoded clip and its source.
pub struct ExportClip<'a> {
    /// Name in the file.
    pub name: String,
    /// The source, which gives sample times, float tracks and stepped intervals, and is the reference of errors.
    pub source: &'a Clip,
    /// Samples the decoded clip, or the raw one.
    pub sampler: Box<dyn Sampler + Send + 'a>,
    /// Limit on the shell error of the file against the source, metres, for formats that choose keys. If the decoded clip has a larger
    /// error, that is the limit. Zero keeps every sample.
    pub tolerance_m: f32,
    /// Shell of each joint, metres.
    pub shells_m: Vec<f32>,
    /// Limits that judge the file.
    pub limits: PlayedLimits,
    /// Lossless joints with their samples, which are kept as exactly as the format allows.
    pub exact: Vec<(usize, Range<usize>)>,
}

/// Options and destination of an export.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExportTarget {
    /// The options.
    pub options: ExportOptions,
    /// The source file, if it is on disk.
    pub origin: Option<Origin>,
}

impl<'a> ExportClip<'a> {
    /// A raw clip to write.
    pub fn raw(clip: &'a Clip) -> Self {
        Self::decoded(clip, Box::new(ClipSampler::new(clip)))
    }

    /// A decoded clip to write, from a sampler of the same shape.
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

    /// True if the joint is lossless at some samples.
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

/// The clip of a format with one clip per file; `file` names the format.
pub(super) fn only_clip<'c, 'a>(
    clips: &'c mut [ExportClip<'a>],
    rig: &Rig,
    file: &str,
) -> Result<&'c mut ExportClip<'a>, ExportError> {
    let count = clips.len();
    let [clip] = clips else {
        let what = format!("{file} holds one clip, but {count} were given. Export one clip per file");
        return Err(ExportError::Unsupported(what));
    };
    clip.check(rig)?;
    Ok(clip)
}
