"""Reports that callees see a number as spam, from the API or an uploaded file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from numbers.canonical import canonical
from numbers.models import Number, Pool, SpamLabel
from numbers.services.common import chunks, summary
from poolsite import access, number_format
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.table_files import read_exactly
from poolsite.table_reader.cells import Formula, OpenQuote
from poolsite.table_reader.limits import UnreadableFileError
from poolsite.table_sentences import said
from poolsite.uploaded_files import TooLargeError, file_from

COLUMNS = ("number", "source", "label", "seen_at")
ROWS_LIMIT = 50_000
FILE_LIMIT_BYTES = 8_000_000
TEXT_LENGTH = 64
AHEAD = timedelta(hours=1)  # how far ahead a source's clock may be


@dataclass(frozen=True)
class RefusedRow:
    """A row that was not accepted, counted as in the file or request, and why."""

    row: int
    reason: str


@dataclass
class Labelled:
    """The result of a report: how many labels are new, known already, and refused."""

    added: int = 0
    known: int = 0
    refused: list[RefusedRow] = field(default_factory=list)


def spam_labels_add(
    *,
    actor: Actor,
    pool: Pool,
    rows: Iterable[tuple[int, Mapping[str, Any]]],
    now: datetime | None = None,
    reason: str = "",
) -> Labelled:
    """Store the labels of rows, each with its place. Wrong rows are listed, the others stored.

    The same label of the same source at the same moment is stored once. Audited.
    """
    require(actor, "numbers.label", pool)
    now = now or timezone.now()
    done = Labelled()
    good: dict[tuple[str, str, str, datetime], int] = {}
    for place, row in rows:
        try:
            key = _read(row, now, pool.home_country)
        except ValidationError as error:
            done.refused.append(RefusedRow(place, " ".join(error.messages)))
            continue
        done.known += key in good
        good.setdefault(key, place)
    _keep(pool, good, done, now)
    done.refused.sort(key=lambda refused: refused.row)
    if done.added:
        values = sorted({key[0] for key in good})
        with transaction.atomic():
            access.audit(
                actor=actor,
                action="numbers.spam_labels_add",
                thing=pool,
                after={**summary(values), "labels": done.added},
                reason=clean_reason(reason),
            )
    return done


def _keep(
    pool: Pool,
    good: Mapping[tuple[str, str, str, datetime], int],
    done: Labelled,
    now: datetime,
) -> None:
    for chunk in chunks(sorted(good)):
        ours = _stored(pool, [key[0] for key in chunk])
        fresh = []
        for number, source, label, seen_at in chunk:
            if number not in ours:
                place = good[number, source, label, seen_at]
                done.refused.append(RefusedRow(place, _("This number is not in the pool.")))
                continue
            fresh.append(
                SpamLabel(
                    pool=pool,
                    number=ours[number],
                    source=source,
                    label=label,
                    seen_at=seen_at,
                    created_at=now,
                )
            )
        with transaction.atomic():
            mine = SpamLabel.objects.filter(pool=pool, number__in={each.number for each in fresh})
            before = mine.count()
            SpamLabel.objects.bulk_create(fresh, ignore_conflicts=True)  # unaudited: the report is
            added = mine.count() - before
        done.added += added
        done.known += len(fresh) - added


def _stored(pool: Pool, forms: Sequence[str]) -> dict[str, str]:
    """Canonical form → the format in which the pool stores the number."""
    rows = Number.objects.filter(pool=pool, canonical__in=forms)
    return {str(one): value for one, value in rows.values_list("canonical", "value")}


def _read(
    row: Mapping[str, Any], now: datetime, home_country: str
) -> tuple[str, str, str, datetime]:
    """Return a row's key, with its number in canonical form. Raise ValidationError for bad data."""
    try:
        number = canonical(number_format.parse(str(row.get("number") or "")), home_country)
    except number_format.NotANumberError:
        raise ValidationError(_("This is not a number.")) from None
    texts = []
    for name in ("source", "label"):
        text = " ".join(str(row.get(name) or "").split())
        if not text:
            raise ValidationError(_("%(column)s is empty.") % {"column": name})
        if len(text) > TEXT_LENGTH or not text.isprintable():
            raise ValidationError(
                _("%(column)s: use up to 64 printable characters.") % {"column": name}
            )
        texts.append(text)
    return number, texts[0].lower(), texts[1], _moment(row.get("seen_at"), now)


def _moment(given: Any, now: datetime) -> datetime:
    """When the label was seen."""
    found = given if isinstance(given, datetime) else _parsed(str(given or "").strip())
    if found is None:
        raise ValidationError(_("seen_at: use a date or a time, such as 2026-03-01T10:00:00Z."))
    if timezone.is_naive(found):
        found = timezone.make_aware(found)
    if found > now + AHEAD:
        raise ValidationError(_("seen_at: the time is in the future."))
    if found < now - timedelta(days=400):
        raise ValidationError(_("seen_at: the time is more than 400 days ago."))
    return found


def _parsed(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
        day = None if moment else parse_date(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day) if day else moment  # noqa: DTZ001  made aware


def read_rows(
    data: bytes | Iterable[bytes], file_name: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of an uploaded CSV or XLSX file, each with its line.

    The first line names the columns, in any order. Raise ValidationError while reading if the file
    is not valid.
    """
    try:
        with (
            file_from(data, FILE_LIMIT_BYTES) as path,
            closing(read_exactly(path, file_name)) as rows,
        ):
            names = _names(next(rows, (1, ()))[1])
            for count, (line, cells) in enumerate(filter(_has_cells, rows), start=1):
                if count > ROWS_LIMIT:
                    raise ValidationError(_("The file has more than 50,000 rows. Split it."))
                yield line, _named(names, line, cells)
    except TooLargeError:
        raise ValidationError(_("The file is larger than 8 MB. Split it.")) from None
    except UnreadableFileError as error:
        raise ValidationError(said(str(error))) from None


def _has_cells(row: tuple[int, Sequence[str]]) -> bool:
    return bool(row[1])


def _names(cells: Sequence[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    missing = [name for name in COLUMNS if name not in names]
    if missing or len(set(names)) != len(names):
        raise ValidationError(
            _("The first line must name the columns number, source, label and seen_at.")
        )
    return names


def _named(names: Sequence[str], line: int, cells: Sequence[str]) -> dict[str, str]:
    """Return a row by its columns, or {}, which is refused later, if it has too many cells."""
    if isinstance(cells[0], OpenQuote):
        raise ValidationError(_("Line %(line)s: quotation mark not closed.") % {"line": line})
    if len(cells) > len(names):
        return {}
    shown = (cell.shown if isinstance(cell, Formula) else cell for cell in cells)
    return dict(zip(names, shown, strict=False))
