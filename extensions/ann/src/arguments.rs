//! What CREATE VIRTUAL TABLE says of a table.

use sql_tokens::quoted_name;
use sqlite_wasm_kit::Result;

use crate::code::{Coder, Quantize};
use crate::graph::Shape;
use crate::vector::Metric;

/// As sqlite-vec's.
const MAX_DIMENSIONS: usize = 8192;

/// Links of a node: with fewer, parts of the graph cannot be reached; more are slower.
const LINKS: std::ops::RangeInclusive<usize> = 4..=64;

/// Nodes that are kept while a new one is linked.
const EF_CONSTRUCTION: std::ops::RangeInclusive<usize> = 8..=2000;

/// Limit on columns other than the vector. A plan has a constraint for each.
const MAX_COLUMNS: usize = 64;

/// Names that columns of the table have already.
pub const HIDDEN: [&str; 4] = ["distance", "k", "ef", "exact"];

/// A column other than the vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub declared_type: String,
    /// It is only returned, and has no index: it was declared with `+`.
    pub is_auxiliary: bool,
}

/// A table's definition.
#[derive(Clone, Debug)]
pub struct Definition {
    pub vector: String,
    /// Where the vector is among the columns.
    pub vector_index: usize,
    pub columns: Vec<Column>,
    pub coder: Coder,
    pub shape: Shape,
}

impl Definition {
    /// Parse what stands between the parentheses after `ann`.
    pub fn parse(table: &str, arguments: &[String]) -> Result<Self> {
        let mut found = Parser::default();
        for argument in arguments {
            found
                .add(argument.trim())
                .map_err(|why| format!("ann: `{}`: {why}", argument.trim()))?;
        }
        Ok(found.finish(table)?)
    }

    /// The statement that declares the columns.
    pub fn declaration(&self, table: &str) -> String {
        let column =
            |column: &Column| format!("{} {}", quoted_name(&column.name), column.declared_type);
        let mut columns: Vec<String> = self.columns.iter().map(column).collect();
        columns.insert(self.vector_index, quoted_name(&self.vector));
        columns.extend(HIDDEN.iter().map(|name| format!("{name} HIDDEN")));
        columns.push(format!("{} HIDDEN", quoted_name(table)));
        format!("CREATE TABLE x({})", columns.join(", "))
    }
}

#[derive(Default)]
struct Parser {
    vector: Option<(String, usize, usize, Option<Metric>)>,
    columns: Vec<Column>,
    metric: Option<Metric>,
    quantize: Option<Quantize>,
    links: Option<usize>,
    ef: Option<usize>,
}

type Parsed<T = ()> = std::result::Result<T, String>;

impl Parser {
    fn add(&mut self, argument: &str) -> Parsed {
        if let Some(column) = argument.strip_prefix('+') {
            return self.add_column(column, true);
        }
        let (name, rest) = split_name(argument)?;
        match rest.strip_prefix('=') {
            Some(value) => self.add_option(&name, value.trim()),
            None if is_vector(rest) => self.add_vector(name, rest),
            None => self.add_column(argument, false),
        }
    }

    fn add_option(&mut self, name: &str, value: &str) -> Parsed {
        let number = |allowed: std::ops::RangeInclusive<usize>| {
            value.parse().ok().filter(|number| allowed.contains(number)).ok_or_else(|| {
                format!("{name} must be from {} to {}", allowed.start(), allowed.end())
            })
        };
        match name.to_ascii_lowercase().as_str() {
            "m" => self.links = Some(number(LINKS)?),
            "ef_construction" => self.ef = Some(number(EF_CONSTRUCTION)?),
            "distance" | "distance_metric" => self.metric = Some(metric(value)?),
            "quantize" => self.quantize = Some(quantize(value)?),
            _ => return Err("options are distance, quantize, m and ef_construction".into()),
        }
        Ok(())
    }

    fn add_vector(&mut self, name: String, rest: &str) -> Parsed {
        if self.vector.is_some() {
            return Err("a table has one vector".into());
        }
        let open = rest.find('[').ok_or("it must be float[N]")?;
        let (count, options) = rest[open + 1..].split_once(']').ok_or("it must be float[N]")?;
        let dimensions = count.trim().parse().ok().filter(|it| (1..=MAX_DIMENSIONS).contains(it));
        let dimensions =
            dimensions.ok_or_else(|| format!("dimensions must be from 1 to {MAX_DIMENSIONS}"))?;
        let mut own = None;
        for option in options.split_whitespace() {
            match option.split_once('=') {
                Some(("distance" | "distance_metric", value)) => own = Some(metric(value)?),
                _ => return Err("after float[N] only distance=… can follow".into()),
            }
        }
        self.vector = Some((name, dimensions, self.columns.len(), own));
        Ok(())
    }

