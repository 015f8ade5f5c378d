use super::time_axis::{MIN_BOX, TimeAxis, wheel};
use super::{PanelCx, curves, error_plot, lanes, note_lane, override_spans};
use crate::actions::{FAINT_CURVES, list};
use crate::commands::PlayCommand;
use crate::state::TimelineTab;
use crate::theme::{font, size};
use crate::widgets::focus;
use egui::{
    Align2, Key, PointerButton, Rangef, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// Height of the ruler.
const RULER: f32 = 20.0;
/// Size of the playhead's badge.
const BADGE: Vec2 = vec2(34.0, 17.0);

/// Ruler, error, contacts and curves over one time axis. A click or a drag moves the playhead.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>) {
    let Some((_, clip)) = cx.selected() else { return };
    let area = ui.available_rect_before_wrap();
    let (left, right) = if cx.narrow { (96.0, 56.0) } else { (144.0, 64.0) };
    let x = Rangef::new(area.left() + left, (area.right() - right).max(area.left() + left + 20.0));
    let axis = TimeAxis::new(x, clip.grid(), cx.view.range);

    let scrub = ui.interact(area, ui.scope_id().with("scrub"), Sense::click_and_drag());
    scrub.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Timeline"));
    keys(ui, cx, &scrub);
    menu(cx, &axis, &scrub);
    if let Some(range) = wheel(ui, axis.plot(area), cx.view.range) {
        cx.push(PlayCommand::ZoomTimeline(range.0, range.1));
    }
    let ruler = Rect::from_min_max(area.min, pos2(area.right(), area.top() + RULER));
    show_ruler(ui, cx, &axis, ruler);
    override_spans::show(ui, cx, &axis, ruler);
    let notes = pos2(area.right(), ruler.bottom() + note_lane::height(cx));
    let is_note = note_lane::show(ui, cx, &axis, Rect::from_min_max(pos2(area.left(), ruler.bottom()), notes));
    let rest = Rect::from_min_max(pos2(area.left(), notes.y), area.max);
    let is_taken = is_note | show_rows(ui, cx, &axis, rest, &scrub);
    played_part(ui, cx, &axis, area);
    playhead(ui, cx, &axis, area);

    if let Some(range) = box_zoom(ui, cx, &axis, area, &scrub) {
        cx.push(PlayCommand::ZoomTimeline(range.0, range.1));
    }
    let pointer = scrub
        .interact_pointer_pos()
        .filter(|p| axis.plot(area).contains(*p) || scrub.dragged_by(PointerButton::Primary));
    if let Some(pointer) =
        pointer.filter(|_| !is_taken && (scrub.clicked() || scrub.dragged_by(PointerButton::Primary)))
    {
        cx.push(PlayCommand::Seek(axis.snapped_secs(pointer.x)));
    }
}

/// Context menu about the moment under the pointer, where it puts the playhead.
fn menu(cx: &mut PanelCx<'_>, axis: &TimeAxis, scrub: &Response) {
    if let Some(pointer) = scrub.interact_pointer_pos().filter(|_| scrub.secondary_clicked()) {
        cx.push(PlayCommand::Seek(axis.snapped_secs(pointer.x)));
    }
    scrub.context_menu(|ui| {
        let of_moment = [&list::MOMENT_NOTE, &list::BLAMED_JOINT, &list::MARK_IN, &list::MARK_OUT, &list::PLAY_WHOLE];
        let elsewhere = [&list::GO_WORST, &list::GO_WORST_CONTACT, &list::WHOLE_TIMELINE, &list::RULER_SECONDS];
        of_moment.into_iter().for_each(|action| _ = cx.entry(ui, action));
        ui.separator();
        elsewhere.into_iter().for_each(|action| _ = cx.entry(ui, action));
        cx.submenu(ui, FAINT_CURVES, |ui, cx| cx.entries_of(ui, FAINT_CURVES));
    });
}

/// With the focus, arrows step and Space plays, same as without focus.
fn keys(ui: &Ui, cx: &mut PanelCx<'_>, scrub: &Response) {
    let (samples, _) = focus::arrows(ui, scrub);
    if samples != 0 {
        cx.push(PlayCommand::Step(f64::from(samples)));
    }
    if scrub.has_focus() && ui.input(|i| i.key_pressed(Key::Space)) {
        cx.run(&list::TOGGLE_PLAY);
    }
}

