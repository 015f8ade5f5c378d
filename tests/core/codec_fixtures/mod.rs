//! Hand-made clips that every codec must handle, and an f64 error measurement that shares no code with the encoders.
#![allow(dead_code)] // each test binary uses a part

mod errors;

use glam::{Quat, Vec3};
use posepress_core::codecs::{
    self, Codec, Compensation, CompensationMethod, EncodedClip, Encoder, GroupStorage, JointGroup, ParamKind,
    ParamValue, ParamValues, Progress, Source,
};
use posepress_core::math::Transform;
use posepress_core::model::{Channel, Clip, ClipData, Hold, Joint, Pose, Skeleton};
use posepress_runtime::Opened;

/// A rig and a clip on it.
#[derive(Debug)]
pub struct Fixture {
    pub name: &'static str,
    pub skeleton: Skeleton,
    pub clip: Clip,
}

/// The usual default: 0.1 mm at a shell of 3 cm.
pub const TOLERANCE_M: f32 = 0.0001;
pub const SHELL_M: f32 = 0.03;

/// Random numbers that are the same on every machine: splitmix64, mapped to -1..1.
pub struct Noise(pub u64);

impl Noise {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }
}

/// A chain of joints, each 30 cm above the one before.
pub fn chain(joints: usize) -> Skeleton {
    let joint = |i: usize| Joint {
        name: format!("joint{i}"),
        parent: i.checked_sub(1),
        bind: Transform::from_translation(Vec3::new(0.0, if i == 0 { 0.0 } else { 0.3 }, 0.0)),
    };
    Skeleton::new((0..joints).map(joint).collect()).unwrap()
}

/// A clip at 30 Hz from a function of sample and joint.
pub fn clip_of(skeleton: &Skeleton, samples: usize, at: impl Fn(usize, usize) -> Transform) -> ClipData {
    let joints = skeleton.len();
    ClipData {
        name: "clip".into(),
        joints,
        duration_secs: (samples - 1) as f32 / 30.0,
        transforms: (0..samples * joints).map(|i| at(i / joints, i % joints)).collect(),
        float_tracks: 0,
        floats: Vec::new(),
        holds: Vec::new(),
        looping: None,
    }
}

fn fixture(name: &'static str, skeleton: Skeleton, data: ClipData) -> Fixture {
    Fixture { name, clip: Clip::new(data).unwrap(), skeleton }
}

/// All clips of this file.
pub fn fixtures() -> Vec<Fixture> {
    vec![
        arm(),
        noisy_chain(),
        scaled(),
        constant(),
        one_sample(),
        two_samples(),
        held(),
        with_floats(),
        far_away(),
        spinning(),
        flat(),
        instant(),
        looping(),
    ]
}

/// Three joints that swing smoothly: most keys can be removed.
pub fn arm() -> Fixture {
    let rig = chain(3);
    let data = clip_of(&rig, 61, |s, j| {
        let t = s as f32 / 30.0;
        let swing = Quat::from_rotation_z((t * 3.0 + j as f32).sin() * 0.7) * Quat::from_rotation_x(t * 0.2);
        Transform { rotation: swing, ..rig.bind(j) }
    });
    fixture("arm", rig, data)
}

/// Twenty joints with noise on every rotation and a travelling root: few keys can be removed.
pub fn noisy_chain() -> Fixture {
    let rig = chain(20);
    let mut noise = Noise(7);
    let jitter: Vec<Vec3> = (0..20 * 40).map(|_| noise.vec3() * 0.003).collect();
    let data = clip_of(&rig, 40, |s, j| {
        let t = s as f32 / 30.0;
        let swing = Quat::from_rotation_y((t * 4.0 + j as f32 * 0.3).sin() * 0.2);
        let mut local = rig.bind(j);
        local.rotation = swing * Quat::from_scaled_axis(jitter[s * 20 + j]);
        if j == 0 {
            local.translation = Vec3::new(t * 1.5, 0.9 + 0.02 * (t * 9.0).sin(), 0.0) + jitter[s * 20] * 0.1;
        }
        local
    });
    fixture("noisy chain", rig, data)
}

