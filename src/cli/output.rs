use super::load::LoadedFile;
use super::{Console, Failure};
use posepress_core::export::{self, write_atomically};
use posepress_core::format::FileBytes;
use std::path::{Path, PathBuf};

/// The file name that means standard output.
const STDOUT: &str = "-";

/// True for the file name that means standard output.
pub fn is_stdout(output: &Path) -> bool {
    output == Path::new(STDOUT)
}

/// Refuses an output that is one of the source files.
///
/// # Errors
/// [`Failure::Usage`].
pub fn check_output<'a>(output: &Path, sources: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    match is_stdout(output) {
        true => Ok(()),
        false => export::check_output(output, sources).map_err(|e| Failure::usage(e.to_string())),
    }
}

/// Checks that an output can be written, before the work starts.
///
/// # Errors
/// [`Failure::Input`].
pub fn try_output(output: &Path) -> Result<(), Failure> {
    if is_stdout(output) { Ok(()) } else { export::try_output(output).map_err(Failure::input) }
}

/// Refuses an output that is a file that was read, or one that it refers to.
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
