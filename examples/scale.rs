//! Measures how encoding grows with samples and joints: CPU seconds of one thread, memory in addition to the clip, and the
//! exponents of both.
//!
//! `cargo run --release -p posepress-core --example scale -- [CODEC[:PRESET]]...` (default: every codec)

#[path = "../benches/support/mod.rs"]
mod support;

use posepress_core::codecs::{ParamValues, Progress, Source, by_name_and_preset, encode_clip, encoders};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;
use support::{JOINTS, SAMPLES, clip, rig};

/// Numbers of samples, as multiples of the clip of the speed budgets.
const MORE_SAMPLES: [usize; 4] = [2, 6, 18, 54];
/// Numbers of joints, as multiples of the rig of the speed budgets.
const MORE_JOINTS: [usize; 4] = [1, 2, 4, 8];
/// Encoding repeats for at least this time. The shortest run counts.
const LONG_ENOUGH_SECS: f64 = 0.5;
/// First argument of a child process that measures one clip.
const ONE: &str = "--one";

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), AnyError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [one, name, joints, samples] if one == ONE => {
            let size = (joints.parse()?, samples.parse()?);
            rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| measure(name, size))
        }
        [] => table(encoders().map(|codec| codec.name().to_owned())),
        names => table(names.iter().cloned()),
    }
}

/// Prints one row per codec.
fn table(names: impl Iterator<Item = String>) -> Result<(), AnyError> {
    let by_samples: Vec<(usize, usize)> = MORE_SAMPLES.iter().map(|n| (JOINTS, n * SAMPLES)).collect();
    let by_joints: Vec<(usize, usize)> = MORE_JOINTS.iter().map(|n| (n * JOINTS, 2 * SAMPLES)).collect();
    let titles = |sizes: &[(usize, usize)], of: &str| {
        let secs = sizes.iter().map(|(joints, samples)| format!("{joints} x {samples} s"));
        let memory = sizes.iter().map(|(joints, samples)| format!("{joints} x {samples} MB"));
        let exponents = [format!("exponent of {of}, time"), format!("exponent of {of}, memory")];
        secs.chain(memory).chain(exponents).collect::<Vec<_>>().join(",")
    };
    println!("codec,{},{}", titles(&by_samples, "samples"), titles(&by_joints, "joints"));
    for name in names {
        println!("{name},{},{}", row(&name, &by_samples)?, row(&name, &by_joints)?);
    }
    Ok(())
}

/// Seconds and megabytes at each size, and their exponents.
fn row(name: &str, sizes: &[(usize, usize)]) -> Result<String, AnyError> {
    let measured = sizes.iter().map(|size| in_own_process(name, *size)).collect::<Result<Vec<[f64; 2]>, _>>()?;
    let of = |i: usize| measured.iter().map(move |both| both[i]);
    let exponent = |i: usize| {
        let joint_samples = sizes.iter().map(|(joints, samples)| (joints * samples) as f64);
        slope(joint_samples.zip(of(i)).map(|(n, found)| (n.ln(), found.ln())))
    };
    let secs = of(0).map(|secs| format!("{secs:.3}"));
    let memory = of(1).map(|bytes| format!("{:.1}", bytes / 1e6));
    let exponents = [0, 1].map(|i| format!("{:.2}", exponent(i)));
    Ok(secs.chain(memory).chain(exponents).collect::<Vec<_>>().join(","))
}

fn in_own_process(name: &str, (joints, samples): (usize, usize)) -> Result<[f64; 2], AnyError> {
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args([ONE, name, &joints.to_string(), &samples.to_string()]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let failed = || format!("{name} of {joints} x {samples}: {}", String::from_utf8_lossy(&output.stderr));
    numbers.try_into().map_err(|_| failed().into())
}

/// Prints the shortest encoding time in seconds, and the growth of the process's peak memory in bytes.
fn measure(name: &str, (joints, samples): (usize, usize)) -> Result<(), AnyError> {
    let (codec, values) = by_name_and_preset(name)?;
    let codec = codec.encoder().ok_or("no codec with bytes of its own")?;
    let rig = rig(joints);
    let clip = clip(&rig, samples);
    let shells_m = vec![0.03; joints];
    let source = Source::new(&rig, &clip, 0.0001, &shells_m);
    let encode = |values: &ParamValues| encode_clip(codec, &source, values, &Progress::new());
    // If the system has no such file, the peak is not reset.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = memory_bytes("VmRSS");
    let (mut shortest, mut peak, begun) = (f64::INFINITY, 0.0, thread_secs());
    while shortest.is_infinite() || thread_secs() - begun < LONG_ENOUGH_SECS {
        let started = thread_secs();
        encode(&values)?;
        shortest = shortest.min(thread_secs() - started);
        if peak == 0.0 {
            peak = memory_bytes("VmHWM") - before;
        }
    }
    println!("{shortest} {peak}");
    Ok(())
}

/// A memory value of this process from `/proc/self/status`, bytes. NaN if the system has none.
fn memory_bytes(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    1024.0 * kilobytes.unwrap_or(f64::NAN)
}

/// CPU seconds of this thread, which other load does not change. Elapsed time if the system has no such number.
fn thread_secs() -> f64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat");
    let run_ns = schedule.ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    run_ns.map_or_else(|| BEGUN.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

/// Slope of the least-squares line through points.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    sum(&|p| (p.0 - x) * (p.1 - y)) / sum(&|p| (p.0 - x) * (p.0 - x))
}
