use crate::container::{Container, or_message};
use crate::layout::Layout;
use crate::memory::{
    ALIGN, Floats, FloatsOut, Message, Out, Sized32, boxed, cursor_bytes, give_sized, place_cursor, read_sized, room,
    values,
};
use crate::status::{Status, or};
use posepress_runtime::{CodecId, Ends, Joints, Opened, Playback, Rounding};
use std::mem::{MaybeUninit, offset_of};

/// A clip with checked bytes.
#[derive(Debug)]
pub struct Clip {
    opened: Opened<Vec<u8>>,
    cursor_bytes: usize,
}

/// The state of one player of a clip.
pub type Cursor = posepress_runtime::Cursor<'static>;

/// See the header.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct ClipInfo {
    /// Size of the caller's structure in bytes.
    pub struct_size: u32,
    /// 1 if the clip loops.
    pub is_looping: u32,
    /// 1 if poses are differences.
    pub is_additive: u32,
    /// Alignment of a cursor's block in bytes.
    pub cursor_align: u32,
    /// Number of joints.
    pub joints: usize,
    /// Number of float tracks.
    pub float_tracks: usize,
    /// Number of samples.
    pub samples: usize,
    /// Time of the last sample, seconds.
    pub duration_secs: f64,
    /// Size of a cursor's block in bytes.
    pub cursor_bytes: usize,
    /// Memory of the clip in bytes, without cursors.
    pub resident_bytes: usize,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ClipInfo>() == 64, "the size in the header");

// Safety: plain numbers, with the length first.
unsafe impl Sized32 for ClipInfo {
    const FIRST_BYTES: usize = offset_of!(Self, resident_bytes) + size_of::<usize>();
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_clip_open(
    container: Option<&Container>,
    index: usize,
    bind: Floats,
    bind_joints: usize,
    clip: Out<'_, Option<Box<Clip>>>,
    message: Message,
    message_room: usize,
) -> Status {
    Status::of(|| {
        let clip = clip.ok_or(Status::InvalidArgument)?.write(None);
        let container = container.ok_or(Status::InvalidArgument)?;
        let entry = container.file.clips.get(index).ok_or(Status::InvalidArgument)?;
        let bind = container.bind_or(bind, bind_joints)?;
        let opened = Opened::owned(CodecId(entry.codec), &entry.bytes, &bind);
        let opened = or_message(opened, message, message_room)?;
        *clip = Some(boxed(Clip { cursor_bytes: cursor_bytes(&opened)?, opened })?);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_clip_free(clip: Option<Box<Clip>>) {
    or((), || drop(clip));
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_clip_info_of(clip: Option<&Clip>, info: *mut ClipInfo) -> Status {
    Status::of(|| {
        let clip = clip.ok_or(Status::InvalidArgument)?;
        let header = clip.opened.header();
        give_sized(
            info,
            &ClipInfo {
                struct_size: size_of::<ClipInfo>() as u32,
                joints: header.joints,
                float_tracks: header.float_tracks,
                samples: header.grid.samples(),
                duration_secs: f64::from(header.grid.duration_secs()),
                is_looping: u32::from(header.looping),
                is_additive: u32::from(header.additive),
                cursor_align: ALIGN as u32,
                cursor_bytes: clip.cursor_bytes,
                resident_bytes: clip.opened.resident_bytes(),
            },
        )
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_clip_place(clip: Option<&Clip>, time_secs: f64, ends: u32, rounding: u32) -> f64 {
    or(0.0, || {
        let ends = [Ends::OfClip, Ends::Loop, Ends::Clamp].get(ends as usize).copied();
        let roundings = [Rounding::None, Rounding::Floor, Rounding::Ceil, Rounding::Nearest];
        let rounding = roundings.get(rounding as usize).copied();
        let playback = Playback { ends: ends.unwrap_or_default(), rounding: rounding.unwrap_or_default() };
        clip.map_or(0.0, |clip| playback.place(clip.opened.header(), time_secs))
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_cursor_place(
    clip: Option<&Clip>,
    block: *mut MaybeUninit<u8>,
    bytes: usize,
    cursor: Out<'_, Option<&mut Cursor>>,
) -> Status {
    Status::of(|| {
        let cursor = cursor.ok_or(Status::InvalidArgument)?.write(None);
        *cursor = Some(place_cursor(&clip.ok_or(Status::InvalidArgument)?.opened, block, bytes)?);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_sample(
    clip: Option<&Clip>,
    cursor: Option<&mut Cursor>,
    at_sample: f64,
    layout: *const Layout,
    out: FloatsOut,
    out_floats: usize,
) -> Status {
    sample((clip, cursor, at_sample), || Ok(Joints::All), layout, (out, out_floats))
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_sample_range(
    clip: Option<&Clip>,
    cursor: Option<&mut Cursor>,
    at_sample: f64,
    first: usize,
    count: usize,
    layout: *const Layout,
    out: FloatsOut,
    out_floats: usize,
) -> Status {
    let joints = || Ok(Joints::Range(first..first.checked_add(count).ok_or(Status::InvalidArgument)?));
    sample((clip, cursor, at_sample), joints, layout, (out, out_floats))
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_sample_mask(
    clip: Option<&Clip>,
    cursor: Option<&mut Cursor>,
    at_sample: f64,
    mask: *const u64,
    mask_words: usize,
    layout: *const Layout,
    out: FloatsOut,
    out_floats: usize,
) -> Status {
    let joints = || values(mask, mask_words).map(Joints::Mask);
    sample((clip, cursor, at_sample), joints, layout, (out, out_floats))
}

/// Checks every condition for which the runtime would panic, then samples.
fn sample<'a>(
    (clip, cursor, at_sample): (Option<&Clip>, Option<&mut Cursor>, f64),
    joints: impl FnOnce() -> Result<Joints<'a>, Status>,
    layout: *const Layout,
    (out, out_floats): (FloatsOut, usize),
) -> Status {
    Status::of(|| {
        let (Some(clip), Some(cursor)) = (clip, cursor) else {
            return Err(Status::InvalidArgument);
        };
        let layout = read_sized(layout)?.read()?;
        let (clip, joints, out) = (&clip.opened, joints()?, room(out, out_floats)?);
        let all = clip.header().joints;
        let wanted = match &joints {
            Joints::Range(range) if range.end > all => return Err(Status::InvalidArgument),
            Joints::Range(range) => range.len(),
            Joints::All | Joints::Mask(_) => all,
        };
        if !clip.has_made(cursor) {
            return Err(Status::OtherClip);
        }
        if layout.floats(wanted) > out.len() {
            return Err(Status::TooSmall);
        }
        clip.sample_into(cursor, at_sample, &joints, layout, out);
        Ok(())
    })
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_sample_floats(
    clip: Option<&Clip>,
    at_sample: f64,
    out: FloatsOut,
    out_floats: usize,
) -> Status {
    Status::of(|| {
        let clip = &clip.ok_or(Status::InvalidArgument)?.opened;
        let out = room(out, out_floats)?;
        let out = out.get_mut(..clip.header().float_tracks).ok_or(Status::TooSmall)?;
        clip.sample_floats(at_sample, out);
        Ok(())
    })
}
