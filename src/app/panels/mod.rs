//! Panels: each reads the workspace and the view, and pushes commands. None changes anything itself.

mod absent;
mod added_to;
mod author_sheet;
mod blame;
mod budget;
mod candidate_list;
mod candidates;
mod clip_columns;
mod clips;
mod codec;
mod compensation;
mod contacts;
mod curves;
mod error_plot;
mod figures;
mod foreign;
mod hint;
mod import_questions;
mod joints;
mod keys;
mod lane_edit;
mod lanes;
mod lattice;
mod listed;
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
mod problems;
mod reason;
mod recipe_field;
mod report;
mod review;
mod rig_sheet;
mod screen;
mod seam;
mod sides;
mod status;
mod tiers;
mod time_axis;
mod timeline;
mod top_bar;
mod transport;
mod treemap;
mod unsaved;
mod value_scale;
mod worst_joints;

pub use author_sheet::show as show_author_sheet;
pub use budget::{show as show_budget, show_study};
pub use clips::{above_rows as above_clips, listing as clip_listing, rows as clip_rows};
pub use curves::wanted_fit;
pub use figures::show as show_figures;
pub use hint::{is_shown as is_hint_shown, show as show_hint};
pub use import_questions::{show_bar as show_import_bar, show_table as show_import_table};
pub use keys::show as show_keys;
pub use notices::show as show_notices;
pub use palette::show as show_palette;
pub use path_sheet::show as show_path_sheet;
pub use problems::show as show_problems;
pub use reason::show as show_reason;
pub use recipe_field::{CONTACTS, apply};
pub use review::{show_decision, show_judged, show_queue};
pub use rig_sheet::{RigSheet, show as show_rig_sheet};
use sides::compare_to;
pub use sides::{Standing, reference_entries};
pub use status::show as show_status;
pub use timeline::show as show_timeline;
pub use top_bar::show as show_top_bar;
pub use transport::show as show_transport;
pub use unsaved::show as show_unsaved;
pub use worst_joints::{LEAST_HEIGHT as WORST_JOINTS_HEIGHT, show as show_worst_joints};

