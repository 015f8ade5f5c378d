use super::Numbers;
use crate::math::{hermite, riot_section};
use crate::model::TimeGrid;
use glam::{DVec4, Vec4};

/// Distance in samples from the last key of a held interval to the next sample. In the file it is one f32 step.
const BEFORE_STEP: f64 = 1e-6;

/// The interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interpolation {
    /// Holds the earlier key.
    Step,
    /// A line, or an arc for rotations (glTF).
    Linear,
    /// A line. Rotations are normalised, which is nlerp (ozz).
    Chord,
    /// A cubic with two tangents per key (glTF).
    Cubic,
    /// A Catmull-Rom spline over the ticks of its keys (Riot).
    Spline(Ticks),
}

impl Interpolation {
    /// The value on a straight path between two keys: an arc or a chord.
    pub fn straight(self, a: Vec4, b: Vec4, t: f64, is_rotation: bool) -> Vec4 {
        if self != Self::Chord || !is_rotation {
            return blend(a, b, t, is_rotation);
        }
        // Signs are those of the file: the player does not search for the shorter path.
        (a + (b - a) * t as f32).normalize_or(a)
    }
}

/// The times of a clip in 16 bits: 0 is its start, 65,535 its end. Times between two ticks round down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ticks(pub TimeGrid);

impl Ticks {
    /// The tick of a time in samples.
    pub fn at(self, place: f64) -> u16 {
        let duration_secs = self.0.duration_secs();
        if duration_secs <= 0.0 {
            return 0;
        }
        (self.0.time_secs(place) / duration_secs * f32::from(u16::MAX)) as u16
    }
}

/// The time of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyTime {
    /// Sample whose value it has.
    pub sample: usize,
    /// True if it ends the held interval after that sample, just before the next one.
    pub ends_hold: bool,
}

impl KeyTime {
    /// A key at a sample.
    pub fn at(sample: usize) -> Self {
        Self { sample, ends_hold: false }
    }

    /// Time in seconds, in a file where the clip starts at `start_secs`.
    pub fn secs(self, grid: TimeGrid, start_secs: f32) -> f32 {
        match self.ends_hold {
            false => start_secs + grid.time_secs(self.sample as f64),
            true => (start_secs + grid.time_secs((self.sample + 1) as f64)).next_down(),
        }
    }

    /// Time in samples.
    pub fn place(self) -> f64 {
        if self.ends_hold { (self.sample + 1) as f64 - BEFORE_STEP } else { self.sample as f64 }
    }
}

/// The keys of one channel of a joint, as a reader gets them: x, y, z of a vector, or x, y, z, w of a rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times in order.
    pub times: Vec<KeyTime>,
    /// One value per key.
    pub values: Vec<Vec4>,
    /// In- and out-tangent of each key, per sample; empty unless the curve is cubic.
    pub tangents: Vec<[Vec4; 2]>,
    /// True for rotations.
    pub is_rotation: bool,
    /// Number format of the values.
    pub numbers: Numbers,
}

impl Curve {
    /// The value that a player reads at a time in samples.
    pub fn at(&self, place: f64) -> Vec4 {
        let next = self.times.partition_point(|time| time.place() <= place);
        let Some(key) = next.checked_sub(1) else { return self.values[0] };
        if next == self.times.len() || self.interpolation == Interpolation::Step {
            return self.values[key];
        }
        let (start, end) = (self.times[key].place(), self.times[next].place());
        let t = (place - start) / (end - start);
        let (a, b) = (self.values[key], self.values[next]);
        match self.interpolation {
            Interpolation::Spline(ticks) => self.on_spline(key, ticks, place),
            Interpolation::Cubic => {
                let span = (end - start) as f32;
                let [_, out] = self.tangents[key];
                let [into, _] = self.tangents[next];
                hermite([a, out * span, b, into * span], t as f32, self.is_rotation)
            }
            straight => straight.straight(a, b, t, self.is_rotation),
        }
    }

    /// The value in the section after a key. Each tangent is that of the line between the neighbours of its key, over the time between
    /// them. At both ends of the clip, the outer key is doubled.
    fn on_spline(&self, key: usize, ticks: Ticks, place: f64) -> Vec4 {
        let keys = [key.saturating_sub(1), key, key + 1, (key + 2).min(self.values.len() - 1)];
        let [t0, t1, t2, t3] = keys.map(|key| f32::from(ticks.at(self.times[key].sample as f64)));
        let own = t2 - t1;
        if own <= 0.0 {
            return self.values[key];
        }
        let parts = [own / (t2 - t0), own / (t3 - t1)];
        let t = (f32::from(ticks.at(place)) - t1) / own;
        riot_section(keys.map(|key| self.values[key]), parts, t, self.is_rotation)
    }

    /// The curve as a reader gets it from a file with these numbers.
    pub fn stored(mut self, numbers: Numbers) -> Self {
        self.values.iter_mut().for_each(|value| *value = numbers.read(*value));
        Self { numbers, ..self }
    }

    /// Adds a key on a curve of straight lines, at its current value.
    pub fn add_key(&mut self, sample: usize) {
        let at = self.times.partition_point(|time| *time < KeyTime::at(sample));
        let value = self.at(sample as f64);
        self.values.insert(at, self.numbers.read(value));
        self.times.insert(at, KeyTime::at(sample));
    }

