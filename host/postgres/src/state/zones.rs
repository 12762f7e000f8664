//! The names of time zones: those of UTC, in which all times are.

/// Names of UTC, as PostgreSQL shows them.
const NAMES: &[&str] = &[
    "UTC",
    "GMT",
    "UCT",
    "Zulu",
    "Universal",
    "Greenwich",
    "GMT0",
    "GMT+0",
    "GMT-0",
    "Etc/UTC",
    "Etc/GMT",
    "Etc/UCT",
    "Etc/Zulu",
    "Etc/Universal",
    "Etc/Greenwich",
    "Etc/GMT0",
    "Etc/GMT+0",
    "Etc/GMT-0",
];

/// How PostgreSQL shows a zone that is given by its distance.
const BY_DISTANCE: &str = "<+00>-00";

/// A name of UTC, as it is shown; `None` for another zone.
pub fn read(zone: &str) -> Option<String> {
    if let Some(name) = NAMES.iter().find(|name| name.eq_ignore_ascii_case(zone)) {
        return Some((*name).to_owned());
    }
    if zone.trim().parse::<f64>().is_ok_and(|hours| hours == 0.0) {
        return Some(BY_DISTANCE.to_owned());
    }
    is_zero(zone).then(|| zone.to_owned())
}

/// Whether this is UTC.
pub fn is_utc(zone: &str) -> bool {
    let zone = zone.trim_matches('\'');
    read(zone).is_some() || matches!(zone, "Z" | "z")
}

/// `+00:00`, `UTC0`, `<+00>0`: no distance, with or without a name before it.
fn is_zero(zone: &str) -> bool {
    let distance = match zone.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((_, distance)) => distance,
        None => zone.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
    };
    let digits = distance.trim_start_matches(['+', '-']);
    !digits.is_empty()
        && distance.len() - digits.len() <= 1
        && digits
            .split(':')
            .all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|b| b == b'0'))
}

/// The zone that an interval means if it is zero, as `+00:00`; `None` for another interval.
pub fn of_interval(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let number = || text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    (is_zero(text) || number().is_some_and(|number| number == 0.0)).then_some(BY_DISTANCE)
}

/// Whether PostgreSQL may know a zone with this name: an area and a city, an abbreviation, or a
/// distance.
pub fn may_be_one(zone: &str) -> bool {
    const AREAS: &[&str] = &[
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Brazil",
        "Canada",
        "Chile",
        "Etc",
        "Europe",
        "Indian",
        "Mexico",
        "Pacific",
        "US",
    ];
    let area = zone.split_once('/').map(|(area, _)| area);
    let is_distance =
        zone.starts_with(['+', '-', '<']) || zone.starts_with(|c: char| c.is_ascii_digit());
    let is_short = (3..=5).contains(&zone.len()) && zone.bytes().all(|b| b.is_ascii_uppercase());
    let is_posix = || {
        let rest = zone.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        zone.len() - rest.len() >= 3
            && rest.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c))
    };
    area.is_some_and(|area| AREAS.iter().any(|known| known.eq_ignore_ascii_case(area)))
        || is_distance
        || is_short
        || is_posix()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_utc_are_shown_as_they_are() {
        for (zone, shown) in [
            ("utc", Some("UTC")),
            ("etc/utc", Some("Etc/UTC")),
            ("0", Some("<+00>-00")),
            ("+00", Some("<+00>-00")),
            ("+00:00", Some("+00:00")),
            ("UTC0", Some("UTC0")),
            ("<+00>0", Some("<+00>0")),
            ("Z", None),
            ("Europe/Berlin", None),
            ("+01:00", None),
            ("", None),
            ("<", None),
        ] {
            assert_eq!(read(zone).as_deref(), shown, "{zone}");
        }
        assert!(is_utc("'Z'") && !is_utc("CET"));
        assert_eq!(of_interval("+00:00"), Some("<+00>-00"));
        assert_eq!(of_interval("+05:30"), None);
        assert!(may_be_one("Europe/Berlin") && may_be_one("EST5EDT") && !may_be_one("Nope/x"));
    }
}
