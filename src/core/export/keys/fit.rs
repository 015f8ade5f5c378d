use super::curve::{Curve, KeyTime, Ticks};
use super::follow::follow;
use super::numbers::Numbers;
use super::track::{Style, Track};
use crate::export::{ExportClip, ExportKeys, RotationFormat};
use crate::import::FileSpace;
use crate::math::{Range3, ReduceRange, Transform};
use crate::metrics::{Lift, shell_error_m};
use crate::model::{Channel, Clip, ClipSampler, Hold, ModelPose, Pose, Rig, Sampler, TimeGrid};
use glam::{Affine3A, Quat, Vec3, Vec4};
use std::collections::BTreeSet;

/// Part of the tolerance for the keys of one track. Errors of other tracks in the chain and of the codec add to it.
pub(super) const TRACK_SHARE: f32 = 0.3;
/// Parts tried for keys of the source, where no codec has a share. A larger part saves keys, but errors that add up need keys again.
const SOURCE_SHARES: [f32; 3] = [TRACK_SHARE, 0.5, 0.7];
/// Rounds of adding keys where the file is too far from the source. After them, tracks keep every sample.
pub(super) const ROUNDS: usize = 8;
/// Tracks get a key at a missed place if their error is at least this part of the largest.
pub(super) const WORST_PART: f32 = 0.5;
/// Padding at both ends of every side of a range, as part of its longest side. Children need it to correct their parents' rounding. For
/// example, a root scale of 0.01 among scales of 1 is rounded by up to this part, and so are all lengths below it.
const RANGE_PAD: f32 = 1e-3;
/// Smallest padding, in the file's unit.
const LEAST_PAD: f32 = 1e-3;
/// Largest sum of the distances from a line between samples and from a smooth curve, as a part of the distance of these two. More than one,
/// since the curve through the samples does not know where the motion changes its acceleration.
const BEND_PART: f32 = 1.5;
/// Part of a limit that is added for float rounding.
pub(super) const ROUNDING: f32 = 1e-5;

/// The keys of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStyle {
    /// glTF: the choice with the fewest bytes.
    Gltf(RotationFormat),
    /// glTF: few keys for editing, at the keys of the source and where more are needed.
    Editable(Bend),
    /// ozz: lines between keys of few bits. Every track has keys.
    Ozz,
    /// Riot: splines through keys of few bits. Every track has keys.
    Riot,
}

/// The curves between keys for editing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bend {
    /// Lines and steps only.
    Never,
    /// Cubics, within the tolerance also between samples: of the source's cubics where they are known, else of the lines between samples.
    AsSource,
    /// Cubics, within the tolerance at the samples. Between them they are smooth.
    Freely,
}

impl KeyStyle {
    /// Returns the style of a glTF.
    pub fn gltf(keys: ExportKeys, rotations: RotationFormat) -> Self {
        match keys {
            ExportKeys::Smallest => Self::Gltf(rotations),
            ExportKeys::Editable => Self::Editable(Bend::AsSource),
            ExportKeys::EditableLines => Self::Editable(Bend::Never),
        }
    }

    /// Places per sample at which the file is compared with the source. Splines are compared only at the samples, since they swing between
    /// neighbouring keys and no further key could prevent it.
    pub(super) fn places_a_sample(self) -> usize {
        if self == Self::Riot { 1 } else { 2 }
    }

    /// Style of a channel whose values in the whole clip lie in `range`.
    fn of(self, channel: Channel, range: Range3, grid: TimeGrid) -> Style {
        let is_rotation = channel == Channel::Rotation;
        match self {
            Self::Gltf(_) => Style::Gltf,
            Self::Editable(_) => Style::Editable,
            Self::Ozz => Style::Chords(if is_rotation { Numbers::SmallestThree } else { Numbers::Halves }),
            Self::Riot => {
                let numbers =
                    if is_rotation { Numbers::SmallestThree } else { Numbers::Within(padded(range, channel)) };
                Style::Splines(numbers, Ticks(grid))
            }
        }
    }
}

