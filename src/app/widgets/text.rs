use crate::theme::{Theme, font};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, Painter, Pos2, Rect, Response, RichText, TextFormat, Ui, pos2};

/// One line of text in a size and colour.
pub fn label(ui: &mut Ui, text: impl Into<String>, size: f32, color: Color32) -> Response {
    ui.add(egui::Label::new(RichText::new(text).size(size).color(color)).truncate())
}

/// A value with its unit, which is smaller and weaker. `text` is in the format of [`posepress_core::text`], such as
/// `3.4 mm`.
pub fn quantity(theme: &Theme, text: &str, size: f32, color: Color32) -> LayoutJob {
    let (value, unit) = text.rsplit_once(' ').unwrap_or((text, ""));
    let mut job = LayoutJob::default();
    job.append(value, 0.0, TextFormat::simple(font(size), color));
    if !unit.is_empty() {
        job.append(unit, 4.0, TextFormat::simple(font((size - 1.0).max(11.0)), theme.text3));
    }
    job
}

/// Paints a laid-out text whose right middle is at `at`. Returns its rectangle.
pub fn text_right(painter: &Painter, at: Pos2, job: LayoutJob) -> Rect {
    let galley = painter.layout_job(job);
    let rect = Align2::RIGHT_CENTER.anchor_size(at, galley.size());
    painter.galley(rect.min, galley, Color32::PLACEHOLDER);
    rect
}

/// Paints one line from `left`, cut with an ellipsis if it would pass `right`. Returns its rectangle.
pub fn text_elided(painter: &Painter, left: Pos2, right: f32, text: &str, size: f32, color: Color32) -> Rect {
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font(size), color);
    job.wrap = TextWrapping::truncate_at_width((right - left.x).max(0.0));
    let galley = painter.layout_job(job);
    let rect = Rect::from_min_size(pos2(left.x, left.y - galley.size().y / 2.0), galley.size());
    painter.galley(rect.min, galley, color);
    rect
}

/// Paints one line from `left`. If it would pass `right`, its middle is cut, because both ends of a name matter.
pub fn text_middle(painter: &Painter, left: Pos2, right: f32, text: &str, size: f32, color: Color32) {
    text_cut(painter, (left, right), text, (size, color), without_middle);
}

/// Same as [`text_middle`], for a name in a list in which another name starts with the same `shared` letters. The
/// visible letters distinguish them.
pub fn text_distinct(
    painter: &Painter,
    left: Pos2,
    right: f32,
    (text, shared): (&str, usize),
    size: f32,
    color: Color32,
) {
    text_cut(painter, (left, right), text, (size, color), |chars, kept| distinct(chars, shared, kept));
}

/// Paints a text, cut to as many letters as fit, which bisection finds.
fn text_cut(
    painter: &Painter,
    (left, right): (Pos2, f32),
    text: &str,
    (size, color): (f32, Color32),
    cut: impl Fn(&[char], usize) -> String,
) {
    let room = right - left.x;
    let layout = |text: String| painter.layout_no_wrap(text, font(size), color);
    let mut galley = layout(text.to_owned());
    if galley.size().x > room {
        let chars: Vec<char> = text.chars().collect();
        let (mut fits, mut too_many) = (0, chars.len());
        galley = layout(cut(&chars, fits));
        while too_many - fits > 1 {
            let kept = (fits + too_many) / 2;
            let shorter = layout(cut(&chars, kept));
            if shorter.size().x <= room {
                (fits, galley) = (kept, shorter);
            } else {
                too_many = kept;
            }
        }
    }
    painter.galley(pos2(left.x, left.y - galley.size().y / 2.0), galley, color);
}

/// `kept` letters of a name that shares its first `shared` ones with another name. They are its start if that
/// distinguishes the names, else the word in which they differ and what follows.
fn distinct(chars: &[char], shared: usize, kept: usize) -> String {
    /// Number of letters after the shared ones that distinguish a name.
    const TELLING: usize = 3;
    let text = |part: &[char]| part.iter().collect::<String>();
    if shared + TELLING <= kept {
        return format!("{}\u{2026}", text(&chars[..kept]));
    }
    let shared = shared.min(chars.len());
    let word = chars[..shared].iter().rposition(|letter| !letter.is_alphanumeric()).map_or(0, |last| last + 1);
    // Start at the word if its shared letters take less than half of the room.
    let from = if word + kept / 2 > shared || shared == chars.len() { word } else { shared };
    let tail = &chars[from..];
    let head = kept.saturating_sub(tail.len()).max(kept / 3).min(from);
    let told = &tail[..tail.len().min(kept - head)];
    let more = if told.len() < tail.len() { "\u{2026}" } else { "" };
    format!("{}\u{2026}{}{more}", text(&chars[..head]), text(told))
}

/// `kept` letters of a text: the larger half from its start, the other from its end.
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

    #[test]
    fn names_of_a_list_keep_what_tells_them_apart() {
        let cut = |name: &str, shared: usize, kept: usize| distinct(&name.chars().collect::<Vec<_>>(), shared, kept);
        assert_eq!(cut("walk_normal_001", 5, 10), "walk_norma\u{2026}", "its start does");
        assert_eq!(cut("1H_Melee_Attack_Chop", 16, 12), "1H_Melee\u{2026}Chop", "its start does not");
        assert_eq!(cut("ds1_walk_normal_001", 9, 9), "ds1\u{2026}normal\u{2026}", "run_normal is another one");
        assert_eq!(cut("turn (2)", 4, 6), "tu\u{2026} (2)", "half of the room is not enough for the word");
        assert_eq!(cut("shoot", 5, 4), "\u{2026}shoo\u{2026}", "shooting is another one");
        assert_eq!(cut("a", 1, 0), "\u{2026}\u{2026}");
    }
}
