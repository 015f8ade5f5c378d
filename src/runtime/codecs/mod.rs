//! Decoders: one file or folder a codec, one line each in the list at the end.

#[cfg(feature = "catmull-rom")]
pub mod catmull_rom;
#[cfg(feature = "every-second-key")]
pub mod every_second_key;
#[cfg(feature = "linear-keys")]
pub mod linear_keys;
#[cfg(feature = "per-track")]
pub mod per_track;
#[cfg(feature = "press")]
pub mod press;
#[cfg(feature = "quantize")]
pub mod quantize;
#[cfg(feature = "raw")]
pub mod raw;
mod stretched;
#[cfg(feature = "variable-rate")]
pub mod variable_rate;
#[cfg(feature = "wavelet")]
pub mod wavelet;

use crate::format::DecodeError;
use crate::math::Transform;
use crate::memory::{Boxed, NoMemory, boxed};
use crate::parts::{ClipHeader, KeyTracksCursor, PoseSlice};
use crate::{CodecId, StateMemory};
use core::fmt::Debug;

pub use stretched::{Stretched, StretchedCursor};

/// Reads the payloads of one codec: checked once when opened, then shared by everyone who plays the clip.
///
/// A payload is what follows its version byte. All methods get the one that was opened.
pub trait Decode: Sized + Debug + Send + Sync {
    /// Version of its payloads.
    const VERSION: u8;
    /// Where a player is, and what it need not decode again.
    type Cursor: DecodeCursor;

    /// Version byte of the payloads of such clips: the version, and the flag of takes that are cut.
    fn version_byte(_header: &ClipHeader) -> u8 {
        Self::VERSION
    }
    /// Reads and checks a payload; any bytes are safe to pass. `bind` is the rig's bind pose, one a joint.
    ///
    /// # Errors
    /// See [`DecodeError`].
    fn open(header: &ClipHeader, payload: &[u8], bind: &[Transform]) -> Result<Self, DecodeError>;
    /// Where a player begins: all memory that it will need. Its lists lie in `memory`, and none of it anywhere else.
    ///
    /// # Errors
    /// [`NoMemory`].
    fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<Self::Cursor, NoMemory>;
    /// The wanted joints at a place in the clip, in samples from its start. The same bits whichever joints are wanted and wherever the cursor was.
    fn sample(&self, payload: &[u8], cursor: &mut Self::Cursor, at_sample: f64, out: PoseSlice<'_>);
    /// Copies anew what it keeps a copy of, where the payload lies elsewhere or is changed; it is as long as before.
    fn recopy(&mut self, _payload: &[u8]) {}
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
}

/// What is known of every decoder's cursor.
pub trait DecodeCursor: Clone + Debug + Send + Sync {
    /// Bytes of memory besides those of the type itself.
    fn heap_bytes(&self) -> usize;
    /// Byte of the payload that a scan has come to; `None` for codecs that scan nothing.
    fn position(&self) -> Option<usize> {
        None
    }
}

/// Of decoders that remember nothing.
impl DecodeCursor for () {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl DecodeCursor for KeyTracksCursor {
    fn heap_bytes(&self) -> usize {
        self.heap_bytes()
    }
}

/// A cursor of one clip was given to another.
#[cold]
fn other_cursor() -> ! {
    panic!("the cursor was made by another clip")
}

macro_rules! decoders {
    ($($feature:tt $id:literal $name:ident($decoder:path);)*) => {
        /// The decoder of a clip.
        #[derive(Debug)]
        pub enum Decoder {
            $(#[cfg(feature = $feature)] #[doc = $feature] $name(Boxed<$decoder>),)*
        }

        /// Where a player of a [`Decoder`] is.
        #[derive(Debug, Clone)]
        #[allow(clippy::large_enum_variant)] // one a player: a box would cost each pose more than it saves
        pub enum DecoderCursor {
            $(#[cfg(feature = $feature)] #[doc = $feature] $name(<$decoder as Decode>::Cursor),)*
        }

        /// Version byte of a codec's payloads of such clips.
        ///
        /// # Errors
        /// [`DecodeError::Invalid`], where this build does not have the codec.
        pub fn payload_version(codec: CodecId, header: &ClipHeader) -> Result<u8, DecodeError> {
            match &codec.0 {
                $(#[cfg(feature = $feature)] $id => Ok(<$decoder as Decode>::version_byte(header)),)*
                _ => Err(unknown(codec)),
            }
        }

        impl Decoder {
            /// Reads and checks what follows a payload's version byte. `bind` is the bind pose of the rig, one a joint, as
            /// many as the header says.
            ///
            /// # Errors
            /// See [`DecodeError`]: any bytes are safe to pass.
            pub fn open(
                codec: CodecId,
                header: &ClipHeader,
                payload: &[u8],
                bind: &[Transform],
            ) -> Result<Self, DecodeError> {
                match &codec.0 {
                    $(#[cfg(feature = $feature)]
                    $id => Ok(Self::$name(boxed(<$decoder as Decode>::open(header, payload, bind)?)?)),)*
                    _ => Err(unknown(codec)),
                }
            }

            /// Where a player begins.
            ///
            /// # Errors
            /// [`NoMemory`].
            pub fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<DecoderCursor, NoMemory> {
                Ok(match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref d) => DecoderCursor::$name(d.cursor(payload, memory)?),)*
                })
            }

            /// The wanted joints at a place in the clip, in samples from its start.
            ///
            /// # Panics
            /// Where the cursor is that of another codec.
            #[inline(never)] // a call a pose, so that all that it calls for every joint is inlined here, in this package
            pub fn sample(&self, payload: &[u8], cursor: &mut DecoderCursor, at_sample: f64, out: PoseSlice<'_>) {
                match (self, cursor) {
                    $(#[cfg(feature = $feature)]
                    (Self::$name(d), DecoderCursor::$name(c)) => d.sample(payload, c, at_sample, out),)*
                    #[allow(unreachable_patterns)] // with one codec there is no other
                    _ => other_cursor(),
                }
            }

            /// See [`Decode::recopy`].
            pub(crate) fn recopy(&mut self, payload: &[u8]) {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref mut d) => d.recopy(payload),)*
                }
            }

