//! Objects that the host refers to by index.

/// Values by index; indexes are reused.
#[derive(Debug)]
pub struct Slab<T> {
    entries: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub const fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    pub fn insert(&mut self, entry: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.entries[number as usize] = Some(entry);
            return number;
        }
        self.entries.push(Some(entry));
        self.entries.len() as u32 - 1
    }

    pub fn get(&mut self, number: u32) -> Option<&mut T> {
        self.entries.get_mut(number as usize)?.as_mut()
    }

    pub fn remove(&mut self, number: u32) -> Option<T> {
        let entry = self.entries.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::Slab;

    #[test]
    fn numbers_are_used_again() {
        let mut slab = Slab::new();
        assert_eq!((slab.insert('a'), slab.insert('b')), (0, 1));
        assert_eq!(slab.remove(0), Some('a'));
        assert_eq!((slab.remove(0), slab.get(0)), (None, None));
        assert_eq!(slab.insert('c'), 0);
        assert_eq!(slab.get(1), Some(&mut 'b'));
    }
}
