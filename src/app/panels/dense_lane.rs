//! Contacts of a take that is too long for one block per contact: the worst contact of each point.

use super::PanelCx;
use super::time_axis::TimeAxis;
use crate::commands::FindCommand;
use egui::{Rect, Response, Ui, pos2};
use posepress_core::metrics::{SlideReport, Verdict};
use posepress_core::text;

/// Least mean width of a contact's block, points. Narrower blocks are not drawn one by one.
const LEAST_BLOCK: f32 = 6.0;

/// True if the contacts of a foot in sight are too many for one block per contact.
pub fn is_dense(axis: &TimeAxis, report: &SlideReport, foot: usize, duration_secs: f32) -> bool {
    let seen = axis.x.max - axis.x.min;
    let in_sight = spans(report, foot, duration_secs)
        .filter(|(_, [from, to])| axis.x_of_secs(*to) >= axis.x.min && axis.x_of_secs(*from) <= axis.x.max);
    in_sight.count() as f32 * LEAST_BLOCK > seen
}

/// Draws the worst contact of each point: the worse, the higher. A click shows that contact. Returns true if one was clicked.
pub fn show(
    ui: &Ui,
    cx: &mut PanelCx<'_>,
    axis: &TimeAxis,
    lane: Rect,
    (report, foot): (&SlideReport, usize),
    response: Response,
) -> bool {
    let duration_secs = cx.selected().map_or(0.0, |(_, clip)| clip.duration_secs());
    let plot = axis.plot(lane).shrink2(egui::vec2(0.0, 2.0));
    let places = spans(report, foot, duration_secs).map(|(index, span)| {
        let [from, to] = span.map(|secs| axis.x_of_secs(secs) - plot.left());
        (from, to, report.contacts[index].slide_m, index)
    });
    let worst = worst_by_point(places, plot.width() as usize);
    for (at, index) in worst.iter().enumerate() {
        let Some(contact) = index.map(|index| &report.contacts[index]) else { continue };
        let share = match contact.verdict {
            Verdict::Good => 0.4,
            Verdict::Warn => 0.7,
            Verdict::Fail => 1.0,
        };
        let left = plot.left() + at as f32;
        let bar =
            Rect::from_min_max(pos2(left, plot.bottom() - share * plot.height()), pos2(left + 1.0, plot.bottom()));
        ui.painter().rect_filled(bar, 0.0, cx.theme.verdict(contact.verdict));
    }
    let under = |x: f32| worst.get((x - plot.left()).max(0.0) as usize).copied().flatten();
    let words =
        "Many contacts: each point shows the worst. Higher is worse. Click to jump to it, or zoom in with the wheel.";
    let pointed =
        response.hover_pos().and_then(|at| under(at.x)).map(|index| text::length(report.contacts[index].slide_m));
    let response = response.on_hover_text(match pointed {
        Some(slide) => format!("Slides {slide} here. {words}"),
        None => words.to_owned(),
    });
    let clicked = response.interact_pointer_pos().filter(|_| response.clicked()).and_then(|at| under(at.x));
    clicked.into_iter().for_each(|index| cx.push(FindCommand::ShowContact(index)));
    clicked.is_some()
}

/// Contacts of a foot with their times. A contact across a loop's seam has two.
fn spans(report: &SlideReport, foot: usize, duration_secs: f32) -> impl Iterator<Item = (usize, [f32; 2])> + '_ {
    let contacts = report.contacts.iter().enumerate().filter(move |(_, contact)| contact.foot == foot);
    contacts.flat_map(move |(index, _)| {
        report.plan.contacts[index].spans(duration_secs).map(move |(from, to)| (index, [from, to]))
    })
}

/// For each point, the contact that slides most there. Contacts are given as start, end, slide and index.
fn worst_by_point(contacts: impl Iterator<Item = (f32, f32, f32, usize)>, points: usize) -> Vec<Option<usize>> {
    let mut worst: Vec<Option<(f32, usize)>> = vec![None; points];
    for (from, to, slide_m, index) in contacts {
        let last = (to.max(from) as usize).min(points.saturating_sub(1));
        for point in worst.iter_mut().take(last + 1).skip(from.max(0.0) as usize) {
            if to >= 0.0 && point.is_none_or(|(known, _)| slide_m > known) {
                *point = Some((slide_m, index));
            }
        }
    }
    worst.into_iter().map(|point| point.map(|(_, index)| index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_contact_of_a_point_is_drawn_and_none_outside() {
        let contacts = [(0.2, 1.9, 0.1, 0), (1.1, 1.4, 0.5, 1), (3.0, 9.0, 0.2, 2), (-4.0, -1.0, 9.0, 3)];
        let worst = worst_by_point(contacts.into_iter(), 5);
        assert_eq!(worst, [Some(0), Some(1), None, Some(2), Some(2)]);
        assert!(worst_by_point(contacts.into_iter(), 0).is_empty());
    }
}
