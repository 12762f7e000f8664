//! The SQLSTATEs that are used.

macro_rules! states {
    ($($name:ident = $code:literal;)*) => {
        $(#[doc = concat!("`", $code, "`")] pub const $name: &str = $code;)*

        const ALL: &[&str] = &[$($code),*];
    };
}
states! {
    PROTOCOL_VIOLATION = "08P01";
    FEATURE_NOT_SUPPORTED = "0A000";
    TOO_LONG = "22001";
    NUMERIC_OUT_OF_RANGE = "22003";
    INVALID_DATETIME = "22007";
    DATETIME_OVERFLOW = "22008";
    INVALID_LOGARITHM = "2201E";
    INVALID_POWER = "2201F";
    SUBSTRING_ERROR = "22011";
    DIVISION_BY_ZERO = "22012";
    INVALID_PARAMETER_VALUE = "22023";
    NOT_IN_REPERTOIRE = "22021";
    NULL_NOT_ALLOWED = "22004";
    ARRAY_ELEMENT_ERROR = "2202E";
    UNTRANSLATABLE_CHARACTER = "22P05";
    BAD_COPY_FORMAT = "22P04";
    INVALID_TEXT = "22P02";
    INVALID_BINARY = "22P03";
    INTEGRITY_VIOLATION = "23000";
    NOT_NULL_VIOLATION = "23502";
    FOREIGN_KEY_VIOLATION = "23503";
    UNIQUE_VIOLATION = "23505";
    CHECK_VIOLATION = "23514";
    ACTIVE_TRANSACTION = "25001";
    READ_ONLY_TRANSACTION = "25006";
    NO_ACTIVE_TRANSACTION = "25P01";
    FAILED_TRANSACTION = "25P02";
    TRANSACTION_TIMEOUT = "25P03";
    INVALID_SAVEPOINT = "3B001";
    INVALID_SCHEMA = "3F000";
    SERIALIZATION_FAILURE = "40001";
    DEADLOCK_DETECTED = "40P01";
    RESERVED_NAME = "42939";
    INSUFFICIENT_PRIVILEGE = "42501";
    SYNTAX_ERROR = "42601";
    DUPLICATE_COLUMN = "42701";
    AMBIGUOUS_COLUMN = "42702";
    UNDEFINED_COLUMN = "42703";
    UNDEFINED_OBJECT = "42704";
    CANNOT_COERCE = "42846";
    DATATYPE_MISMATCH = "42804";
    UNDEFINED_FUNCTION = "42883";
    INVALID_FOREIGN_KEY = "42830";
    UNDEFINED_TABLE = "42P01";
    UNDEFINED_PARAMETER = "42P02";
    DUPLICATE_TABLE = "42P07";
    GROUPING_ERROR = "42803";
    OUT_OF_MEMORY = "53200";
    DISK_FULL = "53100";
    CONFIGURATION_LIMIT_EXCEEDED = "53400";
    PROGRAM_LIMIT_EXCEEDED = "54000";
    STATEMENT_TOO_COMPLEX = "54001";
    TOO_MANY_COLUMNS = "54011";
    OBJECT_NOT_READY = "55000";
    OBJECT_IN_USE = "55006";
    LOCK_NOT_AVAILABLE = "55P03";
    QUERY_CANCELED = "57014";
    IO_ERROR = "58030";
    INTERNAL_ERROR = "XX000";
    DATA_CORRUPTED = "XX001";
}

/// The SQLSTATE that a message of a function of ours begins with, and the message: `22012: division by zero`.
pub fn split(message: &str) -> Option<(&'static str, &str)> {
    let (code, message) = message.split_once(": ")?;
    ALL.iter().find(|known| **known == code).map(|code| (*code, message))
}
