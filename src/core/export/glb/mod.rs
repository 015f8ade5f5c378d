//! GLB, binary glTF 2.0: the whole rig and every clip as sparse keys.

mod animation;
mod bin;
mod keys;
mod scene;

use super::{ExportClip, ExportError, Exporter};
use crate::model::Rig;
use bin::Bin;
use gltf::binary::{Glb as GlbFile, Header};
use std::borrow::Cow;

/// How rotations are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RotationFormat {
    /// Normalized 16-bit integers where they move nothing below the joint by more than 0.01 mm, float32 elsewhere.
    #[default]
    Automatic,
    /// Always float32: a clip read back has the same bits.
    Float,
}

/// Writes GLB.
#[derive(Debug, Clone, Copy, Default)]
pub struct Glb {
    /// How rotations are stored.
    pub rotations: RotationFormat,
}

impl Exporter for Glb {
    fn key(&self) -> &'static str {
        "glb"
    }

    fn name(&self) -> &'static str {
        "Binary glTF 2.0"
    }

    fn extension(&self) -> &'static str {
        "glb"
    }

    fn holds_many(&self) -> bool {
        true
    }

    /// Tips are dropped, and so are float tracks that drive no morph target: glTF has no place for them.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>]) -> Result<Vec<u8>, ExportError> {
        let mut bin = Bin::default();
        bin.root.asset.generator = Some(concat!("Posepress ", env!("CARGO_PKG_VERSION")).into());
        let scene = scene::write(&mut bin, rig)?;
        for clip in clips {
            clip.check(rig)?;
            animation::write(&mut bin, rig, &scene, clip, self.rotations);
        }
        let (root, bytes) = bin.finish();
        let unsupported = |e: &dyn std::fmt::Display| ExportError::Unsupported(format!("GLB cannot be written: {e}"));
        let json = root.to_vec().map_err(|e| unsupported(&e))?;
        let length = u32::try_from(json.len() + bytes.len() + GLB_OVERHEAD_BYTES)
            .map_err(|_| ExportError::Unsupported("GLB holds at most 4 GiB. Export fewer clips a file".into()))?;
        let bin = (!bytes.is_empty()).then_some(Cow::Owned(bytes));
        // The writer fills in the length; it was only checked here.
        let glb = GlbFile { header: Header { magic: *b"glTF", version: 2, length }, json: Cow::Owned(json), bin };
        glb.to_vec().map_err(|e| unsupported(&e))
    }
}

/// File header, two chunk headers and padding, rounded up.
const GLB_OVERHEAD_BYTES: usize = 12 + 2 * 8 + 8;
