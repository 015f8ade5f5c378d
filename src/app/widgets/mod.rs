//! Widgets of the panels.

mod bars;
mod buttons;
mod check_box;
mod draft;
mod field;
pub mod focus;
mod icon;
mod number;
mod right_group;
mod row_list;
mod row_tooltip;
mod section;
mod text;
mod topic;
mod treemap;

pub use bars::{byte_bar, error_bar};
pub use buttons::{icon_button, segment, tool_button, wide_button};
pub use check_box::check_box;
pub use draft::{Typed, draft_field, draft_id};
pub use field::{COMBO_WIDTH, Change, control, form_row, value_menu, value_row};
pub use icon::{Icon, paint_icon, verdict_icon};
pub use number::{NumberLimits, log_slider, number, typed_note};
pub use right_group::right_group;
pub use row_list::{RowKeys, RowList};
pub use row_tooltip::row_tooltip;
pub use section::{chevron, fold, folded, header, open_section, section};
pub use text::{label, quantity, text_distinct, text_elided, text_middle, text_right};
pub use topic::{about, topic, topic_under_pointer};
pub use treemap::squarify;
