//! Loads the sample's glTF and clips through Bevy's asset server and runs frames. Checks that every joint has the runtime's
//! transform, and that feet are where the source clip has them.

use bevy::asset::LoadState;
use bevy::camera::visibility::VisibilityPlugin;
use bevy::gltf::GltfPlugin;
use bevy::image::ImagePlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::world_serialization::WorldSerializationPlugin;
use posepress_bevy::{CannotPlay, ClipFile, ClipPlayer, Ends, PosepressPlugin};
use posepress_core::codecs::Progress;
use posepress_core::export::ExportRecipes;
use posepress_core::import::{ImportOptions, Imported, import_bytes};
use posepress_core::model::{ModelPose, Pose};
use posepress_core::pipeline::{MeasuredClip, Outcome, archive_to_write, compress};
use posepress_core::recipe::Recipe;
use posepress_runtime::{CodecId, Container, Opened, Playback, Rounding};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const SAMPLE: &[u8] = include_bytes!("../../../src/app/assets/sample.glb");
const CLIPS: [&str; 3] = ["turn_90", "teleport", "walk"];
const FEET: [&str; 4] = ["foot_l", "foot_r", "toes_l", "toes_r"];
/// Not a whole number of samples, and no divisor of the loop.
const FRAME: Duration = Duration::from_micros(23_456);
/// Limit of the feet's distance: the error between samples plus float32 rounding along the rig, metres.
const FEET_M: f32 = 0.000_101 + 2e-6;
/// A rig with two joints of other names.
const OTHER: &str = "HIERARCHY
ROOT tail
{
  OFFSET 0 1 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT tip
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
5 0 0 10 0 0
";

/// An app without a window, with a folder of assets.
struct Stage {
    app: App,
    source: Imported,
    container: Vec<u8>,
    _folder: TempDir,
}

fn imported(name: &str, bytes: &[u8]) -> Imported {
    import_bytes(Path::new(name), bytes, &ImportOptions::default()).unwrap()
}

/// A container with the wanted clips of a source at the default tolerance.
fn compressed(source: &Imported, wanted: impl Fn(&str) -> bool) -> Vec<u8> {
    let (rig, recipe) = (Arc::new(source.rig.clone()), Recipe::chosen("press").unwrap());
    let clips: Vec<_> = source.clips.iter().filter(|clip| wanted(clip.name())).collect();
    let of = |clip: &&posepress_core::model::Clip| {
        let measured = MeasuredClip::new(rig.clone(), Arc::new((**clip).clone()), &recipe);
        compress(&measured, &recipe, &Progress::new()).unwrap()
    };
    let outcomes: Vec<Outcome> = clips.iter().map(of).collect();
    let named: Vec<_> = clips.iter().zip(&outcomes).map(|(clip, outcome)| (clip.name(), outcome)).collect();
    archive_to_write(&rig, &named, ExportRecipes::Kept).to_bytes()
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        let source = imported("sample.glb", SAMPLE);
        let container = compressed(&source, |name| CLIPS.contains(&name));
        write("sample.glb", SAMPLE);
        write("sample.posepress", &container);
        write("other.posepress", &compressed(&imported("other.bvh", OTHER.as_bytes()), |_| true));
        write("damaged.posepress", &container[..container.len() - 1]);
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        app.add_plugins(AssetPlugin { file_path: folder.path().display().to_string(), ..default() });
        app.add_plugins((
            TransformPlugin,
            VisibilityPlugin,
            WorldSerializationPlugin,
            ImagePlugin::default(),
            MeshPlugin,
        ));
        app.add_plugins((GltfPlugin::default(), PosepressPlugin));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME));
        app.finish();
        app.cleanup();
        Self { app, source, container, _folder: folder }
    }

    /// Spawns the sample's scene with a paused player at time 0.
    fn spawn(&mut self, file: &str, clip: &str) -> Entity {
        let assets = self.app.world().resource::<AssetServer>();
        let scene = assets.load(GltfAssetLabel::Scene(0).from_asset("sample.glb"));
        let player = ClipPlayer { speed: 0.0, ..ClipPlayer::new(assets.load(file.to_owned()), clip) };
        self.app.world_mut().spawn((WorldAssetRoot(scene), player)).id()
    }

    /// Runs frames until a condition is true.
    fn wait(&mut self, what: &str, is_so: impl Fn(&mut World) -> bool) {
        for _ in 0..3000 {
            self.app.update();
            if is_so(self.app.world_mut()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2)); // files are read on other threads
        }
        panic!("{what} in 3,000 frames");
    }

    fn wait_for_joints(&mut self, root: Entity) {
        let file = self.player(root).file.clone();
        self.wait("no joint is there", |world| {
            node(world, root, "hips").is_some() && world.resource::<AssetServer>().is_loaded(&file)
        });
    }

    fn player(&mut self, root: Entity) -> Mut<'_, ClipPlayer> {
        self.app.world_mut().get_mut(root).unwrap()
    }

    /// Checks every joint's local transform against the runtime, and each foot's position against the source.
    fn assert_shows(&mut self, root: Entity, clip: &str) {
        let container = Container::read(&self.container).unwrap();
        let rig = container.rig.unwrap();
        let (bind, joints) = (rig.bind_pose().unwrap(), rig.joints);
        let entry = container.clips.into_iter().find(|entry| entry.name == clip).unwrap();
        let opened = Opened::new(CodecId(entry.codec), entry.bytes, &bind).unwrap();
        let player = self.player(root);
        let (time_secs, ends) = (player.time_secs, player.ends);
        let at = Playback { ends, rounding: Rounding::None }.place(opened.header(), time_secs);
        let mut pose = Pose::with_size(joints.len(), opened.header().float_tracks);
        opened.sample(&mut opened.cursor().unwrap(), at, &mut pose);
        let world = self.app.world();
        for (joint, local) in joints.iter().zip(&pose.joints) {
            let shown = world.get::<Transform>(node(world, root, &joint.name).unwrap()).unwrap();
            assert_eq!(shown.translation.to_array(), local.translation.to_array(), "{clip}, {}", joint.name);
            assert_eq!(shown.rotation.to_array(), local.rotation.to_array(), "{clip}, {}", joint.name);
            assert_eq!(shown.scale.to_array(), local.scale.to_array(), "{clip}, {}", joint.name);
        }
        let raw = self.source.clips.iter().find(|raw| raw.name() == clip).unwrap();
        raw.sample(at, &mut pose);
        let skeleton = &self.source.rig.skeleton;
        let model = ModelPose::new(skeleton, &pose.joints);
        for foot in FEET {
            let shown = world.get::<GlobalTransform>(node(world, root, foot).unwrap()).unwrap().translation();
            let origin = Vec3::from_array(model.origin(skeleton.find(foot).unwrap()).to_array());
            assert!(shown.distance(origin) <= FEET_M, "{clip} at {at}, {foot}: {} m", shown.distance(origin));
        }
    }
}

