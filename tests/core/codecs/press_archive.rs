//! Archives of `press`: fewer bytes, the same poses.

use crate::codec_fixtures::{Fixture, Noise, SHELL_M, fixtures, noisy_chain, values_of};
use crate::codecs::long_takes::take;
use posepress_core::codecs::{self, Codec, EncodedClip, Progress, Section, Source};
use posepress_runtime::internal::ClipSections;

/// Tolerances, in metres.
const TOLERANCES_M: [f32; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// More samples than a segment of the take has.
const LONG_SAMPLES: usize = 8300;

fn codec() -> &'static dyn Codec {
    codecs::by_name("press").unwrap()
}

/// The clip in runtime storage, and as an archive.
fn both(fixture: &Fixture, tolerance_m: f32, level: &str) -> [EncodedClip; 2] {
    let shells_m = vec![SHELL_M; fixture.skeleton.len()];
    let source = Source::new(&fixture.skeleton, &fixture.clip, tolerance_m, &shells_m);
    ["runtime", "archive"].map(|storage| {
        let values = values_of(codec(), &[("storage", storage), ("level", level)]);
        codecs::encode_clip(codec().encoder().unwrap(), &source, &values, &Progress::new()).unwrap()
    })
}

/// True for an archive: the first bit that is coded is set.
fn is_archive(clip: &EncodedClip) -> bool {
    let payload = ClipSections::read(&clip.bytes).unwrap().payload;
    clip.bytes[payload][0] >= 128
}

#[test]
fn poses_are_those_of_runtime_storage_to_the_bit() {
    let mut archives = 0;
    for fixture in fixtures() {
        for tolerance_m in TOLERANCES_M {
            for level in ["fast", "full"] {
                let [runtime, archive] = both(&fixture, tolerance_m, level);
                let poses = [&runtime, &archive].map(|clip| fixture.poses(codec(), &clip.bytes));
                assert!(poses[0] == poses[1], "'{}' at {tolerance_m} m, {level}", fixture.name);
                assert!(archive.bytes.len() <= runtime.bytes.len(), "'{}' at {tolerance_m} m", fixture.name);
                archives += usize::from(is_archive(&archive));
            }
        }
    }
    assert!(archives > 40, "only {archives} clips are archives");
}

#[test]
fn long_takes_are_archives_stretch_by_stretch() {
    let fixture = take(LONG_SAMPLES);
    let [runtime, archive] = both(&fixture, 1e-3, "fast");
    assert!(archive.bytes.len() < runtime.bytes.len());
    assert!(fixture.poses(codec(), &runtime.bytes) == fixture.poses(codec(), &archive.bytes));
    assert_eq!(archive.ledger.total_bits(), 8 * archive.bytes.len() as u64);
}

#[test]
fn every_bit_belongs_to_a_track_or_the_clip() {
    let [runtime, archive] = both(&noisy_chain(), 1e-4, "fast");
    assert!(is_archive(&archive) && !is_archive(&runtime));
    assert_eq!(archive.ledger.total_bits(), 8 * archive.bytes.len() as u64);
    let of =
        |clip: &EncodedClip, sections: [Section; 2]| sections.map(|s| clip.ledger.section_bits(s)).iter().sum::<u64>();
    let (values, records) = ([Section::Animated, Section::Tables], [Section::Constant, Section::Range]);
    assert!(of(&archive, values) < of(&runtime, values) && of(&archive, records) < of(&runtime, records));
    assert_eq!(archive.ledger.section_bits(Section::Constant), runtime.ledger.section_bits(Section::Constant));
}

#[test]
fn truncated_archives_are_rejected() {
    for fixture in fixtures() {
        let [_, archive] = both(&fixture, 1e-4, "fast");
        let (bytes, bind) = (&archive.bytes, fixture.bind());
        if !is_archive(&archive) {
            continue;
        }
        for len in 0..bytes.len() {
            assert!(codecs::open_clip(codec(), &bytes[..len], &bind).is_err(), "'{}': {len} bytes", fixture.name);
        }
        // Additional bytes at the end of the payload, also counted in its length.
        let payload = ClipSections::read(bytes).unwrap().payload;
        for change in [1, 2, 9] {
            let mut damaged = bytes.clone();
            let length = payload.len() + change;
            damaged.splice(payload.clone(), bytes[payload.clone()].iter().copied().chain([0; 9]).take(length));
            // The length includes the version, which follows it.
            let field = payload.start - 5..payload.start - 1;
            assert_eq!(bytes[field.clone()], (1 + payload.len() as u32).to_le_bytes());
            damaged[field].copy_from_slice(&(1 + length as u32).to_le_bytes());
            assert!(codecs::open_clip(codec(), &damaged, &bind).is_err(), "'{}': {change} bytes more", fixture.name);
        }
    }
}

#[test]
fn memory_of_an_archive_is_counted() {
    let fixture = noisy_chain();
    let [runtime, archive] = both(&fixture, 1e-4, "fast").map(|clip| clip.bytes);
    let sizes = [&runtime, &archive].map(|bytes| {
        let opened = codecs::open(codec(), bytes.clone(), &fixture.bind()).unwrap();
        opened.resident_bytes() as i64 - bytes.len() as i64
    });
    let expanded = sizes[1] - sizes[0];
    let payload = runtime.len() as i64;
    assert!(expanded > payload / 2 && expanded < 3 * payload, "{expanded} bytes more, of {payload}");
}

#[test]
fn damaged_archives_are_refused_or_played() {
    let fixture = noisy_chain();
    let [_, archive] = both(&fixture, 1e-4, "fast");
    let (mut noise, mut played) = (Noise(3), 0);
    for _ in 0..600 {
        let mut bytes = archive.bytes.clone();
        let at = noise.bits() as usize % bytes.len();
        bytes[at] ^= 1 << (noise.bits() % 8);
        if codecs::open_clip(codec(), &bytes, &fixture.bind()).is_ok() {
            played += 1;
            assert!(fixture.poses(codec(), &bytes).iter().all(|pose| pose.joints.iter().all(|t| t.is_finite())));
        }
    }
    assert!(played < 600, "nothing is refused");
}
