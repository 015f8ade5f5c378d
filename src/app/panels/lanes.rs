use super::lane_edit::{LaneEdit, is_drawn};
use super::lane_row::{self, LANE, hatch};
use super::time_axis::TimeAxis;
use super::{PanelCx, dense_lane, pin_lanes};
use crate::commands::{FindCommand, PlayCommand, WindowCommand};
use crate::state::Panel;
use crate::theme::{rounding, size};
use crate::widgets::{Icon, paint_icon, quantity, verdict_icon};
use egui::{Align, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::metrics::{ContactSlide, FootPart, SlideReport, Verdict};
use posepress_core::report::{contact_frames, slide_limit};
use posepress_core::text;

/// Largest number of shown feet, to leave room for the plots.
const MAX_LANES: usize = 6;

/// Height of all rows together.
pub fn height(cx: &PanelCx<'_>) -> f32 {
    let feet = cx.report().map_or(0, |r| r.slide.plan.feet.len());
    LANE * feet.clamp(1, MAX_LANES) as f32 + pin_lanes::height(cx) + 8.0
}

/// One row per foot, one block per contact, and below them the rows of pins. Returns true if a contact was clicked.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rect: Rect) -> bool {
    ui.painter().hline(rect.x_range(), rect.top() + 2.0, Stroke::new(1.0, cx.theme.weak));
    let rows = rect.shrink2(vec2(0.0, 4.0));
    let (rows, of_pins) = rows.split_top_bottom_at_y(rows.bottom() - pin_lanes::height(cx));
    let mut clicked = pin_lanes::show(ui, cx, axis, of_pins);
    let Some(report) = cx.report().map(|r| &r.slide) else { return clicked };
    if report.plan.feet.is_empty() {
        return no_contacts(ui, cx, rows.with_min_x(axis.x.min + 8.0)) || clicked;
    }
    for foot in 0..report.plan.feet.len().min(MAX_LANES) {
        let top = rows.top() + LANE * foot as f32;
        let lane = Rect::from_min_max(pos2(rows.left(), top), pos2(rows.right(), top + LANE));
        clicked |= show_lane(ui, cx, axis, lane, report, foot);
    }
    clicked
}

/// The row without feet, and a link to the panel where a joint is marked. Returns true if it was clicked.
fn no_contacts(ui: &mut Ui, cx: &mut PanelCx<'_>, rect: Rect) -> bool {
    let row = UiBuilder::new().id_salt("no contacts").max_rect(rect).layout(Layout::left_to_right(Align::Center));
    let link = ui.scope_builder(row, |ui| {
        ui.label(RichText::new("No contacts found.").size(size::SMALL).color(cx.theme.text3));
        ui.link(RichText::new("Mark a joint").size(size::SMALL))
    });
    let clicked = link.inner.on_hover_text("Shows the panel Contacts. Select a joint, and mark it there.").clicked();
    if clicked {
        cx.push(WindowCommand::ShowPanel(Panel::Contacts));
    }
    clicked
}

/// The row of one foot. Returns true if a contact was clicked.
pub fn show_lane(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    axis: &TimeAxis,
    lane: Rect,
    report: &SlideReport,
    foot: usize,
) -> bool {
    let Some((rig, _)) = cx.selected() else { return false };
    let joint = report.plan.feet[foot].joint;
    let name = rig.skeleton.name(joint);
    lane_row::ground(ui, cx, axis, lane, Icon::Foot);
    let Some(edit) = LaneEdit::new(cx, report, foot) else { return false };
    let ground = ui.interact(axis.plot(lane), ui.scope_id().with(("lane", foot)), Sense::CLICK);
    ground.widget_info(|| WidgetInfo::labeled(egui::Role::GenericContainer, true, format!("Contacts of {name}")));
    edit.lane_menu(cx, &ground, axis);
    let duration_secs = cx.selected().map_or(0.0, |(_, clip)| clip.duration_secs());
    let is_dense = dense_lane::is_dense(axis, report, foot, duration_secs);
    if let Some(pointer) = ground.interact_pointer_pos().filter(|_| ground.clicked() && !is_dense) {
        cx.push(PlayCommand::Seek(axis.snapped_secs(pointer.x)));
    }
    lane_row::name(ui, cx, axis, lane, (name, joint));
    let contacts = report.contacts.iter().enumerate().filter(|(_, p)| p.foot == foot);
    let worst = contacts.clone().max_by(|a, b| a.1.slide_m.total_cmp(&b.1.slide_m));
    if let Some((_, worst)) = worst {
        lane_row::worst(ui, cx, lane, worst.slide_m, worst.verdict);
    }
    if is_dense {
        return dense_lane::show(ui, cx, axis, lane, (report, foot), ground);
    }
    let mut clicked = false;
    for (index, _) in contacts {
        // A contact across a loop's seam is two blocks.
        for span in report.plan.contacts[index].spans(duration_secs) {
            clicked |= show_contact(ui, cx, axis, lane, span, index, &edit);
        }
    }
    clicked
}

