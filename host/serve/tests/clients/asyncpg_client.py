"""A pool of asyncpg: python3 asyncpg_client.py HOST PORT"""

import asyncio
import json
import sys

import asyncpg


async def main(host, port):
    pool = await asyncpg.create_pool(host=host, port=port, user="local", database="shop", min_size=1, max_size=3)
    async with pool.acquire() as db:
        await db.execute("DROP TABLE IF EXISTS ap")
        await db.execute("CREATE TABLE ap(id serial PRIMARY KEY, name text NOT NULL UNIQUE, price float8, made timestamptz)")
        for name, price in (("tea", 3.5), ("jam", 4.25)):
            number = await db.fetchval("INSERT INTO ap(name, price, made) VALUES ($1, $2, now()) RETURNING id", name, price)
        assert number == 2, number
        # The first array makes asyncpg set `jit`, and ask for the types.
        assert await db.fetchval("SELECT $1::int[]", [1, 2]) == [1, 2]
        rows = await db.fetch("SELECT name, price FROM ap WHERE id = ANY($1::int[]) ORDER BY id", [1, 2])
        assert [tuple(row) for row in rows] == [("tea", 3.5), ("jam", 4.25)], rows
        try:
            await db.execute("INSERT INTO ap(name) VALUES ($1)", "tea")
            raise AssertionError("the key was not checked")
        except asyncpg.UniqueViolationError as error:
            assert (error.constraint_name, error.table_name) == ("ap_name_key", "ap"), error.as_dict()
        # A plan that is stale: it prepares again.
        assert len(await db.fetchrow("SELECT * FROM ap WHERE id = $1", 1)) == 4
        await db.execute("ALTER TABLE ap ADD COLUMN stock int")
        assert len(await db.fetchrow("SELECT * FROM ap WHERE id = $1", 1)) == 5
        async with db.transaction(isolation="serializable", readonly=True, deferrable=True):
            assert await db.fetchval("SELECT count(*) FROM ap") == 2
    # Connections go back, and come again.
    async with pool.acquire() as db:
        assert await db.fetchval("SELECT pg_try_advisory_lock(5)")
    async with pool.acquire() as db, pool.acquire() as other:
        assert await other.fetchval("SELECT pg_try_advisory_lock(5)") is True
        assert await db.fetchval("SELECT pg_try_advisory_lock(5)") is False
    # What another connection says, and what it commits.
    async with pool.acquire() as db, pool.acquire() as other:
        heard = asyncio.Queue()

        def hear(_db, _process, name, payload):
            heard.put_nowait((name, payload))

        for name in ("said", "sqlite_changes"):
            await db.add_listener(name, hear)
        await other.execute("SELECT pg_notify('said', 'a word')")
        assert await asyncio.wait_for(heard.get(), 20) == ("said", "a word")
        await other.execute("UPDATE ap SET stock = 1 WHERE id = 2")
        name, payload = await asyncio.wait_for(heard.get(), 20)
        assert (name, json.loads(payload)["tables"]) == ("sqlite_changes", {"ap": [2]}), payload
        for name in ("said", "sqlite_changes"):
            await db.remove_listener(name, hear)
    await pool.close()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
print("asyncpg: a pool reads and writes")
