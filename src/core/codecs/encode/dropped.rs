use crate::model::Clip;

/// The component of a joint's rotations whose smallest magnitude over the clip is largest, 0 to 3 for x to w; w among
/// equals. Its sign then never flips the others, and what is restored from their squares is precise.
pub fn farthest_component(clip: &Clip, joint: usize) -> usize {
    let smallest = |i: usize| clip.track(joint).map(|t| t.rotation.to_array()[i].abs()).fold(f32::MAX, f32::min);
    [2, 1, 0].into_iter().fold(3, |best, i| if smallest(i) > smallest(best) { i } else { best })
}
