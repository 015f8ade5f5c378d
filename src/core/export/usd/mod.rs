//! USD in text: a skeleton and one animation, for UsdSkel. USD has no compression of animation of its own, so that the file holds the fewest
//! samples that the tolerance needs.

mod names;
mod samples;
mod text;

use super::{
    Between, ExportClip, ExportError, ExportTarget, Exporter, ExporterInfo, Holds, NumberError, Played, only_clip,
};
use crate::import::{FileSpace, Written, play_usd};
use crate::model::Rig;

/// Writes one clip with its skeleton, without meshes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usd;

impl Exporter for Usd {
    fn info(&self) -> ExporterInfo {
        ExporterInfo { key: "usda", name: "USD skeletal animation", extension: "usda", holds: Holds::OneClip }
    }

    /// Metres, Y up. Scales are half floats, as UsdSkel stores them.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        let clip = only_clip(clips, rig, "a USD file")?;
        let rows = samples::rows(clip, rig);
        Ok(text::write(rig, clip, &rows).into_bytes())
    }

    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        _: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError> {
        let play = |clip: &ExportClip<'_>| {
            let of = Written { rig, clip: clip.source, space: FileSpace::OURS };
            let player = play_usd(bytes, of).map_err(ExportError::Unplayable)?;
            Ok(Played::new(player, Between::Same))
        };
        clips.iter().map(play).collect()
    }

    fn number_error(&self, rig: &Rig, clip: &ExportClip<'_>, joint: usize) -> Option<NumberError> {
        NumberError::of_half_scales(rig, clip, joint)
    }
}