/// Hips that sway over a standing foot: thigh and shin of 40 cm, solved by hand, and a toe.
pub fn leg(samples: usize) -> Fixture {
    leg_below("leg", samples, |sample| {
        let t = sample as f32 / 30.0;
        Vec3::new(0.0, 0.84 + 0.02 * (5.0 * t).sin(), 0.12 * (2.3 * t).sin())
    })
}

/// The same leg with hips that return to their start, to the bit.
pub fn looping_leg() -> Fixture {
    const ROUND: usize = 32;
    let leg = leg_below("looping leg", ROUND + 1, |sample| {
        let phase = (sample % ROUND) as f32 * std::f32::consts::TAU / ROUND as f32;
        Vec3::new(0.0, 0.84 + 0.02 * (2.0 * phase).sin(), 0.12 * phase.sin())
    });
    Fixture { clip: leg.clip.with_looping(true), ..leg }
}

fn leg_below(name: &'static str, samples: usize, hips_at: impl Fn(usize) -> Vec3) -> Fixture {
    const BONE_M: f32 = 0.4;
    let at = |x: f32, y: f32, z: f32| Transform::from_translation(Vec3::new(x, y, z));
    let joint = |name: &str, parent, bind| Joint { name: name.into(), parent, bind };
    let rig = Skeleton::new(vec![
        joint("Hips", None, at(0.0, 0.86, 0.0)),
        joint("LeftUpLeg", Some(0), at(0.1, 0.0, 0.0)),
        joint("LeftLeg", Some(1), at(0.0, -BONE_M, 0.0)),
        joint("LeftFoot", Some(2), at(0.0, -BONE_M, 0.0)),
        joint("LeftToeBase", Some(3), at(0.0, -0.05, 0.12)),
    ])
    .unwrap();
    let ankle = Vec3::new(0.1, 0.1, 0.0);
    let data = clip_of(&rig, samples, |sample, joint| {
        let hips = hips_at(sample);
        let reach = ankle - hips;
        let swing = (-reach.z).atan2(-reach.y);
        let bend = ((reach.y * reach.y + reach.z * reach.z).sqrt() / (2.0 * BONE_M)).acos();
        let turn = match joint {
            1 => swing - bend,
            2 => 2.0 * bend,
            3 => -(swing + bend),
            _ => 0.0,
        };
        let local = Transform { rotation: Quat::from_rotation_x(turn), ..rig.bind(joint) };
        if joint == 0 { Transform { translation: hips, ..local } } else { local }
    });
    fixture(name, rig, data)
}

/// Scales that differ per axis, change over time, and mirror.
fn scaled() -> Fixture {
    let rig = chain(4);
    let data = clip_of(&rig, 30, |s, j| {
        let t = s as f32 / 30.0;
        let stretch = 1.0 + 0.3 * (t * 5.0 + j as f32).sin();
        let scale = if j == 2 { Vec3::new(-1.0, stretch, 1.0) } else { Vec3::new(1.0 / stretch, stretch, 1.0) };
        Transform { scale, rotation: Quat::from_rotation_x(t), ..rig.bind(j) }
    });
    fixture("scaled", rig, data)
}

fn constant() -> Fixture {
    let rig = chain(5);
    let turned = |j: usize| Transform { rotation: Quat::from_rotation_x(0.3 * j as f32), ..rig.bind(j) };
    let data = clip_of(&rig, 20, |_, j| turned(j));
    fixture("constant", rig.clone(), data)
}

fn one_sample() -> Fixture {
    let rig = chain(6);
    let data = clip_of(&rig, 1, |_, j| Transform { rotation: Quat::from_rotation_z(0.1 + j as f32), ..rig.bind(j) });
    fixture("one sample", rig, data)
}

fn two_samples() -> Fixture {
    let rig = chain(3);
    let data = clip_of(&rig, 2, |s, _| Transform {
        rotation: Quat::from_rotation_z(s as f32 * 2.5),
        translation: Vec3::splat(s as f32),
        scale: Vec3::ONE,
    });
    fixture("two samples", rig, data)
}

