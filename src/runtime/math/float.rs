//! Functions of numbers that only std has; without it, libm's.

#[cfg(all(not(feature = "std"), not(feature = "libm")))]
compile_error!("posepress-runtime needs the feature `std` or `libm`");

macro_rules! functions {
    ($($name:ident($($argument:ident),*) $libm:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[inline(always)]
            pub fn $name(x: f32 $(, $argument: f32)*) -> f32 {
                #[cfg(feature = "std")]
                return x.$name($($argument),*);
                #[cfg(not(feature = "std"))]
                return libm::$libm(x $(, $argument)*);
            }
        )*
    };
}

functions! {
    sqrt() sqrtf "Square root.";
    sin() sinf "Sine.";
    cos() cosf "Cosine.";
    atan2(x_axis) atan2f "Angle of a vector, from its y and x.";
    floor() floorf "The next whole number below.";
    log2() log2f "Logarithm to base two.";
}
