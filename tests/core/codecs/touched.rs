//! Number of bytes of a clip that a pose depends on.

use crate::codec_fixtures::{Fixture, encoder, leg, noisy_chain, values_of};
use posepress_core::codecs::{CACHE_LINE_BYTES, encoders, touched_bytes};

const TRANSFORM_BYTES: usize = 40;

fn touched(fixture: &Fixture, name: &str, places: &[f64]) -> f64 {
    let codec = encoder(name);
    let bytes = fixture.encode(codec, &values_of(codec, &[])).bytes;
    let found = touched_bytes(codec, &bytes, &fixture.bind(), places).unwrap();
    found.unwrap_or_else(|| panic!("{name} touches nothing"))
}

/// Its payload has poses of float32 up to the end of the clip.
#[test]
fn a_raw_pose_between_samples_touches_the_lines_of_both() {
    let fixture = noisy_chain();
    let codec = encoder("raw");
    let bytes = fixture.encode(codec, &values_of(codec, &[])).bytes;
    let pose_bytes = TRANSFORM_BYTES * fixture.clip.joints();
    let payload = bytes.len() - pose_bytes * fixture.clip.samples();
    for (at_sample, first, poses) in [(0.5, 0, 2), (3.0, 3, 1), (6.25, 6, 2)] {
        let (start, end) = (payload + first * pose_bytes, payload + (first + poses) * pose_bytes);
        let lines = (end - 1) / CACHE_LINE_BYTES - start / CACHE_LINE_BYTES + 1;
        let found = touched(&fixture, "raw", &[at_sample]);
        assert_eq!(found, (lines * CACHE_LINE_BYTES) as f64, "at {at_sample}");
    }
}

#[test]
fn every_codec_touches_less_than_float32_and_no_more_than_it_has() {
    let fixture = noisy_chain();
    let last = (fixture.clip.samples() - 1) as f64;
    let places = [0.1, 0.37, 0.62, 0.99].map(|part| part * last);
    let of_raw = touched(&fixture, "raw", &places);
    for codec in encoders().filter(|codec| codec.name() != "raw") {
        let bytes = fixture.encode(codec, &values_of(codec, &[])).bytes.len();
        let found = touched(&fixture, codec.name(), &places);
        let most = (bytes.div_ceil(CACHE_LINE_BYTES) * CACHE_LINE_BYTES) as f64;
        assert!(found > 0.0 && found <= most, "{}: {found} of {bytes}", codec.name());
        let reads_blocks = codec.name() == "wavelet";
        assert!(reads_blocks || found < of_raw, "{}: {found}, raw {of_raw}", codec.name());
    }
}

/// A pose found by arithmetic touches as many bytes at the end of a clip as at its start, and only a small part of the clip.
#[test]
fn poses_that_lie_in_place_touch_a_small_part_of_a_clip() {
    let fixture = noisy_chain();
    for name in ["quantize", "variable-rate", "press"] {
        let bytes = fixture.encode(encoder(name), &values_of(encoder(name), &[])).bytes.len() as f64;
        for at_sample in [1.5, 20.3, fixture.clip.samples() as f64 - 1.5] {
            let found = touched(&fixture, name, &[at_sample]);
            assert!(found < bytes / 2.0, "{name} at {at_sample}: {found} of {bytes}");
        }
    }
}

/// `press` copies the last bytes of a payload. A short clip has no other bytes.
#[test]
fn what_is_copied_of_a_clip_counts_as_the_clip() {
    let fixture = leg(9);
    let codec = encoder("press");
    assert!(fixture.encode(codec, &values_of(codec, &[])).bytes.len() < 256);
    assert!(touched(&fixture, "press", &[4.5]) > 0.0);
}

/// An archive of press is expanded when it is opened, so a pose reads nothing of the file.
#[test]
fn of_bytes_that_opening_expands_nothing_is_touched() {
    let fixture = noisy_chain();
    let codec = encoder("press");
    let values = values_of(codec, &[("storage", "archive")]);
    let encoded = fixture.encode(codec, &values);
    let runtime = fixture.encode(codec, &values_of(codec, &[]));
    assert!(encoded.bytes.len() < runtime.bytes.len(), "it is an archive");
    assert_eq!(touched_bytes(codec, &encoded.bytes, &fixture.bind(), &[2.5]).unwrap(), None);
    assert!(touched_bytes(codec, &runtime.bytes, &fixture.bind(), &[2.5]).unwrap().is_some());
}
