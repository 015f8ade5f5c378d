use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};
use posepress_core::metrics::Verdict;
use std::f32::consts::TAU;

/// Painted shapes in a 12-point box: no font is needed, and shape goes with colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    /// Disc with a tick.
    Good,
    /// Triangle with a bar.
    Warn,
    /// Square with a cross.
    Fail,
    /// Quarter arc that turns: working.
    Working,
    /// Triangle to the right.
    Play,
    /// Two bars.
    Pause,
    /// Chevron to the left.
    StepBack,
    /// Chevron to the right.
    StepForward,
    /// Bar and triangle to the left.
    Home,
    /// Triangle to the right and bar.
    End,
    /// Arrow turning back.
    Reset,
    /// Cross.
    Cross,
    /// Plus.
    Plus,
    /// Profile of a sole.
    Foot,
    /// Rhomb.
    Joint,
    /// Closed padlock.
    Lock,
    /// Open padlock.
    Unlock,
    /// Tick over a line.
    Approved,
    /// Circle with a bar.
    Rejected,
    /// Half-filled circle.
    Changed,
    /// Dot.
    ToDo,
    /// Short line.
    Ignored,
    /// Sheet with lines.
    Note,
}

/// The icon of a verdict.
pub fn verdict_icon(verdict: Verdict) -> Icon {
    match verdict {
        Verdict::Good => Icon::Good,
        Verdict::Warn => Icon::Warn,
        Verdict::Fail => Icon::Fail,
    }
}

/// Design size of the boxes below.
const BOX: f32 = 12.0;

/// Paints an icon into the middle of `rect`, `size` points across.
pub fn paint_icon(painter: &Painter, rect: Rect, size: f32, icon: Icon, color: Color32) {
    let pen = Pen { painter, origin: rect.center() - Vec2::splat(size / 2.0), scale: size / BOX, color };
    match icon {
        Icon::Good => {
            pen.disc(6.0, 6.0, 5.5);
            pen.cut(&[(3.4, 6.2), (5.3, 8.0), (8.6, 4.3)], 1.5);
        }
        Icon::Warn => {
            pen.fill(&[(6.0, 0.8), (11.7, 11.0), (0.3, 11.0)]);
            pen.cut(&[(6.0, 4.4), (6.0, 7.4)], 1.4);
            pen.cut(&[(6.0, 8.8), (6.0, 9.8)], 1.4);
        }
        Icon::Fail => {
            pen.square(0.8, 0.8, 10.4);
            pen.cut(&[(3.6, 3.6), (8.4, 8.4)], 1.5);
            pen.cut(&[(8.4, 3.6), (3.6, 8.4)], 1.5);
        }
        Icon::Working => {
            let turn = painter.ctx().input(|i| i.time) as f32 * TAU * 0.9;
            pen.arc(6.0, 6.0, 4.4, turn, turn + TAU * 0.7, 1.6);
        }
        Icon::Play => pen.fill(&[(2.5, 1.2), (10.8, 6.0), (2.5, 10.8)]),
        Icon::Pause => {
            pen.fill(&[(2.2, 1.2), (4.9, 1.2), (4.9, 10.8), (2.2, 10.8)]);
            pen.fill(&[(7.1, 1.2), (9.8, 1.2), (9.8, 10.8), (7.1, 10.8)]);
        }
        Icon::StepBack => pen.line(&[(7.8, 1.8), (3.8, 6.0), (7.8, 10.2)], 1.7),
        Icon::StepForward => pen.line(&[(4.2, 1.8), (8.2, 6.0), (4.2, 10.2)], 1.7),
        Icon::Home => {
            pen.fill(&[(11.0, 1.5), (11.0, 10.5), (4.0, 6.0)]);
            pen.line(&[(2.2, 1.5), (2.2, 10.5)], 1.7);
        }
        Icon::End => {
            pen.fill(&[(1.0, 1.5), (1.0, 10.5), (8.0, 6.0)]);
            pen.line(&[(9.8, 1.5), (9.8, 10.5)], 1.7);
        }
        Icon::Reset => {
            pen.arc(6.0, 6.4, 4.3, -TAU * 0.62, TAU * 0.16, 1.5);
            pen.fill(&[(0.4, 2.2), (4.9, 1.6), (3.2, 5.9)]);
        }
        Icon::Cross => {
            pen.line(&[(2.5, 2.5), (9.5, 9.5)], 1.5);
            pen.line(&[(9.5, 2.5), (2.5, 9.5)], 1.5);
        }
        Icon::Plus => {
            pen.line(&[(6.0, 1.5), (6.0, 10.5)], 1.5);
            pen.line(&[(1.5, 6.0), (10.5, 6.0)], 1.5);
        }
        Icon::Foot => {
            let sole = [(1.0, 10.0), (1.0, 4.0), (4.0, 4.0), (6.0, 7.0), (11.0, 8.4), (11.0, 10.0), (1.0, 10.0)];
            pen.line(&sole, 1.3);
        }
        Icon::Lock | Icon::Unlock => {
            pen.fill(&[(2.0, 5.6), (10.0, 5.6), (10.0, 11.2), (2.0, 11.2)]);
            let lift = if icon == Icon::Lock { 0.0 } else { -1.6 };
            pen.arc(6.0, 4.2 + lift, 2.6, -TAU * 0.5, 0.0, 1.4);
            pen.line(&[(3.4, 4.2 + lift), (3.4, 6.0)], 1.4);
            if icon == Icon::Lock {
                pen.line(&[(8.6, 4.2), (8.6, 6.0)], 1.4);
            }
        }
        Icon::Approved => {
            pen.line(&[(2.0, 5.2), (4.8, 8.0), (10.2, 1.8)], 1.6);
            pen.line(&[(1.5, 10.8), (10.5, 10.8)], 1.5);
        }
        Icon::Rejected => {
            pen.arc(6.0, 6.0, 4.8, 0.0, TAU, 1.4);
            pen.line(&[(2.8, 2.8), (9.2, 9.2)], 1.4);
        }
        Icon::Changed => {
            pen.arc(6.0, 6.0, 4.8, 0.0, TAU, 1.3);
            let right = (0..=12).map(|i| TAU * (i as f32 / 24.0 - 0.25));
            pen.fill(&right.map(|a| (6.0 + 4.8 * a.cos(), 6.0 + 4.8 * a.sin())).collect::<Vec<_>>());
        }
        Icon::ToDo => pen.disc(6.0, 6.0, 1.6),
        Icon::Ignored => pen.line(&[(3.0, 6.0), (9.0, 6.0)], 1.5),
        Icon::Note => {
            pen.line(&[(2.0, 1.5), (10.0, 1.5), (10.0, 10.5), (2.0, 10.5), (2.0, 1.5)], 1.2);
            pen.line(&[(4.0, 4.5), (8.0, 4.5)], 1.1);
            pen.line(&[(4.0, 7.3), (8.0, 7.3)], 1.1);
        }
        Icon::Joint => pen.line(&[(6.0, 1.0), (9.6, 6.0), (6.0, 11.0), (2.4, 6.0), (6.0, 1.0)], 1.3),
    }
}

