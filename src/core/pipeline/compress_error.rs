use crate::codecs::EncodeError;
use crate::format::DecodeError;
use crate::pipeline::OwnFault;
use crate::recipe::RecipeError;
use thiserror::Error;

/// Why a clip gave no outcome.
#[derive(Debug, Error, PartialEq)]
pub enum CompressError {
    /// The recipe does not fit.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The encoder gave up or was stopped.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The bytes just written cannot be read: a fault of the codec.
    #[error("the encoder's own bytes do not decode: {0}")]
    Decode(#[from] DecodeError),
    /// A fault of the program itself.
    #[error(transparent)]
    Own(#[from] OwnFault),
}
