//! Editing of contacts in the timeline: ends are dragged, a right-click adds and deletes.

use super::PanelCx;
use super::time_axis::TimeAxis;
use crate::actions::list;
use crate::commands::{FindCommand, MarkCommand, RecipeCommand};
use crate::widgets::focus;
use egui::{CursorIcon, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2};
use posepress_core::metrics::{ContactEdit, ContactEnd, SlideReport};

/// Half the width of the handle at an end of a contact, points.
const GRIP: f32 = 4.0;

/// Editor of the contacts of one foot.
pub struct LaneEdit<'a> {
    /// Name of the foot's joint.
    pub joint: &'a str,
    /// Its contacts.
    pub contacts: ContactEdit<'a>,
}

impl<'a> LaneEdit<'a> {
    /// The editor of a foot of the report; `None` if there is no such foot or no clip.
    pub fn new(cx: &PanelCx<'a>, report: &'a SlideReport, foot: usize) -> Option<Self> {
        let (rig, clip) = cx.selected()?;
        let joint = rig.skeleton.name(report.plan.feet.get(foot)?.joint);
        let sample_secs = clip.grid().time_secs(1.0);
        let contacts = ContactEdit { report, foot, duration_secs: clip.duration_secs(), sample_secs };
        Some(Self { joint, contacts })
    }

    /// Handles at the ends of a block, for drags and arrow keys. A contact across a loop's seam has two blocks and no
    /// handles at the seam.
    pub fn grips(
        &self,
        ui: &Ui,
        cx: &mut PanelCx<'_>,
        axis: &TimeAxis,
        block: Rect,
        contact: usize,
        (start_secs, end_secs): (f32, f32),
    ) {
        let ContactEdit { report, foot, duration_secs, sample_secs } = self.contacts;
        let whole = &report.contacts[contact];
        let beyond_secs = if end_secs < whole.start_secs { duration_secs } else { 0.0 };
        let is_end = (end_secs + beyond_secs - whole.end_secs).abs() < 0.5 * sample_secs;
        let ends = [
            (ContactEnd::Start, start_secs == whole.start_secs, block.left()),
            (ContactEnd::End, is_end, block.right()),
        ];
        for (end, is_end, x) in ends {
            if !is_end || block.width() < 4.0 * GRIP {
                continue;
            }
            let zone = Rect::from_x_y_ranges(x - GRIP..=x + GRIP, block.y_range());
            let id = ui.scope_id().with(("grip", foot, contact, end == ContactEnd::Start));
            let response = ui.interact(zone, id, Sense::drag()).on_hover_cursor(CursorIcon::ResizeHorizontal);
            response.widget_info(|| {
                let name = if end == ContactEnd::Start { "Touch-down" } else { "Lift-off" };
                WidgetInfo::labeled(egui::Role::Slider, true, format!("{name} of {}", self.joint))
            });
            if response.hovered() || response.dragged() {
                let stroke = Stroke::new(2.0, cx.theme.accent);
                ui.painter().line_segment([pos2(x, block.top()), pos2(x, block.bottom())], stroke);
            }
            if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
                let shift_secs = if end == ContactEnd::End { beyond_secs } else { 0.0 };
                let spans = self.contacts.moved(contact, end, axis.snapped_secs(pointer.x) + shift_secs);
                cx.push(MarkCommand::PreviewContacts(self.joint.to_owned(), spans));
            }
            let (samples, _) = focus::arrows(ui, &response);
            if samples != 0 {
                let at_secs = if end == ContactEnd::Start { whole.start_secs } else { whole.end_secs };
                let spans = self.contacts.moved(contact, end, at_secs + samples as f32 * sample_secs);
                let label = format!("Contact of {}", self.joint);
                cx.push(MarkCommand::EditContacts(label, self.joint.to_owned(), Some(spans)));
            }
            if response.drag_stopped() {
                cx.push(RecipeCommand::Settle);
            }
        }
    }

    /// Context menu of a contact.
    pub fn contact_menu(&self, cx: &mut PanelCx<'_>, response: &Response, contact: usize) {
        response.context_menu(|ui| {
            if ui.button("Show its worst frame").on_hover_text("Seen from the side, with the cause.").clicked() {
                cx.push(FindCommand::ShowContact(contact));
            }
            for action in [&list::GO_WORST_CONTACT, &list::FIX_ALL] {
                cx.entry(ui, action);
            }
            ui.separator();
            if ui.button("Delete contact").on_hover_text("This foot is not in contact here.").clicked() {
                let label = format!("Delete contact of {}", self.joint);
                cx.push(MarkCommand::EditContacts(label, self.joint.to_owned(), Some(self.contacts.without(contact))));
            }
            self.restore_button(ui, cx);
        });
    }

    /// Context menu of the foot's row outside contacts.
    pub fn lane_menu(&self, cx: &mut PanelCx<'_>, response: &Response, axis: &TimeAxis) {
        let id = response.id.with("menu at");
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) {
            response.ctx.data_mut(|d| d.insert_temp(id, axis.snapped_secs(pointer.x)));
        }
        response.context_menu(|ui| {
            let at_secs = ui.data(|d| d.get_temp(id)).unwrap_or(cx.view.transport.time_secs);
            let spans = self.contacts.with_new(at_secs);
            ui.add_enabled_ui(spans.is_some(), |ui| {
                let response =
                    ui.button("Add contact here").on_hover_text("This foot is in contact here. Drag its ends.");
                if let Some(spans) = spans.filter(|_| response.clicked()) {
                    let label = format!("Add contact of {}", self.joint);
                    cx.push(MarkCommand::EditContacts(label, self.joint.to_owned(), Some(spans)));
                }
            });
            self.restore_button(ui, cx);
        });
    }

    fn restore_button(&self, ui: &mut Ui, cx: &mut PanelCx<'_>) {
        let drawn = is_drawn(cx, self.joint);
        ui.add_enabled_ui(drawn, |ui| {
            let help = "Remove the contacts drawn by hand for this foot in this clip.";
            if ui.button("Use detected contacts").on_hover_text(help).clicked() {
                let label = format!("Detected contacts of {}", self.joint);
                cx.push(MarkCommand::EditContacts(label, self.joint.to_owned(), None));
            }
        });
    }
}

/// True if the contacts of this foot in the selected clip were drawn by hand.
pub fn is_drawn(cx: &PanelCx<'_>, joint: &str) -> bool {
    let feet = cx.workspace.selected().map_or(&[][..], |id| cx.workspace.drawn_contacts(id));
    feet.iter().any(|f| f.joint == joint)
}
