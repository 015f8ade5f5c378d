use posepress_core::clock::Instant;
use std::collections::VecDeque;
use std::time::Duration;

/// Number of frames that are kept for the overlay.
const KEPT: usize = 240;
/// Number of frames for the rate.
const SHOWN_FRAMES: usize = 30;
/// A longer time between frames counts as a pause.
const PAUSE: Duration = Duration::from_millis(500);

/// Work time of the window's thread per frame, without waiting for the screen.
#[derive(Debug, Default)]
pub struct FrameTimes {
    started: Option<Instant>,
    /// Times between the starts of consecutive frames since the last pause.
    apart: VecDeque<Duration>,
    began: Option<Instant>,
    /// Times of frames, latest last; true if a job ran.
    frames: VecDeque<(Duration, bool)>,
}

/// Figures of the overlay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameFigures {
    /// Number of frames.
    pub frames: usize,
    /// Median time.
    pub median_ms: f32,
    /// Longest time.
    pub longest_ms: f32,
}

impl FrameTimes {
    /// Notes the start of a frame.
    pub fn begin(&mut self) {
        let now = Instant::now();
        if let Some(before) = self.began.replace(now) {
            self.note_apart(now - before);
        }
        self.started = Some(now);
    }

    /// Notes the time between two frames. A pause clears the earlier times.
    fn note_apart(&mut self, apart: Duration) {
        if apart > PAUSE {
            return self.apart.clear();
        }
        self.apart.push_back(apart);
        if self.apart.len() > SHOWN_FRAMES {
            self.apart.pop_front();
        }
    }

    /// Recent frames per second; `None` until enough frames followed each other without a pause.
    pub fn shown_hz(&self) -> Option<f32> {
        let total: Duration = self.apart.iter().sum();
        (self.apart.len() == SHOWN_FRAMES).then(|| SHOWN_FRAMES as f32 / total.as_secs_f32().max(1e-6))
    }

    /// Notes the end of a frame; `busy` is true while a job runs. `whole_secs` is eframe's time of the previous frame,
    /// which includes recording its draw commands.
    pub fn end(&mut self, whole_secs: Option<f32>, busy: bool) {
        let own = self.started.take().map(|started| started.elapsed());
        let whole = whole_secs.map(|secs| Duration::from_secs_f32(secs.max(0.0)));
        if let Some(took) = whole.or(own) {
            self.note(took, busy);
        }
    }

    fn note(&mut self, took: Duration, busy: bool) {
        self.frames.push_back((took, busy));
        if self.frames.len() > KEPT {
            self.frames.pop_front();
        }
    }

    /// Figures of the last frames: of those during a job, or of all.
    pub fn figures(&self, busy_only: bool) -> FrameFigures {
        let frames = self.frames.iter().filter(|(_, busy)| *busy || !busy_only);
        let mut ms: Vec<f32> = frames.map(|(took, _)| took.as_secs_f32() * 1000.0).collect();
        ms.sort_by(f32::total_cmp);
        let Some(longest_ms) = ms.last().copied() else { return FrameFigures::default() };
        FrameFigures { frames: ms.len(), median_ms: ms[ms.len() / 2], longest_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_frames_which_follow_each_other() {
        let mut times = FrameTimes::default();
        (0..SHOWN_FRAMES).for_each(|_| times.note_apart(Duration::from_millis(20)));
        assert!((times.shown_hz().unwrap() - 50.0).abs() < 1e-3);
        times.note_apart(Duration::from_secs(3));
        assert_eq!(times.shown_hz(), None);
    }

    #[test]
    fn the_last_frames_count_and_busy_ones_apart() {
        let mut times = FrameTimes::default();
        assert_eq!(times.figures(false), FrameFigures::default());
        for ms in 0..300 {
            times.note(Duration::from_millis(ms), ms % 3 == 0);
        }
        assert_eq!(times.figures(false), FrameFigures { frames: 240, median_ms: 180.0, longest_ms: 299.0 });
        assert_eq!(times.figures(true), FrameFigures { frames: 80, median_ms: 180.0, longest_ms: 297.0 });
    }
}
