//! `pg_get_keywords()`: the words of PostgreSQL 15, each with its category, and `!` if it cannot name a column
//! without AS.

use super::{Cells, text, yes};

const WORDS: &str = include_str!("keywords.txt");

pub fn keywords() -> Vec<Cells> {
    WORDS.lines().filter_map(keyword).collect()
}

fn keyword(line: &str) -> Option<Cells> {
    let (word, rest) = line.split_once(' ')?;
    let (category, is_label) = match rest.strip_suffix(" !") {
        Some(category) => (category, false),
        None => (rest, true),
    };
    let described = match category {
        "C" => "unreserved (cannot be function or type name)",
        "T" => "reserved (can be function or type name)",
        "R" => "reserved",
        _ => "unreserved",
    };
    Some(vec![
        ("word", text(word)),
        ("catcode", text(category)),
        ("barelabel", yes(is_label)),
        ("catdesc", text(described)),
        ("baredesc", text(if is_label { "can be bare label" } else { "requires AS" })),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_word() {
        assert_eq!(keywords().len(), WORDS.lines().count());
        let select = keyword("select R").unwrap();
        assert_eq!(select[1].1, text("R"));
        assert_eq!(keyword("as R !").unwrap()[2].1, yes(false));
    }
}
