"""Call rates as people write them: rows of a table, and the fields of a rate, with checks."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from billing.money import MoneyError, parse, plain
from billing.pricing.calls import DAY, EVERY_DAY, Rate
from poolsite.csv_text import csv_lines

HEAD: Final = (
    *("prefix", "destination", "days", "from", "to", "price_per_minute"),
    *("first_increment", "increment", "connection_fee"),
)
RATES_LIMIT: Final = 10_000
BYTES_LIMIT: Final = 1024 * 1024
FAULTS_SHOWN: Final = 100
TIMES_LIMIT: Final = 50  # per prefix
PREFIX_LIMIT: Final = 16  # digits
INCREMENT_LIMIT: Final = 3_600
PRICE_LIMIT: Final = 10_000_000_000  # units: a million per minute
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PREFIX = re.compile(r"\+?[0-9]*")
_TIME = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])")
_INCREMENT = re.compile(r"[0-9]{1,8}")
_RUN = re.compile(r"([a-z]{3})(?:-([a-z]{3}))?")


class RateError(ValueError):
    """A rate that is not valid. The text gives the reason for the user."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a line of a file. Lines count from 1; 0 is the whole file."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RateFile:
    """The rates of a file, or its first FAULTS_SHOWN errors of `faults_count`."""

    rates: tuple[Rate, ...]
    faults: tuple[Fault, ...]
    faults_count: int


def read_rate_file(text: str, *, international: bool = False) -> RateFile:
    """Read a CSV file with the columns of HEAD, with or without that row. Nothing is guessed.

    `international`: prefixes are written without their +, as in many price lists.
    """
    rates: list[Rate] = []
    lines: list[int] = []
    faults: list[Fault] = []
    if len(text.encode("utf-8", "replace")) > BYTES_LIMIT:
        return _faulty([Fault(0, _("The file is larger than 1 MB."))])
    for line, cells in _rows(text, faults):
        try:
            rates.append(read_row(cells, international=international))
            lines.append(line)
        except RateError as error:
            faults.append(Fault(line, str(error)))
        if len(rates) > RATES_LIMIT:
            words = _("A tariff can have up to %(count)s call rates.")
            return _faulty([Fault(0, words % {"count": f"{RATES_LIMIT:,}"})])
    faults += [Fault(lines[place], why) for place, why in clashes(rates)]
    if not rates and not faults:
        faults.append(Fault(0, _("The file has no call rates.")))
    return _faulty(faults) if faults else RateFile(tuple(rates), (), 0)


def read_row(cells: Sequence[str], *, international: bool = False) -> Rate:
    """Return the rate of a row. Raise RateError."""
    cells = [cell.strip() for cell in cells]
    if len(cells) != len(HEAD):
        raise RateError(
            _("This line has %(given)s columns instead of %(wanted)s.")
            % {"given": len(cells), "wanted": len(HEAD)}
        )
    prefix, destination, days, start, end, price, first, increment, fee = cells
    return read_rate(
        {
            "prefix": _international(prefix) if international else prefix,
            "destination": destination,
            "days": days,
            "start": start,
            "end": end,
            "price_per_minute": price,
            "first_increment": first,
            "increment": increment,
            "connection_fee": fee,
        }
    )


def read_rate(given: Mapping[str, Any]) -> Rate:
    """Return a rate from texts or numbers by name. Missing and empty values get their default.

    Raise RateError with the value that can't be read.
    """
    start, end = _minute(given.get("start") or "0:00"), _minute(given.get("end") or "24:00")
    if start in (end, DAY):
        raise RateError(_("The time of day ends when it starts. Leave both empty for all day."))
    return Rate(
        prefix=_prefix(str(given.get("prefix") or "")),
        destination=_destination(str(given.get("destination") or "")),
        price=_money(given.get("price_per_minute"), _("Enter the price per minute.")),
        first=_increment(given.get("first_increment")),
        increment=_increment(given.get("increment")),
        fee=_money(given.get("connection_fee") or "0", ""),
        days=_days(str(given.get("days") or "")),
        from_minute=start,
        until_minute=end or DAY,
    )


def file_of(rates: Iterable[Rate]) -> str:
    """Return the file for these rates, in the form that `read_rate_file` reads."""
    return "".join(csv_lines(HEAD, map(row_of, rates), mark=""))


def row_of(rate: Rate) -> list[str]:
    """Return the row for this rate, in the form that `read_row` reads."""
    return [
        *(rate.prefix, rate.destination, days_text(rate.days)),
        *(time_text(rate.from_minute), time_text(rate.until_minute)),
        *(plain(rate.price), str(rate.first), str(rate.increment), plain(rate.fee)),
    ]


def days_text(days: int) -> str:
    """Return days as files write them: "mon-fri sun". "" is every day."""
    if days == EVERY_DAY:
        return ""
    runs: list[list[int]] = []
    for day in (number for number in range(7) if days >> number & 1):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return " ".join(
        "-".join(dict.fromkeys((DAYS[run[0]], DAYS[run[-1]])))
        if len(run) != 2
        else f"{DAYS[run[0]]} {DAYS[run[1]]}"
        for run in runs
    )


