//! The glTF reader on the corpus, and on small documents compared with the specification.

mod extensions;
mod figures;
mod files;
mod followed;
mod interpolation;
mod jumps;
mod left_out;
mod structure;

use posepress_core::import::Imported;
use posepress_core::model::{Clip, Pose};

fn clip<'a>(imported: &'a Imported, name: &str) -> &'a Clip {
    imported.clips.iter().find(|c| c.name() == name).unwrap()
}

fn sampled(clip: &Clip, time_secs: f32) -> Pose {
    let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
    clip.sample(clip.grid().sample_at(time_secs), &mut pose);
    pose
}
