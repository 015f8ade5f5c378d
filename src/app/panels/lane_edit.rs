//! Plants changed by hand: ends are dragged, a right-click adds and deletes.

use super::PanelCx;
use super::time_axis::TimeAxis;
use crate::commands::Command;
use crate::focus;
use egui::{CursorIcon, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2};
use posepress_core::metrics::ContactReport;

/// Half the width of the zone at an end that takes a drag.
const GRIP: f32 = 4.0;
/// Length of a plant that is added, if its neighbours leave room.
const NEW_SECS: f32 = 0.2;

/// The plants of one foot, to be changed.
pub struct LaneEdit<'a> {
    /// Of which report.
    pub report: &'a ContactReport,
    /// Name of the foot's joint.
    pub joint: &'a str,
    foot: usize,
    /// Duration of the clip and time of a sample.
    duration_secs: f32,
    sample_secs: f32,
}

/// Which end of a plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Touch-down.
    Start,
    /// Lift-off.
    End,
}

impl<'a> LaneEdit<'a> {
    /// The plants of a foot of the report.
    pub fn new(cx: &PanelCx<'a>, report: &'a ContactReport, foot: usize) -> Option<Self> {
        let (rig, clip) = cx.selected()?;
        let joint = rig.skeleton.name(report.plan.feet.get(foot)?.joint);
        let sample_secs = clip.grid().time_secs(1.0);
        Some(Self { report, foot, joint, duration_secs: clip.duration_secs(), sample_secs })
    }

    /// Index into the report's plants, touch-down and lift-off.
    fn spans(&self) -> impl Iterator<Item = (usize, [f32; 2])> + '_ {
        let plants = self.report.plants.iter().enumerate().filter(|(_, p)| p.foot == self.foot);
        plants.map(|(index, p)| (index, [p.start_secs, p.end_secs]))
    }

    /// All spans, with one end of one plant moved: never beyond its other end or a neighbour.
    pub fn moved(&self, plant: usize, end: End, to_secs: f32) -> Vec<[f32; 2]> {
        let spans: Vec<_> = self.spans().collect();
        let Some(at) = spans.iter().position(|(index, _)| *index == plant) else {
            return spans.into_iter().map(|s| s.1).collect();
        };
        let before = at.checked_sub(1).map_or(0.0, |i| spans[i].1[1] + self.sample_secs);
        let [start, stop] = spans[at].1;
        let after = spans.get(at + 1).map_or(self.duration_secs, |s| s.1[0] - self.sample_secs);
        let mut spans: Vec<_> = spans.into_iter().map(|s| s.1).collect();
        match end {
            End::Start => spans[at][0] = to_secs.clamp(before.min(start), stop - self.sample_secs),
            End::End => spans[at][1] = to_secs.clamp(start + self.sample_secs, after.max(stop)),
        }
        spans
    }

    /// All spans but one.
    fn without(&self, plant: usize) -> Vec<[f32; 2]> {
        self.spans().filter(|(index, _)| *index != plant).map(|s| s.1).collect()
    }

    /// All spans and a new one at a time, as long as there is room; `None` where the foot stands already.
    pub fn with_new(&self, at_secs: f32) -> Option<Vec<[f32; 2]>> {
        let mut spans: Vec<_> = self.spans().map(|s| s.1).collect();
        if spans.iter().any(|[start, end]| (*start..=*end).contains(&at_secs)) {
            return None;
        }
        let next = spans.iter().map(|s| s[0] - self.sample_secs).filter(|s| *s > at_secs).reduce(f32::min);
        let end_secs = (at_secs + NEW_SECS).min(next.unwrap_or(self.duration_secs)).min(self.duration_secs);
        if end_secs - at_secs < self.sample_secs * 0.5 {
            return None;
        }
        spans.push([at_secs, end_secs]);
        spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Some(spans)
    }

    /// The ends of a block that take a drag: a plant across the seam of a loop is two blocks, which meet where no end is.
    pub fn grips(
        &self,
        ui: &Ui,
        cx: &mut PanelCx<'_>,
        axis: &TimeAxis,
        block: Rect,
        plant: usize,
        (start_secs, end_secs): (f32, f32),
    ) {
        let whole = &self.report.plants[plant];
        let beyond_secs = if end_secs < whole.start_secs { self.duration_secs } else { 0.0 };
        let is_end = (end_secs + beyond_secs - whole.end_secs).abs() < 0.5 * self.sample_secs;
        let ends = [(End::Start, start_secs == whole.start_secs, block.left()), (End::End, is_end, block.right())];
        for (end, is_end, x) in ends {
            if !is_end || block.width() < 4.0 * GRIP {
                continue;
            }
            let zone = Rect::from_x_y_ranges(x - GRIP..=x + GRIP, block.y_range());
            let id = ui.scope_id().with(("grip", self.foot, plant, end == End::Start));
            let response = ui.interact(zone, id, Sense::drag()).on_hover_cursor(CursorIcon::ResizeHorizontal);
            response.widget_info(|| {
                let name = if end == End::Start { "Touch-down" } else { "Lift-off" };
                WidgetInfo::labeled(egui::Role::Slider, true, format!("{name} of {}", self.joint))
            });
            if response.hovered() || response.dragged() {
                let stroke = Stroke::new(2.0, cx.theme.accent);
                ui.painter().line_segment([pos2(x, block.top()), pos2(x, block.bottom())], stroke);
            }
            if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
                let shift_secs = if end == End::End { beyond_secs } else { 0.0 };
                let spans = self.moved(plant, end, axis.snapped_secs(pointer.x) + shift_secs);
                cx.push(Command::PreviewPlants(self.joint.to_owned(), spans));
            }
            let (samples, _) = focus::arrows(ui, &response);
            if samples != 0 {
                let at_secs = if end == End::Start { whole.start_secs } else { whole.end_secs };
                let spans = self.moved(plant, end, at_secs + samples as f32 * self.sample_secs);
                cx.push(Command::EditPlants(format!("Plant of {}", self.joint), self.joint.to_owned(), Some(spans)));
            }
            if response.drag_stopped() {
                cx.push(Command::CommitPlants(format!("Plant of {}", self.joint)));
            }
        }
    }

    /// What a right-click on a plant offers.
    pub fn plant_menu(&self, cx: &mut PanelCx<'_>, response: &Response, plant: usize) {
        response.context_menu(|ui| {
            if ui.button("Delete plant").on_hover_text("This foot does not stand here.").clicked() {
                let label = format!("Delete plant of {}", self.joint);
                cx.push(Command::EditPlants(label, self.joint.to_owned(), Some(self.without(plant))));
            }
            self.restore_button(ui, cx);
        });
    }

    /// What a right-click on an empty part of the lane offers.
    pub fn lane_menu(&self, cx: &mut PanelCx<'_>, response: &Response, axis: &TimeAxis) {
        let id = response.id.with("menu at");
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) {
            response.ctx.data_mut(|d| d.insert_temp(id, axis.snapped_secs(pointer.x)));
        }
        response.context_menu(|ui| {
            let at_secs = ui.data(|d| d.get_temp(id)).unwrap_or(cx.view.transport.time_secs);
            let spans = self.with_new(at_secs);
            ui.add_enabled_ui(spans.is_some(), |ui| {
                let response = ui.button("Add plant here").on_hover_text("This foot stands here; drag its ends.");
                if let Some(spans) = spans.filter(|_| response.clicked()) {
                    let label = format!("Add plant of {}", self.joint);
                    cx.push(Command::EditPlants(label, self.joint.to_owned(), Some(spans)));
                }
            });
            self.restore_button(ui, cx);
        });
    }

    fn restore_button(&self, ui: &mut Ui, cx: &mut PanelCx<'_>) {
        let drawn = is_drawn(cx, self.joint);
        ui.add_enabled_ui(drawn, |ui| {
            let help = "Forget what was drawn by hand for this foot in this clip.";
            if ui.button("Back to found plants").on_hover_text(help).clicked() {
                let label = format!("Found plants of {}", self.joint);
                cx.push(Command::EditPlants(label, self.joint.to_owned(), None));
            }
        });
    }
}

