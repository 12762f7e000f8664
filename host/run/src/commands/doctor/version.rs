//! Versions of SQLite.

use std::fmt;

/// A version of SQLite, such as 3.51.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u16; 3]);

impl Version {
    /// The first without the race of two programs, one of which resets a WAL while the other
    /// writes it: pages could get lost. See section "The WAL-reset bug" of SQLite's
    /// "Write-Ahead Logging".
    pub const WITHOUT_RESET_RACE: Self = Self([3, 51, 3]);

    /// The version at the beginning of the output of `sqlite3 --version`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split_whitespace().next()?.split('.');
        let mut next = || parts.next().unwrap_or("0").parse().ok();
        Some(Self([next()?, next()?, next()?]))
    }

    /// Whether it can lose pages of a WAL that other programs use.
    pub fn has_reset_race(self) -> bool {
        // Two earlier branches got the same change.
        let has_backport = matches!(self.0, [3, 44, 6..=u16::MAX] | [3, 50, 7..=u16::MAX]);
        self < Self::WITHOUT_RESET_RACE && !has_backport
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_race_ended_with_one_version_and_two_backports() {
        let has = |text| Version::parse(text).map(Version::has_reset_race);
        assert_eq!(has("3.40.1 2022-12-28 14:03:47 df5c253c (64-bit)"), Some(true));
        assert_eq!(has("3.51.2 2026-01-09"), Some(true));
        assert_eq!(has("3.51.3"), Some(false));
        assert_eq!(has("3.44.5"), Some(true));
        assert_eq!(has("3.44.6"), Some(false));
        assert_eq!(has("3.45.7"), Some(true));
        assert_eq!(has("3.50.6"), Some(true));
        assert_eq!(has("3.50.7"), Some(false));
        assert_eq!(has("3.54.1 2026-10-02"), Some(false));
        assert_eq!(has("4"), Some(false));
        assert_eq!(has("sqlite3: not found"), None);
        assert_eq!(has(""), None);
    }
}
