use std::io;
use std::path::Path;
use std::process::Command;

/// Opens the folder of a file in the system's file manager, with the file selected where the system can.
///
/// # Errors
/// The file manager cannot be started.
pub fn reveal(path: &Path) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    let mut command = match () {
        () if cfg!(windows) => {
            let mut command = Command::new("explorer");
            command.arg(format!("/select,{}", path.display()));
            command
        }
        () if cfg!(target_os = "macos") => {
            let mut command = Command::new("open");
            command.arg("-R").arg(&path);
            command
        }
        () => {
            let mut command = Command::new("xdg-open");
            command.arg(path.parent().unwrap_or(&path));
            command
        }
    };
    command.spawn().map(drop)
}
