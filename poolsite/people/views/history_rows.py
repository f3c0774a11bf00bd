"""The rows of the history: sentence, day, reason, and the change as it is stored."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import dates
from poolsite.access import Principal
from poolsite.access.models import AuditEntry
from poolsite.console import sentences, undoing
from poolsite.console.sentences import EntryText, Names, Reading

LINES = 3  # of a change of several fields; the opened row has the rest


@dataclass(frozen=True)
class AuditRow:
    """One entry for the template.

    day: a heading above the entry, "" if the entry before has the same day. icon: instead of the
    initials, if no person did it. undoes: the key of the entry that it undoes. account: "" if the
    sentence names the account already. origin: the address, for operators only.
    """

    entry: AuditEntry
    said: EntryText
    actor: str
    icon: str
    day: str
    lines: Sequence[sentences.FieldChange]
    undoes: int | None
    kind: str
    account: str
    origin: str
    raw: str

    @property
    def pk(self) -> int:
        return self.entry.pk


def rows_of(reader: Principal, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    """Return the rows of a page. People and pages of objects are read once for all rows."""
    names, pages = names_of(entries), _pages_of(reader, entries)
    rows: list[AuditRow] = []
    last: date | None = None
    for entry in entries:
        day = timezone.localtime(entry.at).date()
        url = pages.get((entry.thing_kind, entry.thing_id), "")
        rows.append(_row(reader, Reading(entry, names, url), "" if day == last else _day(day)))
        last = day
    return rows


def names_of(entries: Sequence[AuditEntry]) -> Names:
    """Return the names of all people in these entries."""
    found = {entry.actor_name for entry in entries if entry.actor_kind == "user"}
    found |= {entry.thing_label for entry in entries if entry.thing_kind == "user"}
    for entry in entries:
        for kept in (entry.before or {}, entry.after or {}):
            if isinstance(kept.get("user"), str):
                found.add(kept["user"])
    return Names(found)


def _row(reader: Principal, reading: Reading, day: str) -> AuditRow:
    entry = reading.entry
    said = sentences.said(reading)
    return AuditRow(
        entry=entry,
        said=said,
        actor=sentences.actor_words(entry, reading),
        icon={"user": "", "token": "key"}.get(entry.actor_kind, "bolt"),
        day=day,
        lines=[] if said.told else said.changes[:LINES],
        undoes=undoing.undone_by(entry),
        kind=said.group or sentences.object_word(entry.thing_kind),
        account=_account(entry),
        origin=entry.address if reader.is_operator else "",
        raw=_raw(entry),
    )


def _account(entry: AuditEntry) -> str:
    account = entry.account
    return "" if account is None or entry.thing_id == account.slug else account.name


def _pages_of(reader: Principal, entries: Sequence[AuditEntry]) -> Mapping[tuple[str, str], str]:
    ids: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        ids[entry.thing_kind].add(entry.thing_id)
    return {
        (kind, key): url
        for kind, keys in ids.items()
        for key, url in sentences.pages_of(reader, kind, keys).items()
    }


def _day(day: date) -> str:
    """Return "Today, Mon 23 Nov", or just the day for days before yesterday."""
    today = timezone.localdate()
    words = dates.weekday(day)
    if day == today:
        return _("Today, %(day)s") % {"day": words}
    if (today - day).days == 1:
        return _("Yesterday, %(day)s") % {"day": words}
    return words


def _raw(entry: AuditEntry) -> str:
    """Return the change as it is stored."""
    kept = {
        "id": entry.pk,
        "action": entry.action,
        "actor": {"kind": entry.actor_kind, "name": entry.actor_name},
        "object": {"kind": entry.thing_kind, "id": entry.thing_id, "label": entry.thing_label},
        "before": entry.before,
        "after": entry.after,
    }
    return json.dumps(kept, ensure_ascii=False, indent=2)
