//! File names and extensions.

use posepress_core::project::PROJECT_EXTENSION;
use std::path::{Path, PathBuf};

/// Extension of project files.
pub const TOML: &str = "toml";
/// Part of a project's name before the extension; also the extension of a container.
const CONTAINER_END: &str = ".posepress";

/// File name for lists and messages.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The path with the project extension, exactly once. Another name that ends with `.toml` stays as it is.
pub fn named(path: PathBuf) -> PathBuf {
    let name = file_name(&path);
    let stem = if is_project(&path) { &name[..name.len() - ".".len() - TOML.len()] } else { &name };
    let bare = stem.trim_end_matches(CONTAINER_END);
    match is_project(&path) && bare.len() == stem.len() || bare.is_empty() {
        true => path,
        false => path.with_file_name(format!("{bare}.{PROJECT_EXTENSION}")),
    }
}

/// True if the file may be a project, by its extension alone.
pub fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(TOML))
}

/// Extension of files of notes.
pub const NOTES_EXTENSION: &str = "json";

/// True if the file may be one of notes, by its extension alone.
pub fn is_notes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(NOTES_EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_project_ends_once_as_projects_do() {
        for (typed, named_so) in [
            ("/a/team", "/a/team.posepress.toml"),
            ("/a/team.posepress", "/a/team.posepress.toml"),
            ("/a/team.posepress.posepress", "/a/team.posepress.toml"),
            ("/a/team.posepress.toml", "/a/team.posepress.toml"),
            ("/a/team.posepress.posepress.toml", "/a/team.posepress.toml"),
            ("/a/team.posepress.TOML", "/a/team.posepress.toml"),
            ("/a/team.toml", "/a/team.toml"),
            ("/a/walk.v1.2", "/a/walk.v1.2.posepress.toml"),
            ("/a.posepress/team", "/a.posepress/team.posepress.toml"),
        ] {
            assert_eq!(named(typed.into()), PathBuf::from(named_so), "{typed}");
        }
    }
}
