//! What is written over a picture. A card says in one place when it stands, where it would like to, and how it is drawn; the
//! list gives room away in its order, so that no card lies over another.

mod callout;
mod chips;
mod controls;
mod gizmo;
mod legend;
mod lens;
mod marker;
mod room;

use super::{Figures, Place};
use crate::panels::PanelCx;
use crate::render::{Side, ViewScene};
use egui::{Painter, Rect, Ui};
use posepress_core::session::ViewMode;
use room::Room;

/// Every card, those first that get room first. Drawn in this order too.
const CARDS: [for<'f> fn(&PanelCx<'_>, &Picture<'f>) -> Option<Card<'f>>; 15] = [
    chips::original,
    chips::compressed,
    controls::difference,
    controls::blink,
    chips::own_camera,
    gizmo::card,
    chips::ground,
    legend::card,
    controls::onion,
    marker::on_original,
    marker::on_compressed,
    lens::card,
    callout::card,
    marker::label,
    chips::pointed_at,
];

/// Draws the cards of a picture.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, figures: &Figures, scene: &ViewScene, place: Place) {
    let picture = Picture { figures, scene, place, painter: ui.painter().with_clip_rect(place.rect) };
    let mut room = Room::new(place.rect);
    let mut standing = Vec::with_capacity(CARDS.len());
    for card in CARDS {
        let Some(card) = card(cx, &picture) else { continue };
        let Some(rect) = card.stand(&room) else { continue };
        room.take([rect.intersect(card.clip)]);
        standing.push((card.draw, rect));
    }
    for (draw, rect) in standing {
        draw(ui, cx, rect);
    }
}

/// Around the joints, what their skin takes in the picture.
const FIGURE_CLEAR: f32 = 10.0;

/// What cards are written over.
struct Picture<'f> {
    figures: &'f Figures,
    scene: &'f ViewScene,
    place: Place,
    /// Clipped to the picture.
    painter: Painter,
}

impl Picture<'_> {
    /// The part that shows a side, and a painter for it.
    fn part(&self, side: Side) -> Option<(Rect, Painter)> {
        let part = self.place.part(side)?;
        Some((part, self.painter.with_clip_rect(part)))
    }

    /// Places, those first that hide least of the figure; of equal ones in the order in which they are given.
    fn clear_of_figure(&self, mut places: Vec<Rect>) -> Vec<Rect> {
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
    fn is_alone(cx: &PanelCx<'_>) -> bool {
        cx.view.settings.mode != ViewMode::SideBySide
    }

    /// The part in which the compressed figure stands, once there is one and where nothing else is shown for it.
    fn compared(&self, cx: &PanelCx<'_>) -> Option<Rect> {
        let part = self.place.part(Side::Compressed)?;
        (self.figures.decoded.is_some() && !cx.view.original_on_both()).then_some(part)
    }

    /// This picture has the axes of the world in its lower left corner: the first, and one whose camera is its own.
    fn has_gizmo(&self, cx: &PanelCx<'_>) -> bool {
        self.place.part(Side::Original).is_some() || Self::is_alone(cx) || cx.view.cameras.compressed.is_some()
    }
}

/// Something written over a picture.
struct Card<'f> {
    /// Where it may stand, best first.
    places: Vec<Rect>,
    /// What is seen of it.
    clip: Rect,
    otherwise: Otherwise,
    draw: Draw<'f>,
}

type Draw<'f> = Box<dyn FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f>;

/// What becomes of a card whose places are all taken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Otherwise {
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
    fn new(
        places: impl Into<Vec<Rect>>,
        clip: Rect,
        otherwise: Otherwise,
        draw: impl FnOnce(&mut Ui, &mut PanelCx<'_>, Rect) + 'f,
    ) -> Self {
        Self { places: places.into(), clip, otherwise, draw: Box::new(draw) }
    }

    /// Where it stands in what room is left.
    fn stand(&self, room: &Room) -> Option<Rect> {
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