/// Pads a range for the corrections that children make, since a clamped value would lose them. Sides of scales without extent stay as they
/// are.
fn padded(range: Range3, channel: Channel) -> Range3 {
    let least = (range.extent.max_element() * RANGE_PAD).max(LEAST_PAD);
    let pad = Vec3::from(range.extent.to_array().map(|extent| whole_steps(least, extent)));
    let pad =
        if channel == Channel::Scale { Vec3::select(range.extent.cmpgt(Vec3::ZERO), pad, Vec3::ZERO) } else { pad };
    Range3 { min: range.min - pad, extent: range.extent + 2.0 * pad }
}

/// Padding of at least `least`, in whole steps of the padded range. So values at the old ends, such as zero, stay exact.
fn whole_steps(least: f32, extent: f32) -> f32 {
    /// Most steps. On a side that would need more, any place is within the rounding.
    const MOST: f32 = 16_384.0;
    let steps = (least * 65_535.0 / extent).ceil();
    if steps < MOST { steps * extent / (65_535.0 - 2.0 * steps) } else { least }
}

/// The style of each channel's tracks, in the order of [`Channel::ALL`]. Ranges of 16 bits cover all values of a channel.
pub(super) fn styles(style: KeyStyle, clip: &Clip) -> [Style; 3] {
    let values = |sample: usize| {
        let base = clip.base().map(|base| base.pose(sample));
        let local = move |(joint, local): (usize, &Transform)| values_of(*local, base.map(|base| base[joint]));
        clip.pose(sample).iter().enumerate().map(local)
    };
    Channel::ALL.map(|channel| {
        let of_channel = (0..clip.samples()).flat_map(values).map(|values| values[channel as usize].truncate());
        style.of(channel, Range3::around(of_channel), clip.grid())
    })
}

/// A clip as curves in the file's space.
#[derive(Debug)]
pub struct FittedClip {
    /// Three curves per joint, in the order of [`Channel::ALL`]. `None` if the node's own value is enough, which only glTF supports.
    pub curves: Vec<Option<Curve>>,
    /// Float tracks, one row per sample.
    pub floats: Vec<Vec<f32>>,
}

impl Fitting<'_> {
    /// Approximate bytes of the keys. A glTF stores equal times once.
    fn bytes(&self) -> usize {
        let curves = || self.curves.iter().flatten();
        let values: usize = curves().map(Curve::value_bytes).sum();
        let keys = |times: &Vec<KeyTime>| times.len();
        let times: usize = match self.style {
            KeyStyle::Gltf(_) | KeyStyle::Editable(_) => {
                curves().map(|curve| &curve.times).collect::<BTreeSet<_>>().into_iter().map(keys).sum()
            }
            KeyStyle::Ozz | KeyStyle::Riot => curves().map(|curve| keys(&curve.times)).sum(),
        };
        values + size_of::<f32>() * times
    }

    /// Keys of all curves.
    fn keys(&self) -> usize {
        self.curves.iter().flatten().map(|curve| curve.times.len()).sum()
    }

    fn fitted(self) -> FittedClip {
        FittedClip { curves: self.curves, floats: self.floats }
    }
}

