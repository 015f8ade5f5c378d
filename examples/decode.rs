//! Decodes the clips of a container many times. Prints nanoseconds per joint and a digest of the poses. Made for callgrind,
//! for valgrind, and for processors on which only the runtime builds. With `open` it opens them, and prints the best time of all passes.
//!
//! `cargo run --release -p posepress-runtime --example decode -- FILE.posepress PASSES at|between|random|open [portable]`

use posepress_runtime::internal::math;
use posepress_runtime::{BindPose, CodecId, Container, NoMemory, Opened, Pose};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, passes, order, rest @ ..] = args.as_slice() else {
        return Err("usage: decode FILE.posepress PASSES at|between|random|open [portable]".into());
    };
    let passes = passes.parse()?;
    math::run_portably(rest.iter().any(|word| word == "portable"));
    let container = Container::read(&std::fs::read(file)?)?;
    let rig = container.rig.as_ref().ok_or("a container with its rig is needed")?;
    let bind = rig.bind_pose()?;
    if order == "open" {
        return print_opening(&container, &bind, passes);
    }
    for entry in &container.clips {
        let clip = Opened::owned(CodecId(entry.codec), &entry.bytes, &bind)?;
        let places = places(order, clip.header().grid.samples());
        let (nanoseconds, digest) = decode(&clip, &places, passes)?;
        let per_joint = nanoseconds / (passes * places.len() * bind.len()) as f64;
        println!(
            "{} {} joints, {} poses: {per_joint:.2} ns per joint, {digest:016x}, opened {} bytes",
            entry.name,
            bind.len(),
            places.len(),
            clip.resident_bytes()
        );
    }
    Ok(())
}

/// Prints the time in which all clips are opened, per clip and per joint and sample.
fn print_opening(container: &Container, bind: &BindPose, passes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (mut best, mut joint_samples) = (f64::MAX, 0);
    for _ in 0..passes {
        let started = Instant::now();
        joint_samples = 0;
        for entry in &container.clips {
            let clip = Opened::new(CodecId(entry.codec), &entry.bytes[..], bind)?;
            joint_samples += clip.header().joints * clip.header().grid.samples();
        }
        best = best.min(started.elapsed().as_nanos() as f64);
    }
    let clips = container.clips.len();
    let (per_clip, per_joint) = (best / 1000.0 / clips as f64, best / joint_samples as f64);
    println!("{clips} clips: {per_clip:.1} us per clip, {per_joint:.2} ns per joint and sample");
    Ok(())
}

/// Decode times in samples: `at` every sample, `random` halfway between samples in shuffled order, else halfway in order.
fn places(order: &str, samples: usize) -> Vec<f64> {
    let count = samples.max(2) - 1;
    let between = |i: usize| i as f64 + 0.5;
    match order {
        "at" => (0..samples).map(|i| i as f64).collect(),
        "random" => {
            (0..count).map(|i| between((i as f64 * 0.618_034).fract().mul_add(count as f64, 0.0) as usize)).collect()
        }
        _ => (0..count).map(between).collect(),
    }
}

fn decode(clip: &Opened<Vec<u8>>, places: &[f64], passes: usize) -> Result<(f64, u64), NoMemory> {
    let (mut cursor, mut pose) = (clip.cursor()?, Pose::with_size(clip.header().joints, clip.header().float_tracks));
    let mut digest = 0u64;
    let started = Instant::now();
    for _ in 0..passes {
        for at_sample in places {
            clip.sample(&mut cursor, *at_sample, &mut pose);
            std::hint::black_box(&pose);
        }
    }
    let nanoseconds = started.elapsed().as_nanos() as f64;
    for at_sample in places {
        clip.sample(&mut cursor, *at_sample, &mut pose);
        let numbers = pose.joints.iter().flat_map(|joint| joint.numbers());
        digest = numbers.fold(digest, |digest, x| (digest ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3));
    }
    Ok((nanoseconds, digest))
}
