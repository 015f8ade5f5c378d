use crate::text::steers;
use std::collections::HashMap;

/// Longest name. Names are repeated for each part of a mesh and each morph target.
const MAX_CHARS: usize = 255;

/// A name or text from a file, safe to show: it escapes characters that control a terminal or reverse the reading order.
///
/// All imported names pass through here, so that lists, tables, messages and written files agree.
pub(crate) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_CHARS));
    for (index, c) in text.chars().enumerate() {
        match index {
            MAX_CHARS => {
                out.push('…');
                break;
            }
            _ if steers(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// The animation's name, or `animation_N`. A second one with the same name becomes `name.1`.
pub(super) fn unique_name(name: Option<&str>, index: usize, taken: &mut HashMap<String, usize>) -> String {
    let base = name.filter(|n| !n.is_empty()).map_or_else(|| format!("animation_{index}"), readable);
    let mut unique = base.clone();
    while taken.contains_key(&unique) {
        let count = taken.entry(base.clone()).or_default();
        *count += 1;
        unique = format!("{base}.{count}");
    }
    taken.insert(unique.clone(), 0);
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_is_escaped_once_and_everything_else_stays() {
        assert_eq!(readable("a\nb\x1b[31m\u{9b}\u{202e}gnp"), "a\\nb\\u{1b}[31m\\u{9b}\\u{202e}gnp");
        for text in ["Hüfte 左 🦶 \"a\",b\\c", &readable("x\r\u{2066}")] {
            assert_eq!(readable(text), text);
        }
    }

    #[test]
    fn endless_names_are_cut() {
        assert_eq!(readable(&"ü".repeat(255)), "ü".repeat(255));
        assert_eq!(readable(&"ü".repeat(9000)), "ü".repeat(255) + "…");
    }
}
