//! Asks the linker for the stack of the first thread, which draws the window. Windows would give it 1 MB; Linux and macOS give 8.

const STACK_BYTES: usize = 16 << 20;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    match (&*target("OS"), &*target("ENV")) {
        ("windows", "msvc") => println!("cargo:rustc-link-arg-bins=/STACK:{STACK_BYTES}"),
        ("windows", _) => println!("cargo:rustc-link-arg-bins=-Wl,--stack,{STACK_BYTES}"),
        _ => {}
    }
}
