//! Prints sizes and errors, as played, of low-precision export formats on real clips: one row per clip and format, then totals.
//!
//! `cargo run --release --example export_corpus -- TOLERANCE_MM CLIPS FOLDER FILE...`: reads at most CLIPS clips per file. If
//! `FOLDER/STEM.CLIP_NUMBER.FORMAT` exists, that file is measured instead of a new export; pass `-` for no folder. A file
//! name with the prefix `cm:` is in centimetres.

use posepress_core::export::{ExportClip, ExportTarget, Played, PlayedClip, PlayedLimits, by_key, measure_file};
use posepress_core::import::{ImportOptions, LengthUnit, import_file};
use std::path::Path;
use std::time::Instant;

/// Export formats that lose precision.
const FORMATS: [&str; 2] = ["ozz", "anm"];
/// Error limits for the counts of clips over them, metres.
const LIMITS_M: [f32; 2] = [1e-4, 2e-4];

#[derive(Default)]
struct Total {
    files: usize,
    bytes: usize,
    over: [usize; LIMITS_M.len()],
    failing: usize,
    worst_m: f32,
    between_m: f32,
    secs: f32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [tolerance_mm, clips, folder, files @ ..] = args.as_slice() else {
        return Err("usage: export_corpus TOLERANCE_MM CLIPS FOLDER FILE...".into());
    };
    let (tolerance_m, clips) = (tolerance_mm.parse::<f32>()? / 1000.0, clips.parse()?);
    let mut totals = [(); FORMATS.len()].map(|()| Total::default());
    println!("file,clip,format,bytes,error_mm,between_mm,joint,numbers_mm,within,secs");
    for file in files {
        let (unit, path) = match file.strip_prefix("cm:") {
            Some(path) => (Some(LengthUnit::Centimetre), Path::new(path)),
            None => (None, Path::new(file)),
        };
        let imported = import_file(path, &ImportOptions { unit, ..ImportOptions::default() })?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for (number, clip) in imported.clips.iter().enumerate().take(clips) {
            for (format, total) in FORMATS.into_iter().zip(&mut totals) {
                let exporter = by_key(format).ok_or("no such format")?;
                let limits = PlayedLimits { tolerance_m, ..PlayedLimits::default() };
                let mut clips = [ExportClip { tolerance_m, limits, ..ExportClip::raw(clip) }];
                let started = Instant::now();
                let target = ExportTarget::default();
                let bytes = match std::fs::read(Path::new(folder).join(format!("{stem}.{number}.{format}"))) {
                    Ok(bytes) => bytes,
                    Err(_) => exporter.export(&imported.rig, &mut clips, &target)?,
                };
                let secs = started.elapsed().as_secs_f32();
                let played: Vec<Played> = exporter.play(&bytes, &imported.rig, &clips, &target)?;
                let measured = measure_file(exporter, &imported.rig, &clips, played);
                for clip in &measured {
                    print_row(&stem, clip, (format, bytes.len(), secs));
                    total.add(clip, bytes.len(), secs);
                }
            }
        }
    }
    for (format, total) in FORMATS.into_iter().zip(&totals) {
        let Total { files, bytes, over, failing, worst_m, between_m, secs } = total;
        let [worst, between] = [worst_m, between_m].map(|m| m * 1e3);
        println!(
            "{format}: {files} clips, {bytes} bytes, over 0.1 mm {}, over 0.2 mm {}, failing {failing}, worst {worst:.3} mm, between {between:.3} mm, \
             {secs:.1} s",
            over[0], over[1]
        );
    }
    Ok(())
}

fn print_row(stem: &str, clip: &PlayedClip, (format, bytes, secs): (&str, usize, f32)) {
    let [error, between] = [&clip.report.samples, &clip.report.between].map(|of| of.worst.error_m * 1e3);
    let numbers = clip.numbers.map_or(0.0, |numbers| numbers.error_m * 1e3);
    let (name, joint, within) = (&clip.name, &clip.joint, clip.is_within());
    println!("{stem},{name},{format},{bytes},{error:.4},{between:.4},{joint},{numbers:.4},{within},{secs:.2}");
}

impl Total {
    fn add(&mut self, clip: &PlayedClip, bytes: usize, secs: f32) {
        let error_m = clip.report.samples.worst.error_m;
        self.files += 1;
        self.bytes += bytes;
        self.over.iter_mut().zip(LIMITS_M).for_each(|(over, limit_m)| *over += usize::from(error_m > limit_m));
        self.failing += usize::from(!clip.is_within());
        self.worst_m = self.worst_m.max(error_m);
        self.between_m = self.between_m.max(clip.report.between.worst.error_m);
        self.secs += secs;
    }
}
