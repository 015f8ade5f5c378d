//! State of the window outside the workspace, as plain data. Nothing here draws, opens dialogs or depends on commands.

mod awaited;
mod blind_testing;
mod blink;
mod cameras;
mod filming;
mod frame_times;
mod ghost;
mod hint;
mod keymap;
mod level;
mod manual;
mod messages;
mod opening;
mod panel;
mod path_sheet;
mod paths;
mod pending;
mod picked;
mod recipe_edit;
mod replay;
mod results_folder;
mod rig_sheet;
mod seen;
mod selection;
mod session;
mod settings;
mod start;
mod touring;
mod transport;
mod unsaved;
mod view;
mod visible;

pub use awaited::AwaitedView;
pub use blind_testing::{BlindTesting, Shown, fresh_seed};
pub use blink::{BLINK_RANGE_HZ, Blink};
pub use cameras::Cameras;
pub use filming::{Filming, Seen};
pub use frame_times::FrameTimes;
pub use ghost::{Ghost, GhostOf};
pub use hint::{failing_contact, is_hint_shown};
pub use keymap::{Keymap, KeymapChoice};
pub use level::Level;
pub use manual::{Manual, main_tab_page, manual_page};
pub use messages::{Messages, Offer, Problem};
pub use opening::{Again, LeftOut, Opening};
pub use panel::{Panel, PanelPlace};
pub use path_sheet::{
    FolderEntry, Listing, PathAnswer, PathPurpose, PathSheet, Taken, UnreadFolder, comparable_extensions,
};
pub use paths::{NOTES_EXTENSION, TOML, file_name, is_notes, is_project, named};
pub use pending::{Pending, PendingSource, PendingState};
pub use picked::{clip_listing, draft_of, note_of, picked};
pub use recipe_edit::RecipeEdit;
pub use replay::{Insertions, curve_channel, kept_keys, wanted_fit};
pub use results_folder::ResultsFolder;
pub use rig_sheet::RigSheet;
pub use seen::State;
pub use selection::{CurveZoom, CurvesOf, Selection};
pub use session::{OpenClip, Session};
#[cfg(not(target_family = "wasm"))]
pub use settings::MIN_WINDOW_POINTS;
pub use settings::{
    CurveKind, FIRST_FRAME_RANGE, LeftTab, MainTab, ONION_RANGE, RightTab, Settings, TimelineTab, WIPE_RANGE, within,
};
pub use start::{Opens, Start};
pub use touring::Touring;
pub use transport::Transport;
pub use unsaved::{Contents, Leaving, LeavingAnswer, Unsaved};
pub use view::{AuthorSheet, Budgeting, Filters, Palette, TableFigure, View, Waiting};
