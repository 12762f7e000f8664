//! The types, their OIDs, and those of declared columns.

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident $oid:literal $array:literal $size:literal [$($text:literal)*];)*) => {
        /// A type without elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scalar {
            $($(#[$doc])* $name,)*
        }

        impl Scalar {
            /// OID, OID of its array, and size; negative where that varies.
            const fn numbers(self) -> (u32, u32, i16) {
                match self {
                    $(Self::$name => ($oid, $array, $size),)*
                }
            }

            /// Its name, as `format_type` and casts write it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => first(&[$($text),*]),)*
                }
            }

            /// The type with this name, in lower case.
            pub fn of_name(name: &str) -> Option<Self> {
                match name {
                    $($($text)|* => Some(Self::$name),)*
                    _ => None,
                }
            }
        }

        impl Type {
            /// The type with this OID.
            pub fn of_oid(oid: u32) -> Option<Self> {
                match oid {
                    $($oid => Some(Self::One(Scalar::$name)),
                    $array => Some(Self::Array(Scalar::$name)),)*
                    _ => None,
                }
            }
        }
    };
}

const fn first(names: &[&'static str]) -> &'static str {
    names[0]
}

scalars! {
    /// `boolean`: 0 or 1 in SQLite.
    Bool 16 1000 1 ["boolean" "bool"];
    /// `bytea`: a blob.
    Bytea 17 1001 -1 ["bytea" "blob" "binary" "varbinary"];
    /// `"char"`, a byte, of the catalogue.
    Char 18 1002 1 ["\"char\""];
    /// `name`, of the catalogue.
    Name 19 1003 64 ["name"];
    /// `bigint`.
    Int8 20 1016 8 ["bigint" "int8" "bigserial" "serial8" "int64" "unsigned big int"];
    /// `smallint`.
    Int2 21 1005 2 ["smallint" "int2" "smallserial" "serial2" "tinyint"];
    /// `integer`.
    Int4 23 1007 4 ["integer" "int" "int4" "serial" "serial4" "mediumint" "int32"];
    /// `text`.
    Text 25 1009 -1 ["text" "clob" "string" "nvarchar" "citext" "longtext"];
    /// `oid`, of the catalogue.
    Oid 26 1028 4 ["oid" "regproc" "regclass" "regprocedure" "regtype" "regnamespace" "regrole" "xid"];
    /// `json`: text.
    Json 114 199 -1 ["json"];
    /// `real`.
    Float4 700 1021 4 ["real" "float4"];
    /// `double precision`.
    Float8 701 1022 8 ["double precision" "float8" "double" "float"];
    /// `character(n)`.
    Bpchar 1042 1014 -1 ["character" "char" "bpchar" "nchar"];
    /// `character varying(n)`.
    Varchar 1043 1015 -1 ["character varying" "varchar" "char varying" "varying character"];
    /// `date`: text, `2026-01-31`.
    Date 1082 1182 4 ["date"];
    /// `time`: text, `23:59:59.5`.
    Time 1083 1183 8 ["time without time zone" "time"];
    /// `timestamp`: text, `2026-01-31 23:59:59.5`.
    Timestamp 1114 1115 8 ["timestamp without time zone" "timestamp" "datetime"];
    /// `timestamptz`: text of the same form, in UTC.
    Timestamptz 1184 1185 8 ["timestamp with time zone" "timestamptz"];
    /// `interval`: text.
    Interval 1186 1187 16 ["interval"];
    /// `numeric`: an integer or a real, or text where neither has its digits.
    Numeric 1700 1231 -1 ["numeric" "decimal" "dec"];
    /// `uuid`: text.
    Uuid 2950 2951 16 ["uuid"];
    /// `jsonb`: text.
    Jsonb 3802 3807 -1 ["jsonb"];
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Without elements.
    One(Scalar),
    /// An array, in SQLite as JSON.
    Array(Scalar),
}

/// The type where nothing else is known.
pub const TEXT: Type = Type::One(Scalar::Text);

impl Type {
    /// Its OID.
    pub fn oid(self) -> u32 {
        match self {
            Self::One(scalar) => scalar.numbers().0,
            Self::Array(scalar) => scalar.numbers().1,
        }
    }

    /// Its size in RowDescription.
    pub fn size(self) -> i16 {
        match self {
            Self::One(scalar) => scalar.numbers().2,
            Self::Array(_) => -1,
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::One(scalar) => scalar.name().to_owned(),
            Self::Array(scalar) => format!("{}[]", scalar.name()),
        }
    }

    /// The type of an element, of itself without elements.
    pub fn scalar(self) -> Scalar {
        match self {
            Self::One(scalar) | Self::Array(scalar) => scalar,
        }
    }
}

/// A type with its modifier: a length, or digits and scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The type.
    pub ty: Type,
    /// `atttypmod`; -1 for none.
    pub modifier: i32,
}

impl Typed {
    /// A type without modifier.
    pub const fn plain(ty: Type) -> Self {
        Self { ty, modifier: -1 }
    }

    /// The type of a column from its declaration in CREATE TABLE; `None` if that is not a known type.
    pub fn declared(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (text, is_array) = match text.find('[') {
            Some(at) => (&text[..at], true),
            None => (&text[..], false),
        };
        let (before, arguments, after) = parenthesized(text);
        let name = [before.trim(), after.trim()].join(" ");
        let name = name.trim().trim_start_matches("pg_catalog.");
        // So that SQLite keeps it as text: see `translate/definitions.rs` of `host/postgres`.
        let kept_as_text = || Scalar::of_name(name.strip_suffix(" text")?);
        let scalar = Scalar::of_name(name).or_else(kept_as_text).or_else(|| by_affinity(name))?;
        // `float(n)` is the type that has n bits.
        let scalar = match (name, &arguments[..]) {
            ("float", [1..=24]) => Scalar::Float4,
            _ => scalar,
        };
        let ty = if is_array { Type::Array(scalar) } else { Type::One(scalar) };
        Some(Self { ty, modifier: modifier(scalar, &arguments) })
    }

    /// The digits after the point of a `numeric` that was declared with them.
    pub fn scale(self) -> Option<usize> {
        let is_numeric = self.ty == Type::One(Scalar::Numeric);
        (is_numeric && self.modifier >= 4).then(|| ((self.modifier - 4) & 0x7ff) as usize)
    }
}

/// `varying(10)` and `time(3) with time zone`, apart.
fn parenthesized(text: &str) -> (&str, Vec<i32>, &str) {
    let Some((before, rest)) = text.split_once('(') else { return (text, Vec::new(), "") };
    let (inside, after) = rest.split_once(')').unwrap_or((rest, ""));
    let numbers = inside.split(',').filter_map(|number| number.trim().parse().ok());
    (before, numbers.collect(), after)
}

/// Postgres' modifiers: 4 more than the length, or digits and scale in two halves.
fn modifier(scalar: Scalar, arguments: &[i32]) -> i32 {
    /// Postgres' bounds; beyond them the type has no modifier.
    const LENGTH: std::ops::RangeInclusive<i32> = 0..=10_485_760;
    const DIGITS: std::ops::RangeInclusive<i32> = 0..=1000;
    match (scalar, arguments) {
        (Scalar::Varchar | Scalar::Bpchar, [length]) if LENGTH.contains(length) => length + 4,
        (Scalar::Numeric, [digits]) if DIGITS.contains(digits) => (digits << 16) + 4,
        (Scalar::Numeric, [digits, scale]) if DIGITS.contains(digits) && DIGITS.contains(scale) => {
            ((digits << 16) | scale) + 4
        }
        (Scalar::Time | Scalar::Timestamp | Scalar::Timestamptz, [digits])
            if (0..=6).contains(digits) =>
        {
            *digits
        }
        _ => -1,
    }
}

/// SQLite's own rule for names that Postgres does not have.
fn by_affinity(name: &str) -> Option<Scalar> {
    let has = |part: &str| name.contains(part);
    if has("int") && !has("interval") && !has("point") && !has("vector") {
        Some(Scalar::Int8)
    } else if has("char") || has("clob") || has("text") {
        Some(Scalar::Text)
    } else if has("blob") {
        Some(Scalar::Bytea)
    } else if has("real") || has("floa") || has("doub") {
        Some(Scalar::Float8)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_those_of_postgres() {
        for (text, oid, modifier) in [
            ("INTEGER", 23, -1),
            ("bigint", 20, -1),
            ("VARCHAR(10)", 1043, 14),
            ("character varying(20)", 1043, 24),
            ("char(3)", 1042, 7),
            ("numeric(10, 2)", 1700, 655_366),
            ("decimal(5)", 1700, 327_684),
            ("timestamp(3) with time zone", 1184, 3),
            ("timestamptz", 1184, -1),
            ("TEXT[]", 1009, -1),
            ("int[][]", 1007, -1),
            ("BIGINT UNSIGNED", 20, -1),
            ("LONGVARCHAR", 25, -1),
            ("double precision", 701, -1),
            ("boolean", 16, -1),
            ("varchar(99999999999)", 1043, -1),
        ] {
            let found = Typed::declared(text).unwrap();
            assert_eq!((found.ty.oid(), found.modifier), (oid, modifier), "{text}");
        }
        assert_eq!([Typed::declared(""), Typed::declared("int2vector")], [None, None]);
        assert_eq!(Typed::declared("geometry"), None);
        assert_eq!(Typed::declared("numeric(10,2)").unwrap().scale(), Some(2));
    }

    #[test]
    fn oids_and_names_lead_back_to_their_types() {
        for oid in
            [16, 17, 20, 21, 23, 25, 114, 700, 701, 1043, 1082, 1114, 1184, 1700, 2950, 3802, 1007]
        {
            let found = Type::of_oid(oid).unwrap();
            assert_eq!(found.oid(), oid);
            assert_eq!(Scalar::of_name(found.scalar().name()), Some(found.scalar()));
        }
        assert_eq!(Type::of_oid(1), None);
    }

    #[test]
    fn any_declaration_is_read() {
        arbtest::arbtest(|u| {
            Typed::declared(u.arbitrary()?);
            Ok(())
        });
    }
}
