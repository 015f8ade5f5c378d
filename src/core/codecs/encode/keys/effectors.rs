//! Unreal's end effectors, which are checked while keys are removed.

use crate::codecs::Source;

/// Largest movement of the vertices of end effectors, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectorThresholds {
    /// Unreal's `MaxEffectorDiff`: while keys of most joints are removed.
    pub most_m: f32,
    /// `MinEffectorDiff`: while keys of an end effector or of its parent are removed.
    pub last_m: f32,
    /// `EffectorDiffSocket`: for sockets, while any keys are removed.
    pub socket_m: f32,
}

impl EffectorThresholds {
    /// All of them times a factor.
    pub fn times(self, factor: f32) -> Self {
        Self { most_m: factor * self.most_m, last_m: factor * self.last_m, socket_m: factor * self.socket_m }
    }
}

/// Parts of names that mark a joint as a socket.
const SOCKET_NAMES: [&str; 6] = ["socket", "slot", "weapon", "attach", "prop", "grip"];

/// The end effectors of a rig: its leaves, and its sockets. A joint is a socket if its name says so, or if its shell is larger than that of
/// most joints. This stands in for Unreal's bones with sockets.
#[derive(Debug)]
pub struct Effectors {
    /// One per joint. `None` for a joint that is not an end effector.
    is_socket: Vec<Option<bool>>,
}

impl Effectors {
    pub fn new(source: &Source<'_>) -> Self {
        let skeleton = source.skeleton;
        let usual_m = usual_shell_m(source.shells_m);
        let is_socket = |joint: usize| {
            let name = skeleton.name(joint).to_lowercase();
            SOCKET_NAMES.iter().any(|part| name.contains(part)) || source.shells_m[joint] > usual_m
        };
        let effector = |joint: usize| match is_socket(joint) {
            true => Some(true),
            false => skeleton.children(joint).is_empty().then_some(false),
        };
        Self { is_socket: (0..skeleton.len()).map(effector).collect() }
    }

    /// The weight of each end effector's error while keys of `joint` are removed. An error of [`EffectorThresholds::most_m`] has weight 1.
    pub fn counts(&self, source: &Source<'_>, joint: usize, limits: &EffectorThresholds) -> Vec<Option<f32>> {
        let is_effector = |joint: usize| self.is_socket[joint].is_some();
        let is_last = is_effector(joint) || source.skeleton.children(joint).iter().any(|child| is_effector(*child));
        let most_m = if is_last { limits.last_m } else { limits.most_m };
        self.each(|is_socket| limits.most_m / if is_socket { limits.socket_m } else { most_m })
    }

    /// The same while keys of all joints are removed.
    pub fn counts_of_all(&self, limits: &EffectorThresholds) -> Vec<Option<f32>> {
        self.each(|is_socket| if is_socket { limits.most_m / limits.socket_m } else { 1.0 })
    }

    fn each(&self, count: impl Fn(bool) -> f32) -> Vec<Option<f32>> {
        self.is_socket.iter().map(|is_socket| is_socket.map(&count)).collect()
    }
}

/// The shell distance of most joints; ties go to the smallest.
fn usual_shell_m(shells_m: &[f32]) -> f32 {
    let mut sorted = shells_m.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut usual: &[f32] = &[];
    for same in sorted.chunk_by(|a, b| a == b) {
        usual = if same.len() > usual.len() { same } else { usual };
    }
    usual.first().copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_shell_is_that_of_most_joints() {
        assert_eq!(usual_shell_m(&[0.03, 1.0, 0.03, 0.01]), 0.03);
        assert_eq!(usual_shell_m(&[2.0, 1.0]), 1.0);
        assert_eq!(usual_shell_m(&[]), 0.0);
    }
}