/// Chooses keys that keep players within the clip's tolerance, at the samples and half way between them. An error of the decoded clip over
/// the tolerance is the limit instead. Number formats of few bits may add their own largest error per joint. Splines are compared only at
/// the samples.
///
/// Keys are fitted to the decoded clip and to the source, and the smaller result is taken. A decoded clip needs few keys if its curves are
/// those of the format. Otherwise its compression errors would need keys of their own. Keys for editing always follow the source. In
/// formats of few bits, joints that are still too far off then get keys that correct the errors of their parents: see [`follow`].
pub fn fit(clip: &mut ExportClip<'_>, rig: &Rig, space: FileSpace, style: KeyStyle) -> FittedClip {
    if !matches!(style, KeyStyle::Editable(_)) {
        let of_decoded = fit_sampled(clip, rig, space, (style, TRACK_SHARE));
        if clip.tolerance_m == 0.0 {
            return of_decoded.fitted();
        }
        clip.sampler = Box::new(ClipSampler::new(clip.source));
        let of_source = SOURCE_SHARES.into_iter().map(|share| fit_sampled(clip, rig, space, (style, share)));
        let mut least = of_source.fold(of_decoded, |least, fit| if fit.bytes() < least.bytes() { fit } else { least });
        if matches!(style, KeyStyle::Ozz | KeyStyle::Riot) {
            follow(&mut least, clip);
        }
        return least.fitted();
    }
    clip.sampler = Box::new(ClipSampler::new(clip.source));
    let least = fit_sampled(clip, rig, space, (style, TRACK_SHARE));
    if style != KeyStyle::Editable(Bend::Freely) {
        return least.fitted();
    }
    let others = SOURCE_SHARES.into_iter().skip(1).map(|share| fit_sampled(clip, rig, space, (style, share)));
    others.fold(least, |least, fit| if fit.keys() < least.keys() { fit } else { least }).fitted()
}

fn fit_sampled<'a>(
    clip: &mut ExportClip<'_>,
    rig: &'a Rig,
    space: FileSpace,
    (style, track_share): (KeyStyle, f32),
) -> Fitting<'a> {
    let (mut tracks, floats) = tracks(clip, rig, space, style);
    tracks.iter_mut().for_each(|track| track.budget = track_share * clip.tolerance_m);
    for (joint, samples) in &clip.exact {
        tracks[3 * joint..][..3].iter_mut().for_each(|track| track.keep(samples));
    }
    if matches!(style, KeyStyle::Editable(Bend::AsSource | Bend::Freely)) {
        tracks.iter_mut().for_each(|track| track.source = track.source_cubic());
    }
    let curves = tracks.iter().map(Track::fit).collect();
    let numbers_m = vec![0.0; clip.source.joints()];
    let lift = Lift::of(&rig.skeleton, clip.source, |joint| clip.is_exact(joint));
    let mut fitting = Fitting { rig, space, style, lift, tracks, curves, numbers_m, floats };
    if clip.tolerance_m > 0.0 {
        fitting.numbers_m = fitting.numbers_m(clip);
        fitting.add_keys(clip);
    }
    fitting
}

/// The decoded values of every channel of every joint, and of the float tracks.
fn tracks(clip: &mut ExportClip<'_>, rig: &Rig, space: FileSpace, style: KeyStyle) -> (Vec<Track>, Vec<Vec<f32>>) {
    let mut tracks = empty_tracks(clip, rig, space, style);
    let mut floats = Vec::new();
    let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
    for place in clip.source.grid().steps(1) {
        clip.sampler.sample(place, &mut pose);
        let base = base_at(clip.source, place);
        for (track, value) in tracks.iter_mut().zip(file_values(&pose.joints, base, rig, space)) {
            let before = track.values.last().copied().unwrap_or(value);
            let is_turned = track.is_rotation && before.dot(value) < 0.0;
            track.values.push(if is_turned { -value } else { value });
        }
        floats.push(pose.floats.clone());
    }
    for (index, channel) in Channel::ALL.into_iter().enumerate() {
        let of_channel = || tracks.iter().skip(index).step_by(Channel::ALL.len());
        let range = Range3::around(of_channel().flat_map(|track| &track.values).map(|value| value.truncate()));
        let style = style.of(channel, range, clip.source.grid());
        tracks.iter_mut().skip(index).step_by(Channel::ALL.len()).for_each(|track| track.style = style);
    }
    (tracks, floats)
}

