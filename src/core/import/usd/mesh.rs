//! Meshes of a stage, as they stand in it.

use super::prims::{self, Prims};
use super::scene::SkeletonPrim;
use super::values::FromValue;
use super::{Ask, Fault, Finding, readable};
use crate::text;
use glam::{DMat4, Vec2, Vec3};
use openusd::usd::Prim;

/// Values of a mesh, and the parts that they belong to.
#[derive(Debug, Default)]
pub(super) struct Primvar<T> {
    values: Vec<T>,
    /// Index into the values per part; without it, they are in order.
    indices: Option<Vec<i32>>,
    per: Per,
}

/// The parts of a mesh that values belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Per {
    #[default]
    Mesh,
    Face,
    Point,
    Corner,
}

/// A corner of a face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub face: usize,
    pub point: usize,
    pub corner: usize,
}

impl<T: Copy> Primvar<T> {
    /// The value at a corner; `None` if the file holds too few.
    pub fn at(&self, corner: Corner) -> Option<T> {
        let part = match self.per {
            Per::Mesh => 0,
            Per::Face => corner.face,
            Per::Point => corner.point,
            Per::Corner => corner.corner,
        };
        let place = match &self.indices {
            Some(indices) => usize::try_from(*indices.get(part)?).ok()?,
            None => part,
        };
        self.values.get(place).copied()
    }
}

/// A `Mesh`.
#[derive(Debug)]
pub(super) struct MeshPrim {
    pub name: String,
    pub points: Vec<Vec3>,
    /// Corners per face.
    pub faces: Vec<i32>,
    /// The point of each corner.
    pub corners: Vec<i32>,
    /// True if faces are wound clockwise.
    pub is_left_handed: bool,
    pub normals: Option<Primvar<Vec3>>,
    pub uvs: Option<Primvar<Vec2>>,
    pub colors: Option<Primvar<Vec3>>,
    pub is_double_sided: bool,
    /// Without it, no joint moves the mesh.
    pub skin: Option<Skin>,
    pub shapes: Vec<Shape>,
}

/// The joints that move a mesh.
#[derive(Debug)]
pub(super) struct Skin {
    /// Index of the skeleton.
    pub skeleton: usize,
    /// The skeleton's joints, in the order of the mesh.
    pub joints: Vec<usize>,
    /// Index into `joints` and weight, some per point, or some for all points.
    pub indices: Vec<i32>,
    pub weights: Vec<f32>,
    /// Influences per point.
    pub each: usize,
    /// True if all points have the same influences.
    pub is_rigid: bool,
    /// The map from the mesh to the skeleton when it was bound.
    pub geom_bind: DMat4,
}

/// A `BlendShape` of a mesh.
#[derive(Debug)]
pub(super) struct Shape {
    pub name: String,
    pub offsets: Vec<Vec3>,
    /// One per offset, or empty.
    pub normals: Vec<Vec3>,
    /// The point of each offset; without it, one per point.
    pub points: Option<Vec<i32>>,
}

