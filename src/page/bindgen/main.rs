//! `bindgen MODULE.wasm FOLDER`: writes `page.js` and `page_bg.wasm` for a web page.

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let [module, folder] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        bail!("expected the module and the folder for its files");
    };
    Bindgen::new().input_path(module).out_name("page").web(true)?.typescript(false).generate(folder)
}