    /// Removes keys that change nothing: those between two equal keys, or all but the first if every value is equal.
    pub fn without_idle_keys(mut self) -> Self {
        if self.values.iter().all(|value| *value == self.values[0]) {
            self.times.truncate(1);
            self.values.truncate(1);
            return Self { interpolation: Interpolation::Step, ..self };
        }
        if self.interpolation != Interpolation::Chord {
            return self; // a spline's tangents depend on more keys
        }
        let last = self.values.len() - 1;
        let is_idle = |key: usize| {
            key > 0
                && key < last
                && self.values[key] == self.values[key - 1]
                && self.values[key] == self.values[key + 1]
        };
        let kept: Vec<usize> = (0..=last).filter(|key| !is_idle(*key)).collect();
        self.times = kept.iter().map(|key| self.times[*key]).collect();
        self.values = kept.iter().map(|key| self.values[*key]).collect();
        self
    }

    /// Bytes of its values and tangents.
    pub fn value_bytes(&self) -> usize {
        let numbers = if self.is_rotation { 4 } else { 3 };
        let width = if self.numbers == Numbers::Floats { 4 } else { 2 };
        numbers * width * (self.values.len() + 2 * self.tangents.len())
    }
}

/// Interpolates on a line, or for rotations on the shorter arc. The result is not normalised, as in three.js. If 16-bit integers make a
/// rotation slightly too long, that counts as error.
pub fn blend(a: Vec4, b: Vec4, t: f64, is_rotation: bool) -> Vec4 {
    if !is_rotation {
        return a + (b - a) * t as f32;
    }
    // In f64: neighbours have such small arcs that f32 would lose half of its digits.
    let (a, b) = (a.as_dvec4(), b.as_dvec4());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    arc(a, b, t).as_vec4()
}

fn arc(a: DVec4, b: DVec4, t: f64) -> DVec4 {
    let cos = a.dot(b);
    let sin_sq = 1.0 - cos * cos;
    if sin_sq <= f64::EPSILON {
        return a + (b - a) * t;
    }
    let sin = sin_sq.sqrt();
    let angle = sin.atan2(cos);
    (a * (angle * (1.0 - t)).sin() + b * (angle * t).sin()) / sin
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;

    fn curve(interpolation: Interpolation, keys: &[(KeyTime, f32)]) -> Curve {
        Curve {
            interpolation,
            times: keys.iter().map(|(time, _)| *time).collect(),
            values: keys.iter().map(|(_, value)| Vec4::splat(*value)).collect(),
            tangents: vec![],
            is_rotation: false,
            numbers: Numbers::Floats,
        }
    }

    #[test]
    fn a_key_that_ends_a_hold_lies_just_before_the_next_sample() {
        let hold = KeyTime { sample: 1, ends_hold: true };
        let line = curve(Interpolation::Linear, &[(KeyTime::at(0), 0.0), (KeyTime::at(1), 1.0), (hold, 1.0)]);
        let line = Curve {
            times: [line.times, vec![KeyTime::at(2)]].concat(),
            values: [line.values, vec![Vec4::splat(5.0)]].concat(),
            ..line
        };
        let x = |place| line.at(place).x;
        assert_eq!([x(0.5), x(1.0), x(1.5), x(2.0), x(9.0)], [0.5, 1.0, 1.0, 5.0, 5.0]);
        let grid = TimeGrid::new(3, 2.0);
        assert_eq!(hold.secs(grid, 0.5), 2.5f32.next_down());
        assert_eq!(KeyTime::at(2).secs(grid, 0.5), 2.5);
    }

    #[test]
    fn rotations_go_along_the_shorter_arc_at_constant_speed() {
        let turn = |angle: f32| Vec4::from(Quat::from_rotation_y(angle).to_array());
        for t in [0.1, 0.5, 0.9] {
            let read = blend(turn(0.2), -turn(1.8), t, true);
            let exact = turn(0.2 + 1.6 * t as f32);
            assert!(read.dot(exact).abs() > 1.0 - 1e-6, "{t}: {read}");
        }
        let near = blend(turn(0.2), turn(0.2 + 1e-7), 0.5, true);
        assert!((near.length() - 1.0).abs() < 1e-6, "{near}");
    }

    #[test]
    fn chords_are_nlerp_and_keep_their_signs() {
        let turn = |angle: f32| Vec4::from(Quat::from_rotation_y(angle).to_array());
        let read = Interpolation::Chord.straight(turn(0.2), turn(1.8), 0.25, true);
        let exact = Quat::from_vec4(turn(0.2)).lerp(Quat::from_vec4(turn(1.8)), 0.25);
        assert!(read.distance(Vec4::from(exact.to_array())) < 1e-6, "{read}");
        let other_way = Interpolation::Chord.straight(turn(0.2), -turn(1.8), 0.5, true);
        assert!(other_way.dot(turn(1.0)).abs() < 1e-3, "{other_way}");
    }

    #[test]
    fn splines_go_through_their_keys_and_are_straight_where_those_are() {
        let grid = TimeGrid::new(11, 1.0);
        let spline = |keys: &[(usize, f32)]| {
            let keys: Vec<_> = keys.iter().map(|(sample, value)| (KeyTime::at(*sample), *value)).collect();
            curve(Interpolation::Spline(Ticks(grid)), &keys)
        };
        let bent = spline(&[(0, 0.0), (3, 5.0), (4, 1.0), (10, 2.0)]);
        assert_eq!([0.0, 3.0, 4.0, 10.0].map(|place| bent.at(place).x), [0.0, 5.0, 1.0, 2.0]);
        let straight = spline(&[(0, 0.0), (2, 2.0), (7, 7.0), (10, 10.0)]);
        for place in grid.steps(4) {
            // A tick is 1/65,535 of ten samples.
            assert!((f64::from(straight.at(place).x) - place).abs() < 3e-4, "{place}");
        }
        assert_eq!((Ticks(grid).at(0.0), Ticks(grid).at(10.0)), (0, u16::MAX));
        assert_eq!(Ticks(TimeGrid::new(1, 0.0)).at(0.0), 0);
    }
}
