//! SQLite's messages.

use super::sqlstate;

/// SQLite has one code for all that is wrong with a statement, so its messages tell them apart.
const MESSAGES: &[(&str, &str)] = &[
    ("Cannot add a NOT NULL column", sqlstate::NOT_NULL_VIOLATION),
    ("no such table", sqlstate::UNDEFINED_TABLE),
    ("no such view", sqlstate::UNDEFINED_TABLE),
    ("no such column", sqlstate::UNDEFINED_COLUMN),
    ("has no column named", sqlstate::UNDEFINED_COLUMN),
    ("no such function", sqlstate::UNDEFINED_FUNCTION),
    ("wrong number of arguments to function", sqlstate::UNDEFINED_FUNCTION),
    ("unknown function", sqlstate::UNDEFINED_FUNCTION),
    ("no such index", sqlstate::UNDEFINED_OBJECT),
    ("no such trigger", sqlstate::UNDEFINED_OBJECT),
    ("no such collation", sqlstate::UNDEFINED_OBJECT),
    ("no such savepoint", sqlstate::INVALID_SAVEPOINT),
    ("no such module", sqlstate::UNDEFINED_OBJECT),
    ("unknown database", sqlstate::INVALID_SCHEMA),
    ("ambiguous column name", sqlstate::AMBIGUOUS_COLUMN),
    ("duplicate column name", sqlstate::DUPLICATE_COLUMN),
    ("already exists", sqlstate::DUPLICATE_TABLE),
    ("there is already", sqlstate::DUPLICATE_TABLE),
    ("term out of range", sqlstate::INVALID_COLUMN_REFERENCE),
    ("circular reference", sqlstate::FEATURE_NOT_SUPPORTED),
    ("references to recursive table", sqlstate::INVALID_RECURSION),
    ("cannot join using column", sqlstate::UNDEFINED_COLUMN),
    ("argument of ntile", sqlstate::INVALID_NTILE),
    ("argument to nth_value", sqlstate::INVALID_NTH_VALUE),
    ("misuse of window function", sqlstate::WINDOWING_ERROR),
    ("recursive aggregate queries", sqlstate::FEATURE_NOT_SUPPORTED),
    ("HAVING clause on a non-aggregate query", sqlstate::FEATURE_NOT_SUPPORTED),
    ("aggregate functions are not allowed", sqlstate::GROUPING_ERROR),
    ("foreign key mismatch", sqlstate::INVALID_FOREIGN_KEY),
    ("number of columns in foreign key", sqlstate::INVALID_FOREIGN_KEY),
    ("in foreign key definition", sqlstate::UNDEFINED_COLUMN),
    ("subqueries prohibited", sqlstate::FEATURE_NOT_SUPPORTED),
    ("is not constant", sqlstate::FEATURE_NOT_SUPPORTED),
    ("non-deterministic", "42P17"),
    ("more than one primary key", "42P16"),
    ("to delete view", sqlstate::WRONG_OBJECT_TYPE),
    ("to delete table", sqlstate::WRONG_OBJECT_TYPE),
    ("syntax error", sqlstate::SYNTAX_ERROR),
    ("incomplete input", sqlstate::SYNTAX_ERROR),
    ("unrecognized token", sqlstate::SYNTAX_ERROR),
    ("row value misused", sqlstate::FEATURE_NOT_SUPPORTED),
    ("may not be used as a window function", sqlstate::WRONG_OBJECT_TYPE),
    ("frame starting offset", sqlstate::INVALID_FRAME),
    ("frame ending offset", sqlstate::INVALID_FRAME),
    ("misuse of aggregate", sqlstate::GROUPING_ERROR),
    ("within a transaction", sqlstate::ACTIVE_TRANSACTION),
    ("no transaction is active", sqlstate::NO_ACTIVE_TRANSACTION),
    ("integer overflow", sqlstate::NUMERIC_OUT_OF_RANGE),
    ("Expression tree is too large", sqlstate::STATEMENT_TOO_COMPLEX),
    ("parser stack overflow", sqlstate::STATEMENT_TOO_COMPLEX),
    ("Recursion limit", sqlstate::STATEMENT_TOO_COMPLEX),
    ("too many", sqlstate::PROGRAM_LIMIT_EXCEEDED),
    ("division by zero", sqlstate::DIVISION_BY_ZERO),
    ("step size cannot equal zero", sqlstate::INVALID_PARAMETER_VALUE),
    ("generate_series of anything but integers", sqlstate::FEATURE_NOT_SUPPORTED),
    ("unrecognized configuration parameter", sqlstate::UNDEFINED_OBJECT),
    ("malformed JSON", sqlstate::INVALID_TEXT),
    ("ON CONFLICT clause does not match", sqlstate::INVALID_COLUMN_REFERENCE),
    ("values were supplied", sqlstate::SYNTAX_ERROR),
    ("values for", sqlstate::SYNTAX_ERROR),
    ("because it is a view", sqlstate::FEATURE_NOT_SUPPORTED),
];

/// The SQLSTATE of a message.
pub fn code(message: &str) -> &'static str {
    // Of a query of WITH; that of INSERT has another form.
    if message.starts_with("table ") && message.contains("values for") {
        return sqlstate::INVALID_COLUMN_REFERENCE;
    }
    let found = MESSAGES.iter().find(|(part, _)| message.contains(part));
    found.map_or(sqlstate::SYNTAX_ERROR, |(_, code)| code)
}
