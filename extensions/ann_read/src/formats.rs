//! The formats of files.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};

use sqlite_wasm_kit::{Error, Result, code};

/// As ann's and sqlite-vec's.
const MAX_DIMENSIONS: usize = 8192;

/// Most bytes of a line or a header: a file without line breaks would be one line.
const MAX_LINE_BYTES: u64 = 4 << 20;

/// Bytes of one read: a read by the sandbox costs many times one of the system.
const BUFFER_BYTES: usize = 256 << 10;

/// A row of a file.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    pub vector: Option<Vec<u8>>,
    pub line: Option<String>,
}

/// How components are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Component {
    Half,
    Single,
    Double,
    Signed,
    Unsigned,
}

#[derive(Debug)]
enum Format {
    /// Rows of as many components, and how many rows are left.
    Array {
        component: Component,
        dimensions: usize,
        left: u64,
    },
    /// Each vector after its count of components.
    Counted(Component),
    Lines,
}

type Content = BufReader<Box<dyn Read>>;

/// The vectors of a file, one after the other.
pub struct Vectors {
    content: Content,
    format: Format,
    name: String,
    row: u64,
}

impl Vectors {
    pub fn open(name: &str) -> Result<Self> {
        Self::of(name, Box::new(file(name)?))
    }

    fn of(name: &str, content: Box<dyn Read>) -> Result<Self> {
        let mut content = BufReader::with_capacity(BUFFER_BYTES, content);
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let format = match ending.as_str() {
            "npy" => npy_header(&mut content),
            "fvecs" => Ok(Format::Counted(Component::Single)),
            "bvecs" => Ok(Format::Counted(Component::Unsigned)),
            "jsonl" | "ndjson" => Ok(Format::Lines),
            _ => Err("the name must end with .npy, .fvecs, .bvecs, .jsonl or .ndjson".into()),
        };
        let format = format.map_err(|why| failed(name, 0, &why))?;
        Ok(Self { content, format, name: name.to_owned(), row: 0 })
    }

    /// The next row; none after the last.
    pub fn next(&mut self) -> Result<Option<Found>> {
        self.row += 1;
        let found = match &mut self.format {
            Format::Array { left: 0, .. } => return Ok(None),
            Format::Array { component, dimensions, left } => {
                *left -= 1;
                vector(&mut self.content, *component, *dimensions).map(Some)
            }
            Format::Counted(component) => counted(&mut self.content, *component),
            Format::Lines => line(&mut self.content),
        };
        found.map_err(|why| failed(&self.name, self.row, &why))
    }
}

type Parsed<T> = std::result::Result<T, String>;

fn failed(name: &str, row: u64, why: &str) -> Error {
    let place = if row > 0 { format!(": row {row}") } else { String::new() };
    Error::new(code::ERROR, format!("ann_read: {name}{place}: {why}"))
}

/// Looked at before it is opened: opening a pipe waits for who writes to it.
fn file(name: &str) -> Result<File> {
    let refused =
        |why: &str| Error::from(format!("ann_read: cannot open '{name}' for reading: {why}"));
    let kind =
        fs::metadata(name).map_err(|_| refused("there is no such file in a granted directory"))?;
    if !kind.is_file() {
        return Err(refused("it is not an ordinary file"));
    }
    File::open(name).map_err(|error| refused(&error.to_string()))
}

/// NumPy's header: a Python dictionary in a text of a given length.
fn npy_header(content: &mut Content) -> Parsed<Format> {
    let start: [u8; 8] = bytes(content, 8)?.try_into().map_err(|_| "it is cut")?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("it is not a .npy file".into());
    }
    let length = match start[6] {
        1 => bytes(content, 2)?.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        _ => bytes(content, 4)?.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    };
    if length > MAX_LINE_BYTES {
        return Err("its header is too long".into());
    }
    let header = String::from_utf8_lossy(&bytes(content, length as usize)?).into_owned();
    let entry = |key: &str| Some(header.split_once(&format!("'{key}':"))?.1.trim_start());
    let component = entry("descr").and_then(|rest| rest.split('\'').nth(1)).and_then(component);
    let component = component.ok_or("its type must be f2, f4, f8, i1 or u1, little-endian")?;
    if !entry("fortran_order").is_some_and(|rest| rest.starts_with("False")) {
        return Err("it must be in C order".into());
    }
    let shape = entry("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let shape = shape.map(|(shape, _)| shape.split(',').map(str::trim).filter(|it| !it.is_empty()));
    let shape: Option<Vec<u64>> = shape.and_then(|shape| shape.map(|it| it.parse().ok()).collect());
    let (left, dimensions) = match shape.as_deref() {
        Some([rows, dimensions]) => (*rows, *dimensions),
        Some([dimensions]) => (1, *dimensions),
        _ => return Err("it must have one or two dimensions".into()),
    };
    let dimensions = checked(dimensions)?;
    Ok(Format::Array { component, dimensions, left })
}

fn component(description: &str) -> Option<Component> {
    match description {
        "<f2" => Some(Component::Half),
        "<f4" => Some(Component::Single),
        "<f8" => Some(Component::Double),
        "|i1" => Some(Component::Signed),
        "|u1" => Some(Component::Unsigned),
        _ => None,
    }
}

