use super::curve::{Curve, KeyTime, Ticks};
use super::numbers::Numbers;
use super::track::{Style, Track};
use crate::export::{ExportClip, ExportKeys, RotationFormat};
use crate::import::FileSpace;
use crate::math::{Range3, ReduceRange, Transform};
use crate::metrics::shell_error_m;
use crate::model::{Channel, Clip, ClipSampler, Hold, ModelPose, Pose, Rig, Sampler, TimeGrid};
use glam::{Quat, Vec4};
use std::collections::BTreeSet;

/// Part of the tolerance that the keys of one track may take: others lie above and below it, and the codec has had its share.
const TRACK_SHARE: f32 = 0.3;
/// Parts to be tried where no codec had a share: what more of it saves has to be made up for where errors meet.
const SOURCE_SHARES: [f32; 3] = [TRACK_SHARE, 0.5, 0.7];
/// Rounds of looking where the file is too far from the source, and adding keys there, before tracks are written whole.
const ROUNDS: usize = 8;
/// At a place where keys are missing, tracks get one that are off by at least this part of the one that is off most.
const WORST_PART: f32 = 0.5;
/// Of what is allowed, for rounding.
const ROUNDING: f32 = 1e-5;

/// What the keys of a format are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStyle {
    /// glTF: whatever takes the fewest bytes.
    Gltf(RotationFormat),
    /// glTF: few keys that somebody can go on with, where there were keys in the source and where more are needed. Without
    /// `bends`, lines and steps alone.
    Editable { bends: bool },
    /// ozz: lines between keys of few bits, of which every track has some.
    Ozz,
    /// Riot: splines through keys of few bits, of which every track has some.
    Riot,
}

impl KeyStyle {
    /// Of a glTF.
    pub fn gltf(keys: ExportKeys, rotations: RotationFormat) -> Self {
        match keys {
            ExportKeys::Smallest => Self::Gltf(rotations),
            ExportKeys::Editable => Self::Editable { bends: true },
            ExportKeys::EditableLines => Self::Editable { bends: false },
        }
    }

    /// Places a sample at which the file is compared with the source. A spline swings between neighbouring samples that are keys
    /// already, and no key could hold it there.
    fn places_a_sample(self) -> usize {
        if self == Self::Riot { 1 } else { 2 }
    }

    /// Of a channel whose values in the whole clip lie in that range.
    fn of(self, channel: Channel, range: Range3, grid: TimeGrid) -> Style {
        let is_rotation = channel == Channel::Rotation;
        match self {
            Self::Gltf(_) => Style::Gltf,
            Self::Editable { .. } => Style::Editable,
            Self::Ozz => Style::Chords(if is_rotation { Numbers::SmallestThree } else { Numbers::Halves }),
            Self::Riot => {
                let numbers = if is_rotation { Numbers::SmallestThree } else { Numbers::Within(range) };
                Style::Splines(numbers, Ticks(grid))
            }
        }
    }
}

/// A clip as curves of the file's own space.
#[derive(Debug)]
pub struct FittedClip {
    /// Three a joint, in the order of [`Channel::ALL`]; `None` where the node's own value does, which only glTF knows.
    pub curves: Vec<Option<Curve>>,
    /// Float tracks, a row a sample.
    pub floats: Vec<Vec<f32>>,
}

impl FittedClip {
    /// What the keys take, nearly: in a glTF equal times stand once.
    fn bytes(&self, style: KeyStyle) -> usize {
        let curves = || self.curves.iter().flatten();
        let values: usize = curves().map(Curve::value_bytes).sum();
        let keys = |times: &Vec<KeyTime>| times.len();
        let times: usize = match style {
            KeyStyle::Gltf(_) | KeyStyle::Editable { .. } => {
                curves().map(|curve| &curve.times).collect::<BTreeSet<_>>().into_iter().map(keys).sum()
            }
            KeyStyle::Ozz | KeyStyle::Riot => curves().map(|curve| keys(&curve.times)).sum(),
        };
        values + size_of::<f32>() * times
    }
}

/// Chooses keys so that what a player reads is within the clip's tolerance, at the samples and half way between them, or no
/// further from the source than what was decoded. Where the format has only numbers of few bits, what these cost a joint at most comes
/// on top, and splines count at the samples alone.
///
/// Keys of what was decoded are few where its curves are those of the format; elsewhere what a codec left behind has to be told by keys,
/// and the motion that was made takes fewer: whichever does is taken. Who edits keys again always wants that motion.
pub fn fit(clip: &mut ExportClip<'_>, rig: &Rig, space: FileSpace, style: KeyStyle) -> FittedClip {
    if !matches!(style, KeyStyle::Editable { .. }) {
        let of_decoded = fit_sampled(clip, rig, space, (style, TRACK_SHARE));
        if clip.tolerance_m == 0.0 {
            return of_decoded;
        }
        clip.sampler = Box::new(ClipSampler::new(clip.source));
        let of_source = SOURCE_SHARES.map(|share| fit_sampled(clip, rig, space, (style, share)));
        return of_source
            .into_iter()
            .fold(of_decoded, |least, fit| if fit.bytes(style) < least.bytes(style) { fit } else { least });
    }
    clip.sampler = Box::new(ClipSampler::new(clip.source));
    fit_sampled(clip, rig, space, (style, TRACK_SHARE))
}

