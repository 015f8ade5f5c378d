use crate::parts::ClipHeader;

/// Converts seconds to a place in a clip, the same for joints and float tracks.
///
/// # Example
/// ```
/// use posepress_runtime::{ClipHeader, Ends, Playback, Rounding, TimeGrid};
///
/// let grid = TimeGrid::new(31, 1.0); // 30 Hz
/// let header = ClipHeader { joints: 1, grid, float_tracks: 0, looping: true, additive: false };
/// assert_eq!(Playback::default().place(header, 1.25), 7.5); // loops
/// let clamp = Playback { ends: Ends::Clamp, rounding: Rounding::None };
/// assert_eq!(clamp.place(header, 1.25), 30.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Playback {
    /// The behaviour outside the clip.
    pub ends: Ends,
    /// Rounding to samples.
    pub rounding: Rounding,
}

/// The behaviour before a clip's start and after its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ends {
    /// [`Ends::Loop`] for clips marked as loops, else [`Ends::Clamp`].
    #[default]
    OfClip,
    /// Repeats the clip. The last sample of a loop equals the first, so the end is the start.
    Loop,
    /// Holds the first and the last pose.
    Clamp,
}

/// Rounding of a place between two samples.
///
/// # Example
/// ```
/// use posepress_runtime::Rounding;
///
/// let places = [Rounding::None, Rounding::Floor, Rounding::Ceil, Rounding::Nearest].map(|r| r.apply(7.25));
/// assert_eq!(places, [7.25, 7.0, 8.0, 7.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounding {
    /// No rounding: poses are blended.
    #[default]
    None,
    /// The sample before.
    Floor,
    /// The sample after.
    Ceil,
    /// The nearest sample; halfway, the one after.
    Nearest,
}

impl Playback {
    /// The place of a time, in samples from the clip's start. Seconds are f64, so that a loop stays smooth for hours. NaN gives the start.
    pub fn place(self, header: ClipHeader, time_secs: f64) -> f64 {
        let (grid, duration_secs) = (header.grid, f64::from(header.grid.duration_secs()));
        let is_looping = match self.ends {
            Ends::OfClip => header.looping,
            Ends::Loop => true,
            Ends::Clamp => false,
        };
        // Not `%`, which is slow, and large in a module for the web. Exact up to 2^29 loops, because durations are float32.
        let loops = (time_secs / duration_secs) as i64 as f64;
        let inside_secs = match time_secs - loops * duration_secs {
            _ if !is_looping => time_secs.clamp(0.0, duration_secs),
            rest if rest < 0.0 => rest + duration_secs,
            rest => rest,
        };
        self.rounding.apply(grid.clamp(grid.sample_at(inside_secs as f32)))
    }
}

impl Rounding {
    /// Rounds a place in a clip. A place inside the clip stays inside.
    pub fn apply(self, at_sample: f64) -> f64 {
        let floor = f64::from(at_sample as u32); // `floor` is a function call on processors without it
        let is_between = at_sample > floor;
        match self {
            Self::None => at_sample,
            Self::Floor => floor,
            Self::Ceil => floor + f64::from(u8::from(is_between)),
            Self::Nearest => f64::from((at_sample + 0.5) as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeGrid;
    use proptest::prelude::*;

    fn header(samples: usize, duration_secs: f32, looping: bool) -> ClipHeader {
        ClipHeader { joints: 1, grid: TimeGrid::new(samples, duration_secs), float_tracks: 0, looping, additive: false }
    }

    fn place(clip: ClipHeader, ends: Ends, rounding: Rounding, time_secs: f64) -> f64 {
        Playback { ends, rounding }.place(clip, time_secs)
    }

    #[test]
    fn a_loop_begins_again_where_it_ends_and_a_clamped_clip_stands_still() {
        let clip = header(31, 1.0, true);
        for (time_secs, looped, clamped) in
            [(0.5, 15.0, 15.0), (1.0, 0.0, 30.0), (1.25, 7.5, 30.0), (-0.25, 22.5, 0.0), (3600.5, 15.0, 30.0)]
        {
            assert_eq!(place(clip, Ends::Loop, Rounding::None, time_secs), looped, "{time_secs}");
            assert_eq!(place(clip, Ends::OfClip, Rounding::None, time_secs), looped, "{time_secs}");
            assert_eq!(place(clip, Ends::Clamp, Rounding::None, time_secs), clamped, "{time_secs}");
            let once = ClipHeader { looping: false, ..clip };
            assert_eq!(place(once, Ends::OfClip, Rounding::None, time_secs), clamped, "{time_secs}");
        }
    }

    #[test]
    fn what_is_no_time_and_clips_of_one_sample_begin_at_their_start() {
        for ends in [Ends::Loop, Ends::Clamp] {
            assert_eq!(place(header(31, 1.0, true), ends, Rounding::None, f64::NAN), 0.0);
            assert_eq!(place(header(1, 0.0, true), ends, Rounding::Ceil, 7.0), 0.0);
            assert!((0.0..=30.0).contains(&place(header(31, 1.0, true), ends, Rounding::None, f64::INFINITY)));
        }
    }

    proptest! {
        #[test]
        fn loops_leave_the_remainder(duration_secs in 0.01f32..1000.0, time_secs in -1e5f64..1e5) {
            let clip = header(31, duration_secs, true);
            let expected = clip.grid.sample_at(time_secs.rem_euclid(duration_secs.into()) as f32);
            let found = place(clip, Ends::Loop, Rounding::None, time_secs);
            // The end of a loop is its start.
            let apart = (found - expected).abs();
            prop_assert!(apart.min(30.0 - apart) < 1e-4, "{found} {expected}");
        }

        #[test]
        fn rounded_places_are_samples_beside_the_place(samples in 1usize..200_000, fraction in 0.0f64..=1.0) {
            let at_sample = fraction * (samples - 1) as f64;
            let [floor, ceil, nearest] = [Rounding::Floor, Rounding::Ceil, Rounding::Nearest].map(|r| r.apply(at_sample));
            prop_assert_eq!((floor, ceil, nearest), (at_sample.floor(), at_sample.ceil(), (at_sample + 0.5).floor()));
            prop_assert!(ceil <= (samples - 1) as f64 && nearest <= ceil && Rounding::None.apply(at_sample) == at_sample);
        }
    }
}
