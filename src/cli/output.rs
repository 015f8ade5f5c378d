use super::load::LoadedFile;
use super::{Console, Failure};
use posepress_core::export::{self, write_atomically};
use posepress_core::format::FileBytes;
use std::path::{Path, PathBuf};

/// Stands for standard output where a file is asked for.
const STDOUT: &str = "-";

/// True for the name that stands for standard output.
pub fn is_stdout(output: &Path) -> bool {
    output == Path::new(STDOUT)
}

/// Refuses to write onto one of the files that are read.
///
/// # Errors
/// [`Failure::Usage`].
pub fn check_output<'a>(output: &Path, sources: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    match is_stdout(output) {
        true => Ok(()),
        false => export::check_output(output, sources).map_err(|e| Failure::usage(e.to_string())),
    }
}

/// Finds out whether an output can be written, before the work that it is for.
///
/// # Errors
/// [`Failure::Input`].
pub fn try_output(output: &Path) -> Result<(), Failure> {
    if is_stdout(output) { Ok(()) } else { export::try_output(output).map_err(Failure::input) }
}

/// Refuses to write onto files that were read, or onto one that belongs to them.
///
/// # Errors
/// [`Failure::Usage`].
pub fn check_loaded(output: &Path, files: &[LoadedFile]) -> Result<(), Failure> {
    check_output(output, files.iter().flat_map(|f| std::iter::once(&f.path).chain(&f.beside)).map(PathBuf::as_path))
}

/// Writes a result to a file, or to standard output. A reader that closes standard output early is an error.
///
/// # Errors
/// [`Failure::Input`].
pub fn write_output(
    output: &Path,
    bytes: &(impl FileBytes + ?Sized),
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match is_stdout(output) {
        true => {
            console.out.must_arrive();
            Ok(bytes.write_to(&mut *console.out)?)
        }
        false => write_atomically(output, bytes).map_err(Failure::input),
    }
}
