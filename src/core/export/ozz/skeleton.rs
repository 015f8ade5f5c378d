use super::joints::Joints;
use super::{archive, without_zeros};
use crate::export::ExportError;
use crate::import::OZZ_SKELETON;
use crate::math::Transform;
use crate::model::Skeleton;

/// Parent index of a root.
const NO_PARENT: i16 = -1;

/// Writes names, parents and rest poses. Rest poses are stored four joints at a time, component by component.
pub fn write(skeleton: &Skeleton) -> Result<Vec<u8>, ExportError> {
    let joints = Joints::of(skeleton)?;
    let mut out = archive(OZZ_SKELETON);
    out.u32(skeleton.len() as u32);
    let names: Vec<String> = joints.order().iter().map(|joint| without_zeros(skeleton.name(*joint))).collect();
    out.u32(names.iter().map(|name| name.len() as u32 + 1).sum());
    for name in &names {
        out.bytes(name.as_bytes());
        out.u8(0);
    }
    let places = joints.places();
    for &joint in joints.order() {
        let parent = skeleton.parent(joint).map_or(NO_PARENT, |parent| places[parent] as i16);
        out.bytes(&parent.to_le_bytes());
    }
    let rest = |joint: Option<usize>| joint.map_or(Transform::IDENTITY, |joint| skeleton.bind(joint));
    let numbers: Vec<[f32; 10]> = joints.lanes().map(|joint| ten_numbers(rest(joint))).collect();
    for lanes in numbers.chunks(4) {
        (0..10).for_each(|component| lanes.iter().for_each(|lane| out.f32(lane[component])));
    }
    Ok(out.finish())
}

/// Translation, rotation, scale.
fn ten_numbers(local: Transform) -> [f32; 10] {
    let [[tx, ty, tz], [sx, sy, sz]] = [local.translation.to_array(), local.scale.to_array()];
    let [rx, ry, rz, rw] = local.rotation.to_array();
    [tx, ty, tz, rx, ry, rz, rw, sx, sy, sz]
}
