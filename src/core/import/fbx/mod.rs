//! FBX, binary and ASCII, read by the library ufbx.
//!
//! Choices of this reader:
//! - Joints are skin joints, bones, nodes that keys or constraints move, and all their ancestors, in depth-first order. In a file
//!   without skins, all descendants of moving nodes are joints too.
//! - The bind pose of a joint is its node's transform in the file, as shown without animation. Skins have their own inverse bind
//!   matrices, so they do not depend on the bind pose.
//! - Each animation stack is a clip. It has the time range of the stack, and starts at zero. ufbx evaluates layers, pivots and
//!   inherited scale, at any time. Constraints are evaluated after that, see [`constraints`].
//! - Cameras and lights outside of the skeletons are not joints. In a file with bones, other nodes outside of the skeletons are not
//!   joints either, unless they have a mesh.
//! - Lengths become metres and Y is up, by the file's unit and axes. This applies to joints and meshes.

mod constraints;
mod material;
mod mesh;
mod morph;
mod nodes;
mod numbers;
mod open;
mod stack;

use super::beside::FilesBeside;
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::{
    Ask, Budget, Fault, Finding, ImportError, ImportOptions, Imported, Importer, UpAxis, checks, readable, stem,
};
use crate::model::Rig;
use constraints::Constraints;
use nodes::JointMap;
use std::borrow::Cow;
use std::path::Path;
use ufbx::Scene;

/// Reads `.fbx`.
#[derive(Debug)]
pub(super) struct Fbx;

impl Importer for Fbx {
    fn name(&self) -> &'static str {
        "FBX"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["fbx"]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, &bytes, options).map_err(|fault| fault.advise("Export the file again").in_file(path))
    }
}

fn import(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, Fault> {
    let mut findings = Vec::new();
    let budget = Budget::new(bytes.len());
    let root = open::open(bytes, options, &budget)?;
    let scene: &Scene = &root;
    findings.extend(open::findings(scene));
    let (constraints, said) = Constraints::choose(scene, options.constraints.unwrap_or_default());
    findings.extend(said);
    let joints = JointMap::choose(scene, constraints.moved(), &mut findings)?;
    // Without the option, ufbx has converted the axes to Y up.
    let up = options.up.unwrap_or(UpAxis::Y);

    let mut rig = Rig::from_skeleton(stem(path), joints.skeleton(scene, up)?);
    let floats = morph::FloatTracks::read(scene, &joints, &budget)?;
    mesh::read_meshes(scene, &joints, &floats, &budget, &mut rig, &mut findings)?;
    let files = FilesBeside::new(path);
    material::read_materials(scene, &files, &budget, &mut rig, &mut findings);
    rig.float_names = floats.names();

    let locals = joints.rest(scene);
    let shells_m = sampling::shells_m(&rig);
    let rest = Rest { rig: &rig, joints: &locals, floats: &floats.rest(scene), up, shells_m: &shells_m };
    let motions = stack::read_stacks(&root, &joints, &constraints, &floats, &mut findings);
    let Sampled { clips, clip_bytes } = resample_all(&motions, rest, options, &budget, &mut findings)?;
    checks::check(&rig, &clips, options, open::metres_per_unit(scene) as f32, &mut findings);
    Ok(Imported { rig, clips, clip_bytes, findings, beside: files.places() })
}
