use crate::theme::{Theme, font};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Painter, Pos2, Rect, Response, RichText, TextFormat, Ui, pos2};

/// One line of text in a size and colour.
pub fn label(ui: &mut Ui, text: impl Into<String>, size: f32, color: Color32) -> Response {
    ui.add(egui::Label::new(RichText::new(text).size(size).color(color)).truncate())
}

/// A value with its unit: the unit one step smaller and weaker. `text` is what [`posepress_core::text`] writes, `3.4 mm`.
pub fn quantity(theme: &Theme, text: &str, size: f32, color: Color32) -> LayoutJob {
    let (value, unit) = text.rsplit_once(' ').unwrap_or((text, ""));
    let mut job = LayoutJob::default();
    job.append(value, 0.0, TextFormat::simple(font(size), color));
    if !unit.is_empty() {
        job.append(unit, 4.0, TextFormat::simple(font((size - 1.0).max(11.0)), theme.text3));
    }
    job
}

/// Paints a laid-out text whose right middle is at `at`.
pub fn text_right(painter: &Painter, at: Pos2, job: LayoutJob) {
    let galley = painter.layout_job(job);
    let rect = Align2::RIGHT_CENTER.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, Color32::PLACEHOLDER);
}

/// Paints one line from `left`, cut with an ellipsis where it would pass `right`; returns where it stands.
pub fn text_elided(painter: &Painter, left: Pos2, right: f32, text: &str, size: f32, color: Color32) -> Rect {
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font(size), color);
    job.wrap = TextWrapping::truncate_at_width((right - left.x).max(0.0));
    let galley = painter.layout_job(job);
    let rect = Rect::from_min_size(pos2(left.x, left.y - galley.size().y / 2.0), galley.size());
    painter.galley(rect.min, galley, color);
    rect
}

/// Paints one line from `left`; where it would pass `right` its middle is left out: names are told apart by both ends.
pub fn text_middle(painter: &Painter, left: Pos2, right: f32, text: &str, size: f32, color: Color32) {
    let room = right - left.x;
    let layout = |text: String| painter.layout_no_wrap(text, font(size), color);
    let mut galley = layout(text.to_owned());
    if galley.size().x > room {
        let chars: Vec<char> = text.chars().collect();
        // As many letters as fit, by halves.
        let (mut fits, mut too_many) = (0, chars.len());
        galley = layout(without_middle(&chars, fits));
        while too_many - fits > 1 {
            let kept = (fits + too_many) / 2;
            let cut = layout(without_middle(&chars, kept));
            if cut.size().x <= room {
                (fits, galley) = (kept, cut);
            } else {
                too_many = kept;
            }
        }
    }
    painter.galley(pos2(left.x, left.y - galley.size().y / 2.0), galley, color);
}

/// So many letters of a text: the larger half from its start, the other from its end.
fn without_middle(chars: &[char], kept: usize) -> String {
    let tail = kept / 2;
    let head = chars[..kept - tail].iter();
    head.chain(&['\u{2026}']).chain(&chars[chars.len() - tail..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        let chars: Vec<char> = "walk_forward_left".chars().collect();
        assert_eq!(without_middle(&chars, 8), "walk\u{2026}left");
        assert_eq!(without_middle(&chars, 1), "w\u{2026}");
        assert_eq!(without_middle(&chars, 0), "\u{2026}");
    }
}
