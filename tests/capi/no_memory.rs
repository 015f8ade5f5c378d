//! The C interface survives the failure of any allocation: it returns a status, handles are null, and no memory leaks.
#![allow(unsafe_code)] // functions of C; the header says what is asked of callers, and each call keeps it

use crate::memory::{allocated, assert_survives};
use crate::project::project;
// Linked but not named: these tests call it as C does.
use posepress_capi as _;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

const OK: i32 = 0;
const BAD_BYTES: i32 = 2;
const NO_MEMORY: i32 = 6;

// As declared in `posepress.h`.
unsafe extern "C" {
    fn posepress_status_text(status: i32) -> *const c_char;
    fn posepress_container_open(
        bytes: *const u8,
        length: usize,
        container: *mut *mut c_void,
        message: *mut c_char,
        message_room: usize,
    ) -> i32;
    fn posepress_container_free(container: *mut c_void);
    fn posepress_container_join(
        container: *mut c_void,
        bytes: *const u8,
        length: usize,
        bind: *const f32,
        bind_joints: usize,
        message: *mut c_char,
        message_room: usize,
    ) -> i32;
    fn posepress_container_clips(container: *const c_void) -> usize;
    fn posepress_clip_open(
        container: *const c_void,
        index: usize,
        bind: *const f32,
        bind_joints: usize,
        clip: *mut *mut c_void,
        message: *mut c_char,
        message_room: usize,
    ) -> i32;
    fn posepress_clip_free(clip: *mut c_void);
    fn posepress_clip_info_of(clip: *const c_void, info: *mut ClipInfo) -> i32;
    fn posepress_cursor_place(clip: *const c_void, block: *mut c_void, bytes: usize, cursor: *mut *mut c_void) -> i32;
    fn posepress_sample(
        clip: *const c_void,
        cursor: *mut c_void,
        at_sample: f64,
        layout: *const Layout,
        pose: *mut f32,
        pose_floats: usize,
    ) -> i32;
}

#[repr(C)]
#[derive(Default)]
struct ClipInfo {
    struct_size: u32,
    is_looping: u32,
    is_additive: u32,
    cursor_align: u32,
    joints: usize,
    float_tracks: usize,
    samples: usize,
    duration_secs: f64,
    cursor_bytes: usize,
    resident_bytes: usize,
}

#[repr(C)]
struct Layout {
    struct_size: u32,
    kind: u32,
    stride: usize,
    rotation: usize,
    translation: usize,
    scale: usize,
}

/// Same as `POSEPRESS_TRANSFORMS`.
const TRANSFORMS: Layout =
    Layout { struct_size: size_of::<Layout>() as u32, kind: 0, stride: 10, rotation: 0, translation: 4, scale: 7 };

const FLOATS: usize = 10 * 64;

/// Memory that a caller allocates before.
struct Room {
    block: Vec<u128>,
    pose: Vec<f32>,
    message: [c_char; 200],
}

impl Room {
    fn new() -> Self {
        Self { block: vec![0; 1 << 16], pose: vec![0.0; FLOATS], message: [1; 200] }
    }

    fn message(&self) -> &[u8] {
        let end = self.message.iter().position(|c| *c == 0).expect("a message ends with a zero");
        // Safety: the bytes of signed and unsigned chars are the same.
        unsafe { std::slice::from_raw_parts(self.message.as_ptr().cast(), end) }
    }
}

/// Opens a file, joins tiers, plays every clip and frees everything. Returns the status and a digest of the poses.
fn played(file: &[u8], tiers: &[Vec<u8>], room: &mut Room) -> (i32, u64) {
    let (mut container, mut digest) = (null_mut(), 0);
    let room_bytes = room.message.len();
    // Safety: lengths match their slices. Every handle comes from the library and is freed once.
    unsafe {
        let message = room.message.as_mut_ptr();
        let mut status = posepress_container_open(file.as_ptr(), file.len(), &mut container, message, room_bytes);
        assert_eq!(container.is_null(), status != OK);
        for tier in tiers.iter().filter(|_| !container.is_null()) {
            if status == OK {
                status = posepress_container_join(container, tier.as_ptr(), tier.len(), null(), 0, message, room_bytes);
            }
        }
        for index in 0..posepress_container_clips(container) {
            let mut clip = null_mut();
            if status == OK {
                status = posepress_clip_open(container, index, null(), 0, &mut clip, message, room_bytes);
                assert_eq!(clip.is_null(), status != OK);
            }
            if status == OK {
                digest = digest_of(clip, room, digest);
            }
            posepress_clip_free(clip);
        }
        posepress_container_free(container);
        (status, digest)
    }
}

