use crate::math::Transform;
use crate::model::{Channel, Clip, Hold};
use glam::Quat;

/// What an export may add to the error of one track, at the farthest point that the joint moves.
pub const EXPORT_ERROR_M: f32 = 1e-5;

/// One key: the value of a sample at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Sample whose value it holds.
    pub sample: usize,
    /// When; that of the sample, or just before the step that ends it.
    pub time_secs: f32,
}

/// The keys of one track.
#[derive(Debug, Clone, PartialEq)]
pub enum Keys {
    /// It stays at the bind pose: nothing is written.
    Bind,
    /// It keeps one value.
    Constant,
    /// Every interval is held.
    Step(Vec<Key>),
    /// Straight lines.
    Linear(Vec<Key>),
}

/// A channel of a joint at every sample, as decoded.
pub struct Track<'a> {
    /// Joint.
    pub joint: usize,
    /// Part of its transform.
    pub channel: Channel,
    /// One a sample.
    pub values: &'a [Transform],
    /// Distance from the joint to the farthest point that it moves.
    pub reach_m: f32,
}

impl Track<'_> {
    /// Chooses keys: those kept by the codec, plus what straight lines between them would miss, plus steps.
    pub fn keys(&self, source: &Clip, bind: &Transform, kept: Option<&[u32]>) -> Keys {
        let Some(first) = self.values.first() else { return Keys::Bind };
        if self.values.iter().all(|v| self.same(v, first)) {
            return if self.same(first, bind) { Keys::Bind } else { Keys::Constant };
        }
        let last = self.values.len() - 1;
        let held: Vec<bool> = (0..last).map(|sample| self.is_held(source, sample)).collect();
        let at = |sample: usize| Key { sample, time_secs: source.grid().time_secs(sample as f64) };
        if held.iter().all(|h| *h) {
            let changes = |&s: &usize| s == 0 || s == last || !self.same(&self.values[s], &self.values[s - 1]);
            return Keys::Step((0..=last).filter(changes).map(at).collect());
        }
        let samples = self.line_samples(kept, &held);
        Keys::Linear(with_steps(&samples, &held, at))
    }

    fn is_held(&self, source: &Clip, sample: usize) -> bool {
        let this = |h: &Hold| usize::from(h.joint) == self.joint && h.channel == self.channel;
        Hold::at(source.holds(), sample).iter().any(this)
    }

    fn line_samples(&self, kept: Option<&[u32]>, held: &[bool]) -> Vec<usize> {
        let last = held.len();
        let Some(kept) = kept else { return (0..=last).collect() };
        let mut samples: Vec<usize> = kept.iter().map(|&s| s as usize).filter(|&s| s <= last).collect();
        samples.extend([0, last]);
        samples.extend((0..last).filter(|&s| held[s]).flat_map(|s| [s, s + 1]));
        samples.sort_unstable();
        samples.dedup();
        let mut out = vec![0];
        for pair in samples.windows(2) {
            self.split(pair[0], pair[1], &mut out);
            out.push(pair[1]);
        }
        out
    }

    /// Adds the samples that a line from `a` to `b` misses, worst first, in order.
    fn split(&self, a: usize, b: usize, out: &mut Vec<usize>) {
        let error = |s: usize| self.line_error_m(a, b, s);
        let Some(worst) = (a + 1..b).max_by(|&x, &y| error(x).total_cmp(&error(y))) else { return };
        if error(worst) > EXPORT_ERROR_M {
            self.split(a, worst, out);
            out.push(worst);
            self.split(worst, b, out);
        }
    }

    /// Distance by which glTF's interpolation from sample `a` to `b` misses sample `s`.
    fn line_error_m(&self, a: usize, b: usize, s: usize) -> f32 {
        let alpha = (s - a) as f32 / (b - a) as f32;
        let (a, b, s) = (&self.values[a], &self.values[b], &self.values[s]);
        match self.channel {
            Channel::Rotation => angle(a.rotation.slerp(b.rotation, alpha), s.rotation) * self.reach_m,
            Channel::Translation => a.translation.lerp(b.translation, alpha).distance(s.translation),
            Channel::Scale => a.scale.lerp(b.scale, alpha).distance(s.scale) * self.reach_m,
        }
    }

    fn same(&self, a: &Transform, b: &Transform) -> bool {
        match self.channel {
            Channel::Rotation => a.rotation == b.rotation,
            Channel::Translation => a.translation == b.translation,
            Channel::Scale => a.scale == b.scale,
        }
    }
}

