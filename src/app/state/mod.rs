//! What the window knows beside the workspace, as plain data: nothing here draws, asks for a file or knows a command.

mod blink;
mod cameras;
mod frame_times;
mod messages;
mod path_sheet;
mod selection;
mod settings;
mod transport;
mod view;

pub use blink::{BLINK_RANGE_HZ, Blink};
pub use cameras::Cameras;
pub use frame_times::{FrameFigures, FrameTimes};
pub use messages::{Messages, Problem};
pub use path_sheet::*;
pub use selection::{CurveZoom, CurvesOf, Selection};
pub use settings::*;
pub use transport::Transport;
pub use view::*;
