use crate::fault::Fault;
use glam::{Quat, Vec3};
use numpy::{AllowTypeChange, PyArray2, PyArrayLike2, PyArrayMethods};
use posepress_core::math::Transform;
use posepress_core::model::{self, Joint, Skeleton};
use pyo3::prelude::*;
use std::sync::Arc;

/// The joints of a character, parents first, with their bind pose; and the meshes, if the file has any.
///
/// A rig comes from a file (`posepress.read(path).rig`), or is made from arrays.
///
/// Args:
///     joints: unique names, parents first.
///     parents: index of each joint's parent, or None for a root.
///     bind: local bind pose, array of shape (joints, 10): translation in metres, rotation as a quaternion (x, y, z, w), scale.
///
/// Examples:
///     >>> rig = posepress.Rig(["hip", "knee"], [None, 0], [[0, 1, 0, 0, 0, 0, 1, 1, 1, 1], [0, -0.5, 0, 0, 0, 0, 1, 1, 1, 1]])
///     >>> rig.joints, rig.parents, rig.bind.shape
///     (['hip', 'knee'], [None, 0], (2, 10))
#[pyclass(frozen, module = "posepress")]
pub struct Rig(pub Arc<model::Rig>);

#[pymethods]
impl Rig {
    #[new]
    fn new(
        py: Python<'_>,
        joints: Vec<String>,
        parents: Vec<Option<usize>>,
        bind: PyArrayLike2<'_, f32, AllowTypeChange>,
    ) -> PyResult<Self> {
        let bind = transforms(bind.as_array().iter().copied());
        if joints.len() != parents.len() || joints.len() * TRANSFORM != bind.1 {
            let (names, parents, numbers) = (joints.len(), parents.len(), bind.1);
            let what = format!(
                "{names} joints, {parents} parents and a bind pose of {numbers} numbers; expected one parent and {TRANSFORM} numbers \
                 per joint"
            );
            return Err(Fault::new("ClipError", what).raised(py));
        }
        let joint = |((name, parent), bind)| Joint { name, parent, bind };
        let joints = joints.into_iter().zip(parents).zip(bind.0).map(joint).collect();
        let skeleton = Skeleton::new(joints).map_err(|error| Fault::new("ClipError", error).raised(py))?;
        Ok(Self(Arc::new(model::Rig::from_skeleton("rig", skeleton))))
    }

    /// Name of the rig, from its file.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Names of the joints, parents first.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.0.skeleton.joints().iter().map(|joint| &*joint.name).collect()
    }

    /// Index of each joint's parent. None for a root.
    #[getter]
    fn parents(&self) -> Vec<Option<usize>> {
        self.0.skeleton.joints().iter().map(|joint| joint.parent).collect()
    }

    /// Local bind pose: float32 array of shape (joints, 10), see `Clip.transforms`.
    #[getter]
    fn bind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let numbers = numbers(self.0.skeleton.joints().iter().map(|joint| joint.bind));
        numpy::PyArray1::from_vec(py, numbers).reshape([self.0.skeleton.len(), TRANSFORM])
    }

    /// Names of the float tracks, such as morph weights.
    #[getter]
    fn float_names(&self) -> Vec<&str> {
        self.0.float_names.iter().map(|name| &**name).collect()
    }

    /// Number of vertices of all meshes. 0 if the file has none.
    #[getter]
    fn vertices(&self) -> usize {
        self.0.meshes.iter().map(|mesh| mesh.positions.len()).sum()
    }

    fn __len__(&self) -> usize {
        self.0.skeleton.len()
    }

    fn __repr__(&self) -> String {
        format!("<posepress.Rig {:?}: {} joints>", self.0.name, self.0.skeleton.len())
    }
}

/// Numbers per transform: translation, rotation, scale.
pub const TRANSFORM: usize = 10;

/// Transforms as rows of an array.
pub fn numbers(transforms: impl Iterator<Item = Transform>) -> Vec<f32> {
    let row = |Transform { rotation, translation, scale }| {
        let ([tx, ty, tz], [qx, qy, qz, qw], [sx, sy, sz]) =
            (translation.to_array(), rotation.to_array(), scale.to_array());
        [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz]
    };
    transforms.flat_map(row).collect()
}

/// Rows of an array as transforms, and the count of all numbers.
pub fn transforms(numbers: impl Iterator<Item = f32>) -> (Vec<Transform>, usize) {
    let numbers: Vec<f32> = numbers.collect();
    let (rows, _) = numbers.as_chunks::<TRANSFORM>();
    let transform = |[tx, ty, tz, qx, qy, qz, qw, sx, sy, sz]: &[f32; TRANSFORM]| Transform {
        rotation: Quat::from_xyzw(*qx, *qy, *qz, *qw),
        translation: Vec3::new(*tx, *ty, *tz),
        scale: Vec3::new(*sx, *sy, *sz),
    };
    (rows.iter().map(transform).collect(), numbers.len())
}