            /// Bytes of memory besides those of the type itself.
            pub fn heap_bytes(&self) -> usize {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref d) => size_of_val(&**d) + d.heap_bytes(),)*
                }
            }
        }

        impl DecoderCursor {
            /// Bytes of memory besides those of the type itself.
            pub fn heap_bytes(&self) -> usize {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref c) => DecodeCursor::heap_bytes(c),)*
                }
            }

            /// Byte of the payload that a scan has come to; `None` for codecs that scan nothing.
            pub fn position(&self) -> Option<usize> {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref c) => DecodeCursor::position(c),)*
                }
            }
        }
    };
}

/// Refuses a payload of another version. `found`: its version byte, which stands at byte `at`.
pub(crate) fn check_version(
    codec: CodecId,
    header: &ClipHeader,
    what: &'static str,
    (at, found): (usize, u8),
) -> Result<(), DecodeError> {
    match payload_version(codec, header)? {
        version if version == found => Ok(()),
        version => {
            let expected = format_args!("{version}: open it with the Posepress that wrote it, or a newer one");
            Err(DecodeError::invalid(what, at, found, expected))
        }
    }
}

fn unknown(codec: CodecId) -> DecodeError {
    DecodeError::invalid("codec", 0, codec.0.escape_ascii(), "that of a codec of this build")
}

// Every decoder: cargo feature, id of its codec, type; of codecs that look at a whole clip at once, one that cuts long takes.
decoders! {
    "raw" b"RAW0" Raw(raw::RawDecoder);
    "quantize" b"QNT1" Quantize(quantize::QuantizeDecoder);
    "every-second-key" b"ESK1" EverySecondKey(every_second_key::EverySecondKeyDecoder);
    "linear-keys" b"LKR1" LinearKeys(Stretched<linear_keys::LinearKeysDecoder>);
    "per-track" b"PTK1" PerTrack(Stretched<per_track::PerTrackDecoder>);
    "variable-rate" b"VBR1" VariableRate(variable_rate::VariableRateTake);
    "catmull-rom" b"CMR1" CatmullRom(Stretched<catmull_rom::CatmullRomDecoder>);
    "wavelet" b"WAV1" Wavelet(wavelet::WaveletDecoder);
    "press" b"PRS1" Press(Stretched<press::PressDecoder>);
}
