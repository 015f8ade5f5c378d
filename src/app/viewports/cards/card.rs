//! Cards, which are labels and controls over a viewport.

use super::room::Room;
use crate::panels::PanelCx;
use crate::render::{Side, ViewScene};
use crate::viewports::place::SceneRect;
use crate::viewports::scene::Figures;
use egui::{Painter, Rect, Ui};
use posepress_core::view::ViewMode;

/// Margin around joints for their skin, points.
const FIGURE_CLEAR: f32 = 10.0;

/// The viewport under the cards.
pub struct Picture<'f> {
    /// Poses of both sides.
    pub figures: &'f Figures,
    /// The drawn scene.
    pub scene: &'f ViewScene,
    /// Position and contents of the viewport.
    pub place: SceneRect,
    /// A painter that is clipped to the viewport.
    pub painter: Painter,
}

impl Picture<'_> {
    /// The part that shows a side, and a painter for it.
    pub fn part(&self, side: Side) -> Option<(Rect, Painter)> {
        let part = self.place.part(side)?;
        Some((part, self.painter.with_clip_rect(part)))
    }

    /// Sorts places by the number of joints that they hide. Equal ones keep their order.
    pub fn clear_of_figure(&self, mut places: Vec<Rect>) -> Vec<Rect> {
        let rect = self.place.rect;
        let size = glam::vec2(rect.width(), rect.height());
        let px = |joint: &glam::Affine3A| self.scene.camera.project(joint.translation.into(), size);
        let joints = self.figures.raw.joints.iter().filter_map(px);
        let figure: Vec<egui::Pos2> = joints.map(|px| rect.min + egui::vec2(px.x, px.y)).collect();
        let hidden = |place: &Rect| {
            let around = place.expand(FIGURE_CLEAR);
            figure.iter().filter(|at| around.contains(**at)).count()
        };
        places.sort_by_cached_key(hidden);
        places
    }

    /// True if there is only one viewport.
    pub fn is_alone(cx: &PanelCx<'_>) -> bool {
        cx.view.settings.mode != ViewMode::SideBySide
    }

    /// The part that shows the compressed character; `None` without one, and while the original is shown in its place.
    pub fn compared(&self, cx: &PanelCx<'_>) -> Option<Rect> {
        let part = self.place.part(Side::Compressed)?;
        (self.figures.decoded.is_some() && !cx.view.original_on_both()).then_some(part)
    }

    /// True if the viewport shows the axes of the world: the first one, and one with its own camera.
    pub fn has_gizmo(&self, cx: &PanelCx<'_>) -> bool {
        self.place.part(Side::Original).is_some() || Self::is_alone(cx) || cx.view.cameras.compressed.is_some()
    }
}

/// A label or control over a viewport.
pub struct Card<'f> {
    /// Allowed positions, best first.
    pub places: Vec<Rect>,
    /// Area that limits the card. It reserves room only inside, and is moved into it if no place is free.
    pub clip: Rect,
    /// Behaviour if all positions are taken.
    pub otherwise: Otherwise,
    /// Draws it.
    pub draw: Draw<'f>,
}

/// Draws a card in its rectangle.
pub type Draw<'f> = Box<dyn FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f>;

/// Behaviour of a card without a free position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Otherwise {
    /// It is drawn at its first position, even over another card.
    Fixed,
    /// It is drawn at the nearest free position, at worst over another card.
    Near,
    /// It is drawn at the nearest free position, or not at all.
    NearOrNot,
    /// It is drawn at one of its positions, or not at all.
    Not,
}

impl<'f> Card<'f> {
    /// A card with these positions.
    pub fn new(
        places: impl Into<Vec<Rect>>,
        clip: Rect,
        otherwise: Otherwise,
        draw: impl FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f,
    ) -> Self {
        Self { places: places.into(), clip, otherwise, draw: Box::new(draw) }
    }

    /// Its position in the remaining room; `None` if it is not drawn.
    pub fn stand(&self, room: &Room) -> Option<Rect> {
        let first = self.places.first().copied();
        match self.otherwise {
            Otherwise::Fixed => first,
            Otherwise::Near => room.find(&self.places).or(first.map(|place| kept_in(place, self.clip))),
            Otherwise::NearOrNot => room.find(&self.places),
            Otherwise::Not => self.places.iter().copied().find(|place| room.is_free(*place)),
        }
    }
}

/// Moves a rectangle into an area, as far as it fits.
fn kept_in(place: Rect, area: Rect) -> Rect {
    let most = (area.max - place.size()).max(area.min);
    Rect::from_min_size(place.min.clamp(area.min, most), place.size())
}