def time_text(minute: int) -> str:
    """Return a time of day: "08:30". The end of the day is "24:00"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def clashes(rates: Sequence[Rate]) -> Iterator[tuple[int, str]]:
    """Yield the places of rates that conflict with an earlier one, and why."""
    by_prefix: dict[str, list[int]] = {}
    for place, rate in enumerate(rates):
        by_prefix.setdefault(rate.prefix, []).append(place)
    for places in by_prefix.values():
        always = [place for place in places if rates[place].is_always]
        for place in always[1:]:
            yield place, _("This prefix already has a rate for every time.")
        timed = [place for place in places if not rates[place].is_always]
        for place in timed[TIMES_LIMIT:]:
            words = _("A prefix can have up to %(count)s rates for times of day.")
            yield place, words % {"count": TIMES_LIMIT}
        timed = timed[:TIMES_LIMIT]
        for place in _overlapping(rates, timed):
            yield place, _("This prefix already has a rate at some of these times.")


def check_rates(rates: Sequence[Rate]) -> None:
    """Raise RateError if there are too many rates, or two that conflict."""
    if len(rates) > RATES_LIMIT:
        words = _("A tariff can have up to %(count)s call rates.")
        raise RateError(words % {"count": f"{RATES_LIMIT:,}"})
    for place, why in clashes(rates):
        raise RateError(f"{rates[place].prefix or rates[place].destination}: {why}")


def _overlapping(rates: Sequence[Rate], places: Iterable[int]) -> Iterator[int]:
    taken: list[tuple[int, int]] = []
    for place in places:
        own = list(rates[place].minutes())
        if any(start < until and since < end for start, end in own for since, until in taken):
            yield place
        taken += own


def _rows(text: str, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and cells of each row, without a header and empty rows."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    is_first, line = True, 1
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            faults.append(Fault(line, _("A quote is not closed in this line.")))
            return
        if not any(cell.strip() for cell in cells):
            continue
        words = [cell.strip().lower().replace(" ", "_") for cell in cells]
        is_head = is_first and words == list(HEAD)
        is_first = False
        if not is_head:
            yield line, [_unquoted(cell) for cell in cells]


def _unquoted(cell: str) -> str:
    """Remove the single quote that exports put before a value so that no spreadsheet runs it."""
    return cell[1:] if cell[:2] in ("'+", "'-", "'=", "'@") else cell


def _faulty(faults: Sequence[Fault]) -> RateFile:
    ordered = sorted(faults, key=lambda fault: fault.line)
    return RateFile((), tuple(ordered[:FAULTS_SHOWN]), len(ordered))


def _international(prefix: str) -> str:
    return f"+{prefix}" if prefix[:1].isdigit() and not prefix.startswith("00") else prefix


def _prefix(text: str) -> str:
    text = re.sub(r"[\s()./-]", "", text)
    if text.startswith("00"):
        text = f"+{text[2:]}"
    if not _PREFIX.fullmatch(text) or text == "+" or len(text) > PREFIX_LIMIT + 1:
        raise RateError(_("The prefix has digits only, such as +49 or +8613."))
    return text


def _destination(text: str) -> str:
    if not text or len(text) > 80 or not text.isprintable():
        raise RateError(_("Enter the destination's name, up to 80 characters."))
    return text


def _days(text: str) -> int:
    if not text:
        return EVERY_DAY
    days = 0
    for word in re.split(r"[\s,;]+", text.lower().strip()):
        found = _RUN.fullmatch(word)
        if found is None or not {found[1], found[2] or found[1]} <= set(DAYS):
            raise RateError(_("Enter days such as mon-fri or sat sun."))
        first, last = DAYS.index(found[1]), DAYS.index(found[2] or found[1])
        for number in range(first, last + 1 if first <= last else last + 8):
            days |= 1 << number % 7
    return days


def _minute(text: str) -> int:
    found = _TIME.fullmatch(str(text))
    minute = int(found[1]) * 60 + int(found[2]) if found else DAY + 1
    if minute > DAY:
        raise RateError(_("Enter a time of day from 00:00 to 24:00."))
    return minute


def _money(value: Any, empty: str) -> int:
    if value is None or value == "":
        raise RateError(empty)
    try:
        units = value if isinstance(value, int) else parse(value)
    except MoneyError as error:
        raise RateError(str(error)) from None
    if not 0 <= units < PRICE_LIMIT:
        raise RateError(_("Enter a price from 0 to less than 1,000,000."))
    return int(units)


def _increment(value: Any) -> int:
    text = str(60 if value in (None, "") else value)
    if _INCREMENT.fullmatch(text) is None or not 1 <= int(text) <= INCREMENT_LIMIT:
        raise RateError(_("Enter increments from 1 to 3,600 seconds."))
    return int(text)