fn checked(dimensions: u64) -> Parsed<usize> {
    let dimensions =
        usize::try_from(dimensions).ok().filter(|it| (1..=MAX_DIMENSIONS).contains(it));
    dimensions.ok_or_else(|| format!("a vector must have 1 to {MAX_DIMENSIONS} dimensions"))
}

fn bytes(content: &mut Content, count: usize) -> Parsed<Vec<u8>> {
    let mut bytes = vec![0; count];
    content.read_exact(&mut bytes).map_err(|error| format!("it is cut: {error}"))?;
    Ok(bytes)
}

impl Component {
    fn size(self) -> usize {
        match self {
            Self::Signed | Self::Unsigned => 1,
            Self::Half => 2,
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::Signed, [byte]) => f32::from(*byte as i8),
            (Self::Unsigned, [byte]) => f32::from(*byte),
            (Self::Half, [low, high]) => half(u16::from_le_bytes([*low, *high])),
            (Self::Single, bytes) => bytes.try_into().map_or(f32::NAN, f32::from_le_bytes),
            (_, bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes) as f32,
        }
    }
}

/// A real of 16 bits (IEEE 754).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

fn vector(content: &mut Content, component: Component, dimensions: usize) -> Parsed<Found> {
    let stored = bytes(content, dimensions * component.size())?;
    let components = stored.chunks_exact(component.size()).map(|it| component.read(it));
    let vector = components.flat_map(f32::to_le_bytes).collect();
    Ok(Found { vector: Some(vector), line: None })
}

fn counted(content: &mut Content, component: Component) -> Parsed<Option<Found>> {
    if content.fill_buf().map_err(|error| error.to_string())?.is_empty() {
        return Ok(None);
    }
    let count = bytes(content, 4)?.try_into().map_or(0, u32::from_le_bytes);
    vector(content, component, checked(count.into())?).map(Some)
}

fn line(content: &mut Content) -> Parsed<Option<Found>> {
    loop {
        let mut line = String::new();
        let mut limited = content.take(MAX_LINE_BYTES);
        let count = limited.read_line(&mut line).map_err(|error| error.to_string())?;
        if count as u64 == MAX_LINE_BYTES {
            return Err(format!("a line is longer than {MAX_LINE_BYTES} bytes"));
        }
        if count == 0 {
            return Ok(None);
        }
        let text = line.trim();
        if !text.is_empty() {
            let vector = text.starts_with('[').then(|| json_array(text)).transpose()?;
            return Ok(Some(Found { vector, line: Some(text.to_owned()) }));
        }
    }
}

fn json_array(text: &str) -> Parsed<Vec<u8>> {
    let wrong = || "the line is not an array of numbers".to_owned();
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(wrong)?;
    let numbers = inner.split(',').map(|number| number.trim().parse::<f32>());
    let numbers: Vec<f32> = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
    checked(numbers.len() as u64)?;
    Ok(numbers.into_iter().flat_map(f32::to_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &[u8]) -> Result<Vec<Found>> {
        let mut vectors = Vectors::of(name, Box::new(std::io::Cursor::new(content.to_vec())))?;
        let mut found = Vec::new();
        while let Some(next) = vectors.next()? {
            found.push(next);
        }
        Ok(found)
    }

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        file.extend(data);
        file
    }

    fn single(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    #[test]
    fn arrays_are_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
        let data = single(&[1.0, 2.0, 3.0, -4.0]);
        let found = read("a.npy", &npy(header, &data)).unwrap();
        let vectors: Vec<_> = found.into_iter().flat_map(|it| it.vector).collect();
        assert_eq!(vectors, [single(&[1.0, 2.0]), single(&[3.0, -4.0])]);
        let halves =
            npy("{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", &[0, 0x3c, 0, 0xc1]);
        assert_eq!(read("a.npy", &halves).unwrap()[0].vector, Some(single(&[1.0, -2.5])));
    }

    #[test]
    fn other_formats_are_read() {
        let mut file = 2u32.to_le_bytes().to_vec();
        file.extend(single(&[0.5, 1.5]));
        assert_eq!(read("a.fvecs", &file).unwrap()[0].vector, Some(single(&[0.5, 1.5])));
        assert_eq!(read("a.bvecs", &[1, 0, 0, 0, 7]).unwrap()[0].vector, Some(single(&[7.0])));
        let lines = read("a.jsonl", b"[1, 2.5]\n\n{\"id\": 1}\n").unwrap();
        assert_eq!(lines[0].vector, Some(single(&[1.0, 2.5])));
        assert_eq!((&lines[1].vector, lines[1].line.as_deref()), (&None, Some("{\"id\": 1}")));
    }

    #[test]
    fn malformed_files_are_errors() {
        let cut = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", &[0; 12]);
        let many =
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 99999999999), }", &[]);
        let order = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", &[0; 4]);
        let kind = npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 1), }", &[0; 4]);
        let files: [(&str, &[u8]); 9] = [
            ("a.npy", &cut),
            ("a.npy", &many),
            ("a.npy", &order),
            ("a.npy", &kind),
            ("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
            ("a.fvecs", &[255, 255, 255, 255]),
            ("a.fvecs", &[1, 0, 0, 0, 0]),
            ("a.jsonl", b"[1, x]"),
            ("a.txt", b""),
        ];
        for (name, content) in files {
            assert!(read(name, content).is_err(), "{name}: {content:?}");
        }
    }
}