/// A teleport and a snapping joint.
fn held() -> Fixture {
    let rig = chain(3);
    let mut data = clip_of(&rig, 24, |s, j| {
        let mut local = Transform { rotation: Quat::from_rotation_x((s / 6) as f32 * 0.5), ..rig.bind(j) };
        if j == 0 {
            local.translation.x = if s < 12 { 0.0 } else { 4.0 };
        }
        local
    });
    data.holds = vec![Hold { sample: 11, joint: 0, channel: Channel::Translation }];
    data.holds.extend((0..24).map(|sample| Hold { sample, joint: 1, channel: Channel::Rotation }));
    fixture("held", rig, data)
}

fn with_floats() -> Fixture {
    let rig = chain(2);
    let mut data =
        clip_of(&rig, 15, |s, j| Transform { rotation: Quat::from_rotation_y(s as f32 * 0.1), ..rig.bind(j) });
    data.float_tracks = 2;
    data.floats = (0..15).flat_map(|s| [(s as f32 * 0.4).sin(), 0.25]).collect();
    fixture("floats", rig, data)
}

/// Two weights for encoders with limits. One rests, rises in a line, holds and rests again. The other varies all the time.
pub fn weights() -> Fixture {
    let Fixture { skeleton, .. } = with_floats();
    let mut data = clip_of(&skeleton, 60, |s, j| Transform {
        rotation: Quat::from_rotation_y(s as f32 * 0.02),
        ..skeleton.bind(j)
    });
    let smile = |s: usize| (s as f32 / 20.0 - 1.0).clamp(0.0, 1.0) * if s < 50 { 1.0 } else { 0.0 };
    let mut noise = Noise(3);
    data.float_tracks = 2;
    data.floats = (0..60).flat_map(|s| [smile(s), 0.4 * noise.unit() - 0.7]).collect();
    fixture("weights", skeleton, data)
}

/// A thousand kilometres from the origin, where float32 has steps of centimetres.
fn far_away() -> Fixture {
    let rig = chain(3);
    let data = clip_of(&rig, 20, |s, j| {
        let mut local = Transform { rotation: Quat::from_rotation_y(s as f32 * 0.1), ..rig.bind(j) };
        if j == 0 {
            local.translation = Vec3::new(1e6, -3e5, s as f32 * 100.0);
        }
        local
    });
    fixture("far away", rig, data)
}

/// Full turns: every component is the largest for a while, and w passes through zero.
fn spinning() -> Fixture {
    let rig = chain(2);
    let data = clip_of(&rig, 50, |s, j| {
        let axis = Vec3::new(1.0, 0.4 + j as f32, -0.3).normalize();
        Transform { rotation: Quat::from_axis_angle(axis, s as f32 * 0.4), ..rig.bind(j) }
    });
    fixture("spinning", rig, data)
}

/// One full turn: the last rotation is the negative quaternion of the first.
pub fn spinning_once() -> Fixture {
    let rig = chain(2);
    let data = clip_of(&rig, 41, |s, j| Transform {
        rotation: Quat::from_rotation_y(s as f32 * std::f32::consts::TAU / 40.0)
            * Quat::from_rotation_x(0.1 * j as f32),
        ..rig.bind(j)
    });
    let clip = fixture("spinning once", rig, data);
    Fixture { clip: clip.clip.with_looping(true), ..clip }
}

/// A scale of zero: matrices that cannot be inverted.
fn flat() -> Fixture {
    let rig = chain(3);
    let data = clip_of(&rig, 12, |s, j| Transform {
        scale: Vec3::new(1.0, if j == 1 { 0.0 } else { 1.0 }, 1.0 - s as f32 / 11.0),
        rotation: Quat::from_rotation_x(s as f32 * 0.2),
        ..rig.bind(j)
    });
    fixture("flat", rig, data)
}

/// Several samples at the same time.
fn instant() -> Fixture {
    let rig = chain(2);
    let mut data = clip_of(&rig, 5, |s, j| Transform { rotation: Quat::from_rotation_x(s as f32), ..rig.bind(j) });
    data.duration_secs = 0.0;
    fixture("no duration", rig, data)
}

