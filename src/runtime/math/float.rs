//! Functions of numbers from std, or from libm without std.

#[cfg(all(not(feature = "std"), not(feature = "libm")))]
compile_error!("posepress-runtime needs the feature `std` or `libm`");

macro_rules! functions {
    ($($name:ident $libm:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[inline(always)]
            pub fn $name(x: f32) -> f32 {
                #[cfg(feature = "std")]
                return x.$name();
                #[cfg(not(feature = "std"))]
                return libm::$libm(x);
            }
        )*
    };
}

functions! {
    sqrt sqrtf "Square root.";
    sin sinf "Sine.";
    cos cosf "Cosine.";
}
