//! Opens a container and prints the position of each joint of its first clip, relative to its parent, at half its duration.
//!
//! `cargo run -p posepress-runtime --example play -- FILE.posepress`

use posepress_runtime::{CodecId, Container, Opened, Pose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("give a .posepress file")?;
    let container = Container::read(&std::fs::read(file)?)?;
    let (Some(rig), Some(entry)) = (&container.rig, container.clips.first()) else {
        return Err("a container with its rig and a clip is needed".into());
    };
    let bind = rig.bind_pose()?; // once, shared by all clips
    let clip = Opened::new(CodecId(entry.codec), &entry.bytes, &bind)?; // once, shared by all characters
    let mut cursor = clip.cursor()?; // one per character
    let mut pose = Pose::with_size(clip.header().joints, clip.header().float_tracks);
    let grid = clip.header().grid;
    clip.sample(&mut cursor, grid.sample_at(0.5 * grid.duration_secs()), &mut pose);
    for (joint, local) in rig.joints.iter().zip(&pose.joints) {
        println!("{}: {:?}", joint.name, local.translation);
    }
    Ok(())
}
