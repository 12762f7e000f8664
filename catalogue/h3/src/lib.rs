//! h3: the hexagonal grid H3, by the crate h3o.
//!
//! A cell, a directed edge or a vertex is an integer, or its text in hexadecimal. A result is of the
//! same kind as the argument; from coordinates it is an integer. Coordinates are degrees, latitude
//! first. NULL gives NULL, as does what is not a cell, edge or vertex, and what does not exist: a
//! parent that is finer, a distance across a pentagon. A resolution is 0 to 15, else it is an error.
//!
//! The names are those of H3's API, as in DuckDB and PostgreSQL; `docs/catalogue/h3.md` lists them.

mod arguments;
mod cells;
mod coordinates;
mod edges;
mod polygon;
mod tables;

use sqlite_wasm_kit::ModuleKind::EponymousOnly;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Arguments, Module, Output, Result, Scalar};
use tables::{Children, Compacted, Disk, Edges, Filled, Found, Path, Uncompacted, Vertexes};

/// A function whose results depend on its arguments alone.
const fn scalar(
    name: &'static str,
    arguments: i8,
    call: fn(Arguments<'_>) -> Result<Output>,
) -> Scalar {
    Scalar::new(name, arguments, Stable, Innocuous, call)
}

const SCALARS: &[Scalar] = &[
    scalar("h3_latlng_to_cell", 3, |a| a.apply(coordinates::to_cell)),
    scalar("h3_latlng_to_cell_string", 3, |a| a.apply(coordinates::to_cell_string)),
    scalar("h3_cell_to_lat", 1, |a| a.apply(coordinates::latitude)),
    scalar("h3_cell_to_lng", 1, |a| a.apply(coordinates::longitude)),
    scalar("h3_cell_to_boundary", 1, |a| a.apply(coordinates::boundary)),
    scalar("h3_cell_to_boundary_wkt", 1, |a| a.apply(coordinates::boundary_wkt)),
    scalar("h3_great_circle_distance", 5, coordinates::distance),
    scalar("h3_h3_to_string", 1, |a| a.apply(cells::to_text)),
    scalar("h3_string_to_h3", 1, |a| a.apply(cells::to_integer)),
    scalar("h3_is_valid_cell", 1, |a| a.apply(cells::is_valid)),
    scalar("h3_is_pentagon", 1, |a| a.apply(cells::is_pentagon)),
    scalar("h3_is_res_class_iii", 1, |a| a.apply(cells::is_class_iii)),
    scalar("h3_get_resolution", 1, |a| a.apply(cells::resolution)),
    scalar("h3_get_base_cell_number", 1, |a| a.apply(cells::base_cell)),
    scalar("h3_get_num_cells", 1, |a| a.apply(cells::count)),
    scalar("h3_get_hexagon_area_avg", 2, |a| a.apply(cells::average_area)),
    scalar("h3_get_hexagon_edge_length_avg", 2, |a| a.apply(cells::average_edge_length)),
    scalar("h3_cell_area", 2, |a| a.apply(cells::area)),
    scalar("h3_cell_to_parent", 2, |a| a.apply(cells::parent)),
    scalar("h3_cell_to_center_child", 2, |a| a.apply(cells::center_child)),
    scalar("h3_cell_to_children_size", 2, |a| a.apply(cells::children_size)),
    scalar("h3_cell_to_child_pos", 2, |a| a.apply(cells::child_position)),
    scalar("h3_child_pos_to_cell", 3, |a| a.apply(cells::child_at)),
    scalar("h3_grid_distance", 2, |a| a.apply(cells::grid_distance)),
    scalar("h3_are_neighbor_cells", 2, |a| a.apply(cells::are_neighbors)),
    scalar("h3_cells_to_directed_edge", 2, |a| a.apply(edges::between)),
    scalar("h3_is_valid_directed_edge", 1, |a| a.apply(edges::is_valid)),
    scalar("h3_get_directed_edge_origin", 1, |a| a.apply(edges::origin)),
    scalar("h3_get_directed_edge_destination", 1, |a| a.apply(edges::destination)),
    scalar("h3_edge_length", 2, |a| a.apply(edges::length)),
    scalar("h3_is_valid_vertex", 1, |a| a.apply(edges::is_valid_vertex)),
    scalar("h3_vertex_to_lat", 1, |a| a.apply(edges::vertex_latitude)),
    scalar("h3_vertex_to_lng", 1, |a| a.apply(edges::vertex_longitude)),
];

const MODULES: &[Module] = &[
    Module::new::<Found<Disk>>("h3_grid_disk", EponymousOnly, Innocuous),
    Module::new::<Found<Path>>("h3_grid_path_cells", EponymousOnly, Innocuous),
    Module::new::<Found<Children>>("h3_cell_to_children", EponymousOnly, Innocuous),
    Module::new::<Found<Compacted>>("h3_compact_cells", EponymousOnly, Innocuous),
    Module::new::<Found<Uncompacted>>("h3_uncompact_cells", EponymousOnly, Innocuous),
    Module::new::<Found<Filled>>("h3_polygon_to_cells", EponymousOnly, Innocuous),
    Module::new::<Found<Vertexes>>("h3_cell_to_vertexes", EponymousOnly, Innocuous),
    Module::new::<Found<Edges>>("h3_origin_to_directed_edges", EponymousOnly, Innocuous),
];

sqlite_wasm_kit::extension! {
    name: "h3",
    description: "the hexagonal grid H3",
    scalars: SCALARS,
    modules: MODULES,
}

#[cfg(test)]
mod tests;