impl MeshPrim {
    /// Reads a mesh.
    pub fn read(
        prims: &Prims<'_>,
        prim: &Prim,
        skeletons: &[SkeletonPrim],
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Fault> {
        let points: Vec<Vec3> = prims.value(prim, "points")?.unwrap_or_default();
        let faces: Vec<i32> = prims.value(prim, "faceVertexCounts")?.unwrap_or_default();
        let corners: Vec<i32> = prims.value(prim, "faceVertexIndices")?.unwrap_or_default();
        prims.budget.claim(Ask::Vertices, corners.len().max(points.len()).max(1) as u64)?;
        if let Some(bad) = points.iter().position(|point| !point.is_finite()) {
            return Err(Fault::new(format!("the position of point {bad} is not a finite number")));
        }
        let orientation: Option<String> = prims.value(prim, "orientation")?;
        let of_primvar = primvar(prims, prim, "primvars:normals")?;
        Ok(Self {
            name: prims::name(prim),
            is_left_handed: orientation.as_deref() == Some("leftHanded"),
            normals: match of_primvar {
                Some(normals) => Some(normals),
                None => primvar(prims, prim, "normals")?,
            },
            uvs: primvar(prims, prim, "primvars:st")?,
            colors: primvar(prims, prim, "primvars:displayColor")?,
            is_double_sided: prims.value(prim, "doubleSided")?.unwrap_or(false),
            skin: read_skin(prims, prim, points.len(), skeletons)?,
            shapes: read_shapes(prims, prim, findings)?,
            points,
            faces,
            corners,
        })
    }
}

/// A primvar of a mesh; `None` if it is not there or of another type, since motion can be judged without it.
fn primvar<T>(prims: &Prims<'_>, prim: &Prim, name: &str) -> Result<Option<Primvar<T>>, Fault>
where
    Vec<T>: FromValue,
{
    let Ok(Some(values)) = prims.value::<Vec<T>>(prim, name) else { return Ok(None) };
    let unsaid = if name == "normals" { "vertex" } else { "constant" };
    let said: Option<String> = prims.metadata(prim, name, "interpolation")?;
    let per = match said.as_deref().unwrap_or(unsaid) {
        "uniform" => Per::Face,
        "vertex" | "varying" => Per::Point,
        "faceVarying" => Per::Corner,
        _ => Per::Mesh,
    };
    let indices = prims.value(prim, &format!("{name}:indices"))?;
    Ok(Some(Primvar { values, indices, per }))
}

fn read_skin(prims: &Prims<'_>, prim: &Prim, points: usize, skeletons: &[SkeletonPrim]) -> Result<Option<Skin>, Fault> {
    const INDICES: &str = "primvars:skel:jointIndices";
    let Some((_, Some(target))) = prims.bound(prim, "skel:skeleton")? else { return Ok(None) };
    let Some(indices) = prims.inherited::<Vec<i32>>(prim, INDICES)? else { return Ok(None) };
    let skeleton = skeletons.iter().position(|skeleton| skeleton.path == target);
    let skeleton = skeleton
        .ok_or_else(|| Fault::new(format!("its skeleton '{}' is not among those that are read", readable(&target))))?;
    let weights = prims.inherited(prim, "primvars:skel:jointWeights")?;
    let weights: Vec<f32> = weights.ok_or_else(|| Fault::new("it has indices of joints but no weights"))?;
    let owner = prims.upwards(prim).into_iter().find(|p| prims.value::<Vec<i32>>(p, INDICES).ok().flatten().is_some());
    let owner = owner.unwrap_or_else(|| prim.clone());
    let said: Option<String> = prims.metadata(&owner, INDICES, "interpolation")?;
    let is_rigid = said.as_deref().unwrap_or("constant") == "constant";
    let each: f64 = prims.metadata(&owner, INDICES, "elementSize")?.unwrap_or(1.0);
    let each = if is_rigid { indices.len() } else { each.max(1.0) as usize };
    let expected = if is_rigid { each } else { each.saturating_mul(points) };
    if indices.len() != expected || weights.len() != expected {
        let (found, of) = (indices.len(), weights.len());
        return Err(Fault::new(format!(
            "it has {found} indices of joints and {of} weights; expected {expected} of each"
        )));
    }
    let joints = match prims.inherited::<Vec<String>>(prim, "skel:joints")? {
        Some(names) => own_order(&names, &skeletons[skeleton])?,
        None => (0..skeletons[skeleton].joints.len()).collect(),
    };
    let geom_bind = prims.inherited(prim, "primvars:skel:geomBindTransform")?.unwrap_or(DMat4::IDENTITY);
    Ok(Some(Skin { skeleton, joints, indices, weights, each, is_rigid, geom_bind }))
}

fn own_order(names: &[String], skeleton: &SkeletonPrim) -> Result<Vec<usize>, Fault> {
    let place = |name: &String| {
        let place = skeleton.joints.iter().position(|joint| joint == name);
        place.ok_or_else(|| Fault::new(format!("its joint '{}' is not in the skeleton", readable(name))))
    };
    names.iter().map(place).collect()
}

fn read_shapes(prims: &Prims<'_>, prim: &Prim, findings: &mut Vec<Finding>) -> Result<Vec<Shape>, Fault> {
    let names: Vec<String> = prims.inherited(prim, "skel:blendShapes")?.unwrap_or_default();
    let targets = prims.bound(prim, "skel:blendShapeTargets")?;
    let targets = targets.map(|(owner, _)| prims.targets(&owner, "skel:blendShapeTargets")).transpose()?;
    let targets = targets.flatten().unwrap_or_default();
    prims.budget.claim(Ask::FloatTracks, names.len() as u64)?;
    let mut between = Vec::new();
    let mut shapes = Vec::new();
    for (name, target) in names.iter().zip(&targets) {
        let shape = prims.stage.prim(target.as_str());
        let name = readable(name);
        let properties = shape.property_names().map_err(prims::damaged)?;
        if properties.iter().any(|property| property.as_str().starts_with("inbetweens:")) {
            between.push(name.clone());
        }
        shapes.push(Shape {
            name,
            offsets: prims.value(&shape, "offsets")?.unwrap_or_default(),
            normals: prims.value(&shape, "normalOffsets")?.unwrap_or_default(),
            points: prims.value(&shape, "pointIndices")?.filter(|points: &Vec<i32>| !points.is_empty()),
        });
    }
    if !between.is_empty() {
        let what = format!("in-between shapes are not read: {}", text::listed(&between));
        findings.push(Finding::warning(prims::name(prim), what, "Their main shapes blend in along a line."));
    }
    Ok(shapes)
}