/// A second key just before the end of every held interval keeps its value up to there.
fn with_steps(samples: &[usize], held: &[bool], at: impl Fn(usize) -> Key) -> Vec<Key> {
    let mut keys = Vec::with_capacity(samples.len());
    for &sample in samples {
        keys.push(at(sample));
        if held.get(sample) == Some(&true) {
            keys.push(Key { sample, time_secs: at(sample + 1).time_secs.next_down() });
        }
    }
    keys
}

/// Angle between two unit quaternions, radians; exact for small angles.
pub fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * (0.5 * (a - b).length()).min(1.0).asin()
}

/// A unit quaternion as normalized 16-bit integers.
pub fn to_shorts(q: Quat) -> [i16; 4] {
    q.to_array().map(|v| (v.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16)
}

/// What a reader makes of [`to_shorts`].
pub fn from_shorts(q: [i16; 4]) -> Quat {
    Quat::from_array(q.map(|v| (f32::from(v) / f32::from(i16::MAX)).max(-1.0))).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(values: &[Transform]) -> Track<'_> {
        Track { joint: 0, channel: Channel::Translation, values, reach_m: 0.03 }
    }

    fn clip(x: &[f32], held: &[u32]) -> Clip {
        Clip::new(crate::model::ClipData {
            name: "c".into(),
            joints: 1,
            duration_secs: (x.len() - 1) as f32,
            transforms: x.iter().map(|&x| Transform::from_translation(glam::Vec3::new(x, 0.0, 0.0))).collect(),
            float_tracks: 0,
            floats: vec![],
            holds: held.iter().map(|&sample| Hold { sample, joint: 0, channel: Channel::Translation }).collect(),
            looping: None,
        })
        .unwrap()
    }

    fn keys_of(x: &[f32], held: &[u32], kept: &[u32]) -> Keys {
        let clip = clip(x, held);
        let values: Vec<_> = clip.track(0).collect();
        track(&values).keys(&clip, &Transform::IDENTITY, Some(kept))
    }

    fn samples(keys: &[Key]) -> Vec<usize> {
        keys.iter().map(|k| k.sample).collect()
    }

    #[test]
    fn constants_and_bind_poses_need_no_line() {
        assert_eq!(keys_of(&[0.0, 0.0, 0.0], &[], &[]), Keys::Bind);
        assert_eq!(keys_of(&[1.0, 1.0, 1.0], &[], &[]), Keys::Constant);
    }

    #[test]
    fn samples_that_a_line_misses_become_keys() {
        let Keys::Linear(line) = keys_of(&[0.0, 1.0, 2.0, 3.0, 4.0], &[], &[0, 4]) else { panic!() };
        assert_eq!(samples(&line), [0, 4]);
        let Keys::Linear(bent) = keys_of(&[0.0, 1.0, 2.0, 1.0, 0.0], &[], &[0, 4]) else { panic!() };
        assert_eq!(samples(&bent), [0, 2, 4]);
    }

    #[test]
    fn held_intervals_become_steps_or_double_keys() {
        let Keys::Step(step) = keys_of(&[0.0, 0.0, 5.0, 5.0], &[0, 1, 2], &[]) else { panic!() };
        assert_eq!(samples(&step), [0, 2, 3]);
        let Keys::Linear(keys) = keys_of(&[0.0, 1.0, 5.0, 6.0], &[1], &[]) else { panic!() };
        assert_eq!(samples(&keys), [0, 1, 1, 2, 3]);
        assert!(keys.windows(2).all(|k| k[0].time_secs < k[1].time_secs));
        assert!(2.0 - keys[2].time_secs < 1e-6);
    }

    #[test]
    fn sixteen_bits_keep_rotations_to_a_twentieth_of_a_milliradian() {
        let worst = (0..1000)
            .map(|i| Quat::from_scaled_axis(glam::Vec3::new(i as f32 * 0.37, i as f32 * 0.11, 1.0) * 0.1))
            .map(|q| angle(q, from_shorts(to_shorts(q))))
            .fold(0.0, f32::max);
        assert!(worst > 1e-6 && worst < 6.2e-5, "{worst}");
    }
}
