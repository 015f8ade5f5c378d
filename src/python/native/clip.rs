use crate::fault::Fault;
use crate::rig::{Rig, TRANSFORM, numbers, transforms};
use numpy::{AllowTypeChange, PyArray1, PyArray2, PyArray3, PyArrayLike3, PyArrayMethods};
use posepress_core::import::Origin;
use posepress_core::model::{self, ClipData};
use posepress_core::pipeline::{RigMatch, is_same_rig};
use pyo3::prelude::*;
use std::sync::Arc;

/// An animation as uniform samples on a rig.
///
/// A clip comes from a file (`posepress.read(path).clips`), or is made from an array. It never changes.
///
/// Args:
///     name: its name in containers and exports.
///     rig: the joints that it moves.
///     transforms: local transforms, array of shape (samples, joints, 10): translation in metres, rotation as a quaternion
///         (x, y, z, w), scale.
///     rate_hz: samples per second.
///     looping: True if the last sample equals the first and time wraps. None finds out.
///
/// Examples:
///     >>> rig = posepress.read(sample).rig
///     >>> still = np.repeat(rig.bind[None], 31, axis=0)
///     >>> clip = posepress.Clip("still", rig, still, rate_hz=30)
///     >>> clip.samples, clip.duration_secs, clip.transforms.shape == (31, len(rig), 10)
///     (31, 1.0, True)
#[pyclass(frozen, module = "posepress")]
pub struct Clip {
    pub name: String,
    pub clip: Arc<model::Clip>,
    pub rig: Arc<model::Rig>,
    /// Path of its file as given. Empty for a clip from an array.
    pub source: Arc<str>,
    pub origin: Option<Arc<Origin>>,
    /// Size in its file, bytes.
    pub bytes: u64,
}

impl Clip {
    /// A clip without a file.
    pub fn made(clip: model::Clip, rig: Arc<model::Rig>) -> Self {
        let (name, bytes) = (clip.name().to_owned(), clip.raw_bytes() as u64);
        Self { name, clip: Arc::new(clip), rig, source: "".into(), origin: None, bytes }
    }

    /// The clip on a rig, matched by joint names. On its own rig it stays as it is.
    pub fn moved_to(&self, rig: &Arc<model::Rig>) -> Result<Arc<model::Clip>, Fault> {
        if Arc::ptr_eq(rig, &self.rig) || is_same_rig(rig, &self.rig) {
            return Ok(self.clip.clone());
        }
        let on_rig = RigMatch::new(rig, &self.rig).put_all_on([&*self.clip]);
        let mut on_rig =
            on_rig.map_err(|error| Fault::new("ClipError", error).of_clip(&self.name).of_file(&*self.source))?;
        Ok(on_rig.remove(0))
    }
}

#[pymethods]
impl Clip {
    #[new]
    #[pyo3(signature = (name, rig, transforms, rate_hz, looping=None))]
    fn new(
        py: Python<'_>,
        name: String,
        rig: PyRef<'_, Rig>,
        transforms: PyArrayLike3<'_, f32, AllowTypeChange>,
        rate_hz: f64,
        looping: Option<bool>,
    ) -> PyResult<Self> {
        made(name, &rig.0, transforms, rate_hz, looping).map_err(|fault| fault.raised(py))
    }

    /// Its name, unique in its file.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The joints that it moves.
    #[getter]
    fn rig(&self) -> Rig {
        Rig(self.rig.clone())
    }

    /// Path of its file, as given. Empty for a clip from an array.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// Number of samples, at least 1.
    #[getter]
    fn samples(&self) -> usize {
        self.clip.samples()
    }

    /// Samples per second.
    #[getter]
    fn rate_hz(&self) -> f64 {
        self.clip.grid().rate_hz()
    }

    /// Time of the last sample, seconds.
    #[getter]
    fn duration_secs(&self) -> f32 {
        self.clip.duration_secs()
    }

