//! Trains the initial tables of `press`: `residuals_trained.rs` and `chances_trained.rs` of the runtime.

use crate::{SHELL_M, Set};
use posepress_core::codecs::internal::press_contents;
use posepress_core::codecs::{Encoder, ParamValues, Press, Progress, Source};
use posepress_core::math::Transform;
use posepress_core::model::{Clip, Skeleton};
use posepress_runtime::NoMemory;
use posepress_runtime::internal::codecs::press::{CHANCES, Chances, Component, Contents, Learned};
use posepress_runtime::internal::parts::RangeEncoder;
use std::error::Error;

/// Tolerances of the training clips, metres.
const TOLERANCES_M: [f32; 2] = [1e-4, 1e-3];
/// Passes over the clips. Only the weights of the last pass count.
const PASSES: usize = 3;
/// Rows of the table of weights (one per binary decision with its own weights), and numbers per line of the table of chances.
const QUESTIONS: usize = 12;
const LINE: usize = 12;

/// The integers of a clip, the bind pose of its joints, and the components of the integers.
type Integers = (Contents, Vec<Transform>, Vec<Component>);

/// Rows of both tables: weights, then chances. The clips of all sets and tolerances alternate.
pub fn tables(sets: &[Set]) -> Result<Vec<String>, Box<dyn Error>> {
    let at = |tolerance_m: f32| {
        let integers = move |(skeleton, clip): &(_, _)| integers(skeleton, clip, tolerance_m);
        sets.iter().map(move |set| set.iter().map(integers).collect())
    };
    let mut sets = TOLERANCES_M.into_iter().flat_map(at).collect::<Result<Vec<Vec<Integers>>, Box<dyn Error>>>()?;
    let mut learned = Learned::trained();
    let (mut mean, mut chances, mut clips) = (learned.weights, [0.0; CHANCES], 0.0);
    let most = sets.iter().map(Vec::len).max().unwrap_or(0);
    for (pass, index) in (0..PASSES).flat_map(|pass| (0..most).map(move |index| (pass, index))) {
        for (contents, bind, components) in sets.iter_mut().filter_map(|set| set.get_mut(index)) {
            let (mut bits, mut after) = (RangeEncoder::default(), |_: &RangeEncoder, _| Ok::<(), NoMemory>(()));
            contents.code(bind, &mut learned, &mut bits, &mut after)?;
            contents.code_head(components, bind, &mut learned.chances, &mut bits, &mut after)?;
            if pass + 1 == PASSES {
                clips += 1.0;
                for (mean, found) in chances.iter_mut().zip(Chances::of_zero(&learned.chances)) {
                    *mean += (f64::from(found) - *mean) / clips;
                }
                let found = learned.weights.as_flattened().as_flattened();
                for (mean, found) in mean.as_flattened_mut().as_flattened_mut().iter_mut().zip(found) {
                    *mean += (found - *mean) / clips;
                }
            }
        }
    }
    let chances = chances.map(|chance: f64| chance.round() as u8);
    let weights = mean[..QUESTIONS].iter().map(weights_row);
    Ok(weights.chain(chances.chunks(LINE).map(|row| format!("    {row:?}"))).collect())
}

fn integers(skeleton: &Skeleton, clip: &Clip, tolerance_m: f32) -> Result<Integers, Box<dyn Error>> {
    let shells_m = vec![SHELL_M; skeleton.len()];
    let source = Source::new(skeleton, clip, tolerance_m, &shells_m);
    let encoded = Press.encode(&source, &ParamValues::new(), &Progress::new())?;
    let contents = press_contents(clip, &encoded.payload, skeleton);
    let contents = contents.ok_or_else(|| format!("{}: an archive cannot hold the clip", clip.name()))?;
    let components = contents.components()?;
    Ok((contents, skeleton.bind_pose(0).joints, components))
}

/// One row of weights in 64ths, by age.
fn weights_row(ages: &[[f64; 4]; 6]) -> String {
    let in_64ths = |weight: f64| (weight * 64.0).round().clamp(-128.0, 127.0) as i8;
    format!("    {:?},", ages.map(|weights| weights.map(in_64ths)))
}
