//! Entries of a cursor, encoded.

use axum::body::Bytes;

/// A group of entries is sent at this size, or at this count of entries.
const GROUP_BYTES: usize = 32 << 10;
const GROUP_ENTRIES: usize = 128;

/// Encoded entries of a cursor.
#[derive(Debug, Default)]
pub struct Group {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Group {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn entries(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.bytes.get(start..*end))
    }

    /// Split off what follows the first `count` entries.
    pub fn split_off(&mut self, count: usize) -> Self {
        let Some(end) = count.checked_sub(1).map_or(Some(0), |last| self.ends.get(last).copied())
        else {
            return Self::default();
        };
        let ends = self.ends.split_off(count).into_iter().map(|other| other - end).collect();
        Self { bytes: self.bytes.split_off(end), ends }
    }

    /// The entries, in one shared allocation.
    pub fn into_entries(self) -> Vec<Bytes> {
        let bytes = Bytes::from(self.bytes);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| bytes.slice(start..*end)).collect()
    }

    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() >= GROUP_BYTES || self.ends.len() >= GROUP_ENTRIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_split_between_entries() {
        let mut group = Group::default();
        for entry in ["a", "", "bcd"] {
            group.add(|bytes| bytes.extend_from_slice(entry.as_bytes()));
        }
        let rest = group.split_off(2);
        assert_eq!(group.entries().collect::<Vec<_>>(), [b"a".as_slice(), b""]);
        assert_eq!(rest.entries().collect::<Vec<_>>(), [b"bcd"]);
        assert_eq!(rest.into_entries(), [b"bcd".as_slice()]);
        assert_eq!(group.split_off(0).len(), 2);
        assert_eq!(group.split_off(5).len(), 0);
    }
}
