"""The suite `breadth`: classes of statements and tasks of the shell, each once.

`tooling/build/sqlite.profdata` must not be trained on these: they show what the
program does with statements that nobody tuned it for.

Values come from integer arithmetic, and reals are multiples of 1/64, so that all
engines must print the same bytes. A class takes some 0.1 s natively at the
default size, so that the start of the process hardly counts.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from .workloads import Script, Workload

CLASS = re.compile(r"^-- (setup|read|write) ?(.*)\n((?:(?!-- ).*\n)+)", re.M)


def script(sql: str) -> Script:
    def lines(rows: int) -> Iterator[str]:
        yield sql.replace("{rows}", str(rows))

    return lines


def workloads() -> Iterator[Workload]:
    setup = None
    for kind, name, sql in CLASS.findall(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")):
        if kind == "setup":
            setup = script(f"BEGIN;\n{sql}COMMIT;")
        else:
            yield Workload(name, sql.partition("\n")[0], script(sql), setup=setup, keeps_database=kind == "read")


BREADTH = tuple(workloads())