/// Digest of poses of a clip. Cursors and sampling allocate nothing, so they never fail.
///
/// # Safety
/// The clip is open.
unsafe fn digest_of(clip: *const c_void, room: &mut Room, digest: u64) -> u64 {
    let mut info = ClipInfo { struct_size: size_of::<ClipInfo>() as u32, ..Default::default() };
    let mut cursor = null_mut();
    // Safety: as above; the block is aligned.
    unsafe {
        assert_eq!(posepress_clip_info_of(clip, &mut info), OK);
        assert!(info.cursor_bytes <= size_of_val(&room.block[..]) && 10 * info.joints <= FLOATS);
        let block = room.block.as_mut_ptr().cast();
        assert_eq!(posepress_cursor_place(clip, block, info.cursor_bytes, &mut cursor), OK);
        let last = info.samples as f64 - 1.0;
        [0.0, 0.37 * last, last].into_iter().fold(digest, |digest, at_sample| {
            let pose = room.pose.as_mut_ptr();
            assert_eq!(posepress_sample(clip, cursor, at_sample, &TRANSFORMS, pose, FLOATS), OK);
            room.pose.iter().fold(digest, |digest, x| (digest ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3))
        })
    }
}

/// Checks the status and poses of a file with its tiers. Before an allocation fails, poses of some clips may be read.
fn assert_plays(what: &str, file: &[u8], tiers: &[Vec<u8>], expected: i32) {
    let room = std::cell::RefCell::new(Room::new());
    let run = || match played(file, tiers, &mut room.borrow_mut()) {
        (NO_MEMORY, _) => (NO_MEMORY, 0),
        done => done,
    };
    assert_eq!(run().0, expected, "{what}");
    let allocations = assert_survives(what, &(NO_MEMORY, 0), run);
    assert!(allocations > 2, "{what}: {allocations} allocations");
}

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(project(&format!("tests/golden/{name}"))).unwrap()
}

#[test]
fn files_are_played_or_there_is_no_memory() {
    for name in crate::CONTAINERS.into_iter().chain(["press-archive", "groups", "loops"]) {
        assert_plays(name, &golden(&format!("{name}.posepress")), &[], OK);
    }
}

#[test]
fn tiers_are_put_back_or_there_is_no_memory() {
    let whole = golden("tiers.posepress");
    let tiers = ["medium", "low"].map(|tier| golden(&format!("tiers.{tier}.posepress-tier")));
    assert_plays("tiers", &whole, &tiers, OK);
    assert_plays("one tier", &whole, &tiers[..1], OK);
    assert_plays("the wrong tier", &whole, &tiers[1..], BAD_BYTES);
}

#[test]
fn why_bytes_are_refused_is_told_or_there_is_no_memory() {
    let mut damaged = golden("press.posepress");
    *damaged.last_mut().unwrap() ^= 1;
    assert_plays("damaged", &damaged, &[], BAD_BYTES);
    let mut room = Room::new();
    assert_eq!(played(&damaged, &[], &mut room).0, BAD_BYTES);
    assert!(room.message().starts_with(b"checksum of clip "), "{:?}", String::from_utf8_lossy(room.message()));
}

/// The message is written directly into the caller's memory.
#[test]
fn what_there_is_no_memory_for_is_told_without_any() {
    use crate::memory::{Refused, with_memory_for};
    let (file, mut room) = (golden("press.posepress"), Room::new());
    let (_, calls, status) = allocated(|| with_memory_for(0, Refused::Rest, || played(&file, &[], &mut room).0));
    assert_eq!((status, calls), (NO_MEMORY, 0));
    assert_eq!(room.message(), b"there is not enough memory");
    // Safety: a static text.
    let text = unsafe { std::ffi::CStr::from_ptr(posepress_status_text(NO_MEMORY)) };
    assert_eq!(text, c"there is not enough memory");
}
