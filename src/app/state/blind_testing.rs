use super::Transport;
use crate::render::Side;
use posepress_core::clock;
use posepress_core::pipeline::Outcome;
use posepress_core::project::{BlindDraw, BlindScore, HiddenOrder, Letter, Trial};
use posepress_core::report::Sides;
use posepress_core::workspace::ClipSlot;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// The picture of a blind test that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// The first clip.
    A,
    /// The second clip.
    B,
    /// The unknown one.
    X,
}

impl Shown {
    /// In display order.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::X];

    /// Its letter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => Letter::A.name(),
            Self::B => Letter::B.name(),
            Self::X => "X",
        }
    }
}

/// A blind test that runs, or whose result is shown.
#[derive(Debug)]
pub struct BlindTesting {
    /// The clip and the slot of the recipe.
    pub of: ClipSlot,
    /// Number of trials.
    pub length: usize,
    /// The picture that is shown.
    pub shown: Shown,
    /// True if X was shown in this trial. Only then an answer counts.
    pub has_seen_x: bool,
    /// The trials so far.
    pub answered: Vec<Trial>,
    /// Start of this trial on the clock of the window.
    pub since_secs: f64,
    /// The clock before the test, which is restored at its end.
    pub before: Transport,
    /// The compressed side. The test ends if another result replaces it.
    outcome: Arc<Outcome>,
    draw: BlindDraw,
    order: HiddenOrder,
}

impl BlindTesting {
    /// A test of these sides with so many trials, which begins now. Equal seeds give equal orders.
    pub fn new(of: ClipSlot, sides: &Sides, (length, seed): (usize, u64), before: Transport, since_secs: f64) -> Self {
        let mut draw = BlindDraw::new(seed);
        let order = draw.next_order();
        let outcome = sides.outcome.clone();
        let (shown, has_seen_x) = (Shown::A, false);
        Self { of, length, shown, has_seen_x, answered: Vec::new(), since_secs, before, outcome, draw, order }
    }

    /// True if the test is about these sides.
    pub fn is_of(&self, sides: &Sides) -> bool {
        Arc::ptr_eq(&self.outcome, &sides.outcome)
    }

    /// The side of the picture that is shown. Only the picture may depend on it.
    pub fn side(&self) -> Side {
        let letter = match self.shown {
            Shown::A => Letter::A,
            Shown::B => Letter::B,
            Shown::X => self.order.x,
        };
        if letter == self.order.original { Side::Original } else { Side::Compressed }
    }

    /// Switches the picture.
    pub fn show(&mut self, shown: Shown) {
        self.shown = shown;
        self.has_seen_x |= shown == Shown::X;
    }

    /// Number of the current trial, from 1. After the last answer, that of the last one.
    pub fn number(&self) -> usize {
        (self.answered.len() + 1).min(self.length)
    }

    /// True after the last answer.
    pub fn is_over(&self) -> bool {
        self.answered.len() >= self.length
    }

    /// True if an answer counts now.
    pub fn can_answer(&self) -> bool {
        self.has_seen_x && !self.is_over()
    }

    /// Answers this trial after so many seconds, and draws the next one, which begins now. Ignored if no answer counts.
    pub fn answer(&mut self, answer: Letter, secs: f32, now_secs: f64) {
        if !self.can_answer() {
            return;
        }
        let HiddenOrder { original, x } = self.order;
        self.answered.push(Trial { original, x, answer, secs: secs.max(0.0) });
        self.order = self.draw.next_order();
        (self.shown, self.has_seen_x, self.since_secs) = (Shown::A, false, now_secs);
    }

    /// The score so far.
    pub fn score(&self) -> BlindScore {
        BlindScore::of(&self.answered)
    }
}

/// A seed that differs for every test.
pub fn fresh_seed() -> u64 {
    clock::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}
