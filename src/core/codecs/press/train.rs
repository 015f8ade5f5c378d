//! What archives begin with, from clips of many kinds: what `records_trained.rs` and `residuals_trained.rs` of the runtime hold.

use super::decode::{Contents, Learned, RecordChances};
use super::{Press, archive};
use crate::codecs::encode::write::RangeEncoder;
use crate::codecs::{Encoder, ParamValues, Progress, Source};
use crate::math::Transform;
use crate::model::{Clip, Skeleton};
use posepress_runtime::NoMemory;

const SHELL_M: f32 = 0.03;
/// How often the clips are gone through; the last time counts.
const PASSES: usize = 3;
/// Questions that are told apart in the table, and numbers in a line of the other.
const QUESTIONS: usize = 12;
const LINE: usize = 12;

/// Clips as they are coded, set by set.
#[derive(Default)]
pub struct ArchiveTrainer {
    sets: Vec<Vec<(Contents, Vec<Transform>)>>,
}

impl ArchiveTrainer {
    /// Begins the next set.
    pub fn next_set(&mut self) {
        self.sets.push(Vec::new());
    }

    /// Adds a clip to it.
    pub fn clip(&mut self, skeleton: &Skeleton, clip: &Clip, tolerance_m: f32) {
        let shells_m = vec![SHELL_M; skeleton.len()];
        let source = Source::new(skeleton, clip, tolerance_m, &shells_m);
        let encoded = Press.encode(&source, &ParamValues::new(), &Progress::new()).unwrap();
        let contents = archive::contents(clip, &encoded.payload, skeleton).expect("what an archive can have");
        self.sets.last_mut().expect("a set").push((contents, skeleton.bind_pose(0).joints));
    }

    /// The rows of both tables: weights, chances. Sets take turns.
    pub fn tables(&mut self) -> [Vec<String>; 2] {
        let mut learned = Learned::trained();
        let (mut mean, mut clips) = (learned.weights, 0.0);
        let most = self.sets.iter().map(Vec::len).max().unwrap_or(0);
        for (pass, index) in (0..PASSES).flat_map(|pass| (0..most).map(move |index| (pass, index))) {
            for (contents, bind) in self.sets.iter_mut().filter_map(|set| set.get_mut(index)) {
                let nothing = |_: &RangeEncoder, _| Ok::<(), NoMemory>(());
                contents.code(bind, &mut learned, &mut RangeEncoder::default(), nothing).expect("memory");
                if pass + 1 == PASSES {
                    clips += 1.0;
                    let found = learned.weights.as_flattened().as_flattened();
                    for (mean, found) in mean.as_flattened_mut().as_flattened_mut().iter_mut().zip(found) {
                        *mean += (found - *mean) / clips;
                    }
                }
            }
        }
        let in_64ths = |weight: f64| (weight * 64.0).round().clamp(-128.0, 127.0) as i8;
        let row = |ages: &[[f64; 4]; 6]| format!("    {:?},", ages.map(|weights| weights.map(in_64ths)));
        let chances: [u8; posepress_runtime::internal::codecs::press::RECORD_CHANCES] =
            RecordChances::of_zero(&learned.chances);
        [mean[..QUESTIONS].iter().map(row).collect(), chances.chunks(LINE).map(|row| format!("    {row:?}")).collect()]
    }
}