/// A motion that ends exactly where it began. Its weights do too, and it has stepped intervals, one of them at the end.
pub fn looping() -> Fixture {
    const ROUND: usize = 30;
    let rig = chain(4);
    let phase = |s: usize| (s % ROUND) as f32 * std::f32::consts::TAU / ROUND as f32;
    let mut data = clip_of(&rig, ROUND + 1, |s, j| {
        let (sin, cos) = (phase(s) + j as f32).sin_cos();
        let mut local =
            Transform { rotation: Quat::from_rotation_z(0.5 * sin) * Quat::from_rotation_x(0.2 * cos), ..rig.bind(j) };
        match j {
            0 => local.translation += Vec3::new(0.1 * cos, 0.05 * (2.0 * phase(s)).sin(), 0.0),
            2 => local.scale = Vec3::new(1.0, 1.0 + 0.2 * sin, 1.0),
            _ => {}
        }
        local
    });
    data.looping = Some(true);
    data.float_tracks = 2;
    data.floats = (0..=ROUND).flat_map(|s| [phase(s).sin(), 0.25]).collect();
    data.holds = [11, 12, ROUND - 1].map(|s| Hold { sample: s as u32, joint: 3, channel: Channel::Rotation }).to_vec();
    fixture("looping", rig, data)
}

/// The codec's defaults, then every other value of every parameter alone, then every preset.
pub fn variants(codec: &dyn Codec) -> Vec<ParamValues> {
    let mut out = vec![ParamValues::new()];
    for param in codec.params() {
        let values: Vec<ParamValue> = match param.kind {
            ParamKind::Bool { default } => vec![ParamValue::Bool(!default)],
            ParamKind::Choice { options, .. } => options.iter().map(|o| ParamValue::Choice(o.key.into())).collect(),
            ParamKind::Int { min, max, .. } => vec![ParamValue::Int(min), ParamValue::Int(max)],
            ParamKind::Float { min, max, .. } => vec![ParamValue::Float(min), ParamValue::Float(max)],
            ParamKind::Lines(_) => vec![ParamValue::Lines(Vec::new())],
        };
        for value in values {
            let mut values = ParamValues::new();
            values.set(codec.params(), param.key, value).unwrap();
            out.push(values);
        }
    }
    out.extend(codec.info().presets.iter().map(|preset| preset.values(codec.params()).unwrap()));
    out
}

/// A codec's defaults with some values set from text.
pub fn values_of(codec: &dyn Codec, changes: &[(&str, &str)]) -> ParamValues {
    let mut values = ParamValues::new();
    changes.iter().for_each(|(key, value)| values.set_text(codec.params(), key, value).unwrap());
    values
}

impl Fixture {
    /// Every pose at every quarter sample: forward, backwards, then in random order.
    pub fn poses(&self, codec: &dyn Codec, bytes: &[u8]) -> Vec<Pose> {
        let bind = self.bind();
        let (header, mut sampler) = codecs::open_clip(codec, bytes, &bind).unwrap();
        let places: Vec<f64> = header.grid.steps(4).collect();
        let jumping = (0..places.len()).map(|i| places[i * 37 % places.len()]);
        let mut sample = |at_sample| {
            let mut pose = Pose::with_size(header.joints, header.float_tracks);
            sampler.sample(at_sample, &mut pose);
            pose
        };
        places.iter().copied().chain(places.iter().rev().copied()).chain(jumping).map(&mut sample).collect()
    }

    pub fn bind(&self) -> Vec<Transform> {
        self.skeleton.joints().iter().map(|j| j.bind).collect()
    }

    pub fn encode(&self, codec: &dyn Codec, values: &ParamValues) -> EncodedClip {
        self.try_encode(codec, values, &Progress::new())
            .unwrap_or_else(|e| panic!("{} cannot encode '{}': {e}", codec.name(), self.name))
    }

    pub fn try_encode(
        &self,
        codec: &dyn Codec,
        values: &ParamValues,
        progress: &Progress,
    ) -> Result<EncodedClip, codecs::EncodeError> {
        let encoder = codec.encoder().expect("a codec with bytes of its own");
        self.with_source(|source| codecs::encode_clip(encoder, source, values, progress))
    }