/// A right-drag zooms to the marked part of the clip, a double-click shows the whole clip. Returns the new part.
fn box_zoom(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect, scrub: &Response) -> Option<(f32, f32)> {
    if scrub.double_clicked() {
        return Some((0.0, 1.0));
    }
    let id = scrub.id.with("box");
    let pointer = scrub.interact_pointer_pos()?;
    if scrub.drag_started_by(PointerButton::Secondary) {
        let start = ui.input(|i| i.pointer.press_origin()).unwrap_or(pointer);
        ui.data_mut(|d| d.insert_temp(id, start.x));
    }
    let start: f32 = ui.data(|d| d.get_temp(id))?;
    let (from, to) = (start.min(pointer.x).max(axis.x.min), start.max(pointer.x).min(axis.x.max));
    if scrub.dragged_by(PointerButton::Secondary) {
        let marked = Rect::from_x_y_ranges(from..=to.max(from), area.y_range());
        ui.painter().rect_filled(marked, 0.0, cx.theme.accent.gamma_multiply(0.18));
    }
    if !scrub.drag_stopped_by(PointerButton::Secondary) {
        return None;
    }
    ui.data_mut(|d| d.remove_temp::<f32>(id));
    (to - from > MIN_BOX).then(|| (axis.share_at(from), axis.share_at(to)))
}

/// Error plot, contacts and curves, which share the height. Returns true if one of them used the pointer.
fn show_rows(ui: &mut Ui, cx: &mut PanelCx<'_>, axis: &TimeAxis, rest: Rect, scrub: &Response) -> bool {
    let tab = cx.view.settings.timeline_tab;
    let lanes_height = lanes::height(cx);
    let show_curves = !cx.tabs || tab == TimelineTab::Curves;
    let show_error = !cx.tabs || tab == TimelineTab::Error;
    let plots = (rest.height() - if show_error { lanes_height } else { 0.0 }).max(40.0);
    let error_height = match (show_error, show_curves) {
        (true, true) => plots * 0.46,
        (true, false) => plots,
        _ => 0.0,
    };
    let mut top = rest.top();
    let mut take = |height: f32| {
        let rect = Rect::from_min_max(pos2(rest.left(), top), pos2(rest.right(), (top + height).min(rest.bottom())));
        top = rect.bottom();
        rect
    };
    let mut is_taken = false;
    if show_error {
        error_plot::show(ui, cx, axis, take(error_height));
        is_taken |= lanes::show(ui, cx, axis, take(lanes_height));
    }
    if show_curves {
        is_taken |= curves::show(ui, cx, axis, take(plots - error_height), scrub);
    }
    is_taken
}

fn show_ruler(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, rect: Rect) {
    let painter = ui.painter().with_clip_rect(rect);
    let playhead = axis.x_of_secs(cx.view.transport.time_secs);
    let ticks = match cx.view.settings.ruler_seconds {
        true => axis.ticks_secs(),
        false => axis.ticks().map(|sample| (sample as f64, cx.frame_numbers().at(sample as f64).to_string())).collect(),
    };
    // Every second label is enough for the essentials.
    let every = if cx.shows_all() { 1 } else { 2 };
    for (sample, label) in ticks.into_iter().step_by(every) {
        let x = axis.x_of(sample);
        if (x - playhead).abs() < BADGE.x / 2.0 + 8.0 {
            continue; // the playhead's badge covers it
        }
        painter.text(pos2(x, rect.center().y), Align2::CENTER_CENTER, label, font(size::TICK), cx.theme.text3);
    }
}

/// Shades the parts that are not played.
fn played_part(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect) {
    let Some([start, end]) = cx.view.transport.range_secs else { return };
    let plot = axis.plot(area);
    let [start, end] = [start, end].map(|secs| axis.x_of_secs(secs).clamp(plot.left(), plot.right()));
    for shade in [plot.with_max_x(start), plot.with_min_x(end)] {
        ui.painter().rect_filled(shade, 0.0, cx.theme.app.gamma_multiply(0.55));
    }
    for x in [start, end] {
        ui.painter().vline(x, plot.top()..=plot.top() + RULER, Stroke::new(2.0, cx.theme.accent));
    }
}

fn playhead(ui: &Ui, cx: &PanelCx<'_>, axis: &TimeAxis, area: Rect) {
    let x = axis.x_of_secs(cx.view.transport.time_secs);
    if !axis.x.contains(x) {
        return;
    }
    let painter = ui.painter();
    painter.vline(x, (area.top() + 18.0)..=area.bottom(), Stroke::new(1.5, cx.theme.accent));
    let badge = Rect::from_center_size(pos2(x, area.top() + 9.0), BADGE);
    painter.rect_filled(badge, 4.0, cx.theme.accent_fill);
    let tip = vec![pos2(x - 4.0, badge.bottom()), pos2(x + 4.0, badge.bottom()), pos2(x, badge.bottom() + 4.0)];
    painter.add(Shape::convex_polygon(tip, cx.theme.accent_fill, Stroke::NONE));
    let frame = cx.frame_numbers().at(axis.sample_at(x));
    let text = if cx.view.settings.ruler_seconds {
        format!("{:.2}", cx.view.transport.time_secs)
    } else if (frame - frame.round()).abs() < 1e-3 {
        format!("{frame:.0}")
    } else {
        format!("{frame:.1}")
    };
    painter.text(badge.center(), Align2::CENTER_CENTER, text, font(size::SMALL), cx.theme.on_accent);
}
