use super::super::pieces::{Object, Piece, read};
use crate::export::ExportError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Accessors and buffer views in use.
#[derive(Debug, Default)]
pub struct Used {
    pub accessors: BTreeSet<usize>,
    pub views: BTreeSet<usize>,
}

#[derive(Deserialize)]
struct SamplerHead {
    input: usize,
    output: usize,
}

impl Used {
    /// Finds the accessors and views that the document uses outside its accessors, views and animations.
    pub fn by_document(top: &Object) -> Result<Self, ExportError> {
        let mut used = Self::default();
        for (key, section) in top {
            match key.as_str() {
                "extensions" => used.add_numbers(&read(section)?),
                "extras" => {}
                _ => used.add(&read(section)?),
            }
        }
        Ok(used)
    }

    /// Adds the accessors of an animation sampler.
    pub fn add_sampler(&mut self, sampler: &Piece) -> Result<(), ExportError> {
        let SamplerHead { input, output } = read(sampler)?;
        self.accessors.extend([input, output]);
        Ok(())
    }

    /// Adds the views of an accessor.
    pub fn add_views_of(&mut self, accessor: &Piece) -> Result<(), ExportError> {
        self.add(&read(accessor)?);
        Ok(())
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.add(value)),
            Value::Object(members) => members.iter().for_each(|(key, value)| match key.as_str() {
                "attributes" | "targets" | "indices" | "inverseBindMatrices"
                    if !value.is_object() || key == "attributes" =>
                {
                    numbers(value, &mut self.accessors);
                }
                "bufferView" => numbers(value, &mut self.views),
                "extensions" => self.add_numbers(value),
                "extras" => {}
                _ => self.add(value),
            }),
            _ => {}
        }
    }

    /// Adds every number in an extension, since it may be an index.
    fn add_numbers(&mut self, value: &Value) {
        numbers(value, &mut self.accessors);
        numbers(value, &mut self.views);
    }
}

fn numbers(value: &Value, into: &mut BTreeSet<usize>) {
    match value {
        Value::Number(number) => into.extend(number.as_u64().and_then(|n| usize::try_from(n).ok())),
        Value::Array(list) => list.iter().for_each(|value| numbers(value, into)),
        Value::Object(members) => members.values().for_each(|value| numbers(value, into)),
        _ => {}
    }
}

/// A list of the document whose members keep their indices. Some slots are free.
#[derive(Debug)]
pub struct Slots {
    list: Vec<Piece>,
    free: BTreeSet<usize>,
}

impl Slots {
    /// A list with its free slots.
    pub fn new<'a>(list: Vec<Piece>, free: impl Iterator<Item = &'a usize>) -> Self {
        let free = free.copied().filter(|&index| index < list.len()).collect();
        Self { list, free }
    }

    /// True if the slot is free.
    pub fn is_free(&self, index: usize) -> bool {
        self.free.contains(&index)
    }

    /// Every member with its index, with the free slots.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut Piece)> {
        self.list.iter_mut().enumerate()
    }

    /// Puts a piece into the first free slot, or at the end. Returns its index.
    pub fn put(&mut self, piece: Piece) -> usize {
        match self.free.pop_first() {
            Some(place) => {
                self.list[place] = piece;
                place
            }
            None => {
                self.list.push(piece);
                self.list.len() - 1
            }
        }
    }

    /// The list. Free slots at its end are removed; others hold `filler`.
    pub fn filled(mut self, filler: &Piece) -> Vec<Piece> {
        while self.free.last().is_some_and(|&last| last + 1 == self.list.len()) {
            self.free.pop_last();
            self.list.pop();
        }
        self.free.iter().for_each(|&place| self.list[place] = filler.clone());
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::pieces::piece;
    use super::*;

    #[test]
    fn references_are_found_where_gltf_has_them_and_extensions_keep_what_they_might_mean() {
        let text = r#"{
            "meshes": [{"primitives": [{"attributes": {"POSITION": 3}, "indices": 4, "material": 90, "mode": 91,
                "targets": [{"POSITION": 5}, {"NORMAL": 6}], "extensions": {"ANY": {"list": [{"data": 7}]}}}]}],
            "skins": [{"inverseBindMatrices": 8, "joints": [92]}],
            "images": [{"bufferView": 2}], "extras": {"bufferView": 93}, "extensions": {"OTHER": {"at": 9}}
        }"#;
        let used = Used::by_document(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!(used.accessors.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(used.views.into_iter().collect::<Vec<_>>(), [2, 7, 9]);
        let sparse =
            r#"{"bufferView": 1, "count": 94, "sparse": {"indices": {"bufferView": 2}, "values": {"bufferView": 3}}}"#;
        let mut used = Used::default();
        used.add_views_of(&serde_json::from_str(sparse).unwrap()).unwrap();
        assert_eq!((used.views.into_iter().collect::<Vec<_>>(), used.accessors.len()), (vec![1, 2, 3], 0));
    }

    #[test]
    fn free_places_are_taken_filled_or_cut_off() {
        let list = |numbers: &[u32]| numbers.iter().map(|n| piece(n).unwrap()).collect::<Vec<_>>();
        let mut slots = Slots::new(list(&[0, 1, 2, 3, 4, 5]), [1, 2, 4, 5, 9].iter());
        assert!(slots.is_free(4) && !slots.is_free(3) && !slots.is_free(9));
        assert_eq!(slots.put(piece(&7).unwrap()), 1);
        let filled: Vec<String> = slots.filled(&piece("-").unwrap()).iter().map(|p| p.get().to_owned()).collect();
        assert_eq!(filled, ["0", "7", "\"-\"", "3"]);
    }
}
