//! Float32 samples, as in Unreal's "least destructive".

use super::encode::check_usable;
use super::{Codec, CodecId, CodecInfo, EncodeError, Encoded, Encoder, ParamValues, Progress, Section, Source};
use crate::format::ByteWriter;
use crate::model::Channel;

/// Stores every sample of every channel as float32.
#[derive(Debug)]
pub struct Raw;

static INFO: CodecInfo = CodecInfo {
    id: CodecId(*b"RAW0"),
    name: "raw",
    summary: "Every sample as float32, without loss. The reference for size.",
    source: "Animation Compression: Unreal 4, least destructive",
    promises_tolerance: true,
    params: &[],
    presets: &[],
};

impl Codec for Raw {
    fn info(&self) -> &'static CodecInfo {
        &INFO
    }

    fn encoder(&self) -> Option<&dyn Encoder> {
        Some(self)
    }
}

impl Encoder for Raw {
    fn encode(&self, source: &Source<'_>, _: &ParamValues, progress: &Progress) -> Result<Encoded, EncodeError> {
        check_usable(source.clip)?;
        let clip = source.clip;
        let mut out = ByteWriter::with_capacity(clip.raw_joint_bytes());
        for sample in 0..clip.samples() {
            progress.check()?;
            clip.pose(sample).iter().flat_map(|t| t.numbers()).for_each(|n| out.f32(n));
        }
        let mut encoded = Encoded { payload: out.finish(), ..Encoded::default() };
        for joint in 0..clip.joints() {
            for (channel, floats) in Channel::ALL.into_iter().zip([4, 3, 3]) {
                encoded.ledger.track(joint, channel, Section::Animated, 32 * floats * clip.samples() as u64);
            }
        }
        Ok(encoded)
    }

    fn loses_nothing(&self) -> bool {
        true
    }
}
