"""The functions of our extension timezone by Python's `zoneinfo`, on the wheel tzdata."""

import zoneinfo
from datetime import datetime, timedelta, timezone

import apsw
import apsw.ext
import tzdata

UTC = timezone.utc
# The same database on every machine.
zoneinfo.reset_tzpath(to=())


def zone(name: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(name)


def utc(time: str, name: str, choice: str) -> datetime:
    """The instant of a local time; Python chooses by the flag `fold`."""
    local = datetime.fromisoformat(time).replace(tzinfo=zone(name))
    is_gap = local.astimezone(UTC).astimezone(local.tzinfo).replace(tzinfo=None) != local.replace(tzinfo=None)
    later = choice == "later"
    fold = choice == "earlier" if is_gap else later
    return local.replace(fold=int(fold)).astimezone(UTC)


def convert(time: str, source: str, target: str, choice: str = "compatible") -> str | None:
    try:
        return utc(time, source, choice).astimezone(zone(target)).strftime("%Y-%m-%d %H:%M:%S").zfill(19)
    except OverflowError:
        return None


def to_utc(time: str, name: str, choice: str = "compatible") -> str | None:
    return convert(time, name, "UTC", choice)


def from_utc(time: str, name: str) -> str | None:
    return convert(time, "UTC", name)


def at(time: str, name: str) -> datetime:
    return datetime.fromisoformat(time).replace(tzinfo=UTC).astimezone(zone(name))


def offset(time: str, name: str) -> int:
    return (at(time, name).utcoffset() or timedelta()) // timedelta(seconds=1)


def is_valid(name: str) -> bool:
    return name in zoneinfo.available_timezones()


def names(part: str = "") -> list[tuple[str]]:
    return [(name,) for name in zoneinfo.available_timezones() if part in name]


def register(database: apsw.Connection) -> None:
    """All of them."""
    functions = {
        "convert": convert,
        "to_utc": to_utc,
        "from_utc": from_utc,
        "format": lambda time, name: at(time, name).isoformat(),
        "offset": offset,
        "abbreviation": lambda time, name: at(time, name).tzname(),
        "is_dst": lambda time, name: int(bool(at(time, name).dst())),
        "is_valid": lambda name: int(is_valid(name)),
        "version": lambda: tzdata.IANA_VERSION,
    }
    for name, function in functions.items():
        database.create_scalar_function(f"tz_{name}", function)
    names.columns, names.column_access = ("name",), apsw.ext.VTColumnAccess.By_Index  # type: ignore[attr-defined]
    apsw.ext.make_virtual_module(database, "tz_names", names)
