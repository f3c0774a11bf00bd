"""Abilities of terminals: stored for 30 days, else from the provider; and the table's import."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.db import Error as DatabaseError
from django.db import transaction
from django.utils import timezone

from billing import abilities
from billing.abilities import Ability, ProviderFailedError, ProviderSlowError
from billing.abilities.table.forms import forms_of
from billing.abilities.table.rows import AbilityRow, read_rows
from billing.models import TerminalAbility, TerminalListing
from poolsite import access
from poolsite.access.services.actor import Actor

logger = logging.getLogger(__name__)

KEPT: Final = timedelta(days=30)
CHUNK: Final = 1_000
FAULTS_SHOWN: Final = 100


def look_up(numbers: Iterable[str]) -> dict[str, Ability]:
    """Return what is known of each number, written as poolsite.number_format does.

    It never raises. Answers younger than 30 days come from SQL, the others from the provider,
    within 200 ms per 1 000 numbers. A number that the provider does not know, or not in time, falls
    back to video and is asked for again the next time.
    """
    wanted = list(dict.fromkeys(numbers))
    found: dict[str, Ability] = {}
    for start in range(0, len(wanted), CHUNK):
        found |= _look_up(wanted[start : start + CHUNK], timezone.now())
    return found


def _look_up(numbers: Sequence[str], now: datetime) -> dict[str, Ability]:
    try:
        found = _kept(numbers, now)
    except DatabaseError:
        logger.warning("billing: kept abilities cannot be read", exc_info=True)
        return {number: Ability(number, None, "failed") for number in numbers}
    missing = [number for number in numbers if number not in found]
    if not missing:
        return found
    try:
        source, known = abilities.ask(missing)
    except ProviderFailedError as error:
        word = "slow" if isinstance(error, ProviderSlowError) else "failed"
        return found | {number: Ability(number, None, word) for number in missing}
    _keep(source, known.items(), now)
    for number in missing:
        its = known.get(number)
        found[number] = Ability(number, its, "unknown" if its is None else source)
    return found


def _kept(numbers: Sequence[str], now: datetime) -> dict[str, Ability]:
    rows = TerminalAbility.objects.filter(number__in=numbers, looked_up_at__gt=now - KEPT)
    return {
        row.number: Ability(
            row.number,
            row.supports_yuexin,
            row.source,
            max(0, int((now - row.looked_up_at).total_seconds())),
        )
        for row in rows
    }


def _keep(source: str, known: Iterable[tuple[str, bool]], now: datetime) -> None:
    rows = [
        TerminalAbility(number=number, supports_yuexin=its, source=source, looked_up_at=now)
        for number, its in sorted(known)
    ]
    if not rows:
        return
    try:
        TerminalAbility.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["number"],
            update_fields=["supports_yuexin", "source", "looked_up_at"],
        )
    except DatabaseError:
        logger.warning("billing: abilities cannot be kept", exc_info=True)


def abilities_forget_old(now: datetime | None = None) -> int:
    """Remove answers older than 30 days, at most 10 000 at once; return how many were removed."""
    old = TerminalAbility.objects.filter(looked_up_at__lte=(now or timezone.now()) - KEPT)
    keys = list(old.values_list("pk", flat=True)[:10_000])
    return TerminalAbility.objects.filter(pk__in=keys).delete()[0] if keys else 0


@dataclass
class Imported:
    """The result of an import: rows taken, rows refused, the first refusals with their row."""

    taken: int = 0
    refused: int = 0
    faults: list[AbilityRow] = field(default_factory=list)


def table_import(*, actor: Actor, path: Path, file_name: str) -> Imported:
    """Read a file into the table, row by row; of two rows of a number the last one counts.

    Chunks of 1 000 rows are committed one at a time, so that a million rows hold no lock for long.
    A repeated import changes nothing more. Raise UnreadableFileError if the file cannot be read to
    its end; the rows before that point were taken.
    """
    done = Imported()
    chunk: dict[str, bool] = {}
    try:
        for row in read_rows(path, file_name):
            if row.fault:
                done.refused += 1
                if len(done.faults) < FAULTS_SHOWN:
                    done.faults.append(row)
                continue
            chunk[row.number] = row.supports_yuexin
            done.taken += 1
            if len(chunk) >= CHUNK:
                list_terminals(chunk)
                chunk = {}
    finally:
        if chunk:
            list_terminals(chunk)
        with transaction.atomic():
            access.audit(
                actor=actor,
                action="billing.abilities_import",
                after={"file": file_name[:120], "taken": done.taken, "refused": done.refused},
            )
    return done


def list_terminals(chunk: dict[str, bool]) -> None:
    """Write rows of the table, all or none.

    The table's earlier answers for these numbers are deleted, so that they are read again.
    """
    now = timezone.now()
    with transaction.atomic():
        TerminalListing.objects.bulk_create(
            [
                TerminalListing(number=number, supports_yuexin=its, imported_at=now)
                for number, its in sorted(chunk.items())
            ],
            update_conflicts=True,
            unique_fields=["number"],
            update_fields=["supports_yuexin", "imported_at"],
        )
        forms = {form for number in chunk for form in forms_of(number)}
        TerminalAbility.objects.filter(number__in=forms, source="table").delete()
