//! The nearest vectors, looked for in the program, as suite `sochdb` has it.

/// Ids of vectors in the order of their distance.
pub struct Nearest {
    query: Vec<f32>,
    count: usize,
    found: Vec<(f32, i64)>,
}

impl Nearest {
    pub fn new(query: &[u8], count: usize) -> Self {
        Self { query: numbers(query).collect(), count, found: Vec::with_capacity(count + 1) }
    }

    pub fn offer(&mut self, id: i64, vector: &[u8]) {
        let distance =
            self.query.iter().zip(numbers(vector)).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let place = self.found.partition_point(|(nearer, _)| *nearer <= distance);
        if place < self.count {
            self.found.insert(place, (distance, id));
            self.found.truncate(self.count);
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.found.iter().map(|(_, id)| *id)
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}
