//! What searches find, in the order of distances.

/// A node and its distance, in one integer that orders by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found(u64);

impl Found {
    #[inline]
    pub fn new(distance: f32, slot: u32) -> Self {
        let distance = if distance.is_nan() { f32::INFINITY } else { distance };
        let bits = distance.to_bits();
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        Self(u64::from(ordered) << 32 | u64::from(slot))
    }

    #[inline]
    pub fn slot(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub fn distance(self) -> f32 {
        let ordered = (self.0 >> 32) as u32;
        f32::from_bits(if ordered >> 31 == 1 { ordered ^ 1 << 31 } else { !ordered })
    }
}
