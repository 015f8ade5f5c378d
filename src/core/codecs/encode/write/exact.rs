use crate::format::BitWriter;
use crate::math::Transform;
use crate::model::Channel;

/// Appends one channel of a transform as float32, for tracks that need full precision.
pub fn write_channel(local: &Transform, channel: Channel, out: &mut BitWriter) {
    match channel {
        Channel::Rotation => local.rotation.to_array().into_iter().for_each(|x| out.push_f32(x)),
        Channel::Translation => local.translation.to_array().into_iter().for_each(|x| out.push_f32(x)),
        Channel::Scale => local.scale.to_array().into_iter().for_each(|x| out.push_f32(x)),
    }
}
