use glam::{Quat, Vec4};

/// The rotation component whose smallest magnitude is largest: 0 to 3 for x to w, and w among equals. Its sign then never changes that of
/// the others, and computing it from their squares is precise.
pub fn farthest_component(rotations: impl Iterator<Item = Quat>) -> usize {
    let smallest = rotations.map(|q| Vec4::from(q).abs()).fold(Vec4::MAX, Vec4::min);
    [2, 1, 0].into_iter().fold(3, |best, i| if smallest[i] > smallest[best] { i } else { best })
}