fn show_contact(
    ui: &mut Ui,
    cx: &mut PanelCx<'_>,
    axis: &TimeAxis,
    lane: Rect,
    (start_secs, end_secs): (f32, f32),
    index: usize,
    edit: &LaneEdit<'_>,
) -> bool {
    let (name, contact) = (edit.joint, &edit.contacts.report.contacts[index]);
    let (from, to) = (axis.x_of_secs(start_secs), axis.x_of_secs(end_secs));
    let block = Rect::from_x_y_ranges(from..=to.max(from + 3.0), lane.y_range()).shrink2(vec2(0.0, 2.0));
    let block = block.intersect(axis.plot(lane));
    if !block.is_positive() {
        return false;
    }
    let response = ui.interact(block, ui.scope_id().with(("contact", index, start_secs.to_bits())), Sense::click());
    let slide = text::length(contact.slide_m);
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Button,
            true,
            format!("Contact of {name}, slides {slide}, {:?}", contact.verdict),
        )
    });
    let painter = ui.painter().with_clip_rect(block);
    let is_under = (start_secs..=end_secs).contains(&cx.view.transport.time_secs);
    paint_contact(&painter, cx, block, contact.verdict, is_under);
    paint_parts(&painter, cx, axis, block, edit.contacts.report, index);
    label(&painter, cx, axis, block, contact, &slide);
    edit.grips(ui, cx, axis, block, index, (start_secs, end_secs));
    edit.contact_menu(cx, &response, index);
    let response = response.on_hover_text(contact_tooltip(cx, contact, edit));
    if response.clicked() {
        cx.push(FindCommand::ShowContact(index));
    }
    response.clicked()
}

fn paint_contact(painter: &egui::Painter, cx: &PanelCx<'_>, block: Rect, verdict: Verdict, is_under: bool) {
    let color = cx.theme.verdict(verdict);
    painter.rect_filled(block, rounding::LANE as f32, cx.theme.verdict_fill(verdict));
    if verdict == Verdict::Fail {
        hatch(painter, block, color);
    }
    let outline = if is_under { Stroke::new(2.0, cx.theme.text1) } else { Stroke::new(1.0, color) };
    painter.rect_stroke(block, rounding::LANE as f32, outline, StrokeKind::Inside);
}

/// A line along the upper edge while the heel stands, and one along the lower edge while the toes stand.
fn paint_parts(
    painter: &egui::Painter,
    cx: &PanelCx<'_>,
    axis: &TimeAxis,
    block: Rect,
    report: &SlideReport,
    index: usize,
) {
    let duration_secs = cx.selected().map_or(0.0, |(_, clip)| clip.duration_secs());
    let contact = &report.plan.contacts[index];
    let foot = &report.plan.feet[contact.foot];
    let color = cx.theme.verdict(report.contacts[index].verdict).gamma_multiply(0.8);
    for (part, y) in [(FootPart::Heel, block.top() + 3.0), (FootPart::Toe, block.bottom() - 3.0)] {
        for (start_secs, end_secs) in contact.part_spans(foot, part, duration_secs) {
            let x = (axis.x_of_secs(start_secs) + 1.0)..=(axis.x_of_secs(end_secs) - 1.0);
            painter.hline(x, y, Stroke::new(1.5, color));
        }
    }
}

fn contact_tooltip(cx: &PanelCx<'_>, contact: &ContactSlide, edit: &LaneEdit<'_>) -> String {
    let name = edit.joint;
    let range = cx.selected().map_or(String::new(), |(_, clip)| contact_frames(clip, contact, cx.frame_numbers()));
    let limits = &edit.contacts.report.limits;
    let over =
        contact.over.map_or(String::new(), |limit| format!(" Over the limit of {}.", slide_limit(limits, limit)));
    let sampling =
        contact.sampling_m.map_or(String::new(), |lost_m| format!(", and its samples lose {}", text::length(lost_m)));
    let drawn = if is_drawn(cx, name) { " Drawn by hand." } else { "" };
    format!(
        "{name} is in contact {range}. Compressed, it drifts {}, at most {}.{over}\nIn the original it slides {} over the \
         ground{sampling}.\nShimmer {}, float {}, sink {}.\nClick to jump to its worst frame. Drag an end to change it. Right-click for more.{drawn}",
        text::length(contact.slide_m),
        text::speed(contact.rate_m_s),
        text::length(contact.source_m),
        text::length(contact.shimmer_m),
        text::length(contact.float_m),
        text::length(contact.sink_m)
    )
}

/// Draws icon and slide of a contact, away from the playhead. A short block has only the icon, a very short one
/// nothing.
fn label(painter: &egui::Painter, cx: &PanelCx<'_>, axis: &TimeAxis, block: Rect, contact: &ContactSlide, slide: &str) {
    let color = cx.theme.verdict(contact.verdict);
    let wide = block.width() > 74.0 && cx.shows_all();
    let width = if wide { 62.0 } else { 12.0 };
    if block.width() < 14.0 {
        return;
    }
    let mut left = if contact.verdict == Verdict::Good { block.left() + 5.0 } else { block.center().x - width / 2.0 };
    let playhead = axis.x_of_secs(cx.view.transport.time_secs);
    if (left - 4.0..left + width + 4.0).contains(&playhead) {
        let after = playhead + 6.0;
        left = if after + width < block.right() { after } else { (playhead - width - 6.0).max(block.left() + 3.0) };
    }
    if contact.verdict == Verdict::Fail {
        // Text on hatching is hard to read.
        let behind = Rect::from_center_size(pos2(left + width / 2.0, block.center().y), vec2(width + 8.0, 14.0));
        painter.rect_filled(behind, rounding::LANE as f32, cx.theme.fail_fill);
    }
    let icon = Rect::from_min_size(pos2(left, block.center().y - 6.0), Vec2::splat(12.0));
    paint_icon(painter, icon, 11.0, verdict_icon(contact.verdict), color);
    if wide {
        let job = quantity(cx.theme, slide, size::SMALL, color);
        let galley = painter.layout_job(job);
        painter.galley(pos2(left + 16.0, block.center().y - galley.size().y / 2.0), galley, color);
    }
}
