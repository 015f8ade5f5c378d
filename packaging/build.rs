//! What the program for Windows carries: its icon, its version, and the manifest.

/// Bytes of the main thread's stack, as on Linux with room to spare: Windows gives 1 MB by default.
const STACK_BYTES: u32 = 16 << 20;

fn main() -> std::io::Result<()> {
    let of_target = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rerun-if-changed=packaging");
    if of_target("CARGO_CFG_TARGET_OS") != "windows" {
        return Ok(());
    }
    let stack = match of_target("CARGO_CFG_TARGET_ENV").as_str() {
        "msvc" => format!("/STACK:{STACK_BYTES}"),
        _ => format!("-Wl,--stack,{STACK_BYTES}"),
    };
    println!("cargo::rustc-link-arg-bins={stack}");
    winresource::WindowsResource::new()
        .set_icon("packaging/icons/posepress.ico")
        .set_manifest_file("packaging/posepress.exe.manifest")
        .compile()
}
