"""The functions of our extension h3 by the C library, in its own bindings."""

import contextlib
import json
from collections.abc import Callable, Iterator

import apsw
import apsw.ext
import h3.api.basic_int as h3
from h3 import H3BaseException

Index = int | str


def integer(index: Index) -> int:
    return int(index, 16) if isinstance(index, str) else index


def scalar(database: apsw.Connection, name: str, function: Callable[..., object]) -> None:
    """NULL for what the library refuses: cells that are none, what does not exist."""

    def call(*arguments: object) -> object:
        try:
            return function(*arguments)
        except (H3BaseException, ValueError, OverflowError):
            return None

    database.create_scalar_function(name, call)


def indexed(function: Callable[..., int]) -> Callable[..., object]:
    """A function whose first argument is an index; its result is one of the same kind."""

    def call(index: Index, *arguments: object) -> object:
        if not h3.is_valid_cell(integer(index)) and not h3.is_valid_directed_edge(integer(index)):
            return None
        result = function(integer(index), *(integer(it) if isinstance(it, str) else it for it in arguments))
        return h3.int_to_str(result) if isinstance(index, str) else result

    return call


def of_cell(function: Callable[..., object]) -> Callable[..., object]:
    """A function of cells, whose result is not an index."""

    def call(*arguments: Index) -> object:
        first = integer(arguments[0])
        return function(first, *arguments[1:]) if h3.is_valid_cell(first) else None

    return call


def of_cells(function: Callable[..., object]) -> Callable[..., object]:
    """A function of two cells."""
    return lambda one, other: function(integer(one), integer(other))


def boundary(cell: int) -> str:
    corners = [[lng, lat] for lat, lng in h3.cell_to_boundary(cell)]
    return json.dumps([*corners, corners[0]])


def child_at(position: int, cell: int, resolution: int) -> int:
    return h3.child_pos_to_cell(cell, resolution, position)


def table(database: apsw.Connection, name: str, columns: tuple[str, ...], rows: Callable[..., Iterator[tuple[object, ...]]]) -> None:
    """A table by the arguments of a generator, whose names the script does not use."""
    arguments = rows.__code__.co_varnames[: rows.__code__.co_argcount]
    rows.columns, rows.column_access = columns, apsw.ext.VTColumnAccess.By_Index  # type: ignore[attr-defined]
    assert arguments
    apsw.ext.make_virtual_module(database, name, rows)


def grid_disk(origin: int, k: int) -> Iterator[tuple[object, ...]]:
    for distance in range(k + 1):
        for cell in h3.grid_ring(origin, distance):
            yield cell, distance


def grid_path_cells(origin: int, destination: int) -> Iterator[tuple[object, ...]]:
    with contextlib.suppress(H3BaseException):
        yield from ((cell,) for cell in h3.grid_path_cells(origin, destination))


def cell_to_children(parent: int, resolution: int) -> Iterator[tuple[object, ...]]:
    yield from ((cell,) for cell in h3.cell_to_children(parent, resolution))


def compact_cells(cells: str) -> Iterator[tuple[object, ...]]:
    yield from ((cell,) for cell in h3.compact_cells(json.loads(cells)))


def uncompact_cells(cells: str, resolution: int) -> Iterator[tuple[object, ...]]:
    yield from ((cell,) for cell in h3.uncompact_cells(json.loads(cells), resolution))


def polygon_to_cells(polygon: str, resolution: int) -> Iterator[tuple[object, ...]]:
    yield from ((cell,) for cell in h3.geo_to_cells(json.loads(polygon), resolution))


def cell_to_vertexes(cell: int) -> Iterator[tuple[object, ...]]:
    yield from ((vertex,) for vertex in h3.cell_to_vertexes(cell))


def origin_to_directed_edges(origin: int) -> Iterator[tuple[object, ...]]:
    yield from ((edge,) for edge in h3.origin_to_directed_edges(origin))


def register(database: apsw.Connection) -> None:
    """All of them."""
    functions: dict[str, Callable[..., object]] = {
        "latlng_to_cell": h3.latlng_to_cell,
        "latlng_to_cell_string": lambda *arguments: h3.int_to_str(h3.latlng_to_cell(*arguments)),
        "cell_to_lat": of_cell(lambda cell: h3.cell_to_latlng(cell)[0]),
        "cell_to_lng": of_cell(lambda cell: h3.cell_to_latlng(cell)[1]),
        "cell_to_boundary": of_cell(boundary),
        "great_circle_distance": lambda a, b, c, d, unit: h3.great_circle_distance((a, b), (c, d), unit),
        "h3_to_string": lambda index: h3.int_to_str(integer(index)),
        "string_to_h3": integer,
        "is_valid_cell": lambda cell: h3.is_valid_cell(integer(cell)),
        "is_pentagon": of_cell(h3.is_pentagon),
        "is_res_class_iii": of_cell(h3.is_res_class_III),
        "get_resolution": of_cell(h3.get_resolution),
        "get_base_cell_number": of_cell(h3.get_base_cell_number),
        "get_num_cells": h3.get_num_cells,
        "get_hexagon_area_avg": h3.average_hexagon_area,
        "get_hexagon_edge_length_avg": h3.average_hexagon_edge_length,
        "cell_area": of_cell(h3.cell_area),
        "cell_to_parent": indexed(h3.cell_to_parent),
        "cell_to_center_child": indexed(h3.cell_to_center_child),
        "cell_to_children_size": of_cell(h3.cell_to_children_size),
        "cell_to_child_pos": of_cell(h3.cell_to_child_pos),
        "child_pos_to_cell": child_at,
        "grid_distance": of_cells(h3.grid_distance),
        "are_neighbor_cells": of_cells(h3.are_neighbor_cells),
        "cells_to_directed_edge": indexed(h3.cells_to_directed_edge),
        "is_valid_directed_edge": lambda edge: h3.is_valid_directed_edge(integer(edge)),
        "get_directed_edge_origin": indexed(h3.get_directed_edge_origin),
        "get_directed_edge_destination": indexed(h3.get_directed_edge_destination),
        "edge_length": lambda edge, unit: h3.edge_length(integer(edge), unit),
        "is_valid_vertex": lambda vertex: h3.is_valid_vertex(integer(vertex)),
        "vertex_to_lat": lambda vertex: h3.vertex_to_latlng(integer(vertex))[0],
        "vertex_to_lng": lambda vertex: h3.vertex_to_latlng(integer(vertex))[1],
    }
    for name, function in functions.items():
        scalar(database, f"h3_{name}", function)
    for name, columns, rows in (
        ("grid_disk", ("cell", "distance"), grid_disk),
        ("grid_path_cells", ("cell",), grid_path_cells),
        ("cell_to_children", ("cell",), cell_to_children),
        ("compact_cells", ("cell",), compact_cells),
        ("uncompact_cells", ("cell",), uncompact_cells),
        ("polygon_to_cells", ("cell",), polygon_to_cells),
        ("cell_to_vertexes", ("vertex",), cell_to_vertexes),
        ("origin_to_directed_edges", ("edge",), origin_to_directed_edges),
    ):
        table(database, f"h3_{name}", columns, rows)
