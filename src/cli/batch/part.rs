use posepress_core::store::ResultKey;

/// One of several parts of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOf {
    /// Its number, from 1.
    pub number: usize,
    /// Number of parts.
    pub count: usize,
}

impl PartOf {
    /// Reads `3/16`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let read = |text: &str| text.trim().parse::<usize>().ok();
        let part = text.split_once('/').and_then(|(number, count)| Some((read(number)?, read(count)?)));
        let part = part.filter(|(number, count)| (1..=*count).contains(number));
        part.map(|(number, count)| Self { number, count })
            .ok_or_else(|| "expected the number of a part and the number of parts, such as 3/16".into())
    }
}

/// Reads the key of a task.
pub fn task_key(text: &str) -> Result<ResultKey, String> {
    ResultKey::read(text.trim()).ok_or_else(|| "expected a key that --plan --json prints".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbers_from_one() {
        assert_eq!(PartOf::parse("3/16"), Ok(PartOf { number: 3, count: 16 }));
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", ""] {
            assert!(PartOf::parse(wrong).is_err(), "{wrong}");
        }
    }
}
