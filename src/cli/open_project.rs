use super::Failure;
use super::patterns::unfitted;
use posepress_core::files;
use posepress_core::project::Project;
use std::path::{Path, PathBuf};

/// Reads a project file, and returns it with its folder. Errors name the file.
///
/// # Errors
/// [`Failure::Input`].
pub fn open_project(path: &Path) -> Result<(Project, PathBuf), Failure> {
    let failed = |error| unfitted(path).unwrap_or_else(|| Failure::file(path, error));
    let toml = files::read_text(path).map_err(failed)?;
    let absolute = std::path::absolute(path).map_err(|error| Failure::file(path, error))?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let project = Project::from_toml(&toml, folder).map_err(|error| Failure::file(path, error))?;
    Ok((project, folder.to_owned()))
}
