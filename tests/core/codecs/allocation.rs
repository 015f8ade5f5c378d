//! Decoders allocate when a clip is opened, no more than its bytes justify, and nothing when it is sampled.

use crate::codec_fixtures::{Noise, fixtures, variants};
use posepress_core::codecs::{Codec, encoders, open, open_clip};
use posepress_core::math::Transform;
use posepress_core::model::Pose;
use posepress_runtime::{Joints, PoseLayout};
use std::mem::MaybeUninit;

pub use crate::memory::allocated;

/// Memory per byte of these clips. Bytes expand: a track in a segment of variable rates takes 13 bits or more in the file and
/// 40 bytes in memory. The bind pose of a joint takes four bits in the file and 48 bytes in memory.
const MAX_PER_BYTE: usize = 64;
/// Memory that does not depend on the bytes: an error message, empty lists, and the states of two entropy coders. A clip
/// without its last sample has a second state for its start. The chances of an archive take the most, while it is expanded.
const SMALL: usize = 80 * 1024;

/// Memory per byte of the bind pose, which the caller already has: one or two poses. For wavelet also two decoded blocks of
/// 32 samples, and two more for the start of clips without their last sample.
const BLOCKS_PER_BIND: usize = 128;

fn budget(bytes: &[u8], bind: &[Transform]) -> usize {
    SMALL + MAX_PER_BYTE * bytes.len() + BLOCKS_PER_BIND * size_of_val(bind)
}

fn assert_modest(codec: &dyn Codec, bytes: &[u8], bind: &[Transform], what: &str) {
    let (peak, _, opened) = allocated(|| open_clip(codec, bytes, bind).is_ok());
    let limit = budget(bytes, bind);
    assert!(
        peak <= limit,
        "{} on {what}: {peak} bytes for a clip of {} (opened: {opened}); at most {limit}",
        codec.name(),
        bytes.len()
    );
}

#[test]
fn the_counter_counts() {
    let (peak, calls, kept) = allocated(|| {
        drop(vec![0u8; 5000]);
        vec![0u8; 1000]
    });
    assert_eq!((peak, calls, kept.len()), (5000, 2, 1000));
}

#[test]
fn sampling_allocates_nothing() {
    for fixture in fixtures() {
        let bind = fixture.bind();
        for codec in encoders() {
            for values in variants(codec) {
                let bytes = fixture.encode(codec, &values).bytes;
                let (header, mut sampler) = open_clip(codec, &bytes, &bind).unwrap();
                let mut pose = Pose::with_size(header.joints, header.float_tracks);
                let places: Vec<f64> = header.grid.steps(3).collect();
                let (_, calls, ()) = allocated(|| {
                    places.iter().chain(places.iter().rev()).for_each(|t| sampler.sample(*t, &mut pose));
                });
                assert_eq!(calls, 0, "{} {values:?} on '{}'", codec.name(), fixture.name);
                let clip = open(codec, &bytes, &bind).unwrap();
                let (last, mut cursor, mut part) =
                    (header.joints - 1, clip.cursor().unwrap(), [Transform::IDENTITY; 2]);
                let (_, calls, ()) = allocated(|| {
                    for at_sample in places.iter().chain(places.iter().rev()) {
                        clip.sample_joint(&mut cursor, *at_sample, last);
                        let joints = 0..header.joints.min(2);
                        clip.sample_range(&mut cursor, *at_sample, joints.clone(), &mut part[joints]);
                    }
                });
                assert_eq!(calls, 0, "parts of {} {values:?} on '{}'", codec.name(), fixture.name);
                let mut block = vec![
                    MaybeUninit::uninit();
                    clip.cursor_layout().unwrap().size() + clip.cursor_layout().unwrap().align()
                ];
                let mut floats = vec![0.0; PoseLayout::MATRICES.floats(header.joints)];
                let (_, calls, ()) = allocated(|| {
                    let mut cursor = clip.cursor_in(&mut block).unwrap();
                    for at_sample in &places {
                        clip.sample_mask(&mut cursor, *at_sample, &[5], &mut pose.joints);
                        clip.sample_into(&mut cursor, *at_sample, &Joints::All, PoseLayout::MATRICES, &mut floats);
                    }
                });
                assert_eq!(calls, 0, "a block for {} {values:?} on '{}'", codec.name(), fixture.name);
            }
        }
    }
}

#[test]
fn opening_takes_what_the_bytes_justify_whatever_they_are() {
    let mut noise = Noise(5);
    for fixture in fixtures() {
        let bind = fixture.bind();
        for codec in encoders() {
            for values in variants(codec) {
                let whole = fixture.encode(codec, &values).bytes;
                assert_modest(codec, &whole, &bind, fixture.name);
                for _ in 0..40 {
                    let mut bytes = whole.clone();
                    let at = noise.bits() as usize % bytes.len();
                    bytes[at] = noise.bits() as u8;
                    assert_modest(codec, &bytes, &bind, "damage");
                }
            }
        }
    }
}

/// Headers with the largest possible counts: a million samples, every count at its maximum.
#[test]
fn headers_that_promise_much_get_nothing() {
    for fixture in fixtures().into_iter().filter(|f| ["floats", "scaled", "constant"].contains(&f.name)) {
        let bind = fixture.bind();
        for codec in encoders() {
            for values in variants(codec) {
                let whole = fixture.encode(codec, &values).bytes;
                let mut million = whole.clone();
                million[4..8].copy_from_slice(&(1u32 << 20).to_le_bytes());
                assert_modest(codec, &million, &bind, "a million samples");
                // Every count of the codec after the clip's header and the payload's length.
                for at in (18..whole.len().saturating_sub(8).min(80)).step_by(7) {
                    for mut bytes in [whole.clone(), million.clone()] {
                        bytes[at..at + 4].fill(0xff);
                        assert_modest(codec, &bytes, &bind, "large counts");
                    }
                }
            }
        }
    }
}

/// A rig of many joints with a clip of a few bytes: the memory per joint is in proportion to the rig.
#[test]
fn many_joints_without_bytes_take_what_their_rig_takes() {
    let bind = vec![Transform::IDENTITY; usize::from(u16::MAX)];
    for codec in encoders() {
        for payload in [0u8, 0x55, 0xaa, 0xff] {
            let mut bytes = vec![0xff, 0xff, 0, 0, 0, 0, 16, 0, 0, 0, 128, 63, 0, 0, 40, 0, 0, 0];
            bytes.extend([payload; 40]);
            bytes.extend([0; 4]);
            assert_modest(codec, &bytes, &bind, "a large rig");
        }
    }
}
