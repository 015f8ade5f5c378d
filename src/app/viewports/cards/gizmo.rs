use super::card::{Card, Otherwise, Picture};
use crate::panels::PanelCx;
use crate::theme::{font, size};
use egui::{Align2, Rect, Stroke, Vec2, vec2};

/// Size of its square in the lower left corner, points.
pub(super) const SIZE: f32 = 64.0;

/// The axes of the world, in the direction of the camera.
pub(super) fn card<'f>(cx: &PanelCx<'_>, picture: &Picture<'f>) -> Option<Card<'f>> {
    let rect = picture.place.rect;
    let corner = Rect::from_min_size(rect.left_bottom() - vec2(0.0, SIZE), Vec2::splat(SIZE));
    let (painter, axes) = (picture.painter.clone(), picture.scene.camera.axes());
    let card = Card::new([corner], rect, Otherwise::Fixed, move |_, cx, card| {
        let (right, up, back) = axes;
        let centre = card.left_bottom() + vec2(36.0, -34.0);
        let axes = [(glam::Vec3::X, "X"), (glam::Vec3::Y, "Y"), (glam::Vec3::Z, "Z")].into_iter().zip(cx.theme.axes);
        let seen = |axis: glam::Vec3| (axis.dot(back), vec2(axis.dot(right), -axis.dot(up)) * 22.0);
        let mut ends: Vec<_> = axes.map(|((axis, name), color)| (seen(axis), name, color)).collect();
        ends.sort_by(|a, b| a.0.0.total_cmp(&b.0.0)); // axes that point away from the camera are drawn first
        for ((_, end), name, color) in ends {
            painter.line_segment([centre, centre + end], Stroke::new(1.6, color));
            painter.text(centre + end * 1.32, Align2::CENTER_CENTER, name, font(size::TICK), color);
        }
    });
    picture.has_gizmo(cx).then_some(card)
}
