use super::curve::{Curve, Interpolation, KeyTime};
use super::fit::{Bend, KeyStyle, fit};
use crate::export::{ExportClip, ExportError};
use crate::import::FileSpace;
use crate::model::{Channel, Clip, Rig};
use glam::Vec4;

/// The curve between the keys of an editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorCurve {
    /// Holds the earlier key.
    Step,
    /// A line, or an arc for rotations.
    Linear,
    /// A cubic with two tangents per key. Rotations are normalised.
    Cubic,
}

/// Keys of one channel of a joint, for an editor of curves.
#[derive(Debug, Clone, PartialEq)]
pub struct EditorKeys {
    /// The joint.
    pub joint: usize,
    /// Channel of its local transform.
    pub channel: Channel,
    /// The curve between keys.
    pub curve: EditorCurve,
    /// Times in samples.
    pub places: Vec<f64>,
    /// One value per key: x, y, z of a vector in metres, or x, y, z, w of a rotation.
    pub values: Vec<Vec4>,
    /// In- and out-tangent of each key, per sample; empty unless the curve is cubic.
    pub tangents: Vec<[Vec4; 2]>,
}

/// Returns few keys that keep a clip within a shell error at its samples. Between samples the curves are smooth, or follow the lines between
/// the samples. Keys of the source stay keys, if the clip has some. Channels at their bind pose have no keys.
///
/// # Errors
/// [`ExportError::Unsupported`] if the clip does not fit the rig.
pub fn editor_keys(rig: &Rig, clip: &Clip, tolerance_m: f32, shell_m: f32) -> Result<Vec<EditorKeys>, ExportError> {
    let shells_m = vec![shell_m; clip.joints()];
    let mut clip = ExportClip { tolerance_m, shells_m, ..ExportClip::raw(clip) };
    clip.check(rig)?;
    let fitted = fit(&mut clip, rig, FileSpace::OURS, KeyStyle::Editable(Bend::Freely));
    let channels = (0..rig.skeleton.len()).flat_map(|joint| Channel::ALL.map(|channel| (joint, channel)));
    let keyed = channels.zip(fitted.curves).filter_map(|(of, curve)| Some(EditorKeys::new(of, curve?)));
    Ok(keyed.collect())
}

impl EditorKeys {
    fn new((joint, channel): (usize, Channel), fitted: Curve) -> Self {
        let Curve { interpolation, times, values, tangents, .. } = fitted;
        let curve = match interpolation {
            Interpolation::Step => EditorCurve::Step,
            Interpolation::Cubic => EditorCurve::Cubic,
            Interpolation::Linear | Interpolation::Chord | Interpolation::Spline(_) => EditorCurve::Linear,
        };
        Self { joint, channel, curve, places: times.into_iter().map(KeyTime::place).collect(), values, tangents }
    }
}
