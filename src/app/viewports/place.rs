use crate::render::{Show, Side, ViewportId, other};
use egui::Rect;

/// Name of the viewport with the heat map.
const HEAT: &str = "heat";

/// A rectangle that shows a scene.
#[derive(Debug, Clone, Copy)]
pub struct SceneRect {
    /// Position, points.
    pub rect: Rect,
    /// Side or mode in the widget's name. It stays the same while a picture blinks, so that a drag continues.
    pub name: &'static str,
    /// Contents.
    pub show: Show,
}

impl SceneRect {
    /// One of two viewports side by side.
    pub fn of(rect: Rect, side: Side) -> Self {
        Self { rect, name: side.key(), show: Show::Side(side) }
    }

    /// The heat map of the compressed side, in a viewport of its own.
    pub fn heat(rect: Rect) -> Self {
        Self { rect, name: HEAT, show: Show::Side(Side::Compressed) }
    }

    /// True for [`Self::heat`].
    pub fn is_heat(&self) -> bool {
        self.name == HEAT
    }

    /// The side at a horizontal position.
    pub fn side_at(&self, x: f32) -> Side {
        match self.show {
            Show::Side(side) => side,
            Show::Wipe { split, left } if x < self.rect.left() + split * self.rect.width() => left,
            Show::Wipe { left, .. } => other(left),
            Show::Onion { .. } => Side::Compressed,
        }
    }

    /// The part of the rectangle that shows a side.
    pub fn part(&self, side: Side) -> Option<Rect> {
        match self.show {
            Show::Side(shown) => (shown == side).then_some(self.rect),
            Show::Onion { .. } => Some(self.rect),
            Show::Wipe { split, left: left_side } => {
                let (left, right) = self.rect.split_left_right_at_fraction(split);
                Some(if side == left_side { left } else { right })
            }
        }
    }

    /// Id of the viewport. The compressed side has its own, so that a blinking viewport keeps one picture per side and
    /// redraws neither.
    pub fn id(&self) -> ViewportId {
        match self.show {
            _ if self.is_heat() => ViewportId(2),
            show => ViewportId(u64::from(show == Show::Side(Side::Compressed))),
        }
    }
}
