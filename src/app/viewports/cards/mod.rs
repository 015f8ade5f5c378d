//! What is written over a picture. A card says in one place when it stands, where it would like to, and how it is drawn; the
//! list gives room away in its order, so that no card lies over another.

mod callout;
mod card;
mod chips;
mod controls;
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
