"""The statements of `../mcp/bypasses.rs` by the tools of mcp-server-sqlite: how many of them change a file, make one, or
return what another file has. It proves that the cases bite: a server without a sandbox lets them through. `bypasses.py PROGRAM`."""

import asyncio
import re
import sqlite3
import sys
import tempfile
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

CASES = Path(__file__).parent / "bypasses.rs"


def statements():
    source = CASES.read_text(encoding="utf-8")
    listed = source[source.index("const STATEMENTS") : source.index("/// Names that a tool")]
    return [text.replace('\\"', '"').replace("\\n", "\n") for text in re.findall(r'^    "(.*)",$', listed, re.M)]


def made(directory):
    for name, rows in (("shop.db", "INSERT INTO t VALUES (1), (2)"), ("other.db", "INSERT INTO t VALUES ('secret of others')")):
        with sqlite3.connect(directory / name) as db:
            db.execute("CREATE TABLE t(a)")
            db.execute(rows)


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


async def gets_through(program, sql):
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        made(directory)
        before = contents(directory)
        server = StdioServerParameters(command=program, args=["--db-path", "shop.db"], cwd=name)
        async with Client(stdio_client(server)) as client:
            for tool in ("read_query", "write_query"):
                await client.call_tool(tool, {"query": sql})
        return contents(directory) != before


async def main():
    through = [sql for sql in statements() if await gets_through(sys.argv[1], sql)]
    assert len(through) >= 8, through
    print(f"bypasses.py: {len(through)} of {len(statements())} statements change or make a file by mcp-server-sqlite, among them:")
    for sql in through[:8]:
        print(f"    {sql!r}")


asyncio.run(main())
