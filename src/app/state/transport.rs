use posepress_core::model::TimeGrid;

/// The clock of both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transport {
    /// Position of the playhead.
    pub time_secs: f32,
    /// True while the playhead moves.
    pub playing: bool,
    /// Playback speed; 1 is real time.
    pub speed: f32,
    /// Factor on the speed by the keys for backward and forward: negative is backward.
    pub shuttle: f32,
    /// True to continue at the start after the end, instead of stopping.
    pub looped: bool,
    /// True to loop only around the seam.
    pub seam: bool,
    /// Start and end of the played range; `None` for the whole clip.
    pub range_secs: Option<[f32; 2]>,
    /// Last position of the playhead while paused.
    pub rest_secs: f32,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            time_secs: 0.0,
            playing: false,
            speed: 1.0,
            shuttle: 1.0,
            looped: true,
            seam: false,
            range_secs: None,
            rest_secs: 0.0,
        }
    }
}

/// Largest factor on the speed by the keys for backward and forward.
const MOST_SHUTTLE: f32 = 4.0;

/// Time that is played before and after the seam, at most half of the loop.
const AROUND_SEAM_SECS: f32 = 0.5;

impl Transport {
    /// Plays forward at the chosen speed, or stops.
    pub fn toggle(&mut self) {
        self.playing = !self.playing;
        self.shuttle = 1.0;
    }

    /// Stops.
    pub fn pause(&mut self) {
        (self.playing, self.shuttle) = (false, 1.0);
    }

    /// Plays in a direction, 1 or -1. If it plays in that direction already, it plays twice as fast.
    pub fn shuttle_to(&mut self, direction: f32) {
        let is_again = self.playing && self.shuttle * direction > 0.0;
        let factor = if is_again { (2.0 * self.shuttle.abs()).min(MOST_SHUTTLE) } else { 1.0 };
        (self.playing, self.shuttle) = (true, factor * direction);
    }

    /// Moves the playhead, clamped to the clip, and stops.
    pub fn seek(&mut self, time_secs: f32, duration_secs: f32) {
        self.time_secs = time_secs.clamp(0.0, duration_secs);
        self.pause();
        self.seam = false;
    }

    /// Moves the playhead by samples and stops. Whole steps end on a sample, smaller ones on a quarter sample. If
    /// `looped`, a step past one end goes to the other end.
    pub fn step(&mut self, samples: f64, grid: &TimeGrid) {
        let now = grid.sample_at(self.time_secs);
        let last = (grid.samples() - 1) as f64;
        let quarter = (samples * 4.0).abs() < 4.0;
        let target = if quarter { ((now + samples) * 4.0).round() / 4.0 } else { (now + samples).round() };
        let target = match (self.looped, target) {
            (true, t) if t < 0.0 => last,
            (true, t) if t > last => 0.0,
            (_, t) => t,
        };
        self.seek(grid.time_secs(target), grid.duration_secs());
    }

    /// Keeps playhead and range within a clip that may have become shorter.
    pub fn keep_within(&mut self, duration_secs: f32) {
        self.time_secs = self.time_secs.min(duration_secs);
        self.range_secs = self.range_secs.filter(|[_, end]| *end <= duration_secs);
    }

    /// Resets range and seam for another clip, and keeps the playhead inside it.
    pub fn clip_changed(&mut self, duration_secs: f32) {
        self.seam = false;
        self.range_secs = None;
        self.time_secs = self.time_secs.min(duration_secs);
    }

    /// Starts the played range at the playhead. The end stays, if it is later.
    pub fn mark_in(&mut self, duration_secs: f32) {
        let now = self.time_secs;
        let end = self.range_secs.map(|[_, end]| end).filter(|end| *end > now).unwrap_or(duration_secs);
        self.range_secs = (now < end).then_some([now, end]);
    }

