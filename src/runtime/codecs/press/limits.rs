//! Limits that keep memory in proportion to the bytes of a payload.

use super::components::segments_of;
use super::head::Head;
use crate::Channel;
use crate::math::EIGHT;

/// Most integers per byte of an archive, besides [`INTEGERS_OF_ANY`].
const INTEGERS_A_BYTE: usize = 12;
/// Integers that an archive of any size may have.
const INTEGERS_OF_ANY: usize = 4096;
/// Fewest bytes of an archive per component, besides [`COMPONENTS_OF_ANY`].
const BYTES_A_COMPONENT: usize = 12;
/// Components that an archive of any size may have.
const COMPONENTS_OF_ANY: usize = 256;

/// Most groups of eight tracks per byte of runtime storage, counted in each segment.
const GROUPS_A_BYTE: usize = 4;

/// True if so few bytes may stand for so many components and samples.
pub fn is_in_proportion(bytes: usize, components: usize, samples: usize) -> bool {
    components.saturating_mul(samples) <= INTEGERS_A_BYTE.saturating_mul(bytes).saturating_add(INTEGERS_OF_ANY)
        && components <= bytes / BYTES_A_COMPONENT + COMPONENTS_OF_ANY
}

/// Fewest bytes of a payload in runtime storage. Shorter ones are padded with zeros: the places of residuals take memory, but their widths may
/// take next to no bits.
pub fn least_bytes(head: &Head, samples: usize) -> usize {
    let groups = Channel::ALL.map(|channel| head.of_channel(channel).len().div_ceil(EIGHT)).iter().sum::<usize>();
    groups.saturating_mul(segments_of(&head.layout, samples).len()).div_ceil(GROUPS_A_BYTE)
}
