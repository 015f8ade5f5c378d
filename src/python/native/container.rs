use crate::clip::Clip;
use crate::fault::Fault;
use crate::rig::Rig;
use crate::work;
use posepress_core::batch::merge_containers;
use posepress_core::pipeline::Archive;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyType};
use std::path::PathBuf;
use std::sync::Arc;

/// A file of compressed clips on one rig.
///
/// Args:
///     data: contents of a `.posepress` file.
///     rig: the rig, only if the container was written without one.
///
/// Raises:
///     posepress.ContainerError: the bytes are damaged, or the rig is another one.
///
/// Examples:
///     >>> compressed = [posepress.compress(clip) for clip in posepress.read(sample).matching("*n")]
///     >>> container = posepress.Container.merge([one.data for one in compressed])
///     >>> container.save(folder / "two.posepress")
///     >>> again = posepress.Container.open(folder / "two.posepress")
///     >>> again.names == [one.name for one in compressed]
///     True
///     >>> again.decode(again.names[0])
///     <posepress.Clip "walk_root_motion": 93 samples at 30.00 Hz, 63 joints>
#[pyclass(frozen, module = "posepress")]
pub struct Container {
    data: Vec<u8>,
    archive: Archive,
    rig: Arc<posepress_core::model::Rig>,
}

impl Container {
    fn of(data: Vec<u8>, rig: Option<&Rig>) -> Result<Self, Fault> {
        let archive =
            Archive::open(&data, rig.map(|rig| &*rig.0)).map_err(|error| Fault::new("ContainerError", error))?;
        let rig = rig.map_or_else(|| Arc::new(archive.rig("container")), |rig| rig.0.clone());
        Ok(Self { data, archive, rig })
    }
}

#[pymethods]
impl Container {
    #[new]
    #[pyo3(signature = (data, rig=None))]
    fn new(py: Python<'_>, data: PyBackedBytes, rig: Option<PyRef<'_, Rig>>) -> PyResult<Self> {
        let rig = rig.map(|rig| Rig(rig.0.clone()));
        work::run(py, None, |_| Self::of(data.to_vec(), rig.as_ref()))
    }

    /// Opens a file.
    #[classmethod]
    #[pyo3(signature = (path, rig=None))]
    fn open(_class: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf, rig: Option<PyRef<'_, Rig>>) -> PyResult<Self> {
        let rig = rig.map(|rig| Rig(rig.0.clone()));
        work::run(py, None, |_| {
            let name = path.to_string_lossy();
            let data = posepress_core::files::read(&path);
            let data =
                data.map_err(|error| Fault::new("ContainerError", format!("cannot be read: {error}")).in_file(&name))?;
            Self::of(data, rig.as_ref()).map_err(|fault| fault.in_file(&name))
        })
    }

    /// One container with all clips of several, in order. They must be on one rig, and have different names.
    #[classmethod]
    fn merge(_class: &Bound<'_, PyType>, py: Python<'_>, containers: Vec<PyBackedBytes>) -> PyResult<Self> {
        work::run(py, None, |_| {
            let merged = merge_containers(containers.iter().map(|data| &**data));
            Self::of(merged.map_err(|error| Fault::new("ContainerError", error))?, None)
        })
    }

    /// The contents of its file.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.data)
    }

    /// Names of its clips, in order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.archive.clips().iter().map(|clip| &*clip.name).collect()
    }

    /// Size of each clip, bytes, in the order of `names`. The rig, stored once, is apart.
    #[getter]
    fn sizes(&self) -> Vec<usize> {
        self.archive.clips().iter().map(|clip| clip.bytes.len()).collect()
    }

    /// The rig. A container stores no meshes.
    #[getter]
    fn rig(&self) -> Rig {
        Rig(self.rig.clone())
    }

    /// Writes the file. It is replaced only after everything is written.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        work::run(py, None, |_| {
            let written = posepress_core::export::write_atomically(&path, &self.data);
            written.map_err(|error| Fault::new("ContainerError", error).of_file(path.to_string_lossy()))
        })
    }

    /// Decodes a clip to uniform samples.
    ///
    /// Raises:
    ///     KeyError: no clip has that name.
    fn decode(&self, py: Python<'_>, name: &str) -> PyResult<Clip> {
        let Some(clip) = self.archive.clips().iter().find(|clip| clip.name == name) else {
            return Err(PyKeyError::new_err(format!("no clip '{name}'; there are: {}", self.names().join(", "))));
        };
        let decoded = work::run(py, None, |_| {
            let at = |error| Fault::new("ContainerError", error).of_clip(name);
            self.archive.decode(clip).map_err(at)
        })?;
        Ok(Clip { bytes: clip.bytes.len() as u64, ..Clip::made(decoded, self.rig.clone()) })
    }

    fn __len__(&self) -> usize {
        self.archive.clips().len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.archive.clips().iter().any(|clip| clip.name == name)
    }

    fn __repr__(&self) -> String {
        format!("<posepress.Container: {} clips, {} bytes>", self.archive.clips().len(), self.data.len())
    }
}
