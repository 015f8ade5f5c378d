//! JSON in pieces. Only what changes is parsed, so all other text stays the same to the last digit.

use crate::export::ExportError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

/// A JSON value as text.
pub type Piece = Box<RawValue>;

/// An object whose members are not parsed.
pub type Object = BTreeMap<String, Piece>;

/// Parses a piece.
pub fn read<T: DeserializeOwned>(piece: &RawValue) -> Result<T, ExportError> {
    serde_json::from_str(piece.get()).map_err(|e| unsupported(&e))
}

/// Parses a member of an object. Returns the default if it is missing.
pub fn member<T: DeserializeOwned + Default>(object: &Object, key: &str) -> Result<T, ExportError> {
    object.get(key).map_or_else(|| Ok(T::default()), |piece| read(piece))
}

/// Writes a value as a piece.
pub fn piece(value: &(impl Serialize + ?Sized)) -> Result<Piece, ExportError> {
    to_raw_value(value).map_err(|e| unsupported(&e))
}

/// Sets a member of an object. An empty list or object removes it, as glTF requires.
pub fn set(object: &mut Object, key: &str, value: &(impl Serialize + ?Sized)) -> Result<(), ExportError> {
    let piece = piece(value)?;
    match piece.get() {
        "[]" | "{}" => object.remove(key),
        _ => object.insert(key.to_owned(), piece),
    };
    Ok(())
}

/// A document without whitespace between its tokens.
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

/// Error for a value that JSON cannot store.
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
