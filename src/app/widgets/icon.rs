use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};
use posepress_core::metrics::Verdict;
use std::f32::consts::TAU;

/// Icons, painted as shapes in a 12-point box without a font.
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
    /// A menu below.
    Down,
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
    marks(icon).iter().for_each(|mark| pen.draw(mark));
}

/// Shapes of an icon, in its box.
enum Mark {
    /// Middle and radius.
    Disc(f32, f32, f32),
    /// Corner and side.
    Square(f32, f32, f32),
    Fill(&'static [(f32, f32)]),
    /// Points and width.
    Line(&'static [(f32, f32)], f32),
    /// A line in the colour of the background, which makes icons readable.
    Cut(&'static [(f32, f32)], f32),
    /// Middle, radius, angles from and to, width.
    Arc(f32, f32, f32, [f32; 2], f32),
    /// Middle, radius, angle that it spans, width.
    TurningArc(f32, f32, f32, f32, f32),
    /// Middle and radius.
    RightHalf(f32, f32, f32),
}

use Mark::{Arc, Cut, Disc, Fill, Line, RightHalf, Square, TurningArc};

const GOOD: &[Mark] = &[Disc(6.0, 6.0, 5.5), Cut(&[(3.4, 6.2), (5.3, 8.0), (8.6, 4.3)], 1.5)];
const WARN: &[Mark] = &[
    Fill(&[(6.0, 0.8), (11.7, 11.0), (0.3, 11.0)]),
    Cut(&[(6.0, 4.4), (6.0, 7.4)], 1.4),
    Cut(&[(6.0, 8.8), (6.0, 9.8)], 1.4),
];
const FAIL: &[Mark] =
    &[Square(0.8, 0.8, 10.4), Cut(&[(3.6, 3.6), (8.4, 8.4)], 1.5), Cut(&[(8.4, 3.6), (3.6, 8.4)], 1.5)];
const WORKING: &[Mark] = &[TurningArc(6.0, 6.0, 4.4, TAU * 0.7, 1.6)];
const PLAY: &[Mark] = &[Fill(&[(2.5, 1.2), (10.8, 6.0), (2.5, 10.8)])];
const PAUSE: &[Mark] = &[
    Fill(&[(2.2, 1.2), (4.9, 1.2), (4.9, 10.8), (2.2, 10.8)]),
    Fill(&[(7.1, 1.2), (9.8, 1.2), (9.8, 10.8), (7.1, 10.8)]),
];
const STEP_BACK: &[Mark] = &[Line(&[(7.8, 1.8), (3.8, 6.0), (7.8, 10.2)], 1.7)];
const STEP_FORWARD: &[Mark] = &[Line(&[(4.2, 1.8), (8.2, 6.0), (4.2, 10.2)], 1.7)];
const HOME: &[Mark] = &[Fill(&[(11.0, 1.5), (11.0, 10.5), (4.0, 6.0)]), Line(&[(2.2, 1.5), (2.2, 10.5)], 1.7)];
const END: &[Mark] = &[Fill(&[(1.0, 1.5), (1.0, 10.5), (8.0, 6.0)]), Line(&[(9.8, 1.5), (9.8, 10.5)], 1.7)];
const RESET: &[Mark] =
    &[Arc(6.0, 6.4, 4.3, [-TAU * 0.62, TAU * 0.16], 1.5), Fill(&[(0.4, 2.2), (4.9, 1.6), (3.2, 5.9)])];
const CROSS: &[Mark] = &[Line(&[(2.5, 2.5), (9.5, 9.5)], 1.5), Line(&[(9.5, 2.5), (2.5, 9.5)], 1.5)];
const DOWN: &[Mark] = &[Line(&[(2.5, 4.4), (6.0, 8.0), (9.5, 4.4)], 1.6)];
const PLUS: &[Mark] = &[Line(&[(6.0, 1.5), (6.0, 10.5)], 1.5), Line(&[(1.5, 6.0), (10.5, 6.0)], 1.5)];
const FOOT: &[Mark] =
    &[Line(&[(1.0, 10.0), (1.0, 4.0), (4.0, 4.0), (6.0, 7.0), (11.0, 8.4), (11.0, 10.0), (1.0, 10.0)], 1.3)];
const LOCK_BODY: Mark = Fill(&[(2.0, 5.6), (10.0, 5.6), (10.0, 11.2), (2.0, 11.2)]);
const LOCK: &[Mark] = &[
    LOCK_BODY,
    Arc(6.0, 4.2, 2.6, [-TAU * 0.5, 0.0], 1.4),
    Line(&[(3.4, 4.2), (3.4, 6.0)], 1.4),
    Line(&[(8.6, 4.2), (8.6, 6.0)], 1.4),
];
const UNLOCK: &[Mark] = &[LOCK_BODY, Arc(6.0, 2.6, 2.6, [-TAU * 0.5, 0.0], 1.4), Line(&[(3.4, 2.6), (3.4, 6.0)], 1.4)];
const APPROVED: &[Mark] = &[Line(&[(2.0, 5.2), (4.8, 8.0), (10.2, 1.8)], 1.6), Line(&[(1.5, 10.8), (10.5, 10.8)], 1.5)];
const REJECTED: &[Mark] = &[Arc(6.0, 6.0, 4.8, [0.0, TAU], 1.4), Line(&[(2.8, 2.8), (9.2, 9.2)], 1.4)];
const CHANGED: &[Mark] = &[Arc(6.0, 6.0, 4.8, [0.0, TAU], 1.3), RightHalf(6.0, 6.0, 4.8)];
const TO_DO: &[Mark] = &[Disc(6.0, 6.0, 1.6)];
const IGNORED: &[Mark] = &[Line(&[(3.0, 6.0), (9.0, 6.0)], 1.5)];
const NOTE: &[Mark] = &[
    Line(&[(2.0, 1.5), (10.0, 1.5), (10.0, 10.5), (2.0, 10.5), (2.0, 1.5)], 1.2),
    Line(&[(4.0, 4.5), (8.0, 4.5)], 1.1),
    Line(&[(4.0, 7.3), (8.0, 7.3)], 1.1),
];
const JOINT: &[Mark] = &[Line(&[(6.0, 1.0), (9.6, 6.0), (6.0, 11.0), (2.4, 6.0), (6.0, 1.0)], 1.3)];

fn marks(icon: Icon) -> &'static [Mark] {
    match icon {
        Icon::Good => GOOD,
        Icon::Warn => WARN,
        Icon::Fail => FAIL,
        Icon::Working => WORKING,
        Icon::Play => PLAY,
        Icon::Pause => PAUSE,
        Icon::StepBack => STEP_BACK,
        Icon::StepForward => STEP_FORWARD,
        Icon::Home => HOME,
        Icon::End => END,
        Icon::Reset => RESET,
        Icon::Cross => CROSS,
        Icon::Plus => PLUS,
        Icon::Down => DOWN,
        Icon::Foot => FOOT,
        Icon::Lock => LOCK,
        Icon::Unlock => UNLOCK,
        Icon::Approved => APPROVED,
        Icon::Rejected => REJECTED,
        Icon::Changed => CHANGED,
        Icon::ToDo => TO_DO,
        Icon::Ignored => IGNORED,
        Icon::Note => NOTE,
        Icon::Joint => JOINT,
    }
}

struct Pen<'a> {
    painter: &'a Painter,
    origin: Pos2,
    scale: f32,
    color: Color32,
}

impl Pen<'_> {
    fn draw(&self, mark: &Mark) {
        match *mark {
            Disc(x, y, radius) => self.disc(x, y, radius),
            Square(x, y, side) => self.square(x, y, side),
            Fill(points) => self.fill(points),
            Line(points, width) => self.line(points, width),
            Cut(points, width) => self.cut(points, width),
            Arc(x, y, radius, [from, to], width) => self.arc(x, y, radius, from, to, width),
            TurningArc(x, y, radius, span, width) => {
                let turn = self.painter.ctx().input(|i| i.time) as f32 * TAU * 0.9;
                self.arc(x, y, radius, turn, turn + span, width);
            }
            RightHalf(x, y, radius) => {
                let half = (0..=12).map(|i| TAU * (i as f32 / 24.0 - 0.25));
                self.fill(&half.map(|a| (x + radius * a.cos(), y + radius * a.sin())).collect::<Vec<_>>());
            }
        }
    }

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
