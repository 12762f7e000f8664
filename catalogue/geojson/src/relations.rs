//! How two geometries lie to each other (DE-9IM).

use geo::dimensions::Dimensions;
use geo::relate::IntersectionMatrix;
use geo::{HasDimensions, Relate, Validation};

use crate::shape::Shape;

/// Whether rings and polygons touch as the rules of OGC allow: none crosses itself or another one.
pub fn is_valid(shape: Shape) -> bool {
    shape.0.is_valid()
}

/// None if one of them is empty.
fn relate(one: &Shape, other: &Shape) -> Option<IntersectionMatrix> {
    (!one.0.is_empty() && !other.0.is_empty()).then(|| one.0.relate(&other.0))
}

/// The nine intersections of interior, boundary and exterior: `F`, or a dimension.
pub fn matrix(one: Shape, other: Shape) -> Option<String> {
    use geo::coordinate_position::CoordPos::{Inside, OnBoundary, Outside};
    let matrix = relate(&one, &other)?;
    let parts = [Inside, OnBoundary, Outside];
    let letter = |dimensions| match dimensions {
        Dimensions::Empty => 'F',
        Dimensions::ZeroDimensional => '0',
        Dimensions::OneDimensional => '1',
        Dimensions::TwoDimensional => '2',
    };
    let pairs = parts.iter().flat_map(|one| parts.iter().map(move |other| (*one, *other)));
    Some(pairs.map(|(one, other)| letter(matrix.get(one, other))).collect())
}

pub fn intersects(one: Shape, other: Shape) -> Option<bool> {
    relate(&one, &other).map(|matrix| matrix.is_intersects())
}

pub fn contains(one: Shape, other: Shape) -> Option<bool> {
    relate(&one, &other).map(|matrix| matrix.is_contains())
}

pub fn within(one: Shape, other: Shape) -> Option<bool> {
    relate(&one, &other).map(|matrix| matrix.is_within())
}
