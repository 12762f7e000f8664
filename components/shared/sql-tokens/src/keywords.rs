//! Words that are no names without quotes.

use crate::Dialect;

/// Words that SQLite takes for no name without quotes.
const SQLITE: &[&str] = &[
    "add",
    "all",
    "alter",
    "and",
    "as",
    "autoincrement",
    "between",
    "case",
    "check",
    "collate",
    "commit",
    "constraint",
    "create",
    "default",
    "deferrable",
    "delete",
    "distinct",
    "drop",
    "else",
    "escape",
    "except",
    "exists",
    "foreign",
    "from",
    "group",
    "having",
    "in",
    "index",
    "insert",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "limit",
    "not",
    "nothing",
    "notnull",
    "null",
    "on",
    "or",
    "order",
    "primary",
    "references",
    "returning",
    "select",
    "set",
    "table",
    "then",
    "to",
    "transaction",
    "union",
    "unique",
    "update",
    "using",
    "values",
    "when",
    "where",
];

/// Words that PostgreSQL takes for no name of a table or a column without quotes.
const POSTGRES: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "both",
    "case",
    "cast",
    "check",
    "collate",
    "column",
    "constraint",
    "create",
    "current_catalog",
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "false",
    "fetch",
    "for",
    "foreign",
    "from",
    "grant",
    "group",
    "having",
    "in",
    "initially",
    "intersect",
    "into",
    "lateral",
    "leading",
    "limit",
    "localtime",
    "localtimestamp",
    "not",
    "null",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "placing",
    "primary",
    "references",
    "returning",
    "select",
    "session_user",
    "some",
    "symmetric",
    "table",
    "then",
    "to",
    "trailing",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "variadic",
    "when",
    "where",
    "window",
    "with",
];

/// Whether a word, in letters of any case, is a name only with quotes. For PostgreSQL: the name of a table or a
/// column.
pub fn is_reserved(word: &str, dialect: Dialect) -> bool {
    let words = match dialect {
        Dialect::Sqlite => SQLITE,
        Dialect::Postgres => POSTGRES,
    };
    let order =
        |known: &&str| known.bytes().cmp(word.bytes().map(|byte| byte.to_ascii_lowercase()));
    words.binary_search_by(order).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(SQLITE.is_sorted() && POSTGRES.is_sorted());
    }

    #[test]
    fn words_are_reserved_in_any_case() {
        assert!(is_reserved("TrAnSaCtIoN", Dialect::Sqlite));
        assert!(!is_reserved("transaction", Dialect::Postgres));
        assert!(is_reserved("user", Dialect::Postgres) && !is_reserved("user", Dialect::Sqlite));
        assert!(!is_reserved("", Dialect::Sqlite) && !is_reserved("\u{e4}", Dialect::Postgres));
    }
}
