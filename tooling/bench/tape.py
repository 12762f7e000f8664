"""Tapes: schema, statements and values of one workload, for players in any language.

A line of JSON, then steps in binary, little endian:

    byte    0 a prepared statement, 1 a text; with 0x80: the last step of its operation
    0: u16  place of the statement        1: u32 size, text
    byte    how many values, and each of them: its type, then
            0 null   1 i64   2 f64   3 text: u32 size, UTF-8   4 blob: u32 size, bytes
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Value = None | int | float | str | bytes
Step = tuple[int | str, tuple]
"""The index of a statement, or a text, and the values."""
Operation = list[Step]


@dataclass(frozen=True)
class Statement:
    sql: str
    unordered: bool = False
    """The order of its rows is not said, so they are compared sorted."""
    neighbours: int = 0
    """The player itself looks for this many nearest vectors."""
    ids: bool = False
    """The ids in its first column are shown: what a recall is computed from."""
    approximate: bool = False
    """Its answers are not compared but by their recall."""


@dataclass
class Work:
    """What one workload does at one size."""

    schema: list[str]
    setup: Iterable[Operation]
    """Untimed; its steps refer to `loads`."""
    timed: Iterable[Operation]
    """Its steps refer to `statements`."""
    loads: list[str] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    gate: list[str] = field(default_factory=list)
    block: int = 1
    """Operations that are timed together: 100 where one takes less than 20 µs."""
    warmup: int = 0
    close: bool = False
    """Closing the connection is timed too."""
    rows_written: int = 0
    """By all operations together, where one writes several."""
    raw_bytes: int = 0
    """Bytes of the values alone, where the storage is compared."""
    others: list[list[Operation]] = field(default_factory=list)
    """What further processes play at the same time."""
    meeting: dict = field(default_factory=dict)
    """How all of them wait for each other: `arrive`, `look`, `count`."""
    ends_with: list[str] = field(default_factory=list)
    """What `gate` answers when all have played."""


def write_setup(path: Path, work: Work, settings: list[str]) -> str:
    """Write the tape that makes a database; its digest."""
    loads = [{"sql": sql} for sql in work.loads]
    header = {"settings": settings, "schema": work.schema, "statements": loads, "block": 1}
    return write(path, header, work.setup)


def write_timed(path: Path, work: Work, settings: list[str]) -> list[str]:
    """Write the tape that is timed, and those of further processes with an index in the name; their digests."""
    header = {
        "settings": settings,
        "statements": [statement_header(each) for each in work.statements],
        "gate": work.gate,
        "block": work.block,
        "warmup": work.warmup,
        "close": work.close,
    }
    if work.meeting:
        header["meeting"] = work.meeting
    others = ((Path(f"{path}.{place}"), operations) for place, operations in enumerate(work.others, 1))
    return [write(file, header, operations) for file, operations in ((path, work.timed), *others)]


def write_questions(path: Path, questions: list[str], settings: list[str]) -> str:
    """Write a tape that only runs these queries, as a gate."""
    return write(path, {"settings": settings, "statements": [], "gate": questions, "block": 1}, ())


def write(path: Path, header: dict, operations: Iterable[Operation]) -> str:
    """Write a tape; the digest of all but its gate, which is not timed."""
    digest = hashlib.sha256(line(header | {"gate": []} if "gate" in header else header))
    with path.open("wb") as file:
        file.write(line(header))
        for part in chunks(operations):
            file.write(part)
            digest.update(part)
    return digest.hexdigest()


def statement_header(each: Statement) -> dict:
    return {name: value for name, value in vars(each).items() if value}


def line(header: dict) -> bytes:
    return json.dumps(header, ensure_ascii=False).encode() + b"\n"


def chunks(operations: Iterable[Operation]) -> Iterator[bytes]:
    for operation in operations:
        last = len(operation) - 1
        yield b"".join(step_bytes(step, place == last) for place, step in enumerate(operation))


def step_bytes(step: Step, ends: bool) -> bytes:
    call, values = step
    mark = 0x80 if ends else 0
    if isinstance(call, int):
        head = struct.pack("<BH", mark, call)
    else:
        text = call.encode()
        head = struct.pack("<BI", mark | 1, len(text)) + text
    return head + bytes([len(values)]) + b"".join(map(value_bytes, values))


def value_bytes(value: Value) -> bytes:
    if value is None:
        return b"\0"
    if isinstance(value, int):
        return struct.pack("<Bq", 1, value)
    if isinstance(value, float):
        return struct.pack("<Bd", 2, value)
    kind, data = (3, value.encode()) if isinstance(value, str) else (4, value)
    return struct.pack("<BI", kind, len(data)) + data
