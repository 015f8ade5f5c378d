//! Restart after the graphics driver lost its device: the driver was updated or hung, or the card was unplugged.
//! Nothing can be drawn then, and egui's painter ends the program in the same frame. So the program restarts before
//! that, with the saved work.

use crate::persist::Inbox;
use crate::state::Problem;
use std::ffi::OsString;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Environment variable of a restarted program, with the driver's message.
const REASON: &str = "POSEPRESS_DEVICE_LOST";
/// If the device is lost again within this time after a restart, the program ends.
const TOO_SOON: Duration = Duration::from_secs(30);

/// Message after such a restart; `None` after a normal start.
pub fn problem() -> Option<Problem> {
    let reason = std::env::var(REASON).ok()?;
    let detail = format!("The window was opened again. Your work did not change. The graphics driver says: {reason}.");
    Some(Problem::error("The graphics device was lost", detail))
}

/// Restarts the program when this device is lost, after saving the work.
pub fn restart(device: &wgpu::Device, inbox: Option<Arc<Inbox>>) {
    let started = Instant::now();
    device.set_device_lost_callback(move |reason, message| {
        // A device that is destroyed when the window closes is not lost.
        if reason != wgpu::DeviceLostReason::Unknown {
            return;
        }
        inbox.iter().for_each(|inbox| inbox.flush());
        tracing::error!("graphics: the device was lost: {message}");
        if std::env::var_os(REASON).is_some() && started.elapsed() < TOO_SOON {
            give_up(&format!(
                "the graphics driver lost its device again: {message}. Your work is kept: update the driver, then start again"
            ));
        }
        // Saved work includes the open files. Without saved work, the arguments name them.
        let args: Vec<OsString> = if inbox.is_some() { Vec::new() } else { std::env::args_os().skip(1).collect() };
        let error = match std::env::current_exe() {
            Ok(program) => replace(Command::new(program).args(args).env(REASON, message)),
            Err(error) => error,
        };
        give_up(&format!("the program cannot restart itself: {error}. Your work is saved: start it again"));
    });
}

fn give_up(words: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "error: {words}"); // stderr may be closed
    std::process::exit(1)
}

/// Replaces this process with another program. Returns only if that fails.
#[cfg(unix)]
fn replace(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Starts another program and ends this one. Returns only if that fails.
#[cfg(not(unix))]
fn replace(command: &mut Command) -> std::io::Error {
    match command.spawn() {
        Ok(_) => std::process::exit(0),
        Err(error) => error,
    }
}
