//! Fewer samples before keys are removed, as Unreal resamples a clip.

use crate::codecs::encode::keys::JointKeys;
use crate::codecs::{EncodeError, Source};
use crate::metrics::Weights;
use crate::model::{Clip, ClipData};

/// Clips with fewer samples are not resampled: Unreal's `MinKeysForResampling`.
const FEWEST_SAMPLES: usize = 10;

/// Some samples of a clip, about evenly spaced, with the first and the last.
pub struct Resampled {
    clip: Clip,
    /// The sample of each.
    kept: Vec<usize>,
}

impl Resampled {
    /// About `rate_hz` samples per second. `None` if the clip has no more than that, or is short.
    pub fn new(clip: &Clip, rate_hz: f64) -> Option<Result<Self, EncodeError>> {
        let steps = (f64::from(clip.duration_secs()) * rate_hz).round() as usize;
        let last = clip.samples() - 1;
        if clip.samples() < FEWEST_SAMPLES || steps == 0 || steps >= last {
            return None;
        }
        let kept: Vec<usize> = (0..=steps).map(|step| (2 * step * last + steps) / (2 * steps)).collect();
        let data = ClipData {
            name: clip.name().into(),
            joints: clip.joints(),
            duration_secs: clip.grid().duration_secs(),
            transforms: kept.iter().flat_map(|sample| clip.pose(*sample)).copied().collect(),
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        };
        let failed = |e| EncodeError::Unsupported(format!("clip '{}' at {rate_hz} Hz: {e}", clip.name()));
        Some(Clip::new(data).map(|clip| Self { clip, kept }).map_err(failed))
    }

    /// The source with these samples only.
    pub fn source<'a>(&'a self, source: &Source<'a>) -> Source<'a> {
        Source { clip: &self.clip, weights: Weights::EVEN, ..*source }
    }

    /// Replaces the times of keys by samples of the whole clip.
    pub fn restore_times(&self, joints: &mut [JointKeys]) {
        for joint in joints {
            let rotation = joint.rotation.iter_mut().map(|track| &mut track.times);
            let vectors = joint.translation.iter_mut().chain(&mut joint.scale).map(|track| &mut track.times);
            rotation.chain(vectors).flatten().for_each(|time| *time = self.kept[*time as usize] as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use glam::Vec3;

    fn clip(samples: usize, duration_secs: f32) -> Clip {
        let at = |sample: usize| Transform::from_translation(Vec3::X * sample as f32);
        Clip::new(ClipData {
            name: "clip".into(),
            joints: 1,
            duration_secs,
            transforms: (0..samples).map(at).collect(),
            float_tracks: 0,
            floats: Vec::new(),
            holds: Vec::new(),
            looping: None,
        })
        .unwrap()
    }

    #[test]
    fn samples_are_spread_evenly_from_the_first_to_the_last() {
        let kept = |samples: usize, secs: f32, hz: f64| {
            Resampled::new(&clip(samples, secs), hz).map(|made| made.unwrap().kept)
        };
        assert_eq!(kept(31, 1.0, 10.0).unwrap(), (0..=10).map(|n| 3 * n).collect::<Vec<_>>());
        assert_eq!(kept(25, 1.0, 15.0).unwrap(), [0, 2, 3, 5, 6, 8, 10, 11, 13, 14, 16, 18, 19, 21, 22, 24]);
        assert_eq!([kept(31, 1.0, 30.0), kept(9, 1.0, 4.0), kept(31, 0.1, 4.0)], [None, None, None]);
        let made = Resampled::new(&clip(31, 1.0), 10.0).unwrap().unwrap();
        assert_eq!(made.clip.at(2, 0).translation, 6.0 * Vec3::X);
    }
}