use crate::actions::{Action, State};
use crate::commands::Command;
use crate::state::View;
use crate::state::{LeftTab, RightTab};
use crate::theme::Theme;
use crate::update::RecipeEdit;
use egui::{Atom, Button, IdSalt, Response, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::metrics::ErrorReport;
use posepress_core::model::{Clip, Rig};
use posepress_core::session::{Recipe, Sides, Workspace};
use posepress_core::text::FrameNumbers;
use std::sync::Arc;

/// Room for a tick before the names of a menu's entries.
const TICK: f32 = 12.0;

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

    /// Asks for a change of the active recipe, in one step: the rest of it stays as it will be by then.
    pub fn edit_recipe(&mut self, label: impl Into<String>, change: impl Fn(&mut Recipe) + Send + Sync + 'static) {
        self.push(Command::EditRecipe(RecipeEdit::new(self.workspace.active_place(), label, change)));
    }

    /// How samples are numbered.
    pub fn frame_numbers(&self) -> FrameNumbers {
        FrameNumbers { first: self.view.settings.first_frame }
    }

    /// The frames of the selected clip nearest to a span: `f20 to f40`.
    pub fn frames_of(&self, span_secs: [f32; 2]) -> String {
        let grid = self.selected().map(|(_, clip)| clip.grid());
        let [first, last] = span_secs.map(|secs| grid.map_or(0, |grid| grid.sample_at(secs).round() as usize));
        self.frame_numbers().frames(first, last)
    }

    /// What is being read, in words.
    pub fn reading(&self) -> Option<String> {
        let mut reading = self.workspace.reading();
        let name = reading.next()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let more = reading.count();
        Some(if more > 0 { format!("Reading {name}, {more} more to go") } else { format!("Reading {name}") })
    }

    /// What actions are asked by.
    pub fn state(&self) -> State<'a> {
        State { workspace: self.workspace, view: self.view }
    }

    /// Asks for an action.
    pub fn run(&mut self, action: &'static Action) {
        self.push(Command::Run(action));
    }

    /// A control that asks for an action when it is clicked; off, and saying why, where that cannot run. `draw` gets the
    /// tooltip.
    pub fn control(
        &mut self,
        ui: &mut Ui,
        action: &'static Action,
        draw: impl FnOnce(&mut Ui, &Theme, &str) -> Response,
    ) -> Response {
        let (theme, help) = (self.theme, action.tooltip(ui.ctx()));
        let response = match action.can_run(&self.state()) {
            Ok(()) => draw(ui, theme, &help),
            // What stands in something that is off is dimmed by that already.
            Err(reason) if !ui.is_enabled() => draw(ui, theme, &help).on_disabled_hover_text(reason),
            Err(reason) => {
                let off = ui.add_enabled_ui(false, |ui| draw(ui, theme, &help)).inner;
                off.on_disabled_hover_text(reason)
            }
        };
        if response.clicked() {
            self.run(action);
        }
        response
    }

    /// An entry of a menu or a list: the action's name with its keys.
    pub fn entry(&mut self, ui: &mut Ui, action: &'static Action) -> Response {
        let state = self.state();
        let is_on = action.is_on(&state);
        let tick = Atom::custom(IdSalt::new("tick"), Vec2::splat(TICK));
        let key = action.key_text_at(ui.ctx(), self.view.settings.desk);
        let mut button = Button::new((tick, &*action.label));
        if !key.is_empty() {
            button = button.shortcut_text(key); // an empty one would be part of the entry's name
        }
        let response = match action.can_run(&state) {
            Ok(()) => ui.add(button).on_hover_text(action.description(&state)),
            Err(reason) => ui.add_enabled(false, button).on_disabled_hover_text(reason),
        };
        if let Some(on) = is_on {
            response.widget_info(|| WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), on, &*action.label));
            if on {
                self.tick(ui, &response);
            }
        }
        if response.clicked() {
            self.run(action);
        }
        response
    }

    /// A menu within a menu, in line with its entries.
    pub fn submenu(&mut self, ui: &mut Ui, name: &str, entries: impl FnOnce(&mut Ui, &mut Self)) {
        let tick = Atom::custom(IdSalt::new("tick"), Vec2::splat(TICK));
        ui.menu_button((tick, name), |ui| entries(ui, self));
    }

    /// What is switched on in a menu.
    fn tick(&self, ui: &Ui, entry: &Response) {
        let left = entry.rect.left() + ui.spacing().button_padding.x;
        let at = pos2(left + TICK / 2.0, entry.rect.center().y);
        let points = [vec2(-4.0, 0.0), vec2(-1.5, 3.0), vec2(4.0, -3.5)].map(|offset| at + offset);
        ui.painter().add(Shape::line(points.into(), Stroke::new(1.6, self.theme.accent)));
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

/// Where a panel stands: left or right, and on a narrow window in which tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Lists.
    Left(LeftTab),
    /// Settings and numbers.
    Right(RightTab),
}

/// A panel, as the layout, the menus and the tests see it.
#[derive(Debug)]
pub struct Panel {
    /// Its heading.
    pub title: &'static str,
    /// Where it stands.
    pub place: Place,
    /// Draws it.
    pub show: fn(&mut Ui, &mut PanelCx<'_>),
}

impl PartialEq for Panel {
    fn eq(&self, other: &Self) -> bool {
        self.title == other.title
    }
}

const fn left(title: &'static str, tab: LeftTab, show: fn(&mut Ui, &mut PanelCx<'_>)) -> Panel {
    Panel { title, place: Place::Left(tab), show }
}

const fn right(title: &'static str, tab: RightTab, show: fn(&mut Ui, &mut PanelCx<'_>)) -> Panel {
    Panel { title, place: Place::Right(tab), show }
}

/// What was said about moments of the clip.
pub const NOTES: Panel = right("Notes", RightTab::Report, notes::show);

/// Every panel at the sides, from top to bottom.
pub static PANELS: &[Panel] = &[
    left("Clips", LeftTab::Clips, clips::show),
    left("Joints", LeftTab::Joints, joints::show),
    right("Codec", RightTab::Codec, codec::show),
    right("Parameters", RightTab::Codec, params::show),
    right("Compensation", RightTab::Codec, compensation::show),
    right("Overrides", RightTab::Codec, overrides::show),
    right("Named recipes", RightTab::Codec, named::show),
    right("Contacts", RightTab::Contacts, contacts::show),
    right("Blame", RightTab::Contacts, blame::show),
    right("Report", RightTab::Report, report::show),
    right("Seam", RightTab::Report, seam::show),
    right("Bytes by joint", RightTab::Report, treemap::show),
    right("Peaks", RightTab::Report, peaks::show),
    NOTES,
];