struct Pen<'a> {
    painter: &'a Painter,
    origin: Pos2,
    scale: f32,
    color: Color32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> Pos2 {
        self.origin + vec2(x, y) * self.scale
    }

    fn points(&self, points: &[(f32, f32)]) -> Vec<Pos2> {
        points.iter().map(|&(x, y)| self.at(x, y)).collect()
    }

    fn fill(&self, points: &[(f32, f32)]) {
        self.painter.add(Shape::convex_polygon(self.points(points), self.color, Stroke::NONE));
    }

    fn line(&self, points: &[(f32, f32)], width: f32) {
        self.painter.add(Shape::line(self.points(points), Stroke::new(width * self.scale.max(0.8), self.color)));
    }

    /// A line in the colour of what lies behind, so that icons read on any fill.
    fn cut(&self, points: &[(f32, f32)], width: f32) {
        let behind = self.painter.ctx().global_style().visuals.panel_fill;
        self.painter.add(Shape::line(self.points(points), Stroke::new(width * self.scale, behind)));
    }

    fn disc(&self, x: f32, y: f32, radius: f32) {
        self.painter.circle_filled(self.at(x, y), radius * self.scale, self.color);
    }

    fn square(&self, x: f32, y: f32, side: f32) {
        let rect = Rect::from_min_size(self.at(x, y), Vec2::splat(side * self.scale));
        self.painter.rect_filled(rect, 2.0 * self.scale, self.color);
    }

    fn arc(&self, x: f32, y: f32, radius: f32, from: f32, to: f32, width: f32) {
        let steps = 24;
        let point = |i: i32| {
            let angle = from + (to - from) * i as f32 / steps as f32;
            self.at(x, y) + vec2(angle.cos(), angle.sin()) * radius * self.scale
        };
        let points = (0..=steps).map(point).collect();
        self.painter.add(Shape::line(points, Stroke::new(width * self.scale, self.color)));
    }
}