    /// Calls `encode` with the source of an encoder.
    pub fn with_source<T>(&self, encode: impl FnOnce(&Source<'_>) -> T) -> T {
        let shells_m = vec![SHELL_M; self.skeleton.len()];
        let (skeleton, clip) = (&self.skeleton, &self.clip);
        encode(&Source::new(skeleton, clip, TOLERANCE_M, &shells_m))
    }

    /// Rounding of this clip's matrices in float32, metres. An encoder that verifies in float32 cannot see it.
    pub fn float_slack_m(&self) -> f64 {
        let reach = |t: &Transform| f64::from(t.translation.abs().max_element());
        let root = (0..self.clip.samples()).map(|s| reach(&self.clip.pose(s)[0])).fold(0.0, f64::max);
        5e-7 * (root + 0.3 * self.skeleton.len() as f64)
    }
}

/// The encoder with that name.
pub fn encoder(name: &str) -> &'static dyn Encoder {
    codecs::encoders().find(|codec| codec.name() == name).unwrap()
}

/// Opened clips of every codec, each with a description. Some fixtures are encoded with every choice of the parameters, the
/// others with the defaults.
pub fn each_opened(
    fixtures: impl IntoIterator<Item = Fixture>,
    is_varied: impl Fn(&Fixture) -> bool,
    check: impl Fn(&Opened<Vec<u8>>, &str),
) {
    for fixture in fixtures {
        let bind = fixture.bind();
        for codec in codecs::encoders() {
            for values in variants(codec).into_iter().take(if is_varied(&fixture) { usize::MAX } else { 1 }) {
                let bytes = fixture.encode(codec, &values).bytes;
                let clip = codecs::open(codec, bytes, &bind).unwrap();
                check(&clip, &format!("{} {values:?} on '{}'", codec.name(), fixture.name));
            }
        }
    }
}

/// Opened legs, one of them looping, whose coarse bytes are corrected with each method.
pub fn each_corrected(check: impl Fn(&Opened<Vec<u8>>, &str)) {
    let codec = encoder("quantize");
    let values = values_of(codec, &[("rotation_format", "fixed32"), ("in_place", "false")]);
    for leg in [leg(33), looping_leg()] {
        for method in CompensationMethod::ALL.into_iter().filter(|method| *method != CompensationMethod::None) {
            let compensation = Compensation { limb_accuracy_m: Some(0.000_01), ..Compensation::of(method) };
            let encoded = leg.with_source(|source| {
                codecs::encode_compensated_clip(codec, source, &values, &compensation, &Progress::new()).unwrap()
            });
            assert_eq!(encoded.compensation.left_off, None);
            check(&codecs::open(codec, encoded.bytes, &leg.bind()).unwrap(), &format!("{method:?} of a {}", leg.name));
        }
    }
}

/// Opened legs of every codec, in which some joints are exact and some have other parameters of the codec.
pub fn each_grouped(check: impl Fn(&Opened<Vec<u8>>, &str)) {
    for (leg, codec) in
        [leg(33), looping_leg()].iter().flat_map(|leg| codecs::encoders().map(move |codec| (leg, codec)))
    {
        let own = variants(codec).into_iter().nth(1).unwrap_or_default();
        let own = own.changed().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        let groups = [
            JointGroup { joints: vec![1, 4], kept: GroupStorage::With(own) },
            JointGroup { joints: vec![2], kept: GroupStorage::Exactly },
            JointGroup { joints: vec![0, 3], kept: GroupStorage::ExactlyWithin(7..12) },
        ];
        let encoded = leg.with_source(|source| {
            let source = Source { groups: &groups, ..*source };
            codecs::encode_clip(codec, &source, &ParamValues::new(), &Progress::new()).unwrap()
        });
        let what = format!("groups of {} in a {}", codec.name(), leg.name);
        check(&codecs::open(codec, encoded.bytes, &leg.bind()).unwrap(), &what);
    }
}