    /// True if time wraps from the last sample to the first.
    #[getter]
    fn looping(&self) -> bool {
        self.clip.is_looping()
    }

    /// Size without compression, bytes: 40 per joint and sample, 4 per float track and sample.
    #[getter]
    fn raw_bytes(&self) -> usize {
        self.clip.raw_bytes()
    }

    /// Time of each sample, seconds: float32 array of shape (samples,).
    #[getter]
    fn times_secs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let grid = self.clip.grid();
        PyArray1::from_vec(py, (0..grid.samples()).map(|sample| grid.time_secs(sample as f64)).collect())
    }

    /// Local transforms: float32 array of shape (samples, joints, 10), a copy.
    ///
    /// The columns are translation x, y, z in metres, rotation as a unit quaternion x, y, z, w, and scale x, y, z.
    #[getter]
    fn transforms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let (samples, joints) = (self.clip.samples(), self.clip.joints());
        let all = (0..samples).flat_map(|sample| self.clip.pose(sample)).copied();
        PyArray1::from_vec(py, numbers(all)).reshape([samples, joints, TRANSFORM])
    }

    /// Float tracks, such as morph weights: float32 array of shape (samples, tracks), a copy.
    #[getter]
    fn floats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (samples, tracks) = (self.clip.samples(), self.clip.float_tracks());
        let all = (0..samples).flat_map(|sample| self.clip.floats(sample)).copied().collect();
        PyArray1::from_vec(py, all).reshape([samples, tracks])
    }

    /// The clip on another rig, matched by joint names. Joints without a match keep the rig's bind pose.
    ///
    /// Raises:
    ///     posepress.ClipError: fewer than half of the joints match, or the bones have other lengths.
    fn on_rig(&self, py: Python<'_>, rig: PyRef<'_, Rig>) -> PyResult<Self> {
        let clip = self.moved_to(&rig.0).map_err(|fault| fault.raised(py))?;
        let (name, source, bytes) = (self.name.clone(), self.source.clone(), self.bytes);
        Ok(Self { name, clip, rig: rig.0.clone(), source, origin: None, bytes })
    }

    fn __len__(&self) -> usize {
        self.clip.samples()
    }

    fn __repr__(&self) -> String {
        let (name, samples, rate_hz) = (&self.name, self.clip.samples(), self.clip.grid().rate_hz());
        format!("<posepress.Clip {name:?}: {samples} samples at {rate_hz:.2} Hz, {} joints>", self.clip.joints())
    }
}

fn made(
    name: String,
    rig: &Arc<model::Rig>,
    array: PyArrayLike3<'_, f32, AllowTypeChange>,
    rate_hz: f64,
    looping: Option<bool>,
) -> Result<Clip, Fault> {
    let array = array.as_array();
    let (joints, refused) = (rig.skeleton.len(), |what: String| Fault::new("ClipError", what).of_clip(&name));
    let [samples, found, numbers] = [array.shape()[0], array.shape()[1], array.shape()[2]];
    if samples == 0 || [found, numbers] != [joints, TRANSFORM] {
        let shape = format!("({samples}, {found}, {numbers})");
        return Err(refused(format!("transforms have the shape {shape}; expected (samples, {joints}, {TRANSFORM})")));
    }
    if !(rate_hz.is_finite() && rate_hz > 0.0) {
        return Err(refused(format!("a rate of {rate_hz} Hz; expected more than zero")));
    }
    let data = ClipData {
        name: name.clone(),
        joints,
        duration_secs: ((samples - 1) as f64 / rate_hz) as f32,
        transforms: transforms(array.iter().copied()).0,
        float_tracks: rig.float_names.len(),
        floats: vec![0.0; samples * rig.float_names.len()],
        holds: Vec::new(),
        looping,
    };
    let clip = model::Clip::new(data).map_err(|error| Fault::new("ClipError", error).of_clip(&name))?;
    Ok(Clip::made(clip, rig.clone()))
}
