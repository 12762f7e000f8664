//! The patterns of `to_char`, `to_date` and `to_timestamp`, as PostgreSQL divides them.

/// The fields, the longer before those that they begin with. Each is taken as it is written here, in capitals, or in
/// small letters.
const NAMES: &[&str] = &[
    "SSSSS", "A.D.", "A.M.", "B.C.", "P.M.", "HH24", "HH12", "IDDD", "IYYY", "SSSS", "YYYY",
    "Y,YYY", "MONTH", "DAY", "DDD", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "IYY", "MON", "TZH",
    "TZM", "YYY", "AD", "AM", "BC", "CC", "DD", "DY", "FX", "HH", "ID", "IW", "IY", "MI", "MM",
    "MS", "OF", "PM", "RM", "SS", "TZ", "US", "WW", "YY", "D", "I", "J", "Q", "W", "Y",
];

/// Those whose first letter alone may be a capital.
const NAMED: &[&str] = &["MONTH", "MON", "DAY", "DY"];

/// How the letters of a field's name are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Upper,
    Lower,
    Capital,
}

/// A field of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in capitals.
    pub name: &'static str,
    pub case: Case,
    /// `FM`: without zeros and spaces.
    pub is_bare: bool,
    /// `TM`: in the words of the locale.
    pub is_local: bool,
    /// `TH` or `th`.
    pub ordinal: Option<Case>,
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Field(Field),
    Space(char),
    Separator(char),
    Letter(char),
}

impl Part {
    /// Whether a number that comes before it ends by itself.
    pub fn ends_number(&self) -> bool {
        match self {
            Self::Field(field) => !field.is_number(),
            Self::Letter(letter) => !letter.is_ascii_digit(),
            Self::Space(_) | Self::Separator(_) => true,
        }
    }
}

impl Field {
    /// Whether an ordinal may follow it where it is read.
    pub fn is_counted(&self) -> bool {
        self.is_number() && !matches!(self.name, "TZH" | "TZM")
    }

    fn is_number(&self) -> bool {
        !matches!(
            self.name,
            "A.D."
                | "A.M."
                | "B.C."
                | "P.M."
                | "AD"
                | "AM"
                | "BC"
                | "PM"
                | "DAY"
                | "DY"
                | "FX"
                | "MONTH"
                | "MON"
                | "OF"
                | "RM"
                | "TZ"
                | "TZH"
        )
    }
}

/// The parts of a pattern.
pub fn parts(pattern: &str) -> Vec<Part> {
    let (mut found, mut rest) = (Vec::new(), pattern);
    while !rest.is_empty() {
        let before = prefix(rest);
        let after = &rest[before.map_or(0, |_| 2)..];
        if let Some((name, case)) = field(after) {
            rest = &after[name.len()..];
            let after_name = suffix(rest);
            rest = &rest[after_name.map_or(0, |_| 2)..];
            let ordinal = after_name.flatten();
            let of = |letter| before.is_some_and(|word: &str| word.starts_with(letter));
            let (is_bare, is_local) = (of(['F', 'f']), of(['T', 't']));
            found.push(Part::Field(Field { name, case, is_bare, is_local, ordinal }));
        } else {
            rest = literal(after, &mut found);
        }
    }
    found
}

fn prefix(text: &str) -> Option<&'static str> {
    ["FM", "fm", "TM", "tm"].into_iter().find(|word| text.starts_with(word))
}

/// What follows a field's name: an ordinal, or `SP`, which says nothing.
fn suffix(text: &str) -> Option<Option<Case>> {
    match text.get(..2) {
        Some("TH") => Some(Some(Case::Upper)),
        Some("th") => Some(Some(Case::Lower)),
        Some("SP") => Some(None),
        _ => None,
    }
}

fn field(text: &str) -> Option<(&'static str, Case)> {
    let case_of = |name: &str| {
        let start = text.get(..name.len())?;
        let capital =
            || start.starts_with(&name[..1]) && start[1..] == name[1..].to_ascii_lowercase();
        match () {
            () if start == name => Some(Case::Upper),
            () if start == name.to_ascii_lowercase() => Some(Case::Lower),
            () if NAMED.contains(&name) && capital() => Some(Case::Capital),
            () => None,
        }
    };
    NAMES.iter().find_map(|name| Some((*name, case_of(name)?)))
}

/// What stands for itself: a character, or what is in quotes; what follows it.
fn literal<'a>(text: &'a str, found: &mut Vec<Part>) -> &'a str {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut characters = quoted.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => return &quoted[at + 1..],
                '\\' => found.extend(characters.next().map(|(_, escaped)| Part::Letter(escaped))),
                other => found.push(Part::Letter(other)),
            }
        }
        return "";
    }
    let text = text.strip_prefix('\\').filter(|rest| rest.starts_with('"')).unwrap_or(text);
    let Some(character) = text.chars().next() else { return "" };
    found.push(match character {
        space if space.is_ascii_whitespace() => Part::Space(space),
        sign if sign.is_ascii_punctuation() => Part::Separator(sign),
        letter => Part::Letter(letter),
    });
    &text[character.len_utf8()..]
}
