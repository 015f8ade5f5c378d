//! JSON in pieces that stay as their authors wrote them, to the last digit: only what changes is taken apart.

use crate::export::ExportError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

/// A value, as its text.
pub type Piece = Box<RawValue>;

/// An object whose members are left as they are.
pub type Object = BTreeMap<String, Piece>;

/// What a piece says.
pub fn read<T: DeserializeOwned>(piece: &RawValue) -> Result<T, ExportError> {
    serde_json::from_str(piece.get()).map_err(|e| unsupported(&e))
}

/// A member of an object; nothing where there is none.
pub fn member<T: DeserializeOwned + Default>(object: &Object, key: &str) -> Result<T, ExportError> {
    object.get(key).map_or_else(|| Ok(T::default()), |piece| read(piece))
}

/// A piece that says something.
pub fn piece(value: &(impl Serialize + ?Sized)) -> Result<Piece, ExportError> {
    to_raw_value(value).map_err(|e| unsupported(&e))
}

/// A member of an object, said anew. A list or object without anything in it is left out, as glTF wants it.
pub fn set(object: &mut Object, key: &str, value: &(impl Serialize + ?Sized)) -> Result<(), ExportError> {
    let piece = piece(value)?;
    match piece.get() {
        "[]" | "{}" => object.remove(key),
        _ => object.insert(key.to_owned(), piece),
    };
    Ok(())
}

/// A document without the spaces and line ends between its signs.
pub fn without_spaces(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for &byte in text {
        if in_string || !byte.is_ascii_whitespace() {
            out.push(byte);
        }
        in_string ^= byte == b'"' && !is_escaped;
        is_escaped = in_string && byte == b'\\' && !is_escaped;
    }
    out
}

/// Of what cannot be said in JSON.
pub fn unsupported(error: &dyn std::fmt::Display) -> ExportError {
    ExportError::Unsupported(format!("GLB cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_go_and_those_in_strings_stay() {
        let text = br#"{ "a b" : [ 1.50 , "c \" d\\" ] ,
            "e" : " " }"#;
        let short = without_spaces(text);
        assert_eq!(std::str::from_utf8(&short).unwrap(), r#"{"a b":[1.50,"c \" d\\"],"e":" "}"#);
    }

    #[test]
    fn what_is_not_said_anew_keeps_its_digits() {
        let mut object: Object = serde_json::from_str(r#"{"a":1.50,"b":[1e3,0.10000000149011612],"c":[1]}"#).unwrap();
        set(&mut object, "c", &Vec::<u32>::new()).unwrap();
        set(&mut object, "d", &7).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"a":1.50,"b":[1e3,0.10000000149011612],"d":7}"#);
    }
}
