use std::collections::VecDeque;

/// Frames that the figures are taken over: two seconds at 60 a second.
const FRAMES: usize = 120;

/// What the last frames cost the UI thread: drawing, commands, recording the pictures; not the wait for the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameTimes {
    secs: VecDeque<f32>,
}

impl FrameTimes {
    /// Adds one frame; the oldest is forgotten.
    pub fn add(&mut self, secs: f32) {
        if self.secs.len() == FRAMES {
            self.secs.pop_front();
        }
        self.secs.push_back(secs);
    }

    /// Median and largest, seconds; `None` before the first frame.
    pub fn median_and_max_secs(&self) -> Option<(f32, f32)> {
        let mut sorted: Vec<f32> = self.secs.iter().copied().collect();
        sorted.sort_by(f32::total_cmp);
        Some((*sorted.get(sorted.len() / 2)?, *sorted.last()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_of_the_last_frames_only() {
        let mut times = FrameTimes::default();
        assert_eq!(times.median_and_max_secs(), None);
        times.add(9.0);
        (0..FRAMES).for_each(|i| times.add(i as f32));
        assert_eq!(times.median_and_max_secs(), Some((60.0, 119.0)), "the first frame is forgotten");
    }
}
