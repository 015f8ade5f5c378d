//! Archives of ozz-animation: a skeleton, and clips for it. Little-endian, as the C++ library and its ports read them.

mod animation;
mod joints;
mod keys;
mod skeleton;

use super::keys::{KeyStyle, NumberError};
use super::{Between, ExportClip, ExportError, ExportTarget, Exporter, ExporterInfo, Holds, Played, only_clip};
use crate::format::ByteWriter;
use crate::import::{FileSpace, OZZ_LITTLE_ENDIAN, Written, play_ozz};
use crate::model::Rig;
use joints::Joints;

/// Writes one clip, for the skeleton that [`OzzSkeleton`] writes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ozz;

impl Exporter for Ozz {
    fn info(&self) -> ExporterInfo {
        ExporterInfo { key: "ozz", name: "ozz animation archive", extension: "ozz", holds: Holds::OneClip }
    }

    /// Drops float tracks, which ozz stores in files of their own.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        animation::write(rig, only_clip(clips, rig, "an ozz animation archive")?)
    }

    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        _: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError> {
        let places = Joints::of(&rig.skeleton)?.places();
        let play = |clip: &ExportClip<'_>| {
            let of = Written { rig, clip: clip.source, space: FileSpace::OURS };
            let player = play_ozz(bytes, places.clone(), of).map_err(ExportError::Unplayable)?;
            Ok(Played::new(player, Between::Same))
        };
        clips.iter().map(play).collect()
    }

    fn number_error(&self, rig: &Rig, clip: &ExportClip<'_>, joint: usize) -> Option<NumberError> {
        NumberError::of(rig, clip, joint, KeyStyle::Ozz)
    }
}

/// Writes the rig that clips of [`Ozz`] are for.
#[derive(Debug, Clone, Copy, Default)]
pub struct OzzSkeleton;

impl Exporter for OzzSkeleton {
    fn info(&self) -> ExporterInfo {
        ExporterInfo { key: "ozz-skeleton", name: "ozz skeleton archive", extension: "ozz", holds: Holds::Rig }
    }

    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        clips.iter().try_for_each(|clip| clip.check(rig))?;
        skeleton::write(&rig.skeleton)
    }

    fn play(&self, _: &[u8], _: &Rig, _: &[ExportClip<'_>], _: &ExportTarget) -> Result<Vec<Played>, ExportError> {
        Ok(Vec::new())
    }
}

/// Starts an archive of that tag and version.
fn archive((tag, version): (&str, u32)) -> ByteWriter {
    let mut out = ByteWriter::new();
    out.u8(OZZ_LITTLE_ENDIAN);
    out.bytes(tag.as_bytes());
    out.u8(0);
    out.u32(version);
    out
}

/// Replaces zero characters, which would end the text early.
fn without_zeros(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