/// Somebody drew the plants of this foot of the selected clip.
pub fn is_drawn(cx: &PanelCx<'_>, joint: &str) -> bool {
    let feet = cx.workspace.selected().map_or(&[][..], |id| cx.workspace.drawn_plants(id));
    feet.iter().any(|f| f.joint == joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posepress_core::metrics::PlantReport;
    use posepress_core::metrics::Verdict;

    fn report() -> ContactReport {
        let plant = |start_secs, end_secs| PlantReport {
            foot: 0,
            joint: 0,
            start_secs,
            end_secs,
            slide_m: 0.0,
            rate_m_s: 0.0,
            shimmer_m: 0.0,
            float_m: 0.0,
            sink_m: 0.0,
            worst_secs: start_secs,
            verdict: Verdict::Good,
        };
        ContactReport { plants: vec![plant(0.5, 1.0), plant(1.5, 2.0)], ..ContactReport::default() }
    }

    fn edit(report: &ContactReport) -> LaneEdit<'_> {
        LaneEdit { report, foot: 0, joint: "foot", duration_secs: 3.0, sample_secs: 0.1 }
    }

    #[test]
    fn ends_stop_at_the_other_end_and_at_neighbours() {
        let report = report();
        let edit = edit(&report);
        assert_eq!(edit.moved(0, End::End, 1.2), [[0.5, 1.2], [1.5, 2.0]]);
        assert_eq!(edit.moved(0, End::End, 9.0)[0], [0.5, 1.4]);
        assert_eq!(edit.moved(0, End::End, 0.0)[0], [0.5, 0.6]);
        assert_eq!(edit.moved(1, End::Start, 0.0)[1], [1.1, 2.0]);
        assert_eq!(edit.moved(0, End::Start, -1.0)[0], [0.0, 1.0]);
        assert_eq!(edit.moved(7, End::Start, 0.0).len(), 2, "a plant that is not there changes nothing");
    }

    #[test]
    fn new_plants_take_the_room_that_there_is() {
        let report = report();
        let edit = edit(&report);
        assert_eq!(edit.with_new(0.1).unwrap()[0], [0.1, 0.3]);
        assert_eq!(edit.with_new(1.3).unwrap()[1], [1.3, 1.4]);
        assert_eq!(edit.with_new(2.9).unwrap()[2], [2.9, 3.0]);
        assert!(edit.with_new(0.7).is_none() && edit.with_new(3.0).is_none());
        assert_eq!(edit.without(0), [[1.5, 2.0]]);
    }
}
