//! Plays clips of a `.posepress` container on the glTF scene that they were made for.
//!
//! Add [`PosepressPlugin`] to the app and a [`ClipPlayer`] to the entity of the scene:
//!
//! ```no_run
//! use bevy::prelude::*;
//! use posepress_bevy::{ClipPlayer, PosepressPlugin};
//!
//! fn setup(mut commands: Commands, assets: Res<AssetServer>) {
//!     let scene = assets.load(GltfAssetLabel::Scene(0).from_asset("knight.glb"));
//!     commands.spawn((WorldAssetRoot(scene), ClipPlayer::new(assets.load("knight.posepress"), "Walk")));
//! }
//!
//! App::new().add_plugins((DefaultPlugins, PosepressPlugin)).add_systems(Startup, setup).run();
//! ```

mod clip_file;
mod player;

pub use clip_file::{ClipFile, ClipFileError, ClipFileLoader};
pub use player::{CannotPlay, ClipPlayer};
pub use posepress_runtime::Ends;

use bevy::prelude::*;

/// Loads `.posepress` files, and moves the joints of every scene with a [`ClipPlayer`].
#[derive(Debug, Default)]
pub struct PosepressPlugin;

impl Plugin for PosepressPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ClipFile>().init_asset_loader::<ClipFileLoader>();
        // Scenes are spawned between Update and PostUpdate; children of the joints follow in the same frame.
        let systems = (player::bind, player::play).chain().before(TransformSystems::Propagate);
        app.add_systems(PostUpdate, systems);
    }
}
