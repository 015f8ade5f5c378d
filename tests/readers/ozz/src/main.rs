//! Prints the poses of ozz-animation: `ozz-reader SKELETON ANIMATION RATIOS`, with the ratios as a JSON list.

use ozz_animation_rs::{Animation, SamplingContext, SamplingJobRc, Skeleton, SoaTransform, ozz_rc_buf};
use serde_json::json;
use std::error::Error;
use std::rc::Rc;

/// Translation, rotation and scale of a joint.
type Numbers = Vec<f32>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, skeleton, animation, ratios] = &arguments[..] else {
        return Err("usage: ozz-reader SKELETON ANIMATION RATIOS".into());
    };
    let skeleton = Skeleton::from_path(skeleton)?;
    let animation = Rc::new(Animation::from_path(animation)?);
    let ratios: Vec<f32> = serde_json::from_str(ratios)?;
    let joints = skeleton.num_joints();
    let names: Vec<_> = (0..joints).map(|joint| skeleton.name_by_joint(joint as i16)).collect();
    let found = ratios.iter().map(|ratio| Ok(played(&animation, &[*ratio])?.remove(0)));
    let answer = json!({
        "names": names,
        "parents": skeleton.joint_parents(),
        "rest": numbers(skeleton.joint_rest_poses(), joints),
        "name": animation.name(),
        "duration_secs": animation.duration(),
        "played": played(&animation, &ratios)?,
        "found": found.collect::<Result<Vec<_>, Box<dyn Error>>>()?,
    });
    println!("{answer}");
    Ok(())
}

/// Poses in order, from one player that keeps its position.
fn played(animation: &Rc<Animation>, ratios: &[f32]) -> Result<Vec<Vec<Numbers>>, Box<dyn Error>> {
    let mut job = SamplingJobRc::default();
    job.set_animation(animation.clone());
    job.set_context(SamplingContext::new(animation.num_tracks()));
    let out = ozz_rc_buf(vec![SoaTransform::default(); animation.num_soa_tracks()]);
    job.set_output(out.clone());
    let mut poses = Vec::new();
    for &ratio in ratios {
        job.set_ratio(ratio);
        job.run()?;
        poses.push(numbers(&out.borrow(), animation.num_tracks()));
    }
    Ok(poses)
}

fn numbers(lanes: &[SoaTransform], joints: usize) -> Vec<Numbers> {
    let joint = |joint: usize| {
        let (four, lane) = (&lanes[joint / 4], joint % 4);
        let (translation, rotation, scale) =
            (four.translation.vec3(lane), four.rotation.quat(lane), four.scale.vec3(lane));
        [&translation.to_array()[..], &rotation.to_array(), &scale.to_array()].concat()
    };
    (0..joints).map(joint).collect()
}
