//! Detection of loops, for clips without a mark.

use super::Clip;
use crate::math::Transform;

/// In a loop, the first and the last sample differ by less than this, in metres, quaternion components and scale factors.
const MEET_EPSILON: f32 = 1e-4;
/// Fewest samples of a loop.
pub(super) const MIN_LOOP_SAMPLES: usize = 3;
/// Smallest cosine, over all joints, between the last and the first step of a motion that continues through its seam. Attacks that return
/// to their start do not continue.
const GOES_ON: f32 = 0.7;
/// Starts of words in the names of loops. Breathing reverses at its ends, as an attack does, and only the name distinguishes them.
const WORDS: [&str; 11] = ["idle", "walk", "run", "jog", "sprint", "strafe", "crawl", "swim", "fly", "loop", "cycle"];

/// True if a clip ends at its start, moves in between, and either continues through the seam or has the name of a loop.
pub(super) fn is_loop(name: &str, joints: usize, transforms: &[Transform]) -> bool {
    let samples = transforms.len() / joints;
    if samples < MIN_LOOP_SAMPLES {
        return false;
    }
    let pose = |sample: usize| &transforms[sample * joints..][..joints];
    let (first, last) = (pose(0), pose(samples - 1));
    let moves = transforms.iter().zip(&transforms[joints..]).any(|(a, b)| !meet(a, b));
    let meets = first.iter().zip(last).all(|(a, b)| meet(a, b));
    moves && meets && (is_named(name) || goes_on([pose(samples - 2), last], [first, pose(1)]))
}

impl Clip {
    /// True if a joint's last local transform is its first, as in a loop.
    pub fn returns(&self, joint: usize) -> bool {
        meet(&self.at(0, joint), &self.at(self.samples() - 1, joint))
    }
}

fn meet(a: &Transform, b: &Transform) -> bool {
    let rotation = (a.rotation - b.rotation).length().min((a.rotation + b.rotation).length());
    rotation < MEET_EPSILON
        && (a.translation - b.translation).length() < MEET_EPSILON
        && (a.scale - b.scale).length() < MEET_EPSILON
}

fn is_named(name: &str) -> bool {
    // `RunFast_01` has the words run and fast.
    let mut spaced = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_small {
            spaced.push(' ');
        }
        was_small = letter.is_lowercase();
        spaced.extend(letter.to_lowercase());
    }
    spaced.split(|c: char| !c.is_alphabetic()).any(|word| WORDS.iter().any(|start| word.starts_with(start)))
}

/// True if the last step and the first step have nearly the same direction.
fn goes_on(into: [&[Transform]; 2], out: [&[Transform]; 2]) -> bool {
    let (mut dot, mut squares) = (0.0, [0.0f32; 2]);
    for joint in 0..into[0].len() {
        // After full turns, a quaternion may come back negated, which is the same rotation.
        let sign = into[1][joint].rotation.dot(out[0][joint].rotation).signum();
        let step = |[from, to]: [&[Transform]; 2], sign: f32| {
            let (from, to) = (&from[joint], &to[joint]);
            ((to.rotation - from.rotation) * sign, to.translation - from.translation)
        };
        let ((turn_in, move_in), (turn_out, move_out)) = (step(into, 1.0), step(out, sign));
        dot += turn_in.dot(turn_out) + move_in.dot(move_out);
        squares[0] += turn_in.length_squared() + move_in.length_squared();
        squares[1] += turn_out.length_squared() + move_out.length_squared();
    }
    let length = (squares[0] * squares[1]).sqrt();
    length > 0.0 && dot >= GOES_ON * length
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    fn turns(turns_rad: impl Iterator<Item = f32>) -> Vec<Transform> {
        turns_rad.map(|rad| Transform { rotation: Quat::from_rotation_z(rad), ..Transform::IDENTITY }).collect()
    }

    /// `rounds` full turns, which return to the start or to its negated quaternion.
    fn wheel(rounds: usize) -> Vec<Transform> {
        turns((0..=24).map(|s| s as f32 / 24.0 * rounds as f32 * std::f32::consts::TAU))
    }

    #[test]
    fn what_goes_on_through_the_seam_is_a_loop_and_what_comes_back_is_none() {
        assert!(is_loop("c", 1, &wheel(1)) && is_loop("c", 1, &wheel(2)));
        let swing =
            |start_rad: f32| turns((0..=24).map(move |s| (s as f32 / 24.0 * std::f32::consts::TAU + start_rad).sin()));
        assert!(is_loop("c", 1, &swing(0.3)));
        // From rest through a blow to rest again.
        let blow = turns((0..=24).map(|s| 1.0 - (s as f32 / 24.0 * std::f32::consts::TAU).cos()));
        assert!(!is_loop("Attack", 1, &blow));
        for name in ["Idle", "2H_Melee_Idle", "WalkForward", "Running_A", "run-fast", "attack loop"] {
            assert!(is_loop(name, 1, &blow), "{name}");
        }
        for name in ["Grunt", "Truncate", "Prune", "Riddle", ""] {
            assert!(!is_loop(name, 1, &blow), "{name}");
        }
    }

    #[test]
    fn nothing_that_stands_still_or_ends_elsewhere_loops_whatever_its_name() {
        let at = |x: &[f32]| x.iter().map(|&x| Transform::from_translation(Vec3::X * x)).collect::<Vec<_>>();
        assert!(is_loop("walk", 1, &at(&[0.0, 1.0, 0.0])));
        assert!(!is_loop("walk", 1, &at(&[0.0, 0.0, 0.0])));
        assert!(!is_loop("walk", 1, &at(&[0.0, 1.0, 2.0])));
        assert!(!is_loop("walk", 1, &at(&[0.0, 0.0])));
    }
}