/// The node with that name in a scene.
fn node(world: &World, root: Entity, name: &str) -> Option<Entity> {
    let mut left = vec![root];
    while let Some(entity) = left.pop() {
        if world.get::<Name>(entity).is_some_and(|found| found.as_str() == name) {
            return Some(entity);
        }
        left.extend(world.get::<Children>(entity).into_iter().flatten());
    }
    None
}

#[test]
fn joints_stand_where_the_runtime_has_them_and_feet_where_the_source_has_them() {
    let mut stage = Stage::new();
    let root = stage.spawn("sample.posepress", "walk");
    stage.wait_for_joints(root);
    stage.assert_shows(root, "walk");
    for clip in CLIPS {
        *stage.player(root) =
            ClipPlayer { clip: clip.into(), time_secs: 0.0, speed: 1.0, ..stage.player(root).clone() };
        stage.app.update(); // the first frame of a clip shows where it begins
        assert_eq!(stage.player(root).time_secs, 0.0);
        for _ in 0..50 {
            stage.app.update();
            stage.assert_shows(root, clip);
        }
        assert!((stage.player(root).time_secs - 50.0 * FRAME.as_secs_f64()).abs() < 1e-9);
    }
    // Backwards through the seam of the loop, then with clamped ends.
    *stage.player(root) = ClipPlayer { clip: "walk".into(), time_secs: 0.1, speed: -2.5, ..stage.player(root).clone() };
    for _ in 0..20 {
        stage.app.update();
        stage.assert_shows(root, "walk");
    }
    assert!(stage.player(root).time_secs < -1.0);
    stage.player(root).ends = Ends::Clamp;
    stage.app.update();
    stage.assert_shows(root, "walk");
}

#[test]
fn scenes_of_one_file_play_apart() {
    let mut stage = Stage::new();
    let [a, b] = ["walk", "turn_90"].map(|clip| stage.spawn("sample.posepress", clip));
    [a, b].iter().for_each(|root| stage.wait_for_joints(*root));
    stage.player(a).speed = 1.0;
    stage.player(b).speed = 0.3;
    for _ in 0..9 {
        stage.app.update();
    }
    stage.assert_shows(a, "walk");
    stage.assert_shows(b, "turn_90");
}

#[test]
fn what_cannot_be_played_is_said_until_it_can() {
    let mut stage = Stage::new();
    let (unknown, other) = (stage.spawn("sample.posepress", "swim"), stage.spawn("other.posepress", "other"));
    for root in [unknown, other] {
        stage.wait("no reason is given", |world| world.get::<CannotPlay>(root).is_some());
    }
    let reason = |stage: &Stage, root| stage.app.world().get::<CannotPlay>(root).cloned();
    let known = CLIPS.iter().all(|clip| reason(&stage, unknown).unwrap().to_string().contains(clip));
    assert!(known, "{:?}", reason(&stage, unknown));
    assert_eq!(reason(&stage, other), Some(CannotPlay::MissingJoints { joints: "tail, tip".into() }));
    stage.player(unknown).clip = "walk".into();
    stage.app.update();
    assert_eq!(reason(&stage, unknown), None);
    stage.assert_shows(unknown, "walk");
}

#[test]
fn a_damaged_file_is_refused_with_a_reason() {
    let mut stage = Stage::new();
    let file: Handle<ClipFile> = stage.app.world().resource::<AssetServer>().load("damaged.posepress");
    let state = |world: &World| world.resource::<AssetServer>().load_state(&file);
    stage.wait("it is not refused", |world| matches!(state(world), LoadState::Failed(_)));
    let LoadState::Failed(reason) = state(stage.app.world()) else { panic!("it was loaded") };
    assert!(reason.to_string().contains("cut short"), "{reason}");
}
