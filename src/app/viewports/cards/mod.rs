//! Labels and controls over a viewport. Each card defines when it is shown, its possible positions and how it is drawn.
//! The list assigns room in its order, so that cards do not overlap.

mod callout;
mod card;
mod chips;
mod controls;
mod crowd;
mod gizmo;
mod legend;
mod lens;
mod marker;
mod room;

use super::place::SceneRect;
use super::scene::Figures;
use crate::panels::PanelCx;
use crate::render::ViewScene;
use card::{Card, Picture};
use egui::Ui;
use room::Room;

/// Every card. Earlier ones get room first, and are drawn first.
const CARDS: [for<'f> fn(&PanelCx<'_>, &Picture<'f>) -> Option<Card<'f>>; 16] = [
    chips::original,
    chips::compressed,
    controls::difference,
    controls::blink,
    crowd::card,
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

/// Draws the cards of a viewport.
pub fn show(ui: &mut Ui, cx: &mut PanelCx<'_>, figures: &Figures, scene: &ViewScene, place: SceneRect) {
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
