//! A card, and the picture that it is written over.

use super::room::Room;
use crate::panels::PanelCx;
use crate::render::{Side, ViewScene};
use crate::viewports::place::SceneRect;
use crate::viewports::scene::Figures;
use egui::{Painter, Rect, Ui};
use posepress_core::view::ViewMode;

/// Around the joints, what their skin takes in the picture.
const FIGURE_CLEAR: f32 = 10.0;

/// The picture under the cards.
pub struct Picture<'f> {
    /// Both figures.
    pub figures: &'f Figures,
    /// How they are seen.
    pub scene: &'f ViewScene,
    /// The picture.
    pub place: SceneRect,
    /// Clipped to the picture.
    pub painter: Painter,
}

impl Picture<'_> {
    /// The part that shows a side, and a painter for it.
    pub fn part(&self, side: Side) -> Option<(Rect, Painter)> {
        let part = self.place.part(side)?;
        Some((part, self.painter.with_clip_rect(part)))
    }

    /// Places, those first that hide least of the figure; of equal ones in the order in which they are given.
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

    /// No other picture stands beside this one.
    pub fn is_alone(cx: &PanelCx<'_>) -> bool {
        cx.view.settings.mode != ViewMode::SideBySide
    }

    /// The part in which the compressed figure stands, once there is one and where nothing else is shown for it.
    pub fn compared(&self, cx: &PanelCx<'_>) -> Option<Rect> {
        let part = self.place.part(Side::Compressed)?;
        (self.figures.decoded.is_some() && !cx.view.original_on_both()).then_some(part)
    }

    /// This picture has the axes of the world in its lower left corner: the first, and one whose camera is its own.
    pub fn has_gizmo(&self, cx: &PanelCx<'_>) -> bool {
        self.place.part(Side::Original).is_some() || Self::is_alone(cx) || cx.view.cameras.compressed.is_some()
    }
}

/// Something written over a picture.
pub struct Card<'f> {
    /// Allowed positions, best first.
    pub places: Vec<Rect>,
    /// Its visible part.
    pub clip: Rect,
    /// Behaviour if all positions are taken.
    pub otherwise: Otherwise,
    /// How it is drawn.
    pub draw: Draw<'f>,
}

/// Draws a card where it stands.
pub type Draw<'f> = Box<dyn FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f>;

/// Behaviour of a card without a free position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Otherwise {
    /// It is not asked: it belongs exactly where it is.
    Fixed,
    /// It stands as near as there is room, at worst over another card.
    Near,
    /// The same, but where there is no room at all it is left out.
    NearOrNot,
    /// It is left out.
    Not,
}

impl<'f> Card<'f> {
    /// A card that stands in one of these places.
    pub fn new(
        places: impl Into<Vec<Rect>>,
        clip: Rect,
        otherwise: Otherwise,
        draw: impl FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f,
    ) -> Self {
        Self { places: places.into(), clip, otherwise, draw: Box::new(draw) }
    }

    /// Its position in the remaining room.
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

/// A place moved into an area, as far as that has room for it.
fn kept_in(place: Rect, area: Rect) -> Rect {
    let most = (area.max - place.size()).max(area.min);
    Rect::from_min_size(place.min.clamp(area.min, most), place.size())
}