    fn add_column(&mut self, column: &str, is_auxiliary: bool) -> Parsed {
        let (name, rest) = split_name(column)?;
        let declared_type = rest.to_ascii_lowercase();
        let known =
            ["", "text", "integer", "int", "real", "float", "double", "blob", "numeric", "boolean"];
        if !known.contains(&&*declared_type) {
            return Err("types are text, integer, real, blob, numeric and boolean".into());
        }
        if self.columns.len() == MAX_COLUMNS {
            return Err(format!("at most {MAX_COLUMNS} columns stand beside the vector"));
        }
        self.columns.push(Column { name, declared_type, is_auxiliary });
        Ok(())
    }

    fn finish(self, table: &str) -> Parsed<Definition> {
        let missing = "ann: a vector is needed, such as `embedding float[384] distance=cosine`";
        let (vector, dimensions, vector_index, own) = self.vector.ok_or(missing)?;
        let mut names: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        names.extend([&*vector, table, "rowid"]);
        names.extend(HIDDEN);
        names.sort_by_key(|name| name.to_ascii_lowercase());
        if let Some(pair) = names.windows(2).find(|pair| pair[0].eq_ignore_ascii_case(pair[1])) {
            return Err(format!(
                "ann: a column cannot be named `{}`: it is another's name",
                pair[0]
            ));
        }
        let metric = own.or(self.metric).unwrap_or(Metric::L2);
        let quantize = self.quantize.unwrap_or(Quantize::None);
        let (links, ef) = (self.links.unwrap_or(16), self.ef.unwrap_or(200));
        Ok(Definition {
            vector,
            vector_index,
            columns: self.columns,
            coder: Coder { dimensions, metric, quantize },
            shape: Shape { links, ef, alpha: 1.0, has_layers: true },
        })
    }
}

fn metric(value: &str) -> Parsed<Metric> {
    match value.to_ascii_lowercase().as_str() {
        "cosine" => Ok(Metric::Cosine),
        "l2" => Ok(Metric::L2),
        "ip" => Ok(Metric::InnerProduct),
        _ => Err("distance must be cosine, l2 or ip".into()),
    }
}

fn quantize(value: &str) -> Parsed<Quantize> {
    match value.to_ascii_lowercase().as_str() {
        "none" => Ok(Quantize::None),
        "int8" => Ok(Quantize::Int8),
        "binary" => Ok(Quantize::Binary),
        _ => Err("quantize must be none, int8 or binary".into()),
    }
}

fn is_vector(rest: &str) -> bool {
    let declared = rest.split('[').next().unwrap_or_default().trim();
    rest.contains('[') && ["float", "f32"].iter().any(|it| declared.eq_ignore_ascii_case(it))
}

/// A name, which may be in quotes, and what follows it.
fn split_name(text: &str) -> Parsed<(String, &str)> {
    let text = text.trim();
    let close = match text.chars().next() {
        Some(quote @ ('"' | '`')) => Some(quote),
        Some('[') => Some(']'),
        _ => None,
    };
    let (name, rest) = match close {
        Some(close) => text[1..].split_once(close).ok_or("a quote is not closed")?,
        None => {
            let is_name = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
            text.split_at(text.find(|it| !is_name(it)).unwrap_or(text.len()))
        }
    };
    if name.is_empty() || name.contains('\0') {
        Err("a column's name is missing".into())
    } else {
        Ok((name.to_owned(), rest.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Definition> {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        Definition::parse("v", &arguments)
    }

    #[test]
    fn a_table_is_declared_as_it_was_written() {
        let parsed = parse(&[
            "category text",
            "embedding float[384] distance=cosine",
            "+title text",
            "\"price $\" real",
            "quantize=int8",
            "m = 8",
            "ef_construction=50",
        ]);
        let parsed = parsed.unwrap();
        let declaration = "CREATE TABLE x(\"category\" text, \"embedding\", \"title\" text, \
            \"price $\" real, distance HIDDEN, k HIDDEN, ef HIDDEN, exact HIDDEN, \"v\" HIDDEN)";
        assert_eq!(parsed.declaration("v"), declaration);
        let coder = parsed.coder;
        assert_eq!((coder.dimensions, coder.metric), (384, Metric::Cosine));
        assert_eq!((coder.quantize, parsed.shape.links, parsed.shape.ef), (Quantize::Int8, 8, 50));
        assert!(parsed.columns[1].is_auxiliary && !parsed.columns[0].is_auxiliary);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for arguments in [
            &["title text"][..],
            &["e float[0]"],
            &["e float[8193]"],
            &["e float[x]"],
            &["e float[4"],
            &["e float[4] distance=l1"],
            &["e float[4] x"],
            &["e float[4]", "f float[4]"],
            &["e float[4]", "m=3"],
            &["e float[4]", "m=65"],
            &["e float[4]", "quantize=int4"],
            &["e float[4]", "other=1"],
            &["e float[4]", "K text"],
            &["e float[4]", "V text"],
            &["e float[4]", "rowid text"],
            &["e float[4]", "a text", "A text"],
            &["e float[4]", "a varchar(3)"],
            &["e float[4]", ""],
            &["e float[4]", "\"a"],
        ] {
            assert!(parse(arguments).is_err(), "{arguments:?}");
        }
    }
}
