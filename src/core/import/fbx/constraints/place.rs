use glam::{DAffine3, DMat3, DQuat, DVec3};
use ufbx::{CoordinateAxis, Node, RotationOrder};

/// Local transform of a node, with the pivot that constraints move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Local {
    translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    /// Rotation pivot in the node's space. It is used as the scale pivot too.
    pivot: DVec3,
}

impl Local {
    /// Converts a transform of ufbx. Nodes below the scene root have the rotation of the axes in their transform; `axes` removes it.
    pub fn of(node: &Node, transform: &ufbx::Transform, axes: Option<DQuat>, unit: f64) -> Self {
        let to_file = axes.map_or(DQuat::IDENTITY, DQuat::inverse);
        Self {
            translation: to_file * vector(transform.translation),
            rotation: to_file * quaternion(transform.rotation),
            scale: vector(transform.scale),
            pivot: node.element.props.find_prop("RotationPivot").map_or(DVec3::ZERO, |pivot| first_three(pivot) * unit),
        }
    }

    /// Inverse of [`Self::of`].
    pub fn transform(&self, axes: Option<DQuat>) -> ufbx::Transform {
        let from_file = axes.unwrap_or(DQuat::IDENTITY);
        let (translation, rotation) = (from_file * self.translation, (from_file * self.rotation).normalize());
        ufbx::Transform {
            translation: ufbx::Vec3 { x: translation.x, y: translation.y, z: translation.z },
            rotation: ufbx::Quat { x: rotation.x, y: rotation.y, z: rotation.z, w: rotation.w },
            scale: ufbx::Vec3 { x: self.scale.x, y: self.scale.y, z: self.scale.z },
        }
    }

    /// Position of the pivot in the parent's space.
    pub fn place(&self) -> DVec3 {
        self.translation + self.rotation * (self.scale * self.pivot)
    }

    /// Moves the pivot to a position in the parent's space.
    pub fn at(self, place: DVec3) -> Self {
        Self { translation: self.translation + place - self.place(), ..self }
    }

    /// Sets the rotation. The pivot stays in place.
    pub fn turned(self, rotation: DQuat) -> Self {
        Self { rotation, ..self }.at(self.place())
    }

    /// Sets the scale. The pivot stays in place.
    pub fn scaled(self, scale: DVec3) -> Self {
        Self { scale, ..self }.at(self.place())
    }
}

/// Transform of a node in the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub scene_from_node: DAffine3,
    /// Product of the rotations of the node and its ancestors, without shear.
    pub rotation: DQuat,
    /// Product of the scales of the node and its ancestors.
    pub scale: DVec3,
    /// Position of the pivot in the scene.
    pub place: DVec3,
}

impl Space {
    /// Space of the scene root, with the rotation of the file's axes.
    pub fn turned(rotation: DQuat) -> Self {
        Self { scene_from_node: DAffine3::from_quat(rotation), rotation, scale: DVec3::ONE, place: DVec3::ZERO }
    }

    pub fn below(&self, local: &Local) -> Self {
        let own = DAffine3::from_scale_rotation_translation(local.scale, local.rotation, local.translation);
        Self {
            scene_from_node: self.scene_from_node * own,
            rotation: self.rotation * local.rotation,
            scale: self.scale * local.scale,
            place: self.scene_from_node.transform_point3(local.place()),
        }
    }

    /// Converts a position from the scene to this space. `None` if the space is flattened.
    pub fn inside(&self, place: DVec3) -> Option<DVec3> {
        let inside = self.scene_from_node.inverse().transform_point3(place);
        inside.is_finite().then_some(inside)
    }
}

/// Replaces some Euler angles of `base` by those of `wanted`. The angles are those of the node's channels.
pub(super) fn mixed(node: &Node, base: DQuat, wanted: DQuat, axes: [bool; 3]) -> DQuat {
    if axes == [true; 3] {
        return wanted;
    }
    let property = |name: &str| node.element.props.find_prop(name).filter(|_| node.use_rotation_space);
    let fixed = |name: &str| property(name).map_or(DQuat::IDENTITY, |degrees| euler(first_three(degrees)));
    let (before, after) = (fixed("PreRotation"), fixed("PostRotation").inverse());
    let order = match node.rotation_order {
        order if node.use_rotation_space && order != RotationOrder::Spheric => order,
        _ => RotationOrder::Xyz,
    };
    let angles = |rotation: DQuat| {
        let own = before.inverse() * rotation * after.inverse();
        vector(ufbx::quat_to_euler(ufbx::Quat { x: own.x, y: own.y, z: own.z, w: own.w }, order)).to_array()
    };
    let (base, wanted) = (angles(base), angles(wanted));
    let [x, y, z] = [0, 1, 2].map(|axis| if axes[axis] { wanted[axis] } else { base[axis] });
    before * quaternion(ufbx::euler_to_quat(ufbx::Vec3 { x, y, z }, order)) * after
}

/// A rotation from Euler angles in degrees, in the default order: x first.
pub(super) fn euler(degrees: DVec3) -> DQuat {
    let degrees = ufbx::Vec3 { x: degrees.x, y: degrees.y, z: degrees.z };
    quaternion(ufbx::euler_to_quat(degrees, RotationOrder::Xyz))
}

/// The rotation from one pair of directions to another, exact for the first direction. `None` if a pair is parallel.
pub(super) fn turn(from: [DVec3; 2], to: [DVec3; 2]) -> Option<DQuat> {
    Some(DQuat::from_mat3(&(basis(to)? * basis(from)?.transpose())))
}

/// Right-handed axes: the first direction, the perpendicular part of the second, and their cross product.
fn basis([first, second]: [DVec3; 2]) -> Option<DMat3> {
    let first = first.try_normalize()?;
    let second = second.try_normalize()?.reject_from_normalized(first);
    let second = (second.length_squared() > PARALLEL).then(|| second.normalize())?;
    Some(DMat3::from_cols(first, second, first.cross(second)))
}

/// Square of the sine below which directions are parallel.
const PARALLEL: f64 = 1e-12;

/// The direction of an axis of a file; Y if unknown.
pub(super) fn axis(axis: CoordinateAxis) -> DVec3 {
    match axis {
        CoordinateAxis::PositiveX => DVec3::X,
        CoordinateAxis::NegativeX => DVec3::NEG_X,
        CoordinateAxis::PositiveY | CoordinateAxis::Unknown => DVec3::Y,
        CoordinateAxis::NegativeY => DVec3::NEG_Y,
        CoordinateAxis::PositiveZ => DVec3::Z,
        CoordinateAxis::NegativeZ => DVec3::NEG_Z,
    }
}

pub(super) fn vector(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) fn quaternion(q: ufbx::Quat) -> DQuat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// The value of a vector property.
pub(super) fn first_three(property: &ufbx::Prop) -> DVec3 {
    DVec3::new(property.value_vec4.x, property.value_vec4.y, property.value_vec4.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_that_are_parallel_turn_nothing() {
        assert_eq!(turn([DVec3::X, DVec3::X], [DVec3::Y, DVec3::Z]), None);
        let turned = turn([DVec3::X, DVec3::Y], [DVec3::Z * 3.0, DVec3::ONE]).unwrap();
        assert!((turned * DVec3::X - DVec3::Z).length() < 1e-12);
        assert!((turned * DVec3::Y).dot(DVec3::ONE) > 0.0);
    }
}
