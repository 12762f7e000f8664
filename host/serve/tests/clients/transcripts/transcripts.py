"""The same messages to PostgreSQL and to the server: the same replies, message by message.

transcripts.py HOST PORT DATABASE POSTGRES_SOCKET_DIRECTORY POSTGRES_DATABASE
"""

import sys

from cases import ALL, SETUP
from wire import Client

# What cases leave: all of it goes before the next one. A cursor that is held is of its session only.
LEFT = ["VIEW v", "VIEW w", *[f"TABLE {name}" for name in ("t", "q", "q2", "p1", "n")]]


def prepared(client):
    client.send("SET client_min_messages = error", with_messages=True)
    for name in LEFT:
        client.send(f"DROP {name}", with_messages=True)
    client.send("RESET client_min_messages", with_messages=True)
    for sql in SETUP:
        replies = client.send(sql, with_messages=True)
        assert not any(reply.startswith("E ") for reply in replies), replies
    return client


def main():
    host, port, database, directory, other = sys.argv[1:]
    steps = differences = 0
    for cases, with_messages in ALL:
        for case in cases:
            ours = prepared(Client((host, int(port)), "local", database))
            theirs = prepared(Client(f"{directory}/.s.PGSQL.5432", "postgres", other))
            for step in case:
                steps += 1
                found, wanted = (client.send(step, with_messages) for client in (ours, theirs))
                if found != wanted:
                    differences += 1
                    print(f"{step}\n  PostgreSQL {wanted}\n  serve      {found}", file=sys.stderr)
            ours.socket.close()
            theirs.socket.close()
    print(f"transcripts: {steps} steps, {differences} differences")
    sys.exit(differences > 0)


main()
