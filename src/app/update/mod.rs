//! Carries out the commands of panels and keys, with one file per noun. Each function takes the state that it reads or
//! changes.

mod answers;
mod blind;
mod budget;
mod clips;
mod compare;
mod curves;
mod dispatch;
mod draw;
mod exports;
mod files;
mod film;
mod find;
mod framing;
mod history;
mod imports;
mod joints;
mod left_out;
mod main_tab;
mod marks;
mod model;
mod naming;
mod notes;
mod path_sheets;
mod pending;
mod play;
mod project;
mod recipes;
mod recording;
mod review;
mod sample;
mod session;
mod share;
mod start;
mod window;

pub use answers::{advance, is_settled, keep_mark, take_in};
pub use clips::duration_secs;
pub use dispatch::dispatch;
pub use left_out::offer_left_out;
pub use model::Model;
pub use pending::leave_out_external;
pub use project::{compare_with_file, document, is_unsaved, may_leave};
pub use recording::{COMMANDS, Done, Line, digest};
pub use session::session;
pub use start::begin;
