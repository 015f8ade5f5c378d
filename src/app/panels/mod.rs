//! Panels. Each one reads the workspace and the view, and pushes commands. None changes the state itself.

mod absent;
mod added_to;
mod approve;
mod approve_again;
mod author_sheet;
mod blame;
mod blind;
mod budget;
mod candidate_list;
mod candidates;
mod clip_columns;
mod clips;
mod codec;
mod common_fixes;
mod compensation;
mod contacts;
mod curves;
mod cx;
mod dense_lane;
mod drawings;
mod error_plot;
mod external;
mod figures;
mod headline;
mod held_feet;
mod hint;
mod import_questions;
mod joints;
mod keys;
mod lane_edit;
mod lane_row;
mod lanes;
mod lattice;
mod listed;
mod lod;
mod manual;
mod menus;
mod named;
mod note_lane;
mod notes;
mod notices;
mod override_params;
mod override_spans;
mod overrides;
mod palette;
mod params;
mod path_sheet;
mod peaks;
mod pin_lanes;
mod pins;
mod problems;
mod reason;
mod recipe_field;
mod report;
mod review;
mod rig_sheet;
mod screen;
mod seam;
mod sides;
mod slot_name;
mod status;
mod terms;
mod tiers;
mod time_axis;
mod timeline;
mod top_bar;
mod tour;
mod transport;
mod treemap;
mod unsaved;
mod value_scale;
mod welcome;
mod worst_joints;

pub use approve_again::show as show_approve_again;
pub use author_sheet::show as show_author_sheet;
use blind::show_blind_results;
pub use blind::{show_blind_controls, show_blind_progress, show_blind_sheet, show_blind_verdict};
pub use budget::{show as show_budget, show_study};
pub use clips::{above_rows as above_clips, rows as clip_rows};
pub use common_fixes::show as show_common_fixes;
pub use cx::PanelCx;
pub use figures::show as show_figures;
pub use hint::show as show_hint;
pub use import_questions::{show_bar as show_import_bar, show_table as show_import_table};
pub use keys::show as show_keys;
pub use manual::show as show_manual;
pub use notices::show as show_notices;
pub use palette::show as show_palette;
pub use path_sheet::show as show_path_sheet;
pub use problems::show as show_problems;
pub use reason::show as show_reason;
pub use recipe_field::{CONTACTS, apply};
pub use review::{
    error_strip_height, show_decision, show_error_strip, show_head as show_judged_head, show_judged, show_queue,
};
pub use rig_sheet::show as show_rig_sheet;
use sides::compare_to;
pub use sides::{Standing, reference_entries};
pub use status::show as show_status;
pub use timeline::show as show_timeline;
pub use top_bar::show as show_top_bar;
pub use tour::show as show_tour;
pub use transport::show as show_transport;
use transport::speed_field;
pub use unsaved::show as show_unsaved;
pub use welcome::show as show_welcome;
pub use worst_joints::{LEAST_HEIGHT as WORST_JOINTS_HEIGHT, show as show_worst_joints};

use crate::state::Panel;
use crate::widgets::about;
use egui::Ui;

/// Draws a panel at the sides.
pub fn show(panel: Panel, ui: &mut Ui, cx: &mut PanelCx<'_>) {
    about(ui, panel.manual_page(), |ui| draw(panel, ui, cx));
}

fn draw(panel: Panel, ui: &mut Ui, cx: &mut PanelCx<'_>) {
    match panel {
        Panel::Clips => clips::show(ui, cx),
        Panel::Joints => joints::show(ui, cx),
        Panel::Codec => codec::show(ui, cx),
        Panel::Parameters => params::show(ui, cx),
        Panel::Compensation => compensation::show(ui, cx),
        Panel::Overrides => overrides::show(ui, cx),
        Panel::NamedRecipes => named::show(ui, cx),
        Panel::Contacts => contacts::show(ui, cx),
        Panel::Blame => blame::show(ui, cx),
        Panel::Report => report::show(ui, cx),
        Panel::Seam => seam::show(ui, cx),
        Panel::Lods => lod::show(ui, cx),
        Panel::BytesByJoint => treemap::show(ui, cx),
        Panel::Peaks => peaks::show(ui, cx),
        Panel::Notes => notes::show(ui, cx),
    }
}