fn empty_tracks(clip: &ExportClip<'_>, rig: &Rig, space: FileSpace, style: KeyStyle) -> Vec<Track> {
    let bind = rig.skeleton.bind_pose(0).joints;
    let model = ModelPose::new(&rig.skeleton, &bind);
    let reach_m = reach_m(rig, &model, &clip.shells_m);
    let above = |joint| rig.skeleton.parent(joint).map_or(1.0, |parent| model.joints[parent].matrix3.x_axis.length());
    // The rest of an additive clip is no difference.
    let base = clip.source.base().map(|_| bind.clone());
    let rest = file_values(&bind, base, rig, space);
    let tracks = rest.zip(channels(rig)).map(|(rest, (joint, channel))| Track {
        values: Vec::with_capacity(clip.source.samples()),
        rest,
        is_rotation: channel == Channel::Rotation,
        radius: if channel == Channel::Translation { space.metres * above(joint) } else { reach_m[joint] },
        held: held(clip, joint, channel),
        set: set(clip, joint, channel),
        source: None,
        budget: 0.0,
        forced: BTreeSet::new(),
        style: Style::Gltf,
        allows_shorts: style == KeyStyle::Gltf(RotationFormat::Shorts) && clip.tolerance_m > 0.0,
        allows_cubic: style != KeyStyle::Editable(Bend::Never),
        bends: style == KeyStyle::Editable(Bend::Freely),
    });
    tracks.collect()
}

/// Base pose of an additive clip at a time in samples.
pub(super) fn base_at(clip: &Clip, place: f64) -> Option<Vec<Transform>> {
    clip.base().map(|base| base.at(clip.grid().split(place)).collect())
}

/// Joint and channel of every track.
fn channels(rig: &Rig) -> impl Iterator<Item = (usize, Channel)> {
    (0..rig.skeleton.len()).flat_map(|joint| Channel::ALL.map(|channel| (joint, channel)))
}

/// Values of a pose in the file's space, one per track. For an additive clip, the differences from its base.
fn file_values(
    pose: &[Transform],
    base: Option<Vec<Transform>>,
    rig: &Rig,
    space: FileSpace,
) -> impl Iterator<Item = Vec4> {
    pose.iter().enumerate().flat_map(move |(joint, local)| {
        let own = |local: Transform| space.from_inside(local, rig.skeleton.parent(joint).is_none());
        values_of(own(*local), base.as_ref().map(|base| own(base[joint])))
    })
}

/// Values of a joint, in the order of [`Channel::ALL`]. For an additive clip, the differences from its base.
pub(super) fn values_of(local: Transform, base: Option<Transform>) -> [Vec4; 3] {
    let local = base.map_or(local, |base| local.minus(base));
    Channel::ALL.map(|channel| match channel {
        Channel::Rotation => Vec4::from(local.rotation.to_array()),
        Channel::Translation => local.translation.extend(0.0),
        Channel::Scale => local.scale.extend(0.0),
    })
}

/// The inverse of [`values_of`].
pub(super) fn put_values([rotation, translation, scale]: [Vec4; 3], base: Option<Transform>) -> Transform {
    let (translation, scale) = (translation.truncate(), scale.truncate());
    let own = Transform { rotation: Quat::from_vec4(rotation), translation, scale };
    base.map_or(own, |base| base.plus(own))
}

fn held(clip: &ExportClip<'_>, joint: usize, channel: Channel) -> BTreeSet<usize> {
    let this = |hold: &&Hold| usize::from(hold.joint) == joint && hold.channel == channel;
    clip.source.holds().iter().filter(this).map(|hold| hold.sample as usize).collect()
}

/// The samples at which the source has keys of a track.
fn set(clip: &ExportClip<'_>, joint: usize, channel: Channel) -> BTreeSet<usize> {
    let mut keys = clip.source.keys().iter().filter(|keys| usize::from(keys.joint) == joint && keys.channel == channel);
    keys.next().map_or_else(BTreeSet::new, |keys| keys.samples.iter().map(|&sample| sample as usize).collect())
}

/// For each joint, the distance to the farthest joint of its subtree in the bind pose, with that joint's shell.
fn reach_m(rig: &Rig, bind: &ModelPose, shells_m: &[f32]) -> Vec<f32> {
    let reach = |joint: usize| {
        let from = bind.origin(joint);
        let below = rig.skeleton.subtree(joint).into_iter();
        below.map(|j| bind.origin(j).distance(from) + shells_m[j]).fold(0.0, f32::max)
    };
    (0..rig.skeleton.len()).map(reach).collect()
}