fn fit_sampled(
    clip: &mut ExportClip<'_>,
    rig: &Rig,
    space: FileSpace,
    (style, track_share): (KeyStyle, f32),
) -> FittedClip {
    let (mut tracks, floats) = tracks(clip, rig, space, style);
    tracks.iter_mut().for_each(|track| track.budget = track_share * clip.tolerance_m);
    for (joint, samples) in &clip.exact {
        tracks[3 * joint..][..3].iter_mut().for_each(|track| track.keep(samples));
    }
    let curves = tracks.iter().map(Track::fit).collect();
    let numbers_m = vec![0.0; clip.source.joints()];
    let mut fitting = Fitting { rig, space, style, tracks, curves, numbers_m };
    if clip.tolerance_m > 0.0 {
        fitting.numbers_m = fitting.numbers_m(clip);
        fitting.add_keys(clip);
    }
    FittedClip { curves: fitting.curves, floats }
}

/// Every channel of every joint as decoded, and the float tracks.
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
    // What an additive clip leaves out differs by nothing.
    let base = clip.source.base().map(|_| bind.clone());
    let rest = file_values(&bind, base, rig, space);
    let tracks = rest.zip(channels(rig)).map(|(rest, (joint, channel))| Track {
        values: Vec::with_capacity(clip.source.samples()),
        rest,
        is_rotation: channel == Channel::Rotation,
        lever: if channel == Channel::Translation { space.metres * above(joint) } else { reach_m[joint] },
        held: held(clip, joint, channel),
        set: set(clip, joint, channel),
        budget: 0.0,
        forced: BTreeSet::new(),
        style: Style::Gltf,
        allows_shorts: style == KeyStyle::Gltf(RotationFormat::Shorts) && clip.tolerance_m > 0.0,
        allows_cubic: style != KeyStyle::Editable { bends: false },
    });
    tracks.collect()
}

/// What a clip is added to at a place in it.
fn base_at(clip: &Clip, place: f64) -> Option<Vec<Transform>> {
    clip.base().map(|base| base.at(clip.grid().split(place)).collect())
}

/// Joint and channel of every track.
fn channels(rig: &Rig) -> impl Iterator<Item = (usize, Channel)> {
    (0..rig.skeleton.len()).flat_map(|joint| Channel::ALL.map(|channel| (joint, channel)))
}

/// A pose in the file's own numbers, a value a track: of an additive clip what it differs by from its base.
fn file_values(
    pose: &[Transform],
    base: Option<Vec<Transform>>,
    rig: &Rig,
    space: FileSpace,
) -> impl Iterator<Item = Vec4> {
    pose.iter().enumerate().flat_map(move |(joint, local)| {
        let own = |local: Transform| space.from_inside(local, rig.skeleton.parent(joint).is_none());
        let local = base.as_ref().map_or(own(*local), |base| own(*local).minus(own(base[joint])));
        Channel::ALL.map(|channel| match channel {
            Channel::Rotation => Vec4::from(local.rotation.to_array()),
            Channel::Translation => local.translation.extend(0.0),
            Channel::Scale => local.scale.extend(0.0),
        })
    })
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

/// For every joint the distance to the farthest joint below it in the bind pose, and the shell around that.
fn reach_m(rig: &Rig, bind: &ModelPose, shells_m: &[f32]) -> Vec<f32> {
    let reach = |joint: usize| {
        let from = bind.origin(joint);
        let below = rig.skeleton.subtree(joint).into_iter();
        below.map(|j| bind.origin(j).distance(from) + shells_m[j]).fold(0.0, f32::max)
    };
    (0..rig.skeleton.len()).map(reach).collect()
}

struct Fitting<'a> {
    rig: &'a Rig,
    space: FileSpace,
    style: KeyStyle,
    tracks: Vec<Track>,
    curves: Vec<Option<Curve>>,
    /// What the format's numbers cost each joint at most, metres.
    numbers_m: Vec<f32>,
}

/// A joint that is too far off somewhere.
#[derive(Debug, Clone, Copy)]
struct Miss {
    joint: usize,
    /// In samples.
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

