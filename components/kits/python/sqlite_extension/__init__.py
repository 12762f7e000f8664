"""Write SQLite extensions in Python, as WebAssembly components.

    from sqlite_extension import extension, function

    extension(name="shout", description="loud text")

    @function(deterministic=True)
    def shout(text: str) -> str:
        return text.upper() + "!"

A function takes as many arguments as it has parameters, and annotations give their types: a value of
another type is an error, and so is NULL unless the annotation allows None.
`tooling/build/python-extension` builds the extension; natively the module is ordinary Python, so
tests call its functions directly.
"""

import functools
import inspect
import types as _types
import typing

from . import tokenizers

#: The risks of `risk=`, as in SQLite: where SQL may call a function if a schema may be hostile.
RISKS = ("innocuous", "ordinary", "direct-only")

#: The function is variadic.
ANY_NUMBER = -1

#: The classes of values, with the names that users know.
CLASSES = {int: "an integer", float: "a number", str: "text", bytes: "a blob", type(None): "NULL"}


#: Those of SQL's values in the order of the contract, `types.value`.
ORDER = (type(None), int, float, str, bytes)
ALL = (1 << len(ORDER)) - 1


class Registry:
    """What the module has registered."""

    def __init__(self):
        self.about = None
        self.functions, self.collations, self.tables = [], [], []


class Entry(typing.NamedTuple):
    """A function, aggregate, collation or table of SQL."""

    name: str
    implementation: typing.Any
    arguments: int = ANY_NUMBER
    is_deterministic: bool = False
    risk: str = "ordinary"
    kind: str = "scalar"
    columns: tuple = ()
    parameters: tuple = ()
    #: Of a scalar function: the same with a check of its arguments, and what `allowed` says.
    checked: typing.Any = None
    allowed: bytes = b""


registry = Registry()


def extension(name, *, version="0.1.0", description="", needs=()):
    """Say what the extension is; `needs` has "sql" or "sql:ro" if it runs SQL."""
    for need in needs:
        if need not in ("sql", "sql:ro"):
            raise ValueError(f'needs are "sql" and "sql:ro", not {need!r}')
    registry.about = {"name": name, "version": version, "description": description, "needs": tuple(needs)}


def function(name=None, *, deterministic=False, risk="ordinary"):
    """Register a scalar function, by its own name or by `name`."""

    def register(called):
        own_name, arguments = name or called.__name__, _arity(called)
        entry = Entry(own_name, called, arguments, deterministic, _known(risk), checked=checked(called), allowed=allowed(called))
        registry.functions.append(entry)
        return called

    return register


def aggregate(name=None, *, deterministic=False, risk="ordinary"):
    """Register a class with `step` and `finish`; with `inverse` and `value` it works with OVER too."""

    def register(cls):
        cls.step = checked(cls.step)
        kind = "window" if hasattr(cls, "inverse") else "aggregate"
        arguments = _arity(cls.step, skipped=1)
        own_name = name or cls.__name__.lower()
        registry.functions.append(Entry(own_name, cls, arguments, deterministic, _known(risk), kind))
        return cls

    return register


def collation(name=None):
    """Register a function of two texts that returns less than 0, 0, or more."""

    def register(compare):
        registry.collations.append(Entry(name or compare.__name__, compare))
        return compare

    return register


def tokenizer(name=None, *, check=None):
    """Register a tokenizer of FTS5: a function of a text that returns or yields `(token, start, end)`, with offsets in the text.

    With `True` behind them it is a synonym of the token before. A second parameter gets the `purpose`, the `locale` and the
    `words` behind the tokenizer's name; `check` is called with these words when a table is opened, and raises for wrong ones.
    """

    def register(tokenize):
        call = tokenizers.served(tokenize, check, _arity(tokenize) != 1)
        entry = Entry(name or tokenize.__name__, call, risk="innocuous", kind="tokenizer", checked=call)
        registry.functions.append(entry)
        return tokenize

    return register


def table(name=None, *, columns, risk="ordinary"):
    """Register a generator of rows, whose parameters are those of a table-valued function."""

    def register(rows):
        parameters = tuple(inspect.signature(rows).parameters)
        entry = Entry(name or rows.__name__, rows, risk=_known(risk), columns=tuple(columns), parameters=parameters)
        registry.tables.append(entry)
        return rows

    return register


def sql(text, *parameters):
    """The rows of a statement on the connection that called the extension, each a tuple."""
    from .client import Statement

    statement = Statement(text)
    try:
        yield from statement.query(*parameters)
    finally:
        statement.close()


def _known(risk):
    if risk not in RISKS:
        raise ValueError(f"risk is one of {', '.join(RISKS)}, not {risk!r}")
    return risk


def _arity(called, skipped=0):
    """How many arguments a function has."""
    parameters = list(inspect.signature(called).parameters.values())[skipped:]
    if any(one.kind == one.VAR_POSITIONAL for one in parameters):
        return ANY_NUMBER
    if any(one.kind == one.KEYWORD_ONLY and one.default is one.empty for one in parameters):
        raise TypeError(f"{called.__name__}: SQL has no arguments with names")
    if any(one.default is not one.empty for one in parameters):
        return ANY_NUMBER
    return len(parameters)


def _accepted(annotation):
    """The types of values that an annotation allows; None if it does not restrict them."""
    if annotation is None:
        return (type(None),)
    if typing.get_origin(annotation) in (typing.Union, _types.UnionType):
        parts = [_accepted(part) for part in typing.get_args(annotation)]
        return None if None in parts else tuple(one for part in parts for one in part)
    if annotation is float:
        return (float, int)
    return (annotation,) if annotation in CLASSES else None


def _all_accepted(called):
    """The types of values that each parameter accepts, by its name."""
    hints = typing.get_type_hints(called)
    return {one: _accepted(hints[one]) if one in hints else None for one in inspect.signature(called).parameters}


def allowed(called):
    """A byte for each parameter, with a bit for each class of values that it accepts."""
    accepted = _all_accepted(called).values()
    return bytes(ALL if types is None else sum(1 << ORDER.index(one) for one in set(types)) for types in accepted)


def checked(called):
    """The function with a check of its arguments, if it has annotations for any."""
    accepts = _all_accepted(called)
    if not any(accepts.values()):
        return called

    @functools.wraps(called)
    def checking(*values):
        for value, (name, types) in zip(values, accepts.items()):
            if types is not None and type(value) not in types:
                wanted = " or ".join(CLASSES[one] for one in types)
                raise TypeError(f"{name} must be {wanted}, not {CLASSES.get(type(value), type(value))}")
        return called(*values)

    return checking
