//! The lists of candidates that come with Posepress.

/// Codecs that search for the tolerance, and one without loss.
pub const FALLBACKS: &str = "
press
variable-rate
per-track
raw
";

/// The winners on most clips.
pub const SMALLEST: &str = "
press
press level=full
";

/// The algorithms of Unreal 4's automatic compression, in Unreal's formats.
pub const UNREAL: &str = "
raw
quantize:unreal-float96
quantize:unreal-fixed48
quantize:unreal-fixed48 translation_format=interval-fixed32
quantize:unreal-interval-fixed32
quantize:unreal-interval-fixed32 translation_format=float96
quantize:unreal-fixed48 rotation_format=fixed32
quantize:unreal-fixed48 rotation_format=float32
every-second-key:unreal rotation_format=float96
every-second-key:unreal
every-second-key:unreal phase=1
every-second-key:unreal translation_format=interval-fixed32
every-second-key:unreal rotation_format=interval-fixed32 translation_format=interval-fixed32
every-second-key:unreal keep_every=3
every-second-key:unreal keep_every=4
every-second-key:unreal rotation_format=fixed32
every-second-key:unreal rotation_format=float32
every-second-key:unreal rotation_format=interval-fixed32
linear-keys:unreal-linear
linear-keys:unreal-linear keep_every=2
linear-keys:unreal-linear keep_every=3
linear-keys:unreal-linear key_format=full
linear-keys:unreal-linear key_format=full keep_every=2
linear-keys:unreal-linear metric=object-space
linear-keys:unreal-linear metric=object-space keep_every=2
linear-keys:unreal-linear metric=object-space keep_every=3
linear-keys:unreal-linear metric=object-space key_format=full
linear-keys:unreal-linear metric=local
linear-keys:unreal-linear metric=local keep_every=2
per-track
per-track keep_every=2
per-track keep_every=3
per-track order=smallest-error
per-track order=smallest-error keep_every=2
per-track order=smallest-error keep_every=3
";

/// The other sources, and our own combinations.
pub const OTHERS: &str = "
quantize
quantize:riot
quantize:riot-32
quantize:tech-intro
quantize rotation_format=largest62 translation_format=track-range48
quantize rotation_format=largest62 translation_format=track-range48 remove_bind=false remove_constants=false
quantize rotation_format=interval-fixed32 translation_format=track-range48
every-second-key
every-second-key:every-third
linear-keys
linear-keys order=smallest-error
linear-keys key_format=largest32
linear-keys key_format=largest32 order=smallest-error
linear-keys remove_bind=false remove_constants=false
linear-keys:key-frames
linear-keys:riot-order
linear-keys:tech-intro
per-track remove_bind=false remove_constants=false
variable-rate
variable-rate level=full
variable-rate remove_bind=false remove_constants=false
variable-rate:advanced-quantization
variable-rate:advanced-quantization segment_samples=8
variable-rate:advanced-quantization segment_samples=32
variable-rate range=clip
variable-rate range=clip segment_samples=4
variable-rate range=clip segment_samples=8
variable-rate:root-first
variable-rate:root-first segment_samples=8
variable-rate:root-first range=clip segment_samples=8
variable-rate:19-bits
variable-rate:per-channel
variable-rate:per-clip
";

/// The codecs that play in place and win most often on the corpus at 0.1 mm, and the simplest ones.
pub const QUICK: &str = "
press
quantize
linear-keys key_format=largest32
per-track
variable-rate
variable-rate:root-first segment_samples=8
variable-rate range=clip segment_samples=4
";
