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
press storage=archive level=full
press storage=archive
";

/// The 35 combinations that Unreal 4's automatic compression names, in its formats and with its thresholds. Its two with the second adaptive
/// error at 15 and 10 Hz are resampled here, as their names say.
pub const UNREAL: &str = "
quantize:unreal-float96
quantize:unreal-fixed48
quantize:unreal-fixed48 rotation_format=interval-fixed32
quantize:unreal-fixed48 rotation_format=fixed32
every-second-key:unreal rotation_format=float96
every-second-key:unreal
every-second-key:unreal rotation_format=interval-fixed32
every-second-key:unreal rotation_format=fixed32
every-second-key:unreal phase=1 rotation_format=float96
every-second-key:unreal phase=1
every-second-key:unreal phase=1 rotation_format=interval-fixed32
every-second-key:unreal phase=1 rotation_format=fixed32
linear-keys:unreal-linear key_format=float96
linear-keys:unreal-linear
linear-keys:unreal-linear key_format=interval-fixed32
linear-keys:unreal-linear key_format=fixed32
per-track:unreal-probe progressive=true remove_keys=false round_position=0.00007 round_rotation=0.012566 round_scale=0.0007
per-track:unreal
per-track:unreal-linear
per-track:unreal-linear parenting_divisor=2 parenting_exponent=1.6
per-track:unreal-linear parenting_divisor=2 parenting_exponent=1.6 retarget=false
per-track:unreal-probe remove_keys=false
per-track:unreal-probe
per-track:unreal-probe retarget=false
per-track:unreal resample_hz=20
per-track:unreal resample_hz=15
per-track:unreal resample_hz=10
per-track:unreal resample_hz=5
per-track:unreal-linear resample_hz=15 parenting_divisor=2 parenting_exponent=1.6 retarget=false
per-track:unreal-linear resample_hz=10 parenting_divisor=2 parenting_exponent=1.6 retarget=false
per-track:unreal-linear resample_hz=5 parenting_divisor=2 parenting_exponent=1.6 retarget=false
per-track:unreal-probe resample_hz=15
per-track:unreal-probe resample_hz=10
per-track:unreal-linear position_threshold=0.001 scale_threshold=0.00001 parenting_divisor=2
per-track:unreal-linear position_threshold=0.0001 parenting_divisor=2
";

/// Unreal's rest if no combination is within its limit: float32.
pub const UNREAL_FALLBACKS: &str = "
quantize:unreal-float96
quantize:unreal-remove-trivial
raw
";

/// The other sources, and our own combinations.
pub const OTHERS: &str = "
raw
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
per-track
per-track keep_every=2
per-track order=smallest-error
per-track remove_bind=false remove_constants=false
variable-rate
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
