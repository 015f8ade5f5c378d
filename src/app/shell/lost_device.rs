//! The graphics driver loses its device: it was updated, it hung, the card was unplugged. Nothing can be drawn with what is left,
//! and egui's painter ends the program in the same frame. So the program starts anew before that, with what was kept.

use crate::persist::Inbox;
use crate::state::Problem;
use std::ffi::OsString;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tells the program that it was started because of that, in the driver's words.
const REASON: &str = "POSEPRESS_DEVICE_LOST";
/// A device that is lost again within this time will be lost once more.
const TOO_SOON: Duration = Duration::from_secs(30);

/// Message after such a start.
pub fn problem() -> Option<Problem> {
    let reason = std::env::var(REASON).ok()?;
    let detail = format!("The window was opened again with your work as it was. The graphics driver says: {reason}.");
    Some(Problem::error("The graphics device was lost", detail))
}

/// From now on the program starts anew when this device is lost, after the work was written.
pub fn restart(device: &wgpu::Device, inbox: Option<Arc<Inbox>>) {
    let started = Instant::now();
    device.set_device_lost_callback(move |reason, message| {
        // One that is given back when the window closes is none to tell of.
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
        // What was kept names the open files, too; where nothing is kept they are read again.
        let args: Vec<OsString> = if inbox.is_some() { Vec::new() } else { std::env::args_os().skip(1).collect() };
        let error = match std::env::current_exe() {
            Ok(program) => replace(Command::new(program).args(args).env(REASON, message)),
            Err(error) => error,
        };
        give_up(&format!("the program cannot restart itself: {error}. Your work is saved: start it again"));
    });
}

fn give_up(words: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "error: {words}"); // it may be closed
    std::process::exit(1)
}

/// Puts another program in this one's place; comes back only with the reason why not.
#[cfg(unix)]
fn replace(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Starts another program and ends this one; comes back only with the reason why not.
#[cfg(not(unix))]
fn replace(command: &mut Command) -> std::io::Error {
    match command.spawn() {
        Ok(_) => std::process::exit(0),
        Err(error) => error,
    }
}
