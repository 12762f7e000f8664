"""The functions of our extension geojson by the C library GEOS, of the wheel of shapely, and by geographiclib.

Shapely itself would need NumPy, so its library is called here."""

import ctypes
import json
from collections.abc import Callable
from importlib.metadata import files
from itertools import pairwise
from typing import Any

import apsw
from geographiclib.geodesic import Geodesic

Position = list[float]


def library() -> ctypes.CDLL:
    """GEOS and its interface in C, which needs it first."""
    paths = sorted(str(path.locate()) for path in files("shapely") or () if path.name.startswith("libgeos"))
    loaded = [ctypes.CDLL(path, ctypes.RTLD_GLOBAL) for path in sorted(paths, key=lambda path: "libgeos_c" in path)]
    return loaded[-1]


GEOS = library()
GEOS.initGEOS(None, None)


def declared(name: str, result: Any, *parameters: Any) -> Callable[..., Any]:
    function = getattr(GEOS, name)
    function.restype, function.argtypes = result, parameters
    return function  # type: ignore[no-any-return]


Pointer = ctypes.c_void_p
read = declared("GEOSGeoJSONReader_readGeometry", Pointer, Pointer, ctypes.c_char_p)
write = declared("GEOSGeoJSONWriter_writeGeometry", Pointer, Pointer, Pointer, ctypes.c_int)
reader = declared("GEOSGeoJSONReader_create", Pointer)()
writer = declared("GEOSGeoJSONWriter_create", Pointer)()
free = declared("GEOSFree", None, Pointer)
destroy = declared("GEOSGeom_destroy", None, Pointer)


class Shape:
    """A geometry of GEOS."""

    def __init__(self, pointer: int) -> None:
        self.pointer = pointer

    @classmethod
    def of(cls, text: str) -> "Shape":
        pointer = read(reader, text.encode())
        assert pointer, text
        return cls(pointer)

    def __del__(self) -> None:
        destroy(self.pointer)

    def text(self) -> str:
        return taken(write(writer, self.pointer, -1))


def taken(pointer: int) -> str:
    """A text of the library."""
    text = ctypes.cast(pointer, ctypes.c_char_p).value
    free(pointer)
    assert text is not None
    return text.decode()


def number(name: str, count: int = 1) -> Callable[..., float]:
    """A function of geometries that returns a `double` through a pointer."""
    call = declared(name, ctypes.c_int, *[Pointer] * count, ctypes.POINTER(ctypes.c_double))

    def called(*texts: str) -> float:
        result = ctypes.c_double()
        shapes = [Shape.of(text) for text in texts]
        assert call(*(shape.pointer for shape in shapes), ctypes.byref(result)) == 1
        return result.value

    return called


def predicate(name: str, count: int = 2) -> Callable[..., bool]:
    call = declared(name, ctypes.c_char, *[Pointer] * count)

    def called(*texts: str) -> bool:
        shapes = [Shape.of(text) for text in texts]
        result = call(*(shape.pointer for shape in shapes))
        assert result in (b"\0", b"\1")
        return bool(result == b"\1")

    return called


def geometry(name: str, *more: Any) -> Callable[..., str]:
    call = declared(name, Pointer, Pointer, *more)

    def called(text: str, *more: float) -> str:
        # Not a temporary: it would end before the call.
        shape = Shape.of(text)
        return Shape(call(shape.pointer, *more)).text()

    return called


def relate(one: str, other: str) -> str:
    call = declared("GEOSRelate", Pointer, Pointer, Pointer)
    first, second = Shape.of(one), Shape.of(other)
    return taken(call(first.pointer, second.pointer))


def lines(shape: dict[str, Any]) -> list[list[Position]]:
    """Its lines and rings."""
    coordinates, kind = shape["coordinates"], shape["type"]
    deep = {"Point": [], "LineString": [coordinates], "Polygon": coordinates}
    return deep[kind] if kind in deep else [line for polygon in coordinates for line in polygon]


def geodesic_length(text: str) -> float:
    pairs = [pair for line in lines(json.loads(text)) for pair in pairwise(line)]
    return sum(Geodesic.WGS84.Inverse(a[1], a[0], b[1], b[0])["s12"] for a, b in pairs)


def ring_area(ring: list[Position]) -> float:
    polygon = Geodesic.WGS84.Polygon()
    for x, y in ring[:-1]:
        polygon.AddPoint(y, x)
    return abs(float(polygon.Compute()[2]))


def geodesic_area(text: str) -> float:
    shape = json.loads(text)
    polygons = {"Polygon": [shape["coordinates"]], "MultiPolygon": shape["coordinates"]}.get(shape["type"], [])
    return sum(ring_area(first) - sum(map(ring_area, rest)) for first, *rest in polygons)


def geodesic_distance(one: str, other: str) -> float:
    a, b = (json.loads(text)["coordinates"] for text in (one, other))
    return float(Geodesic.WGS84.Inverse(a[1], a[0], b[1], b[0])["s12"])


def bounds(text: str) -> str:
    names = ("GEOSGeom_getXMin", "GEOSGeom_getYMin", "GEOSGeom_getXMax", "GEOSGeom_getYMax")
    return json.dumps([number(name)(text) for name in names], separators=(",", ":"))


def register(database: apsw.Connection) -> None:
    for name, function in {
        "type": lambda text: json.loads(text)["type"],
        "is_valid": predicate("GEOSisValid", 1),
        "bbox": bounds,
        "min_x": number("GEOSGeom_getXMin"),
        "max_x": number("GEOSGeom_getXMax"),
        "min_y": number("GEOSGeom_getYMin"),
        "max_y": number("GEOSGeom_getYMax"),
        "area": number("GEOSArea"),
        "length": number("GEOSLength"),
        "distance": number("GEOSDistance", 2),
        "centroid": geometry("GEOSGetCentroid"),
        "convex_hull": geometry("GEOSConvexHull"),
        "simplify": geometry("GEOSSimplify", ctypes.c_double),
        "relate": relate,
        "intersects": predicate("GEOSIntersects"),
        "contains": predicate("GEOSContains"),
        "within": predicate("GEOSWithin"),
        "geodesic_area": geodesic_area,
        "geodesic_length": geodesic_length,
        "geodesic_distance": geodesic_distance,
    }.items():
        database.create_scalar_function(f"geojson_{name}", function, deterministic=True)