/// The tracks of a clip, and their current keys.
pub(super) struct Fitting<'a> {
    pub rig: &'a Rig,
    space: FileSpace,
    pub style: KeyStyle,
    /// Added to the scales of all compared poses.
    pub lift: Lift,
    pub tracks: Vec<Track>,
    pub curves: Vec<Option<Curve>>,
    /// Largest error of each joint from the number format, metres.
    numbers_m: Vec<f32>,
    floats: Vec<Vec<f32>>,
}

/// A joint with too large an error at one time.
#[derive(Debug, Clone, Copy)]
struct Miss {
    joint: usize,
    /// Time in samples.
    place: f64,
}

impl Fitting<'_> {
    fn add_keys(&mut self, clip: &mut ExportClip<'_>) {
        for round in 0.. {
            let misses = self.misses(clip);
            let changed: BTreeSet<usize> = match round < ROUNDS {
                true => misses.iter().flat_map(|miss| self.tighten(*miss)).collect(),
                false => misses.iter().flat_map(|miss| self.chain(miss.joint)).collect(),
            };
            if round == ROUNDS {
                changed.iter().for_each(|&track| self.tracks[track].keep_all());
            }
            changed.iter().for_each(|&track| self.curves[track] = self.tracks[track].fit());
            if changed.is_empty() || round == ROUNDS {
                return;
            }
        }
    }

    /// Tracks of a joint and of its ancestors.
    fn chain(&self, joint: usize) -> Vec<usize> {
        let joints = std::iter::once(joint).chain(self.rig.skeleton.ancestors(joint));
        joints.flat_map(|joint| (0..3).map(move |channel| 3 * joint + channel)).collect()
    }

    /// Adds keys to the tracks with the largest errors. Returns the tracks that change.
    fn tighten(&mut self, miss: Miss) -> Vec<usize> {
        let off = |track: usize| self.tracks[track].error_at(self.curves[track].as_ref(), miss.place);
        let chain: Vec<(usize, f32)> = self.chain(miss.joint).into_iter().map(|track| (track, off(track))).collect();
        let worst = chain.iter().map(|(_, off)| *off).fold(0.0, f32::max);
        let worst_ones = chain.into_iter().filter(|(_, off)| *off > 0.0 && *off >= WORST_PART * worst);
        let mut changed = Vec::new();
        for (track, _) in worst_ones {
            if self.tracks[track].tighten(self.curves[track].as_ref(), miss.place) {
                changed.push(track);
            }
        }
        changed
    }

    /// Largest error of each joint against the decoded clip if the file has every sample, metres. Zero for glTF.
    fn numbers_m(&self, clip: &mut ExportClip<'_>) -> Vec<f32> {
        let mut worst_m = vec![0.0f32; clip.shells_m.len()];
        if let KeyStyle::Gltf(_) | KeyStyle::Editable(_) = self.style {
            return worst_m;
        }
        let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        let [mut of_decoded, mut of_file] = [(); 2].map(|()| ModelPose::default());
        for (sample, place) in clip.source.grid().steps(1).enumerate() {
            clip.sampler.sample(place, &mut pose);
            self.model(&mut pose, &mut of_decoded);
            let base = base_at(clip.source, place);
            self.put(&mut pose.joints, base, |track| track.style.numbers().read(track.values[sample]));
            self.model(&mut pose, &mut of_file);
            for (joint, &shell_m) in clip.shells_m.iter().enumerate() {
                let error_m = shell_error_m(&of_decoded.joints[joint], &of_file.joints[joint], shell_m);
                worst_m[joint] = worst_m[joint].max(error_m);
            }
        }
        worst_m
    }

    /// Finds errors of the played file against the source that are over the tolerance and over those of the decoded clip.
    ///
    /// Between samples, the source is its cubics where they are known. Curves that bend freely may lie on a line between the samples, on a
    /// smooth curve through them, or beside both.
    fn misses(&self, clip: &mut ExportClip<'_>) -> Vec<Miss> {
        let mut raw = ClipSampler::new(clip.source);
        let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        let [mut of_source, mut of_smooth, mut of_decoded, mut of_file, mut of_unit] =
            [(); 5].map(|()| ModelPose::default());
        let may_bend = self.style == KeyStyle::Editable(Bend::Freely);
        let has_shorts = self.curves.iter().flatten().any(|curve| curve.numbers == Numbers::Shorts);
        let mut misses = Vec::new();
        for place in clip.source.grid().steps(self.style.places_a_sample()) {
            raw.sample(place, &mut pose);
            self.put_cubics(clip.source, place, &mut pose.joints);
            self.model(&mut pose, &mut of_source);
            let bends = may_bend && place.fract() != 0.0;
            if bends {
                self.put(&mut pose.joints, base_at(clip.source, place), |track| track.smooth_at(place));
                self.model(&mut pose, &mut of_smooth);
            }
            clip.sampler.sample(place, &mut pose);
            self.model(&mut pose, &mut of_decoded);
            self.read(place, base_at(clip.source, place), &mut pose.joints);
            self.model(&mut pose, &mut of_file);
            if has_shorts {
                // Some players normalise rotations, some do not.
                pose.joints.iter_mut().for_each(|local| local.rotation = local.rotation.normalize());
                of_unit.update(&self.rig.skeleton, &pose.joints);
            }
            for (joint, &shell_m) in clip.shells_m.iter().enumerate() {
                let error_m = |of: &ModelPose| shell_error_m(&of_source.joints[joint], &of.joints[joint], shell_m);
                let allowed_m = clip.tolerance_m.max(error_m(&of_decoded)) * (1.0 + ROUNDING) + self.numbers_m[joint];
                let smooth = bends.then(|| (&of_smooth.joints[joint], error_m(&of_smooth)));
                let is_off = |of: &ModelPose| {
                    let beside = |(smooth, bend_m): (&Affine3A, f32)| {
                        let both_m = error_m(of) + shell_error_m(smooth, &of.joints[joint], shell_m);
                        both_m <= 2.0 * allowed_m + BEND_PART * bend_m
                    };
                    error_m(of) > allowed_m && !smooth.is_some_and(beside)
                };
                if is_off(&of_file) || (has_shorts && is_off(&of_unit)) {
                    misses.push(Miss { joint, place });
                }
            }
        }
        misses
    }

    /// Puts the source's cubics into its pose between samples, where they are known and count.
    fn put_cubics(&self, source: &Clip, place: f64, pose: &mut [Transform]) {
        let has_cubics = || self.tracks.iter().any(|track| track.source.is_some());
        if self.style == KeyStyle::Editable(Bend::AsSource) && place.fract() != 0.0 && has_cubics() {
            self.put(pose, base_at(source, place), |track| track.exact_at(place));
        }
    }

    /// Model matrices of a pose after lifting, for measuring errors.
    fn model(&self, pose: &mut Pose, model: &mut ModelPose) {
        self.lift.raise(&mut pose.joints);
        model.update(&self.rig.skeleton, &pose.joints);
    }

    /// The pose that a player reads, in our space.
    fn read(&self, place: f64, base: Option<Vec<Transform>>, pose: &mut [Transform]) {
        let mut curves = self.curves.iter();
        self.put(pose, base, |track| {
            curves.next().and_then(Option::as_ref).map_or(track.rest, |curve| curve.at(place))
        });
    }

    /// Sets a pose from one value per track, in our space and on the base of an additive clip. Values are taken in track order.
    fn put(&self, pose: &mut [Transform], base: Option<Vec<Transform>>, mut value: impl FnMut(&Track) -> Vec4) {
        for ((joint, local), tracks) in pose.iter_mut().enumerate().zip(self.tracks.chunks_exact(Channel::ALL.len())) {
            let is_root = self.rig.skeleton.parent(joint).is_none();
            let on = base.as_ref().map(|base| self.space.from_inside(base[joint], is_root));
            let values = [value(&tracks[0]), value(&tracks[1]), value(&tracks[2])];
            *local = self.space.to_inside(put_values(values, on), is_root);
        }
    }
}
