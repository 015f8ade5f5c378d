//! GLB, binary glTF 2.0: written into the glTF source of the clips, or as a new file with the whole rig. Clips are sparse keys.

mod animation;
mod bin;
mod pieces;
mod scene;
mod source;

use super::keys::{FittedClip, KeyStyle, fit};
use super::{
    Between, ExportBody, ExportClip, ExportError, ExportInto, ExportTarget, Exporter, ExporterInfo, Holds, Played,
};
use crate::import::{GltfDocument, play_gltf};
use crate::model::{Clip, Rig};
use animation::Stage;
use bin::Bin;
use gltf::binary::{Glb as GlbFile, Header};
use pieces::unsupported;
use rayon::prelude::*;
use std::borrow::Cow;

/// Writes GLB.
#[derive(Debug, Clone, Copy, Default)]
pub struct Glb;

impl Exporter for Glb {
    fn info(&self) -> ExporterInfo {
        ExporterInfo { key: "glb", name: "Binary glTF 2.0", extension: "glb", holds: Holds::Clips }
    }

    /// A new file has no tips, and no float tracks that drive no morph target: glTF cannot store them.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], target: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        clips.iter().try_for_each(|clip| clip.check(rig))?;
        match source_document(rig, target)? {
            Some(document) => source::write(&document, rig, clips, target.options),
            None => new_file(rig, clips, target),
        }
    }

    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        target: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError> {
        let document = source_document(rig, target)?;
        let order =
            document.as_ref().map_or_else(|| (0..clips.len()).collect(), |document| source::order(document, clips));
        let written: Vec<(&Clip, f32)> = order
            .iter()
            .map(|&clip| {
                let place = document.as_ref().and_then(|document| source::place_of(document, &clips[clip]));
                (clips[clip].source, place.map_or(0.0, |place| place.start_secs))
            })
            .collect();
        let is_in_source = document.is_some();
        let stage = match document {
            Some(document) => Stage { joints: document.nodes, weights: document.weights, space: document.space },
            None => scene::stage(rig),
        };
        let scene = target.origin.as_ref().filter(|_| is_in_source).and_then(|origin| origin.options.scene());
        let players = play_gltf(bytes, (&stage.joints, &stage.weights, scene), (rig, &written), stage.space);
        let mut players: Vec<_> = order.into_iter().zip(players.map_err(ExportError::Unplayable)?).collect();
        players.sort_by_key(|(clip, _)| *clip);
        Ok(players.into_iter().map(|(_, player)| Played::new(player, Between::Same)).collect())
    }
}

/// The document that the clips are written into: their source file, if they still use its rig.
fn source_document(rig: &Rig, target: &ExportTarget) -> Result<Option<GltfDocument>, ExportError> {
    let origin = target.origin.as_ref().filter(|_| target.options.into == ExportInto::Source);
    let document = origin.map(GltfDocument::read).transpose()?.flatten();
    Ok(document.filter(|document| document.skeleton == rig.skeleton))
}

fn new_file(rig: &Rig, clips: &mut [ExportClip<'_>], target: &ExportTarget) -> Result<Vec<u8>, ExportError> {
    let mut bin = Bin::default();
    bin.root.asset.generator = Some(concat!("Posepress ", env!("CARGO_PKG_VERSION")).into());
    let needs_body = rig.meshes.is_empty() && target.options.body == ExportBody::Capsules;
    let body = needs_body.then(|| rig.with_body());
    let stage = scene::write(&mut bin, body.as_ref().unwrap_or(rig))?;
    let fitted = fit_all(clips, rig, &stage, target.options);
    let chunk = bin.begin_shared();
    for (clip, fitted) in clips.iter().zip(&fitted) {
        let animation = animation::write((&mut bin, &chunk), (rig, &stage), clip, fitted, 0.0);
        bin.root.push(animation);
    }
    bin.pack(&chunk, target.options.packing);
    let (root, bytes) = bin.finish();
    let json = root.to_vec().map_err(|e| unsupported(&e))?;
    glb(json, bytes)
}

/// Chooses the keys of all clips, in parallel.
fn fit_all(clips: &mut [ExportClip<'_>], rig: &Rig, stage: &Stage, options: super::ExportOptions) -> Vec<FittedClip> {
    clips
        .par_iter_mut()
        .map(|clip| fit(clip, rig, stage.space, KeyStyle::gltf(options.keys, options.rotations)))
        .collect()
}

/// Joins the two chunks to a file.
fn glb(json: Vec<u8>, bytes: Vec<u8>) -> Result<Vec<u8>, ExportError> {
    let length = u32::try_from(json.len() + bytes.len() + GLB_OVERHEAD_BYTES)
        .map_err(|_| ExportError::Unsupported("GLB holds at most 4 GiB. Export fewer clips per file".into()))?;
    let bin = (!bytes.is_empty()).then_some(Cow::Owned(bytes));
    // The writer sets the length. It is only checked here.
    let glb = GlbFile { header: Header { magic: *b"glTF", version: 2, length }, json: Cow::Owned(json), bin };
    glb.to_vec().map_err(|e| unsupported(&e))
}

/// File header, two chunk headers and padding, rounded up.
const GLB_OVERHEAD_BYTES: usize = 12 + 2 * 8 + 8;
