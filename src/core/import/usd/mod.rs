//! Skeletal animation of USD (UsdSkel): text, binary and packages. The crate `openusd` reads and composes the layers.
//!
//! Choices of this reader:
//! - The stage is read at its default variants, with all payloads. External layers lie in the file's own folder or below.
//! - Every `Skeleton` is read; several form one rig, unless the options choose one of them. Joints are named by the last part of their
//!   paths.
//! - The bind pose of a joint is its rest transform. Skins have their own bind transforms.
//! - A skeleton that is not at the origin of the world gets a root joint with its place, which holds the motion of all prims above it.
//! - Each `SkelAnimation` is a clip of the skeletons that it is bound to. One that is bound to none moves the first skeleton that has all
//!   its joints. Joints without a place in the animation stay at rest.
//! - Time zero is the start of the stage, or else the first sample.
//! - Lengths become metres and Y is up, by the stage's unit and axis.
//!
//! The crate may panic on damaged files. So stages are read on a thread of their own, and layers are checked before they are parsed.

mod arcs;
mod clips;
mod crate_bytes;
mod crate_file;
mod crate_values;
mod layers;
mod mesh;
mod open;
mod placement;
mod prims;
mod rig;
mod scene;
mod skin;
mod text_depth;
mod values;

use super::playing::{FilePlayer, Written};
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::{
    Ask, Budget, Fault, Finding, ImportError, ImportOptions, Imported, Importer, UpAxis, checks, readable, stem,
};
use crate::model::Rig;
use mesh::MeshPrim;
use open::Opened;
use rig::RigMap;
use std::borrow::Cow;
use std::path::Path;

/// Reads `.usda`, `.usdc`, `.usd` and `.usdz`.
#[derive(Debug)]
pub(super) struct Usd;

impl Importer for Usd {
    fn name(&self) -> &'static str {
        "USD"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["usda", "usdc", "usd", "usdz"]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, bytes, options).map_err(|fault| fault.advise("Export the file again").in_file(path))
    }
}

fn import(path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, Fault> {
    let Opened { scene, budget, beside, mut findings } = open::open(path, bytes.into_owned())?;
    let (map, joints, locals) = RigMap::new(&scene, options, &stem(path), &mut findings)?;
    let mut rig = Rig::from_skeleton(stem(path), rig::skeleton(joints)?);
    let tracks = float_tracks(&scene.meshes, &map, &mut rig);
    skin::add_meshes(&scene.meshes, &map, &tracks, &budget, &mut rig, &mut findings)?;

    let shells_m = sampling::shells_m(&rig);
    let floats = vec![0.0; rig.float_names.len()];
    let rest = Rest { rig: &rig, joints: &locals, floats: &floats, up: scene.up(options), shells_m: &shells_m };
    let motions = clips::read_clips(&scene, &map, &tracks, &stem(path), &mut findings)?;
    let Sampled { clips, clip_bytes } = resample_all(&motions, rest, options, &budget, &mut findings)?;
    checks::check(&rig, &clips, options, map.metres, &mut findings);
    Ok(Imported { rig, clips, clip_bytes, findings, beside })
}

/// The player of a written file, whose joints are those of the rig.
pub(crate) fn play(bytes: &[u8], of: Written<'_>) -> Result<FilePlayer, ImportError> {
    let open = || {
        let Opened { scene, mut findings, .. } = open::open(Path::new("export.usda"), bytes.to_vec())?;
        let (map, joints, locals) = RigMap::new(&scene, &ImportOptions::default(), "", &mut findings)?;
        if joints.len() != of.rig.skeleton.len() {
            let (found, expected) = (joints.len(), of.rig.skeleton.len());
            return Err(Fault::new(format!("it moves {found} joints; the rig has {expected}")));
        }
        let clips = clips::read_clips(&scene, &map, &[], "", &mut findings)?;
        let clip = clips.into_iter().next().ok_or_else(|| Fault::new("it has no animation"))?;
        Ok(FilePlayer::new(Box::new(clip), (0..joints.len()).collect(), locals, of).whole())
    };
    open().map_err(|fault: Fault| fault.in_file(Path::new("the USD file")))
}

/// Names the float tracks, one per shape of a mesh. Returns the first track per mesh.
fn float_tracks(meshes: &[MeshPrim], map: &RigMap, rig: &mut Rig) -> Vec<Option<usize>> {
    let track = |mesh: &MeshPrim| {
        let is_shown = mesh.skin.as_ref().is_some_and(|skin| map.figure(skin.skeleton).is_some());
        let first = rig.float_names.len();
        (is_shown && !mesh.shapes.is_empty()).then(|| {
            rig.float_names.extend(mesh.shapes.iter().map(|shape| format!("{}.{}", mesh.name, shape.name)));
            first
        })
    };
    meshes.iter().map(track).collect()
}
