//! How the time of encoding grows with samples and with joints: seconds that one thread had a core for, and exponents.
//!
//! `cargo run --release -p posepress-core --example scale -- [CODEC[:PRESET]]...` (without: every codec)

#[path = "../benches/support/mod.rs"]
mod support;

use posepress_core::codecs::{Encoder, ParamValues, Progress, Source, by_name_and_preset, encode_clip, encoders};
use std::sync::LazyLock;
use std::time::Instant;
use support::{JOINTS, SAMPLES, clip, rig};

/// Times as many samples as the clip that budgets speak of has.
const MORE_SAMPLES: [usize; 4] = [2, 6, 18, 54];
/// Times as many joints.
const MORE_JOINTS: [usize; 4] = [1, 2, 4, 8];
/// A clip is encoded until it took so long, and the shortest time counts.
const LONG_ENOUGH_SECS: f64 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(run)
}

fn run() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let all = || encoders().map(|codec| codec.name().to_owned()).collect();
    let names: Vec<String> = if names.is_empty() { all() } else { names };
    let by_samples: Vec<(usize, usize)> = MORE_SAMPLES.iter().map(|n| (JOINTS, n * SAMPLES)).collect();
    let by_joints: Vec<(usize, usize)> = MORE_JOINTS.iter().map(|n| (n * JOINTS, 2 * SAMPLES)).collect();
    println!("codec,{},exponent of samples,{},exponent of joints", titles(&by_samples), titles(&by_joints));
    for name in names {
        let (codec, values) = by_name_and_preset(&name)?;
        let codec = codec.encoder().ok_or("no codec with bytes of its own")?;
        let row = |sizes: &[(usize, usize)]| -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
            let secs = sizes.iter().map(|size| encode_secs(codec, &values, *size)).collect::<Result<Vec<f64>, _>>()?;
            let joint_samples = sizes.iter().map(|(joints, samples)| (joints * samples) as f64);
            let exponent = slope(joint_samples.zip(&secs).map(|(n, secs)| (n.ln(), secs.ln())));
            let secs: Vec<String> = secs.iter().map(|secs| format!("{secs:.3}")).collect();
            Ok(format!("{},{exponent:.2}", secs.join(",")))
        };
        println!("{name},{},{}", row(&by_samples)?, row(&by_joints)?);
    }
    Ok(())
}

fn titles(sizes: &[(usize, usize)]) -> String {
    let titles: Vec<String> = sizes.iter().map(|(joints, samples)| format!("{joints} x {samples}")).collect();
    titles.join(",")
}

/// The shortest of some times that encoding takes.
fn encode_secs(
    codec: &dyn Encoder,
    values: &ParamValues,
    (joints, samples): (usize, usize),
) -> Result<f64, Box<dyn std::error::Error + Send + Sync>> {
    let rig = rig(joints);
    let clip = clip(&rig, samples);
    let shells_m = vec![0.03; joints];
    let source = Source::new(&rig, &clip, 0.0001, &shells_m);
    let (mut shortest, begun) = (f64::INFINITY, thread_secs());
    while shortest.is_infinite() || thread_secs() - begun < LONG_ENOUGH_SECS {
        let started = thread_secs();
        encode_clip(codec, &source, values, &Progress::new())?;
        shortest = shortest.min(thread_secs() - started);
    }
    Ok(shortest)
}

/// Seconds for which this thread had a core, on a busy machine too; where the system does not tell, those that passed.
fn thread_secs() -> f64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat");
    let run_ns = schedule.ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    run_ns.map_or_else(|| BEGUN.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Of the line through points for which the sum of squared differences is smallest.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    sum(&|p| (p.0 - x) * (p.1 - y)) / sum(&|p| (p.0 - x) * (p.0 - x))
}
