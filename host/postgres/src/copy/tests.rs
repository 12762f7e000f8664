use super::*;
use crate::types::{Scalar, TEXT, Type};

const INT: Typed = Typed::plain(Type::One(Scalar::Int4));

fn columns(types: &[Typed]) -> Vec<(String, Typed)> {
    types.iter().enumerate().map(|(at, typed)| (format!("c{at}"), *typed)).collect()
}

fn read(options: &CopyOptions, data: &[u8], piece: usize) -> Result<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    let mut reader = Reader::new(options.clone(), "t", columns(&[INT, Typed::plain(TEXT)]));
    for piece in data.chunks(piece) {
        reader.push(piece, |row| {
            rows.push(row.to_vec());
            Ok(())
        })?;
    }
    reader.finish(|row| {
        rows.push(row.to_vec());
        Ok(())
    })?;
    Ok(rows)
}

fn row(number: i64, text: Option<&str>) -> Vec<Value> {
    vec![Value::Integer(number), text.map_or(Value::Null, |text| Value::Text(text.into()))]
}

fn text() -> CopyOptions {
    CopyOptions::of(CopyFormat::Text)
}

fn csv() -> CopyOptions {
    CopyOptions::of(CopyFormat::Csv)
}

#[test]
fn text_is_read_in_pieces_of_any_size() {
    let data = b"1\ta\\tb\\\\\n2\t\\N\r\n3\t\\x41\\101\\q\n\\.\nignored";
    let rows = [row(1, Some("a\tb\\")), row(2, None), row(3, Some("AAq"))];
    for piece in 1..data.len() {
        assert_eq!(read(&text(), data, piece).unwrap(), rows, "pieces of {piece}");
    }
    assert_eq!(read(&text(), b"1\ta", 9).unwrap(), [row(1, Some("a"))]);
    assert_eq!(read(&text(), b"1\ta\\\nb\n", 2).unwrap(), [row(1, Some("a\nb"))]);
}

#[test]
fn csv_is_read_in_pieces_of_any_size() {
    let options = CopyOptions { has_header: true, ..csv() };
    let data = b"id,\"na\nme\"\n1,\"a \"\"b\"\", c\nd\"\n2,\n3,\"\"\n";
    let rows = [row(1, Some("a \"b\", c\nd")), row(2, None), row(3, Some(""))];
    for piece in 1..data.len() {
        assert_eq!(read(&options, data, piece).unwrap(), rows, "pieces of {piece}");
    }
    let options = CopyOptions { escape: b'\\', ..csv() };
    assert_eq!(read(&options, b"1,\"a\\\"b\"\n", 3).unwrap(), [row(1, Some("a\"b"))]);
}

#[test]
fn what_is_written_is_read_as_the_same() {
    let rows = [
        row(1, Some("a\t\"b\"\\,\n\r\u{8}x")),
        row(-2, None),
        row(3, Some("")),
        row(4, Some("\\N")),
    ];
    for format in [CopyFormat::Text, CopyFormat::Csv, CopyFormat::Binary] {
        let options =
            CopyOptions { has_header: format != CopyFormat::Binary, ..CopyOptions::of(format) };
        let mut writer = Writer::new(options.clone(), vec![INT, Typed::plain(TEXT)]);
        let mut out = Vec::new();
        writer.begin(&["a", "b"], &mut out);
        for row in &rows {
            writer.row(row.iter().map(Value::borrowed), &mut out).unwrap();
        }
        writer.end(&mut out);
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(
                read(&options, &out, piece).unwrap(),
                rows,
                "{format:?} in pieces of {piece}"
            );
        }
    }
}

#[test]
fn data_of_another_form_is_an_error_with_its_line() {
    let error = |options: &CopyOptions, data: &[u8]| read(options, data, 3).unwrap_err();
    let short = error(&text(), b"1\ta\n2\n");
    let context = |error: Error| error.violated.and_then(|violated| violated.context).unwrap();
    assert_eq!((short.code, context(short).as_str()), ("22P04", "COPY t, line 2"));
    let wrong = error(&text(), b"1\ta\nabc\tb\n");
    assert_eq!(context(wrong), "COPY t, line 2, column c0: \"abc\"");
    assert_eq!(error(&text(), b"1\ta\tb\n").code, "22P04");
    assert_eq!(error(&text(), b"x\ta\n").code, "22P02");
    assert_eq!(error(&csv(), b"1,\"a\n").code, "22P04");
    assert_eq!(error(&CopyOptions::of(CopyFormat::Binary), b"nothing").code, "22P04");
    assert_eq!(
        error(&CopyOptions::of(CopyFormat::Binary), b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\0\x02")
            .code,
        "22P04"
    );
}

#[test]
fn a_row_without_end_is_bounded() {
    let mut reader = Reader::new(text(), "t", columns(&[INT]));
    let piece = vec![b'1'; 1 << 20];
    let refused = (0..100).find_map(|_| reader.push(&piece, |_| Ok(())).err());
    assert_eq!(refused.unwrap().code, "54000");
    assert!(reader.kept.len() <= MAX_ROW + (2 << 20));
}

#[test]
fn any_data_is_read() {
    arbtest::arbtest(|u| {
        let format = *u.choose(&[CopyFormat::Text, CopyFormat::Csv, CopyFormat::Binary])?;
        let mut data: Vec<u8> = u.arbitrary()?;
        if format == CopyFormat::Binary && u.arbitrary()? {
            let mut header = Vec::new();
            binary::put_header(&mut header);
            data.splice(0..0, header);
        }
        let piece = u.int_in_range(1..=9)?;
        let in_pieces = read(&CopyOptions::of(format), &data, piece);
        let at_once = read(&CopyOptions::of(format), &data, data.len().max(1));
        assert_eq!(in_pieces, at_once);
        Ok(())
    });
}

#[test]
fn no_more_fields_are_kept_than_the_table_has_columns() {
    let tabs = "\t".repeat(1000);
    let commas = ",".repeat(1000);
    let mut tuple = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0".to_vec();
    tuple.extend(1000_i16.to_be_bytes());
    let binary = CopyOptions::of(CopyFormat::Binary);
    for (options, data) in
        [(text(), tabs.as_bytes()), (csv(), commas.as_bytes()), (binary, &tuple[..])]
    {
        let error = read(&options, data, 7).unwrap_err();
        assert!(error.to_string().contains("extra data after last expected column"));
    }
    assert!(read(&text(), b"1\ta\tb\n", 9).is_err());
    assert!(read(&text(), b"1\ta\tb\\", 9).is_err());
}

#[test]
fn a_header_has_the_names_of_the_columns() {
    let options =
        |format| CopyOptions { has_header: true, matches_header: true, ..CopyOptions::of(format) };
    let of_csv = options(CopyFormat::Csv);
    assert_eq!(read(&of_csv, b"c0,\"c1\"\n1,a\n", 3).unwrap(), [row(1, Some("a"))]);
    assert_eq!(read(&options(CopyFormat::Text), b"c0\tc1\n", 3).unwrap(), [] as [Vec<Value>; 0]);
    for wrong in ["c0,x\n1,a\n", "c0\n1,a\n", "c0,c1,c2\n", ",c1\n"] {
        assert_eq!(read(&of_csv, wrong.as_bytes(), 3).unwrap_err().code, "22P04", "{wrong}");
    }
}
