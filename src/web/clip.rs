use crate::container::OpenContainer;
use crate::failure::Failure;
use crate::state::{State, with};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use posepress_runtime::{BindPose, CodecId, Cursor, Ends, Opened, Playback, Pose, Rounding, Transform};

/// An open clip, shared by its players.
pub type Clip = Arc<Opened<Vec<u8>>>;

/// A clip being played.
pub struct Player {
    clip: Clip,
    cursor: Cursor<'static>,
    pose: Pose,
    /// The pose as the caller reads it: ten numbers per joint, then one per float track.
    numbers: Vec<f32>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("numbers", &self.numbers.len()).finish_non_exhaustive()
    }
}

/// Numbers of a joint: rotation x, y, z, w, translation, scale.
const NUMBERS: usize = 10;

/// Opens a clip of a container. The bind pose is that of the container's rig, or float32 numbers in the input, ten per joint.
#[unsafe(no_mangle)]
pub extern "C" fn clip_open(container: usize, index: usize) -> usize {
    with(|State { containers, clips, input, .. }| {
        let OpenContainer { file, bind } = containers.get(container)?;
        let entry = file.clips.get(index).ok_or_else(|| Failure::argument("there is no such clip"))?;
        let handed = core::mem::take(input);
        let own = handed.as_chunks::<4>().0.as_chunks::<NUMBERS>().0;
        let bind = match bind {
            Some(bind) if own.is_empty() => bind.clone(),
            _ => BindPose::new(own.iter().map(|joint| Transform::from_numbers(joint.map(f32::from_le_bytes))))?,
        };
        let opened = Opened::owned(CodecId(entry.codec), &entry.bytes, &bind)?;
        clips.keep(Arc::new(opened))
    })
}

/// Frees a clip. Its players go on.
#[unsafe(no_mangle)]
pub extern "C" fn clip_free(clip: usize) {
    with(|state| {
        state.clips.remove(clip);
        Ok(1)
    });
}

/// Describes a clip: joints, float tracks, samples, duration in seconds, 1 if it loops, 1 if it is additive, bytes in memory.
#[unsafe(no_mangle)]
pub extern "C" fn clip_describe(clip: usize) -> usize {
    with(|State { clips, numbers, .. }| {
        let clip = clips.get(clip)?;
        let header = clip.header();
        let described = [
            header.joints as f64,
            header.float_tracks as f64,
            header.grid.samples() as f64,
            f64::from(header.grid.duration_secs()),
            f64::from(header.looping),
            f64::from(header.additive),
            clip.resident_bytes() as f64,
        ];
        State::describe(numbers, described)
    })
}

/// Makes a player of a clip. Returns its number.
#[unsafe(no_mangle)]
pub extern "C" fn player_open(clip: usize) -> usize {
    with(|State { clips, players, .. }| {
        let clip = Arc::clone(clips.get(clip)?);
        let (joints, float_tracks) = (clip.header().joints, clip.header().float_tracks);
        let numbers = gathered(core::iter::repeat_n(0.0, NUMBERS * joints + float_tracks))?;
        let pose = Pose {
            joints: gathered(core::iter::repeat_n(Transform::IDENTITY, joints))?,
            floats: gathered(core::iter::repeat_n(0.0, float_tracks))?,
        };
        players.keep(Player { cursor: clip.cursor()?, clip, pose, numbers })
    })
}

/// Frees a player.
#[unsafe(no_mangle)]
pub extern "C" fn player_free(player: usize) {
    with(|state| {
        state.players.remove(player);
        Ok(1)
    });
}

/// Samples a pose at a time in seconds. `ends` and `rounding` are positions in the lists of `posepress.js`. Returns the address of
/// the pose, which stays the same for a player.
#[unsafe(no_mangle)]
pub extern "C" fn player_sample(player: usize, time_secs: f64, ends: usize, rounding: usize) -> usize {
    with(|state| {
        let player = state.players.get(player)?;
        let ends = [Ends::OfClip, Ends::Loop, Ends::Clamp].get(ends).copied();
        let rounding = [Rounding::None, Rounding::Floor, Rounding::Ceil, Rounding::Nearest].get(rounding).copied();
        let playback = Playback { ends: ends.unwrap_or_default(), rounding: rounding.unwrap_or_default() };
        Ok(player.sample(playback.place(player.clip.header(), time_secs)))
    })
}

/// Like [`player_sample`], at a place in samples from the clip's start.
#[unsafe(no_mangle)]
pub extern "C" fn player_sample_at(player: usize, at_sample: f64) -> usize {
    with(|state| Ok(state.players.get(player)?.sample(at_sample)))
}

impl Player {
    /// Samples at a place in samples. Returns the address of the pose.
    fn sample(&mut self, at_sample: f64) -> usize {
        self.clip.sample(&mut self.cursor, at_sample, &mut self.pose);
        let (joints, floats) = self.numbers.split_at_mut(NUMBERS * self.pose.joints.len());
        for (numbers, local) in joints.as_chunks_mut::<NUMBERS>().0.iter_mut().zip(&self.pose.joints) {
            *numbers = local.numbers();
        }
        floats.copy_from_slice(&self.pose.floats);
        self.numbers.as_ptr().addr()
    }
}

/// A list, or an error without memory.
fn gathered<T>(from: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Failure> {
    let mut list = Vec::new();
    list.try_reserve_exact(from.len()).map_err(|_| Failure::NO_MEMORY)?;
    list.extend(from);
    Ok(list)
}
