use egui::{Rect, Vec2, vec2};

/// Free room for cards over a viewport.
#[derive(Debug, Clone)]
pub struct Room {
    area: Rect,
    taken: Vec<Rect>,
}

/// Gap between two cards.
const GAP: f32 = 4.0;
/// Step of the search for a free position.
const STEP: f32 = 12.0;

impl Room {
    /// An area where everything is free.
    pub fn new(area: Rect) -> Self {
        Self { area, taken: Vec::new() }
    }

    /// Marks rectangles as taken.
    pub fn take(&mut self, card: impl IntoIterator<Item = Rect>) {
        self.taken.extend(card);
    }

    /// True if a card fits there without touching others.
    pub fn is_free(&self, card: Rect) -> bool {
        self.area.contains_rect(card) && self.taken.iter().all(|taken| !taken.expand(GAP).intersects(card))
    }

    /// The first free position of the wanted ones, else the free position nearest to the first. `None` if there is no
    /// room.
    pub fn find(&self, wanted: &[Rect]) -> Option<Rect> {
        let first = *wanted.first()?;
        let free = wanted.iter().copied().find(|card| self.is_free(*card));
        free.or_else(|| self.nearest(first))
    }

    fn nearest(&self, card: Rect) -> Option<Rect> {
        let slack = self.area.size() - card.size();
        if slack.min_elem() < 0.0 {
            return None;
        }
        let steps = |length: f32| (length / STEP).floor() as usize;
        let places =
            (0..=steps(slack.x)).flat_map(|x| (0..=steps(slack.y)).map(move |y| vec2(x as f32, y as f32) * STEP));
        let distance = |place: &Rect| place.min.distance_sq(card.min);
        let at = |offset: Vec2| Rect::from_min_size(self.area.min + offset, card.size());
        places.map(at).filter(|place| self.is_free(*place)).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    fn area() -> Rect {
        Rect::from_min_size(pos2(100.0, 50.0), vec2(430.0, 300.0))
    }

    #[test]
    fn a_card_keeps_off_everything_wherever_it_would_like_to_be() {
        let mut room = Room::new(area());
        let lens = Rect::from_min_size(pos2(322.0, 60.0), vec2(196.0, 156.0));
        let chips = Rect::from_min_size(pos2(112.0, 60.0), vec2(180.0, 24.0));
        room.take([lens, chips]);
        for (x, y) in (0..60).flat_map(|x| (0..40).map(move |y| (x as f32 * 10.0, y as f32 * 10.0))) {
            let wanted = Rect::from_min_size(pos2(x, y), vec2(190.0, 44.0));
            let card = room.find(&[wanted]).expect("there is room");
            assert!(
                !card.intersects(lens) && !card.intersects(chips) && area().contains_rect(card),
                "{wanted} to {card}"
            );
            assert_eq!(card == wanted, room.is_free(wanted), "what is free is taken");
        }
    }

    #[test]
    fn the_nearest_place_is_taken_and_none_where_there_is_none() {
        let mut room = Room::new(area());
        let wanted = Rect::from_min_size(pos2(200.0, 100.0), vec2(100.0, 40.0));
        room.take([wanted]);
        let card = room.find(&[wanted]).unwrap();
        assert!((card.center() - wanted.center()).length() < 40.0 + 2.0 * STEP, "{card}");
        assert_eq!(room.find(&[Rect::from_min_size(pos2(0.0, 0.0), vec2(500.0, 10.0))]), None, "wider than the area");
        room.take([area()]);
        assert_eq!(room.find(&[wanted]), None);
        assert_eq!(room.find(&[]), None);
    }
}
