//! Long lists of numbers in messages and digests: as bytes, and not number by number.

use crate::math::Transform;
use bytemuck::Pod;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

const _: () = assert!(cfg!(target_endian = "little"), "digests are the same everywhere");

pub(super) fn serialize<T: Pod, S: Serializer>(list: &[T], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(bytemuck::cast_slice(list))
}

pub(super) fn deserialize<'de, T: Pod, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let bytes = serde_bytes::ByteBuf::deserialize(from)?;
    match bytes.len().is_multiple_of(size_of::<T>()) {
        true => Ok(bytemuck::pod_collect_to_vec(&bytes)),
        false => Err(Error::custom("the list ends in the middle of a number")),
    }
}

/// Lists of transforms, as the ten numbers of each.
pub(super) mod transforms {
    use super::{Deserializer, Serializer, Transform};

    pub fn serialize<S: Serializer>(list: &[Transform], to: S) -> Result<S::Ok, S::Error> {
        let numbers: Vec<[f32; 10]> = list.iter().map(|transform| transform.numbers()).collect();
        super::serialize(&numbers, to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Transform>, D::Error> {
        let numbers: Vec<[f32; 10]> = super::deserialize(from)?;
        Ok(numbers.into_iter().map(Transform::from_numbers).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use serde::Serialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Lists {
        #[serde(with = "super")]
        points: Vec<Vec3>,
        #[serde(with = "super::transforms")]
        poses: Vec<Transform>,
    }

    #[test]
    fn lists_come_back_bit_by_bit_and_take_four_bytes_per_number() {
        let poses = vec![Transform::from_translation(Vec3::new(-0.0, f32::MIN_POSITIVE, 3.0)); 100];
        let lists = Lists { points: vec![Vec3::splat(f32::INFINITY); 100], poses };
        let bytes = rmp_serde::to_vec_named(&lists).unwrap();
        assert!(bytes.len() < 4 * 13 * 100 + 30, "{}", bytes.len());
        assert_eq!(rmp_serde::from_slice::<Lists>(&bytes).unwrap(), lists);
    }

    #[test]
    fn a_list_that_ends_in_the_middle_of_a_number_is_refused() {
        #[derive(Serialize)]
        struct Torn {
            #[serde(with = "serde_bytes")]
            points: Vec<u8>,
            #[serde(with = "serde_bytes")]
            poses: Vec<u8>,
        }
        for (points, poses) in [(13, 0), (12, 39)] {
            let torn = rmp_serde::to_vec_named(&Torn { points: vec![0; points], poses: vec![0; poses] }).unwrap();
            let error = rmp_serde::from_slice::<Lists>(&torn).unwrap_err().to_string();
            assert!(error.contains("in the middle of a number"), "{error}");
        }
    }
}
