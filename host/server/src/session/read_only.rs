//! libSQL's `BEGIN TRANSACTION READONLY`, which SQLite does not know.

/// libSQL's `BEGIN TRANSACTION READONLY`: what follows it.
pub fn read_only_begin(sql: &str) -> Option<&str> {
    let (begin, rest) = word(sql)?;
    let (second, after) = word(rest)?;
    let (last, rest) =
        if second.eq_ignore_ascii_case("transaction") { word(after)? } else { (second, after) };
    let is_it = begin.eq_ignore_ascii_case("begin") && last.eq_ignore_ascii_case("readonly");
    let rest = rest.trim_start();
    (is_it && (rest.is_empty() || rest.starts_with(';'))).then(|| rest.trim_start_matches(';'))
}

/// The first word, and what follows.
fn word(sql: &str) -> Option<(&str, &str)> {
    let sql = sql.trim_start();
    let end = sql.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(sql.len());
    (end > 0).then(|| sql.split_at(end))
}
