//! Plots of a page, as SVG in the colours of the page.

use super::html::escape;
use posepress_core::report::ContactRow;
use posepress_core::text;
use std::fmt::Write;

/// Width of the drawing; the page scales it.
const WIDTH: f32 = 720.0;
/// Space at the left for the names of axes and bars.
const GUTTER: f32 = 72.0;
/// Height of the error plot.
const ERROR_HEIGHT: f32 = 120.0;
/// Height of the lane of a foot and of a bar.
const LANE: f32 = 18.0;
/// Largest number of points in a plot of this width. For more values, the largest of each group is drawn.
const MOST_POINTS: usize = 600;

/// Error over time with its tolerance, above the contacts of each foot.
pub fn error_plot(error_m: &[f32], duration_secs: f32, tolerance_m: f32, contacts: &[ContactRow]) -> String {
    let mut feet: Vec<&str> = contacts.iter().map(|contact| contact.joint.as_str()).collect();
    feet.sort_unstable();
    feet.dedup();
    let bottom = ERROR_HEIGHT;
    let height = bottom + LANE * feet.len() as f32 + LANE;
    let most_m = error_m.iter().copied().fold(tolerance_m, f32::max).max(f32::MIN_POSITIVE) * 1.1;
    let y = |error_m: f32| bottom - error_m / most_m * (bottom - 8.0);
    let x = |secs: f32| GUTTER + (WIDTH - GUTTER) * secs / duration_secs.max(f32::MIN_POSITIVE);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Shell error over time, at most {}, tolerance {}\">",
        text::length(error_m.iter().copied().fold(0.0, f32::max)),
        text::length(tolerance_m)
    );
    let _ = write!(out, "<rect class=\"well\" x=\"{GUTTER}\" width=\"{}\" height=\"{bottom}\"/>", WIDTH - GUTTER);
    let at = y(tolerance_m);
    let _ = write!(out, "<path class=\"limit\" d=\"M{GUTTER} {at:.1}H{WIDTH}\"/>");
    label(&mut out, at + 4.0, &text::length(tolerance_m));
    label(&mut out, bottom - 2.0, "0");
    let last = error_m.len().saturating_sub(1).max(1) as f32;
    let points = thinned(error_m).map(|(step, e)| format!("{:.1},{:.1}", x(step as f32 / last * duration_secs), y(e)));
    let _ = write!(out, "<polyline class=\"line\" points=\"{}\"/>", points.collect::<Vec<_>>().join(" "));
    for (lane, foot) in feet.iter().enumerate() {
        let standing = contacts.iter().filter(|contact| contact.joint == *foot);
        foot_lane(&mut out, bottom + LANE * lane as f32, foot, standing, x);
    }
    let _ = write!(out, "<text x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">", height - 4.0);
    let _ = writeln!(out, "{}</text></svg>", text::clock(duration_secs));
    out
}

/// The contacts of a foot, as blocks over time.
fn foot_lane<'a>(
    out: &mut String,
    top: f32,
    foot: &str,
    contacts: impl Iterator<Item = &'a ContactRow>,
    x: impl Fn(f32) -> f32,
) {
    label(out, top + LANE - 5.0, foot);
    for contact in contacts {
        let (left, right, class) = (x(contact.start_secs), x(contact.end_secs), contact.verdict.key());
        let slide = text::length((contact.slide_mm / 1000.0) as f32);
        let [from, to] = [contact.start_secs, contact.end_secs].map(text::clock);
        let _ = write!(
            out,
            "<rect class=\"contact {class}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}, \
             {from} to {to}: slides {slide}</title></rect>",
            top + 2.0,
            (right - left).max(1.0),
            LANE - 4.0,
            escape(foot)
        );
    }
}

/// One bar per size; the largest fills the width.
pub fn size_plot(sizes: &[(String, u64)]) -> String {
    const NAMES: f32 = 3.0 * GUTTER;
    let most = sizes.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0).max(1) as f32;
    let height = LANE * sizes.len() as f32;
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Sizes\">");
    for (row, (name, bytes)) in sizes.iter().enumerate() {
        let top = LANE * row as f32;
        let long = (WIDTH - NAMES - GUTTER) * *bytes as f32 / most;
        let base = top + LANE - 5.0;
        let _ = write!(
            out,
            "<text x=\"{:.0}\" y=\"{base}\" text-anchor=\"end\">{}</text><rect class=\"bar\" x=\"{NAMES}\" y=\"{}\" \
             width=\"{long:.1}\" height=\"{}\"/><text x=\"{:.1}\" y=\"{base}\">{}</text>",
            NAMES - 6.0,
            escape(name),
            top + 2.0,
            LANE - 4.0,
            NAMES + long + 6.0,
            text::bytes(*bytes)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn label(out: &mut String, y: f32, text: &str) {
    let _ = write!(out, "<text x=\"{:.0}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", GUTTER - 6.0, escape(text));
}

/// Largest value of each group with its index, so that peaks are kept. Returns at most [`MOST_POINTS`].
fn thinned(values: &[f32]) -> impl Iterator<Item = (usize, f32)> {
    let group = values.len().div_ceil(MOST_POINTS).max(1);
    values.chunks(group).enumerate().filter_map(move |(at, chunk)| {
        let (place, value) = chunk.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((at * group + place, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_peak_and_its_place() {
        let mut values = vec![0.1; 10_000];
        values[7_777] = 3.0;
        let thin: Vec<_> = thinned(&values).collect();
        assert!(thin.len() <= MOST_POINTS);
        assert!(thin.contains(&(7_777, 3.0)));
        assert_eq!(thinned(&[1.0, 2.0]).collect::<Vec<_>>(), [(0, 1.0), (1, 2.0)]);
    }
}
