use super::{Fault, readable};
use crate::files::{self, ReadError};
use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The external files of a document. Each is read once, even if the document names it several times or in several spellings.
#[derive(Debug)]
pub(super) struct FilesBeside {
    /// Folder of the document.
    folder: PathBuf,
    /// Folders whose files it may use: its own, and the real folder if its path is a link.
    own: Vec<PathBuf>,
    read: RefCell<BTreeMap<PathBuf, Rc<Vec<u8>>>>,
}

impl FilesBeside {
    /// The external files of a document.
    pub fn new(document: &Path) -> Self {
        let folder = document.parent().unwrap_or(Path::new("")).to_owned();
        let of_name = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let of_file = files::canonical(document).ok().and_then(|file| file.parent().map(Path::to_owned));
        let own = files::canonical(of_name).ok().into_iter().chain(of_file).collect();
        Self { folder, own, read: RefCell::default() }
    }

    /// Returns the bytes of a data URI, or of a file in the document's folder or below. `bring` gets the length of a file that is read for
    /// the first time.
    pub fn load(&self, uri: &str, bring: impl FnOnce(usize)) -> Result<Rc<Vec<u8>>, Fault> {
        if let Some(data) = uri.strip_prefix("data:") {
            return decoded(data).map(Rc::new).map_err(|e| Fault::new(format!("its data URI cannot be decoded: {e}")));
        }
        let name = percent_decode(uri);
        let name = name.ok_or_else(|| {
            Fault::new(format!("'{}' is not a valid file name; expected '%' with two digits, and UTF-8", readable(uri)))
        })?;
        self.open(inside(&name).ok_or_else(|| outside(uri))?, bring)
    }

    /// Like [`Self::load`], for a file name relative to the document's folder.
    pub fn load_name(&self, name: &str, bring: impl FnOnce(usize)) -> Result<Rc<Vec<u8>>, Fault> {
        self.open(inside(name).ok_or_else(|| outside(name))?, bring)
    }

    fn open(&self, name: &Path, bring: impl FnOnce(usize)) -> Result<Rc<Vec<u8>>, Fault> {
        let file = self.folder.join(name);
        let missing = |e: ReadError| {
            let name = readable(&name.to_string_lossy());
            Fault::new(format!("the file '{name}' beside it cannot be read: {e}")).advise("Copy it next to this file")
        };
        let place = files::canonical(&file).map_err(|e| missing(e.into()))?;
        if !self.own.iter().any(|folder| place.starts_with(folder)) {
            return Err(linked_outside(name));
        }
        if let Some(bytes) = self.read.borrow().get(&place) {
            return Ok(bytes.clone());
        }
        let bytes = Rc::new(files::read(&place).map_err(missing)?);
        bring(bytes.len());
        self.read.borrow_mut().insert(place, bytes.clone());
        Ok(bytes)
    }

    /// Full paths of all files that were read.
    pub fn places(&self) -> Vec<PathBuf> {
        self.read.borrow().keys().cloned().collect()
    }
}

/// Decodes a data URI after `data:`. Padding is optional, since some exporters omit it.
fn decoded(data: &str) -> Result<Vec<u8>, base64::DecodeError> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    LENIENT.decode(data.split_once(";base64,").map_or(data, |(_, encoded)| encoded))
}

/// The path of a file relative to the document's folder; `None` if it leads elsewhere.
fn inside(name: &str) -> Option<&Path> {
    let path = Path::new(name);
    let goes_in = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (goes_in && !name.is_empty() && !name.contains([':', '\\'])).then_some(path)
}

/// A received document must not open other files on this computer.
fn outside(name: &str) -> Fault {
    let name = readable(name);
    Fault::new(format!("'{name}' does not lie in this file's own folder, and only files in there are opened"))
        .advise("Copy it into the folder, and export with relative paths")
}

/// Like [`outside`], for a link.
fn linked_outside(name: &Path) -> Fault {
    let name = readable(&name.to_string_lossy());
    Fault::new(format!(
        "'{name}' is a link that leads out of this file's own folder, and only files in there are opened"
    ))
    .advise("Copy the file itself into the folder")
}

fn percent_decode(uri: &str) -> Option<String> {
    let mut out = Vec::with_capacity(uri.len());
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
            out.push((digit()? * 16 + digit()?) as u8);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_decode_or_are_refused() {
        assert_eq!(percent_decode("a%20b.bin").as_deref(), Some("a b.bin"));
        assert_eq!(percent_decode("a%2"), None);
        assert_eq!(percent_decode("%ff"), None);
    }

    #[test]
    fn only_files_in_the_folder_of_the_document_are_opened() {
        for uri in
            ["/etc/hostname", "file:///etc/hostname", "https://example.com/a.bin", "../a.bin", "b/%2e%2e/a", "..\\a"]
        {
            let files = FilesBeside::new(Path::new("a.gltf"));
            let fault = files.load(uri, |_| ()).unwrap_err().to_string();
            assert!(fault.contains(uri) && fault.contains("own folder"), "{fault}");
        }
        for name in ["a.bin", "./a.bin", "maps/a b.png", "a..b.bin"] {
            assert!(inside(name).is_some(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_no_further_than_to_the_folder_of_the_document() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("inner/maps")).unwrap();
        for name in ["secret.bin", "inner/own.bin", "inner/maps/own.bin"] {
            std::fs::write(at(name), [1]).unwrap();
        }
        std::fs::write(at("inner/a.gltf"), "{}").unwrap();
        symlink("../secret.bin", at("inner/out.bin")).unwrap();
        symlink("..", at("inner/up")).unwrap();
        symlink("maps/own.bin", at("inner/in.bin")).unwrap();
        symlink("inner/a.gltf", at("link.gltf")).unwrap();
        symlink("inner/own.bin", at("own.bin")).unwrap();
        symlink("/dev/zero", at("inner/zero.bin")).unwrap();
        let load = |document: &str, uri: &str| FilesBeside::new(&at(document)).load(uri, |_| ());
        for (document, uri) in
            [("inner/a.gltf", "own.bin"), ("inner/a.gltf", "in.bin"), ("link.gltf", "own.bin"), ("inner", "secret.bin")]
        {
            assert!(load(document, uri).is_ok(), "{document} {uri}");
        }
        for uri in ["out.bin", "up/secret.bin", "zero.bin"] {
            let fault = load("inner/a.gltf", uri).unwrap_err().to_string();
            assert!(fault.contains(uri) && fault.contains("a link that leads out"), "{fault}");
        }
    }

    #[test]
    fn a_file_of_many_spellings_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.bin"), [7; 10]).unwrap();
        let files = FilesBeside::new(&folder.path().join("a.gltf"));
        let mut brought = Vec::new();
        for uri in ["a.bin", "./a.bin", "%61.bin", "a.bin"] {
            assert_eq!(*files.load(uri, |bytes| brought.push(bytes)).unwrap(), [7; 10]);
        }
        assert_eq!(brought, [10]);
        assert_eq!(files.places(), [dunce::canonicalize(folder.path().join("a.bin")).unwrap()]);
        assert!(files.load("no-such.bin", |_| ()).unwrap_err().to_string().contains("'no-such.bin' beside it"));
    }
}
