"""Suite `vector`: insertion into vec0 and search, at four sizes."""

from .loop import NOTHING, Loop, Size
from .vectors import virtual_insert, virtual_table


def loops():
    for rows, dimensions in ((10_000, 384), (10_000, 768), (100_000, 128), (100_000, 384)):
        first = (rows, dimensions) == (10_000, 384)
        # The first one is in all profiles, so its id does not tell the rows.
        name = str(dimensions) if first else f"{rows // 1000}k-{dimensions}"
        more = {"extension": "vec0", "dearer": True}
        yield Loop(f"insert.v1/{name}", "vectors in one transaction", virtual_insert(dimensions), Size(200, 1) if first else NOTHING,
                   Size(2_000, 1) if first else NOTHING, Size(rows, 1), absent={"usearch": "has no table"}, storage=True, **more)  # fmt: skip
        yield Loop(f"top-10.v1/{name}", "ten nearest, cosine, exact", virtual_table(dimensions), Size(200, 3) if first else NOTHING,
                   Size(2_000, 5) if first else NOTHING, Size(rows, 10), peers=("usearch",), **more)  # fmt: skip


LOOPS = tuple(loops())
