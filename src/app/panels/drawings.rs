//! Drawings of what the figures measure, for tooltips: the original in white, the compressed side in violet, the measured length in red.

use super::terms;
use crate::theme::Theme;
use egui::{Painter, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, pos2, vec2};
use posepress_core::metrics::Aspect;

/// Size of a drawing.
const SIZE: Vec2 = vec2(220.0, 64.0);

/// A tooltip with words, and with term and drawing of a figure if it has them.
pub fn explained(response: Response, theme: &Theme, words: &str, aspect: Aspect) -> Response {
    response.on_hover_ui(|ui| {
        ui.label(words);
        if let Some(term) = terms::of(aspect) {
            ui.label(term);
        }
        draw(ui, theme, aspect);
    })
}

/// The drawing of a figure, if it has one.
fn draw(ui: &mut Ui, theme: &Theme, aspect: Aspect) {
    let sketch = match aspect {
        Aspect::Shell => shell,
        Aspect::Skin => skin,
        Aspect::Between => between,
        Aspect::Slide => slide,
        Aspect::Jitter => jitter,
        Aspect::Seam => seam,
        Aspect::Root => root,
        Aspect::Pin | Aspect::Precision | Aspect::Sampling => return,
    };
    let (rect, _) = ui.allocate_exact_size(SIZE, Sense::hover());
    ui.painter().rect_filled(rect, 3.0, theme.well);
    sketch(&Pen { painter: ui.painter(), theme, rect });
}

/// Draws in a rectangle. Places are in points from its left top corner.
struct Pen<'a> {
    painter: &'a Painter,
    theme: &'a Theme,
    rect: Rect,
}

impl Pen<'_> {
    fn at(&self, [x, y]: [f32; 2]) -> Pos2 {
        self.rect.min + vec2(x, y)
    }

    fn line(&self, points: impl IntoIterator<Item = [f32; 2]>, stroke: Stroke) {
        self.painter.add(Shape::line(points.into_iter().map(|point| self.at(point)).collect(), stroke));
    }

    fn original(&self, points: impl IntoIterator<Item = [f32; 2]>) {
        self.line(points, Stroke::new(1.5, self.theme.original));
    }

    fn compressed(&self, points: impl IntoIterator<Item = [f32; 2]>) {
        self.line(points, Stroke::new(1.5, self.theme.compressed));
    }

    fn measured(&self, from: [f32; 2], to: [f32; 2]) {
        self.line([from, to], Stroke::new(3.0, self.theme.fail));
    }

    fn faint(&self, points: impl IntoIterator<Item = [f32; 2]>) {
        self.line(points, Stroke::new(1.0, self.theme.text3));
    }

    fn dot(&self, place: [f32; 2]) {
        self.painter.circle_filled(self.at(place), 2.5, self.theme.original);
    }
}

/// A curve over the width of a drawing.
fn curve(of: impl Fn(f32) -> f32) -> impl Iterator<Item = [f32; 2]> {
    (0..=100).map(move |step| {
        let x = 10.0 + 2.0 * step as f32;
        [x, of(step as f32 / 100.0)]
    })
}

/// Two bones, a circle around the joint, and one of its points in both poses.
fn shell(pen: &Pen<'_>) {
    let joint = [110.0, 36.0];
    pen.painter.circle_stroke(pen.at(joint), 24.0, Stroke::new(1.0, pen.theme.shell));
    pen.original([[40.0, 52.0], joint, [180.0, 30.0]]);
    pen.compressed([[40.0, 52.0], joint, [180.0, 44.0]]);
    pen.measured([133.7, 32.3], [133.9, 38.8]);
    pen.dot(joint);
}

/// Two outlines, and their largest distance.
fn skin(pen: &Pen<'_>) {
    let outline = |t: f32| 34.0 - 14.0 * (t * std::f32::consts::TAU).sin();
    let bulge = |t: f32| 14.0 * (-(t - 0.72).powi(2) / 0.01).exp();
    pen.original(curve(outline));
    pen.compressed(curve(move |t| outline(t) - bulge(t)));
    pen.measured([154.0, outline(0.72)], [154.0, outline(0.72) - 14.0]);
}

/// Samples on a line, and a curve that leaves it between two of them.
fn between(pen: &Pen<'_>) {
    let samples = [[20.0, 44.0], [80.0, 36.0], [140.0, 28.0], [200.0, 20.0]];
    pen.original(samples);
    let over = |t: f32| {
        let x = 10.0 + 200.0 * t;
        let inside = ((x - 80.0) / 60.0).clamp(0.0, 1.0);
        44.0 - 8.0 * (x - 20.0) / 60.0 - 18.0 * (inside * std::f32::consts::PI).sin()
    };
    pen.compressed(curve(over));
    pen.measured([110.0, 32.0], [110.0, 14.0]);
    samples.into_iter().for_each(|sample| pen.dot(sample));
}

/// A foot on the ground, where it stood and where it went.
fn slide(pen: &Pen<'_>) {
    let foot = |x: f32| {
        [[x, 14.0], [x + 4.0, 40.0], [x, 50.0], [x + 34.0, 50.0], [x + 30.0, 44.0], [x + 14.0, 38.0], [x + 12.0, 14.0]]
    };
    pen.faint([[10.0, 51.0], [210.0, 51.0]]);
    pen.original(foot(70.0));
    pen.compressed(foot(96.0));
    pen.measured([104.0, 56.0], [130.0, 56.0]);
}

/// A smooth curve, and one that trembles around it.
fn jitter(pen: &Pen<'_>) {
    let smooth = |t: f32| 34.0 - 12.0 * (t * 5.0).sin();
    pen.original(curve(smooth));
    pen.compressed(curve(move |t| smooth(t) + if (t * 50.0) as i32 % 2 == 0 { 4.0 } else { -4.0 }));
}

/// The end of a loop and its start, with the jump between them.
fn seam(pen: &Pen<'_>) {
    pen.faint([[110.0, 6.0], [110.0, 58.0]]);
    pen.original([[20.0, 50.0], [110.0, 32.0], [200.0, 20.0]]);
    pen.compressed([[20.0, 50.0], [110.0, 40.0]]);
    pen.compressed([[110.0, 24.0], [200.0, 18.0]]);
    pen.measured([110.0, 40.0], [110.0, 24.0]);
}

/// The paths of the root, seen from above, and the distance of their ends.
fn root(pen: &Pen<'_>) {
    pen.original([[20.0, 32.0], [200.0, 32.0]]);
    pen.compressed(curve(|t| 32.0 + 16.0 * t * t));
    pen.measured([206.0, 32.0], [206.0, 48.0]);
    pen.painter.circle_filled(pos2(pen.rect.left() + 20.0, pen.rect.top() + 32.0), 3.0, pen.theme.text2);
}
