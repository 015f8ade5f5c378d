use posepress_core::import::ImportError;
use posepress_core::pipeline::OwnFault;
use posepress_core::tasks::{TaskError, TaskFault, TaskSubject};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An error on its way to Python: the class of the exception, and its fields.
#[derive(Debug)]
pub struct Fault(Box<Parts>);

#[derive(Debug, Default)]
struct Parts {
    class: &'static str,
    message: String,
    file: Option<String>,
    clip: Option<String>,
    place: Option<String>,
    advice: Option<String>,
}

impl Fault {
    /// An error of a class of `posepress.errors`.
    pub fn new(class: &'static str, message: impl ToString) -> Self {
        Self(Box::new(Parts { class, message: message.to_string(), ..Parts::default() }))
    }

    pub fn of_file(mut self, file: impl Into<String>) -> Self {
        self.0.file = Some(file.into());
        self
    }

    /// Names the file in front of the message too.
    pub fn in_file(mut self, file: &str) -> Self {
        self.0.message = format!("{file}: {}", self.0.message);
        self.of_file(file)
    }

    pub fn of_clip(mut self, clip: impl Into<String>) -> Self {
        self.0.clip = Some(clip.into());
        self
    }

    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    /// The exception.
    pub fn raised(self, py: Python<'_>) -> PyErr {
        self.exception(py).unwrap_or_else(|error| error)
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let Parts { class, message, file, clip, place, advice } = *self.0;
        let class = py.import("posepress.errors")?.getattr(class)?;
        let fields = PyDict::new(py);
        for (name, value) in [("file", file), ("clip", clip), ("place", place), ("advice", advice)] {
            fields.set_item(name, value)?;
        }
        Ok(PyErr::from_value(class.call((message,), Some(&fields))?))
    }
}

impl From<OwnFault> for Fault {
    fn from(fault: OwnFault) -> Self {
        Self::new("PosepressError", fault)
    }
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Self {
        let message = error.to_string();
        let ImportError { path, at, advice, .. } = error;
        let mut fault = Self::new("ReadError", message).of_file(path.to_string_lossy());
        (fault.0.place, fault.0.advice) = (at, advice);
        fault
    }
}

impl From<TaskError> for Fault {
    fn from(error: TaskError) -> Self {
        let TaskError { fault, place: TaskSubject { file, clip } } = error;
        let message = fault.to_string();
        let class = match *fault {
            TaskFault::Import(error) => return error.into(),
            TaskFault::Stopped => "Stopped",
            TaskFault::Compress(_) => "CompressError",
            TaskFault::Archive(_) => "ContainerError",
            TaskFault::Export(_) => "ExportError",
            _ => "PosepressError",
        };
        let file = file.map(|path| path.to_string_lossy().into_owned());
        let mut fault = Self::new(class, message);
        (fault.0.file, fault.0.clip) = (file, clip);
        fault
    }
}
