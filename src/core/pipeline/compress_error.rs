use crate::codecs::EncodeError;
use crate::format::DecodeError;
use crate::pipeline::OwnFault;
use crate::recipe::RecipeError;
use thiserror::Error;

/// Why a clip could not be compressed.
#[derive(Debug, Error, PartialEq)]
pub enum CompressError {
    /// The recipe is not valid for the clip.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The encoder failed or was stopped.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The bytes just written do not decode. This is a fault of the codec.
    #[error("the encoder's own bytes do not decode: {0}; please report it")]
    Decode(#[from] DecodeError),
    /// An internal error of the program.
    #[error(transparent)]
    Own(#[from] OwnFault),
}
