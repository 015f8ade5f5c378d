//! Panels: each reads the workspace and the view, and pushes commands. None changes anything itself.

mod blame;
mod candidate_list;
mod candidates;
mod clips;
mod codec;
mod compensation;
mod contacts;
mod curves;
mod error_plot;
mod hint;
mod joints;
mod keys;
mod lane_edit;
mod lanes;
mod overrides;
mod palette;
mod params;
mod peaks;
mod problems;
mod report;
mod seam;
mod status;
mod time_axis;
mod timeline;
mod top_bar;
mod transport;
mod treemap;
mod value_scale;
mod worst_joints;

pub use clips::found as clips_found;
pub use curves::wanted_fit;
pub use hint::show as show_hint;
pub use keys::show as show_keys;
pub use palette::show as show_palette;
pub use problems::show as show_problems;
pub use report::show_figures;
pub use status::show as show_status;
pub use timeline::show as show_timeline;
pub use top_bar::show as show_top_bar;
pub use transport::show as show_transport;
pub use worst_joints::{LEAST_HEIGHT as WORST_JOINTS_HEIGHT, show as show_worst_joints};

use super::commands::Command;
use super::theme::Theme;
use super::view::View;
use egui::Ui;
use posepress_core::metrics::ErrorReport;
use posepress_core::model::{Clip, Rig};
use posepress_core::session::{Sides, Workspace};
use std::sync::Arc;

/// What a panel sees, and where it puts its wishes.
pub struct PanelCx<'a> {
    /// Files, recipes, answers.
    pub workspace: &'a Workspace,
    /// Selection, playhead, settings.
    pub view: &'a View,
    /// Colours.
    pub theme: &'a Theme,
    /// The window is too narrow for everything at once.
    pub narrow: bool,
    /// Carried out after drawing.
    pub commands: &'a mut Vec<Command>,
}

impl<'a> PanelCx<'a> {
    /// Asks for a change.
    pub fn push(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Rig and clip that are looked at.
    pub fn selected(&self) -> Option<(&'a Arc<Rig>, &'a Arc<Clip>)> {
        self.workspace.library().clip(self.workspace.selected()?)
    }

    /// The outcome that is shown, which may be older than the recipe.
    pub fn shown(&self) -> Option<&'a Sides> {
        self.workspace.shown()
    }

    /// Its report.
    pub fn report(&self) -> Option<&'a ErrorReport> {
        self.shown().map(|s| &s.outcome.report)
    }

    /// True while the numbers shown are of an older recipe.
    pub fn is_stale(&self) -> bool {
        self.workspace.selected().is_some_and(|clip| !self.workspace.is_fresh(clip, self.workspace.active_slot()))
    }
}

/// Where a panel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Lists.
    Left,
    /// Settings and numbers.
    Right,
}

/// A panel, as the layout and the tests see it.
pub struct Panel {
    /// Its heading.
    pub title: &'static str,
    /// Where it stands.
    pub region: Region,
    /// Tab that holds it on a narrow window, by index.
    pub tab: usize,
    /// Draws it.
    pub show: fn(&mut Ui, &mut PanelCx<'_>),
}

/// Every panel at the sides, from top to bottom.
pub static PANELS: &[Panel] = &[
    Panel { title: "Clips", region: Region::Left, tab: 0, show: clips::show },
    Panel { title: "Joints", region: Region::Left, tab: 1, show: joints::show },
    Panel { title: "Codec", region: Region::Right, tab: 0, show: codec::show },
    Panel { title: "Parameters", region: Region::Right, tab: 0, show: params::show },
    Panel { title: "Compensation", region: Region::Right, tab: 0, show: compensation::show },
    Panel { title: "Overrides", region: Region::Right, tab: 0, show: overrides::show },
    Panel { title: "Contacts", region: Region::Right, tab: 1, show: contacts::show },
    Panel { title: "Blame", region: Region::Right, tab: 1, show: blame::show },
    Panel { title: "Report", region: Region::Right, tab: 2, show: report::show },
    Panel { title: "Seam", region: Region::Right, tab: 2, show: seam::show },
    Panel { title: "Bytes by joint", region: Region::Right, tab: 2, show: treemap::show },
    Panel { title: "Peaks", region: Region::Right, tab: 2, show: peaks::show },
];
