//! The list of decoders, and the enum of all decoders.

#[cfg(feature = "catmull-rom")]
use super::catmull_rom;
#[cfg(feature = "every-second-key")]
use super::every_second_key;
#[cfg(feature = "linear-keys")]
use super::linear_keys;
#[cfg(feature = "per-track")]
use super::per_track;
#[cfg(feature = "press")]
use super::press;
#[cfg(feature = "quantize")]
use super::quantize;
#[cfg(feature = "raw")]
use super::raw;
#[cfg(feature = "variable-rate")]
use super::variable_rate;
#[cfg(feature = "wavelet")]
use super::wavelet;
use super::{Decode, DecodeCursor, Stretched, other_cursor};
use crate::format::{BindPose, DecodeError};
use crate::memory::{Boxed, NoMemory, boxed};
use crate::parts::{ClipHeader, PoseSlice};
use crate::{CodecId, StateMemory};

macro_rules! decoders {
    ($($feature:tt $id:literal $name:ident($decoder:path);)*) => {
        /// The decoder of a clip.
        #[derive(Debug)]
        pub enum Decoder {
            $(#[cfg(feature = $feature)] #[doc = $feature] $name(Boxed<$decoder>),)*
        }

        /// The cursor of a [`Decoder`].
        #[derive(Debug, Clone)]
        pub enum DecoderCursor {
            $(#[cfg(feature = $feature)] #[doc = $feature] $name(<$decoder as Decode>::Cursor),)*
        }

        /// Version byte of a clip's payload.
        ///
        /// # Errors
        /// [`DecodeError::Invalid`] if this build lacks the codec.
        pub fn payload_version(codec: CodecId, header: &ClipHeader) -> Result<u8, DecodeError> {
            match &codec.0 {
                $(#[cfg(feature = $feature)] $id => Ok(<$decoder as Decode>::version_byte(header)),)*
                _ => Err(unknown(codec)),
            }
        }

        impl Decoder {
            /// Reads and checks a payload without its version byte. `bind` is the bind pose of the rig; its length must be the header's
            /// number of joints.
            ///
            /// # Errors
            /// See [`DecodeError`]. Any bytes are safe to pass.
            pub fn open(
                codec: CodecId,
                header: &ClipHeader,
                payload: &[u8],
                bind: &BindPose,
            ) -> Result<Self, DecodeError> {
                match &codec.0 {
                    $(#[cfg(feature = $feature)]
                    $id => Ok(Self::$name(boxed(<$decoder as Decode>::open(header, payload, bind)?)?)),)*
                    _ => Err(unknown(codec)),
                }
            }

            /// See [`Decode::own`].
            ///
            /// # Errors
            /// [`NoMemory`].
            pub fn own(&mut self, payload: &[u8]) -> Result<bool, NoMemory> {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref mut d) => d.own(payload),)*
                }
            }

            /// A cursor at the start of the clip.
            ///
            /// # Errors
            /// [`NoMemory`].
            pub fn cursor(&self, payload: &[u8], memory: StateMemory) -> Result<DecoderCursor, NoMemory> {
                Ok(match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref d) => DecoderCursor::$name(d.cursor(payload, memory)?),)*
                })
            }

            /// Samples the wanted joints at a place in the clip, in samples from its start.
            ///
            /// # Panics
            /// If the cursor belongs to another codec.
            #[inline(never)] // one call per pose, so that the work per joint is inlined here, in this crate
            pub fn sample(&self, payload: &[u8], cursor: &mut DecoderCursor, at_sample: f64, out: PoseSlice<'_>) {
                match (self, cursor) {
                    $(#[cfg(feature = $feature)]
                    (Self::$name(d), DecoderCursor::$name(c)) => d.sample(payload, c, at_sample, out),)*
                    #[allow(unreachable_patterns)] // in a build with one codec
                    _ => other_cursor(),
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

            /// Byte of the payload at which a sequential scan is; `None` for codecs with random access.
            pub fn position(&self) -> Option<usize> {
                match *self {
                    $(#[cfg(feature = $feature)] Self::$name(ref c) => DecodeCursor::position(c),)*
                }
            }
        }
    };
}

/// Returns an error unless `found`, the version byte at byte `at`, is the version of this build.
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
    match str::from_utf8(&codec.0) {
        Ok(name) if codec.0.iter().all(u8::is_ascii_alphanumeric) => {
            DecodeError::lacking("codec", name, "a codec of this build")
        }
        _ => DecodeError::invalid("codec", 0, codec.0.escape_ascii(), "a codec of this build"),
    }
}

// All decoders: cargo feature, codec id, type. `Stretched` cuts long takes, for codecs that encode a whole clip at once.
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
