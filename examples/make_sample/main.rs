//! Writes the bundled sample: `cargo run --example make_sample [FILE]`, by default `src/app/assets/sample.glb`.

mod sample;

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../app/assets/sample.glb");
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(default), PathBuf::from);
    let (rig, clips) = sample::sample();
    let bytes = sample::glb(&rig, &clips);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    posepress_core::export::write_atomically(&path, &bytes)?;
    let triangles: usize = rig.meshes.iter().map(|m| m.triangles.len()).sum();
    println!("{} joints, {triangles} triangles, {} clips, {} bytes", rig.skeleton.len(), clips.len(), bytes.len());
    Ok(())
}