    /// Ends the played range at the playhead. The start stays, if it is earlier.
    pub fn mark_out(&mut self) {
        let now = self.time_secs;
        let start = self.range_secs.map(|[start, _]| start).filter(|start| *start < now).unwrap_or(0.0);
        self.range_secs = (start < now).then_some([start, now]);
    }

    /// Moves the playhead by real time. If `looped`, it continues at the start with the rest of the step, as a runtime
    /// does. The last and the first sample are the same moment and are not blended.
    pub fn advance(&mut self, elapsed_secs: f32, duration_secs: f32) {
        if !self.playing {
            self.rest_secs = self.time_secs;
            return;
        }
        if duration_secs <= 0.0 {
            self.time_secs = 0.0;
            return;
        }
        if self.seam {
            self.time_secs = around_seam(self.time_secs, elapsed_secs * self.speed * self.shuttle, duration_secs);
            return;
        }
        let time_secs = self.time_secs + elapsed_secs * self.speed * self.shuttle;
        let [start, end] = self.range_secs.unwrap_or([0.0, duration_secs]);
        let is_inside = if self.shuttle < 0.0 { time_secs > start } else { time_secs < end };
        if is_inside {
            self.time_secs = time_secs;
        } else if self.looped {
            self.time_secs = start + (time_secs - start).rem_euclid(end - start);
        } else {
            self.time_secs = if self.shuttle < 0.0 { start } else { end };
            self.pause();
        }
    }
}

