"""python_kit: an extension by the kit for Python, for `tests/extensions/python_kit.rs`. Not shipped."""

import re
import string

from sqlite_extension import aggregate, collation, extension, function, sql, table, tokenizer

extension("python_kit", version="1.0.0", description="one of everything", needs=["sql"])


@function()
def py_same(value):
    return value


@function(deterministic=True)
def py_shout(text: str) -> str:
    return text.upper() + "!"


@function()
def py_count(*values):
    return len(values)


@function()
def py_total(customer: int):
    return next(sql("SELECT sum(price) FROM orders WHERE customer = ?", customer))[0]


@function()
def py_fails(what):
    if what == "code":
        error = Exception("full")
        error.code = 13
        raise error
    return {"none": None, "object": object(), "big": 1 << 63}[what]


@aggregate("py_longest")
class Longest:
    def __init__(self):
        self.best = ""

    def step(self, text: str):
        self.best = max(self.best, text, key=len)

    def finish(self):
        return self.best


@aggregate("py_collect")
class Collect:
    def __init__(self):
        self.all = []

    def step(self, value):
        self.all.append(value)

    def inverse(self, value):
        self.all.remove(value)

    def value(self):
        return ",".join(map(str, self.all))

    finish = value


@collation()
def py_by_length(left, right):
    return len(left) - len(right)


@table(columns=["n INTEGER", "square INTEGER"])
def py_squares(stop, start=1):
    for n in range(start, stop + 1):
        yield n, n * n


@function()
def py_zeros(count: int):
    return bytes(count)


LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@tokenizer()
def py_words(text):
    """As FTS5's `ascii`."""
    for found in re.finditer("[0-9A-Za-z\x80-\U0010ffff]+", text):
        yield found[0].translate(LOWER), *found.span()


def py_known(words):
    if len(words) != 1:
        raise ValueError("one word")


@tokenizer("py_odd", check=py_known)
def odd(text, about):
    return {
        "outside": [("a", 0, len(text) + 1)],
        "backwards": [("a", 1, 1), ("a", 0, 1)],
        "short": [("a", 0)],
        "number": [(1, 0, 1)],
        "nothing": None,
        "about": [(f"{about.purpose} {about.locale}", 0, len(text)), ("twin", 0, 1, True)],
    }[about.words[0]]
