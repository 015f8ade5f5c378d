use crate::ClipFile;
use bevy::prelude::*;
use bevy::world_serialization::{InstanceId, WorldInstance, WorldInstanceSpawner};
use posepress_runtime::RigJoint;
use posepress_runtime::{Cursor, Ends, Playback, Rounding};
use thiserror::Error;

/// Plays a clip on the scene of its entity, which has a [`WorldAssetRoot`]. You may change the fields at any time.
#[derive(Debug, Clone, Component)]
pub struct ClipPlayer {
    /// The file of the clip.
    pub file: Handle<ClipFile>,
    /// Name of the clip.
    pub clip: String,
    /// Current time, in seconds from the clip's start. Each frame advances it.
    pub time_secs: f64,
    /// Speed: 1 is the original speed, 0 pauses, negative plays backwards.
    pub speed: f64,
    /// The behaviour outside the clip; by default, the loop flag of the clip decides.
    pub ends: Ends,
}

/// The reason why the [`ClipPlayer`] of this entity plays nothing. A change of the player or of a file starts a new try.
#[derive(Debug, Clone, PartialEq, Eq, Component, Error)]
pub enum CannotPlay {
    /// The file has no clip with that name.
    #[error("there is no clip '{clip}'; the file has {known}")]
    NoClip {
        /// The name asked for.
        clip: String,
        /// Names of the clips in the file.
        known: String,
    },
    /// The scene lacks joints of the clips' rig, or has them under other parents.
    #[error("the scene does not have these joints of the clips' rig, or below other nodes than the rig: {joints}")]
    MissingJoints {
        /// Names of the missing joints.
        joints: String,
    },
    /// The clip is additive: its poses are differences from another clip.
    #[error("clip '{clip}' is additive: play another one, and add this one's poses to it")]
    Additive {
        /// Name of the clip.
        clip: String,
    },
    /// Memory for playing ran out.
    #[error("there is not enough memory")]
    NoMemory,
}

/// A scene's joints and the buffers for playing, so that no frame allocates.
#[derive(Component)]
pub(crate) struct Bound {
    scene: InstanceId,
    /// The entity per joint.
    joints: Vec<Entity>,
    cursor: Cursor<'static>,
    /// True until the first frame is shown.
    is_new: bool,
    pose: Vec<posepress_runtime::Transform>,
}

impl ClipPlayer {
    /// Plays a clip from its start, at its own speed.
    pub fn new(file: Handle<ClipFile>, clip: impl Into<String>) -> Self {
        Self { file, clip: clip.into(), time_secs: 0.0, speed: 1.0, ends: Ends::OfClip }
    }
}

type Players<'w, 's> =
    Query<'w, 's, (Entity, Ref<'static, ClipPlayer>, &'static WorldInstance, Option<&'static Bound>, Has<CannotPlay>)>;
type Nodes<'w, 's> = Query<'w, 's, &'static Children>;
type Names<'w, 's> = Query<'w, 's, &'static Name>;

/// Binds loaded scenes to their joints if their clip has changed.
pub(crate) fn bind(
    mut commands: Commands,
    files: Res<Assets<ClipFile>>,
    scenes: Res<WorldInstanceSpawner>,
    (players, nodes, names): (Players, Nodes, Names),
) {
    for (entity, player, scene, bound, has_failed) in &players {
        let Some(file) = files.get(&player.file).filter(|_| scenes.instance_is_ready(**scene)) else {
            continue; // still loading; the asset server reports files that fail to load
        };
        let is_bound = bound.is_some_and(|bound| bound.plays(file, &player.clip, **scene));
        if is_bound || has_failed && !player.is_changed() && !files.is_changed() {
            continue;
        }
        let joints = find_joints(file.joints(), entity, nodes, names);
        let mut entity_commands = commands.entity(entity);
        match Bound::new(file, &player.clip, **scene, &joints) {
            Ok(bound) => entity_commands.insert(bound).remove::<CannotPlay>(),
            Err(reason) => {
                error!("{entity} plays nothing: {reason}");
                entity_commands.insert(reason).remove::<Bound>()
            }
        };
    }
}

/// Poses the joints of every scene for this frame. Equal transforms are not marked as changed.
pub(crate) fn play(
    time: Res<Time>,
    files: Res<Assets<ClipFile>>,
    mut players: Query<(&mut ClipPlayer, &mut Bound)>,
    mut transforms: Query<&mut Transform>,
) {
    for (mut player, mut bound) in &mut players {
        if !std::mem::take(&mut bound.is_new) {
            player.time_secs += player.speed * time.delta_secs_f64();
        }
        let clip = files.get(&player.file).and_then(|file| file.clip(&player.clip));
        let Bound { joints, cursor, pose, .. } = &mut *bound;
        let Some(clip) = clip.filter(|clip| clip.has_made(cursor)) else {
            continue; // gone: it cannot be bound
        };
        let playback = Playback { ends: player.ends, rounding: Rounding::None };
        let at = playback.place(clip.header(), player.time_secs);
        clip.sample_range(cursor, at, 0..pose.len(), pose);
        for (joint, local) in joints.iter().zip(&*pose) {
            if let Ok(mut transform) = transforms.get_mut(*joint) {
                transform.set_if_neq(to_bevy(local));
            }
        }
    }
}

impl Bound {
    fn new(file: &ClipFile, clip: &str, scene: InstanceId, joints: &[Option<Entity>]) -> Result<Self, CannotPlay> {
        let Some(opened) = file.clip(clip) else {
            let known = file.names().collect::<Vec<_>>().join(", ");
            return Err(CannotPlay::NoClip { clip: clip.into(), known });
        };
        if opened.header().additive {
            return Err(CannotPlay::Additive { clip: clip.into() });
        }
        let found = joints.iter().copied().collect::<Option<Vec<_>>>();
        let Some(joints) = found else {
            let missing = file.joints().iter().zip(joints).filter(|(_, entity)| entity.is_none());
            let joints = missing.map(|(joint, _)| joint.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(CannotPlay::MissingJoints { joints });
        };
        let cursor = opened.cursor().map_err(|_| CannotPlay::NoMemory)?;
        let pose = vec![posepress_runtime::Transform::IDENTITY; joints.len()];
        Ok(Self { scene, joints, cursor, is_new: true, pose })
    }

    fn plays(&self, file: &ClipFile, clip: &str, scene: InstanceId) -> bool {
        self.scene == scene && file.clip(clip).is_some_and(|clip| clip.has_made(&self.cursor))
    }
}

/// The entity per joint: it has the joint's name, and its parent is the entity of the joint's parent. Nodes that are no joints may
/// only be above the roots.
fn find_joints(joints: &[RigJoint], scene: Entity, nodes: Nodes, names: Names) -> Vec<Option<Entity>> {
    let mut found = vec![None; joints.len()];
    let mut left = vec![(scene, None)];
    while let Some((above, parent)) = left.pop() {
        for child in nodes.get(above).into_iter().flatten() {
            let name = names.get(*child).map_or("", Name::as_str);
            let is_it = |joint: &RigJoint| joint.name == name && joint.parent.map(usize::from) == parent;
            let joint = joints.iter().position(is_it);
            if let Some(place) = joint.and_then(|joint| found.get_mut(joint)) {
                place.get_or_insert(*child);
            }
            left.push((*child, joint));
        }
    }
    found
}

fn to_bevy(local: &posepress_runtime::Transform) -> Transform {
    Transform {
        translation: Vec3::from_array(local.translation.to_array()),
        rotation: Quat::from_array(local.rotation.to_array()),
        scale: Vec3::from_array(local.scale.to_array()),
    }
}