/// The playhead after one step, within the range around the seam.
fn around_seam(time_secs: f32, step_secs: f32, duration_secs: f32) -> f32 {
    let reach_secs = AROUND_SEAM_SECS.min(duration_secs * 0.5);
    let start_secs = duration_secs - reach_secs;
    let since_start = (time_secs - start_secs).rem_euclid(duration_secs);
    let inside = if since_start > 2.0 * reach_secs { 0.0 } else { since_start + step_secs };
    (start_secs + inside.rem_euclid(2.0 * reach_secs)).rem_euclid(duration_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_wraps_or_stops_at_the_end() {
        let mut clock = Transport { time_secs: 0.9, playing: true, ..Transport::default() };
        clock.advance(0.2, 1.0);
        assert!((clock.time_secs - 0.1).abs() < 1e-6 && clock.playing);
        clock.looped = false;
        clock.advance(5.0, 1.0);
        assert_eq!((clock.time_secs, clock.playing), (1.0, false));
        clock.playing = true;
        clock.advance(1.0, 0.0);
        assert_eq!(clock.time_secs, 0.0);
    }

    #[test]
    fn backward_goes_to_the_start_and_twice_is_twice_as_fast() {
        let mut clock = Transport { time_secs: 0.5, ..Transport::default() };
        clock.shuttle_to(-1.0);
        clock.advance(0.1, 1.0);
        assert!((clock.time_secs - 0.4).abs() < 1e-6 && clock.playing);
        clock.shuttle_to(-1.0);
        clock.advance(0.1, 1.0);
        assert!((clock.time_secs - 0.2).abs() < 1e-6);
        clock.advance(0.15, 1.0);
        assert!((clock.time_secs - 0.9).abs() < 1e-6, "from the start it goes on at the end: {}", clock.time_secs);
        clock.shuttle_to(1.0);
        assert_eq!(clock.shuttle, 1.0, "the other direction begins at the plain speed");
        (0..5).for_each(|_| clock.shuttle_to(1.0));
        assert_eq!(clock.shuttle, 4.0);
        clock.looped = false;
        clock.shuttle_to(-1.0);
        clock.advance(9.0, 1.0);
        assert_eq!((clock.time_secs, clock.playing, clock.shuttle), (0.0, false, 1.0));
    }

    #[test]
    fn a_loop_is_played_across_its_seam_without_losing_time() {
        let mut clock = Transport { time_secs: 2.99, playing: true, ..Transport::default() };
        clock.advance(0.05, 3.0);
        assert!((clock.time_secs - 0.04).abs() < 1e-5, "{}", clock.time_secs);
    }

    #[test]
    fn playing_the_seam_stays_around_it_and_crosses_it_again_and_again() {
        let duration_secs = 3.0;
        let mut clock = Transport { time_secs: 1.2, playing: true, seam: true, ..Transport::default() };
        clock.advance(0.01, duration_secs);
        assert!((clock.time_secs - 2.5).abs() < 1e-5, "from afar it starts half a second before: {}", clock.time_secs);
        let (mut crossings, mut before) = (0, clock.time_secs);
        for _ in 0..300 {
            clock.advance(0.01, duration_secs);
            let from_seam = clock.time_secs.min(duration_secs - clock.time_secs);
            assert!(from_seam < 0.5 + 1e-4, "{}", clock.time_secs);
            crossings += usize::from(before - clock.time_secs > 1.5);
            before = clock.time_secs;
        }
        assert_eq!(crossings, 3, "3 s at one second a round");
        let mut short = Transport { time_secs: 0.0, playing: true, seam: true, ..Transport::default() };
        short.advance(0.05, 0.4);
        assert!((0.0..0.4).contains(&short.time_secs), "a loop shorter than the stretch is played whole");
    }

    #[test]
    fn a_part_of_the_clip_is_played_over_and_over_until_another_clip_comes() {
        let mut clock = Transport { time_secs: 1.0, ..Transport::default() };
        clock.mark_in(3.0);
        assert_eq!(clock.range_secs, Some([1.0, 3.0]));
        clock.time_secs = 2.0;
        clock.mark_out();
        assert_eq!(clock.range_secs, Some([1.0, 2.0]));
        clock.playing = true;
        clock.advance(0.25, 3.0);
        assert_eq!(clock.time_secs, 1.25, "from its end it goes on at its start");
        clock.time_secs = 2.5;
        clock.advance(0.1, 3.0);
        assert!((1.0..2.0).contains(&clock.time_secs), "{}", clock.time_secs);
        clock.looped = false;
        clock.advance(5.0, 3.0);
        assert_eq!((clock.time_secs, clock.playing), (2.0, false));
        clock.time_secs = 2.5;
        clock.mark_in(3.0);
        assert_eq!(clock.range_secs, Some([2.5, 3.0]), "an end before the start is none");
        clock.time_secs = 3.0;
        clock.mark_in(3.0);
        assert_eq!(clock.range_secs, None, "nothing lies behind the end");
        clock.time_secs = 1.0;
        clock.mark_out();
        clock.clip_changed(3.0);
        assert_eq!(clock.range_secs, None);
    }

    #[test]
    fn steps_end_on_samples_or_quarters_and_go_round_a_loop() {
        let grid = TimeGrid::new(31, 1.0);
        let mut clock = Transport { time_secs: 0.51, playing: true, ..Transport::default() };
        let step = |clock: &mut Transport, samples| {
            clock.step(samples, &grid);
            (grid.sample_at(clock.time_secs) * 100.0).round() / 100.0
        };
        assert_eq!([step(&mut clock, 1.0), step(&mut clock, 0.25), step(&mut clock, -10.0)], [16.0, 16.25, 6.0]);
        assert!(!clock.playing, "who steps wants to look");
        assert_eq!([step(&mut clock, -10.0), step(&mut clock, 1.0)], [30.0, 0.0], "round both ends");
        clock.looped = false;
        assert_eq!([step(&mut clock, -1.0), step(&mut clock, 100.0)], [0.0, 30.0], "and no further");
    }

    #[test]
    fn the_playhead_stays_inside_another_clip() {
        let mut clock = Transport { time_secs: 2.0, playing: true, seam: true, ..Transport::default() };
        clock.clip_changed(0.5);
        assert_eq!((clock.time_secs, clock.playing, clock.seam), (0.5, true, false));
        clock.seek(9.0, 0.5);
        assert_eq!((clock.time_secs, clock.playing), (0.5, false));
    }
}