    /// Tracks of a joint and of all above it.
    fn chain(&self, joint: usize) -> Vec<usize> {
        let joints = std::iter::once(joint).chain(self.rig.skeleton.ancestors(joint));
        joints.flat_map(|joint| (0..3).map(move |channel| 3 * joint + channel)).collect()
    }

    /// Asks for keys on the tracks that are off most, and says which ones change.
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

    /// How far each joint is at most from what was decoded when the file has every sample.
    fn numbers_m(&self, clip: &mut ExportClip<'_>) -> Vec<f32> {
        let mut worst_m = vec![0.0f32; clip.shells_m.len()];
        if let KeyStyle::Gltf(_) | KeyStyle::Editable { .. } = self.style {
            return worst_m;
        }
        let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        let [mut of_decoded, mut of_file] = [(); 2].map(|()| ModelPose::default());
        for (sample, place) in clip.source.grid().steps(1).enumerate() {
            clip.sampler.sample(place, &mut pose);
            of_decoded.update(&self.rig.skeleton, &pose.joints);
            let base = base_at(clip.source, place);
            self.put(&mut pose.joints, base, |track| track.style.numbers().read(track.values[sample]));
            of_file.update(&self.rig.skeleton, &pose.joints);
            for (joint, &shell_m) in clip.shells_m.iter().enumerate() {
                let error_m = shell_error_m(&of_decoded.joints[joint], &of_file.joints[joint], shell_m);
                worst_m[joint] = worst_m[joint].max(error_m);
            }
        }
        worst_m
    }

    /// Compares what a player reads with the source, as what was decoded compares.
    fn misses(&self, clip: &mut ExportClip<'_>) -> Vec<Miss> {
        let skeleton = &self.rig.skeleton;
        let mut raw = ClipSampler::new(clip.source);
        let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        let [mut of_source, mut of_decoded, mut of_file, mut of_unit] = [(); 4].map(|()| ModelPose::default());
        let has_shorts = self.curves.iter().flatten().any(|curve| curve.numbers == Numbers::Shorts);
        let mut misses = Vec::new();
        for place in clip.source.grid().steps(self.style.places_a_sample()) {
            raw.sample(place, &mut pose);
            of_source.update(skeleton, &pose.joints);
            clip.sampler.sample(place, &mut pose);
            of_decoded.update(skeleton, &pose.joints);
            self.read(place, base_at(clip.source, place), &mut pose.joints);
            of_file.update(skeleton, &pose.joints);
            if has_shorts {
                // Some players take rotations as they are, some make them as long as they should be.
                pose.joints.iter_mut().for_each(|local| local.rotation = local.rotation.normalize());
                of_unit.update(skeleton, &pose.joints);
            }
            for (joint, &shell_m) in clip.shells_m.iter().enumerate() {
                let error_m = |of: &ModelPose| shell_error_m(&of_source.joints[joint], &of.joints[joint], shell_m);
                let allowed_m = clip.tolerance_m.max(error_m(&of_decoded)) * (1.0 + ROUNDING) + self.numbers_m[joint];
                let is_off = |of: &ModelPose| error_m(of) > allowed_m;
                if is_off(&of_file) || (has_shorts && is_off(&of_unit)) {
                    misses.push(Miss { joint, place });
                }
            }
        }
        misses
    }

    /// The pose that a player reads, back in our space.
    fn read(&self, place: f64, base: Option<Vec<Transform>>, pose: &mut [Transform]) {
        let mut curves = self.curves.iter();
        self.put(pose, base, |track| {
            curves.next().and_then(Option::as_ref).map_or(track.rest, |curve| curve.at(place))
        });
    }

    /// A pose of one value a track, asked for in their order, in our space and on the base that it is added to.
    fn put(&self, pose: &mut [Transform], base: Option<Vec<Transform>>, mut value: impl FnMut(&Track) -> Vec4) {
        for ((joint, local), tracks) in pose.iter_mut().enumerate().zip(self.tracks.chunks_exact(Channel::ALL.len())) {
            let own = tracks.iter().zip(Channel::ALL).fold(Transform::IDENTITY, |own, (track, channel)| {
                let value = value(track);
                match channel {
                    Channel::Rotation => Transform { rotation: Quat::from_vec4(value), ..own },
                    Channel::Translation => Transform { translation: value.truncate(), ..own },
                    Channel::Scale => Transform { scale: value.truncate(), ..own },
                }
            });
            let is_root = self.rig.skeleton.parent(joint).is_none();
            let on = base.as_ref().map(|base| self.space.from_inside(base[joint], is_root));
            *local = self.space.to_inside(on.map_or(own, |base| base.plus(own)), is_root);
        }
    }
}
