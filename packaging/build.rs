//! The decoder that pages carry, and what the program for Windows carries: its icon, its version, and the manifest.

/// Bytes of the main thread's stack, as on Linux with room to spare: Windows gives 1 MB by default.
const STACK_BYTES: u32 = 16 << 20;

fn main() -> std::io::Result<()> {
    let of_target = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rerun-if-changed=packaging");
    copy_decoder()?;
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

/// Copies the WebAssembly module that `POSEPRESS_WEB_MODULE` names. Without it the copy is empty, and pages carry decoded poses.
fn copy_decoder() -> std::io::Result<()> {
    println!("cargo::rerun-if-env-changed=POSEPRESS_WEB_MODULE");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let module = match std::env::var_os("POSEPRESS_WEB_MODULE").filter(|path| !path.is_empty()) {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", path.display());
            std::fs::read(path)?
        }
        None => Vec::new(),
    };
    std::fs::write(out.join("decoder.wasm"), module)
}
