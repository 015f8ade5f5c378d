//! The Python module `posepress._posepress`: a thin layer on the core. The package around it is in `../posepress`.

mod clip;
mod compress;
mod container;
mod export;
mod fault;
mod gate;
mod keys;
mod options;
mod read;
mod recipe;
mod rig;
mod work;

use pyo3::prelude::*;

/// The engine of the package. Use the names of `posepress` instead.
#[pymodule]
mod _posepress {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use super::clip::Clip;
    #[pymodule_export]
    use super::compress::{compress, judge};
    #[pymodule_export]
    use super::container::Container;
    #[pymodule_export]
    use super::export::{export, write};
    #[pymodule_export]
    use super::gate::gate;
    #[pymodule_export]
    use super::keys::{fit_keys, hold_feet};
    #[pymodule_export]
    use super::read::read;
    #[pymodule_export]
    use super::recipe::Recipe;
    #[pymodule_export]
    use super::rig::Rig;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Runs the command line with these arguments, the first being the program's name, and returns its exit status.
    #[pyfunction]
    fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| posepress_cli::run_program(arguments))
    }
}
