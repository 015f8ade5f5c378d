use super::super::Fault;
use posepress_runtime::internal::format::ByteReader;

/// First byte of a little-endian archive.
pub(crate) const LITTLE_ENDIAN: u8 = 1;
/// Tag and version of a skeleton.
pub(crate) const SKELETON: (&str, u32) = ("ozz-skeleton", 2);
/// Tag and version of an animation, as ozz-animation 0.15 and later write it.
pub(crate) const ANIMATION: (&str, u32) = ("ozz-animation", 7);

/// Contents of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Joints.
    Skeleton,
    /// A clip.
    Animation,
}

/// Reads the head of an archive. Returns its kind, and a reader of its content.
pub(super) fn head(bytes: &[u8]) -> Result<(Kind, ByteReader<'_>), Fault> {
    let mut reader = ByteReader::new(bytes);
    if reader.u8("byte order")? != LITTLE_ENDIAN {
        let what = "it does not begin like a little-endian ozz archive";
        return Err(Fault::new(what).at("byte 0").advise("Build it for a little-endian platform"));
    }
    let tag = reader.left().min(LONGEST_TAG);
    let tag = bytes[1..1 + tag].iter().position(|byte| *byte == 0).map(|end| &bytes[1..1 + end]);
    let tag = tag.ok_or_else(|| Fault::new("expected the tag of an ozz archive").at("byte 1"))?;
    reader.bytes("tag", tag.len() + 1)?;
    let kinds = [(Kind::Skeleton, SKELETON), (Kind::Animation, ANIMATION)];
    let Some((kind, (name, version))) = kinds.into_iter().find(|(_, (name, _))| name.as_bytes() == tag) else {
        let found = super::super::readable(&String::from_utf8_lossy(tag));
        let what = format!("it holds '{found}'; expected '{}' or '{}'", SKELETON.0, ANIMATION.0);
        return Err(Fault::new(what).at("byte 1"));
    };
    match reader.u32("version")? {
        found if found == version => Ok((kind, reader)),
        found => {
            let what = format!("its '{name}' is of version {found}; expected {version}");
            let place = format!("byte {}", 1 + tag.len() + 1);
            Err(Fault::new(what).at(place).advise("Build it again with ozz-animation 0.15 or later"))
        }
    }
}

/// Longest tag with its zero, bytes.
const LONGEST_TAG: usize = 32;
