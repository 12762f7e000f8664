"""Messages of the Postgres protocol, and a client that shows each reply as a line."""

import socket
import struct

PROTOCOL = 196608


def message(tag, body=b""):
    return tag.encode() + struct.pack("!i", len(body) + 4) + body


def text(word):
    return word.encode() + b"\0"


def numbers(code, values):
    return struct.pack("!h", len(values)) + b"".join(struct.pack("!" + code, one) for one in values)


def query(sql):
    return message("Q", text(sql))


def parse(name, sql, types=()):
    return message("P", text(name) + text(sql) + numbers("I", types))


def bind(portal, statement, values=(), formats=(), results=()):
    items = [one.encode() if isinstance(one, str) else one for one in values]
    sized = [struct.pack("!i", -1) if one is None else struct.pack("!i", len(one)) + one for one in items]
    body = text(portal) + text(statement) + numbers("h", formats) + struct.pack("!h", len(sized))
    return message("B", body + b"".join(sized) + numbers("h", results))


def describe(kind, name):
    return message("D", kind.encode() + text(name))


def execute(portal, rows=0):
    return message("E", text(portal) + struct.pack("!i", rows))


def close(kind, name):
    return message("C", kind.encode() + text(name))


SYNC = message("S")


def shown(tag, body, with_message):
    """A reply as a line. Hints, positions and routines are each server's own."""
    if tag in "EN":
        fields = {chr(one[0]): one[1:].decode() for one in body.split(b"\0") if one}
        kept = "SCMDstcn" if with_message else "SC"
        return f"{tag} " + " ".join(f"{key}={fields[key]}" for key in kept if key in fields)
    if tag == "C":
        return f"C {body[:-1].decode()}"
    if tag == "D":
        return f"D {row(body)}"
    if tag == "T":
        return f"T {columns(body)}"
    return f"{tag} {body!r}" if body else tag


def row(body):
    place, values = 2, []
    for _ in range(struct.unpack("!h", body[:2])[0]):
        (length,) = struct.unpack("!i", body[place : place + 4])
        place += 4
        values.append("NULL" if length < 0 else body[place : place + length].decode("latin1"))
        place += max(length, 0)
    return "|".join(values)


def columns(body):
    place, found = 2, []
    for _ in range(struct.unpack("!h", body[:2])[0]):
        end = body.index(0, place)
        oid = struct.unpack("!I", body[end + 7 : end + 11])[0]
        found.append(f"{body[place:end].decode()}:{oid}")
        place = end + 19
    return ",".join(found)


class Client:
    """A connection to a server at a Unix socket or an address."""

    def __init__(self, address, user, database):
        is_path = isinstance(address, str)
        self.socket = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        self.socket.settimeout(30)
        self.socket.connect(address)
        self.rest = b""
        words = ["user", user, "database", database]
        body = struct.pack("!i", PROTOCOL) + b"".join(map(text, words)) + b"\0"
        self.socket.sendall(struct.pack("!i", len(body) + 4) + body)
        self.replies(with_messages=True)

    def read(self, count):
        while len(self.rest) < count:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.rest += data
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def replies(self, with_messages):
        """The replies up to the one after which the server waits."""
        found = []
        while True:
            header = self.read(5)
            tag, length = chr(header[0]), struct.unpack("!i", header[1:])[0]
            body = self.read(length - 4)
            if tag != "S":
                found.append(shown(tag, body, with_messages))
            if tag in "ZG":
                return found

    def send(self, step, with_messages):
        """The replies to SQL, or to messages."""
        self.socket.sendall(query(step) if isinstance(step, str) else b"".join(step))
        return self.replies(with_messages)
