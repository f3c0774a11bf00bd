"""Adds numbers to a pool: one, a range, or many. SQL first, then Redis."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers import regions
from numbers.canonical import canonical
from numbers.errors import NumbersError
from numbers.models import Number, NumberTag, Pool
from numbers.reason_words import rejection_of
from numbers.services.common import CHUNK, chunks, lock_living, send_after_commit, summary
from numbers.services.owners import calls_of_others, owners_of
from poolsite import access, hotpath, number_format
from poolsite.access.services.actor import Actor, clean_reason, require

RANGE_LIMIT = 1_000_000
CONTACT_SECONDS = 3_600  # the expiry that phones commonly request


@dataclass
class Added:
    """The result of adding numbers, in canonical form. Each number is in one of the lists.

    `stored`: number → the format in which its existing row stores it.
    """

    added: list[str] = field(default_factory=list)
    here: list[str] = field(default_factory=list)  # already in this pool
    elsewhere: dict[str, str] = field(default_factory=dict)  # number → the other pool's slug
    in_call: dict[str, str] = field(default_factory=dict)  # number → the pool of its old call
    stored: dict[str, str] = field(default_factory=dict)


def number_add(
    *,
    actor: Actor,
    pool: Pool,
    number: str,
    label: str = "",
    notes: str = "",
    region: str = "",
    tags: Sequence[str] = (),
    reason: str = "",
) -> Number:
    """Add one number.

    Raise NumbersError if the text is not a number, the number is taken, or a call of it is still in
    progress in another pool.
    """
    try:
        value = canonical(number_format.parse(number), pool.home_country)
    except number_format.NotANumberError as error:
        raise NumbersError("malformed", rejection_of(error)) from None
    done = numbers_add(
        actor=actor,
        pool=pool,
        values=[value],
        label=label,
        notes=notes,
        region=region,
        tags=tags,
        reason=reason,
    )
    if why := refusal_of(done, value):
        raise NumbersError("not-allowed", why)
    return Number.objects.get(canonical=value)


def refusal_of(done: Added, value: str) -> str:
    """Return why a number was not added, as a sentence, or "" if it was added."""
    row = done.stored.get(value, value)
    if value in done.elsewhere:
        place = {"number": row, "pool": done.elsewhere[value]}
        return _("%(number)s is in the pool %(pool)s.") % place
    if value in done.in_call:
        place = {"number": value, "pool": done.in_call[value]}
        return _("%(number)s is still in a call in %(pool)s.") % place
    if value in done.here:
        return _("%(number)s is already in this pool.") % {"number": row}
    return ""


def number_add_range(
    *,
    actor: Actor,
    pool: Pool,
    first: str,
    last: str,
    label: str = "",
    region: str = "",
    tags: Sequence[str] = (),
    reason: str = "",
) -> Added:
    """Add every number from `first` to `last`, both included, e.g. 13800000000 to 13800000999."""
    return numbers_add(
        actor=actor,
        pool=pool,
        values=range_of(first, last),
        label=label,
        region=region,
        tags=tags,
        reason=reason,
    )


def range_of(first: str, last: str) -> list[str]:
    """Return the numbers of a range, up to RANGE_LIMIT.

    Raise NumbersError for more, or unless both ends have one format and length and are in order.
    """
    try:
        start, end = number_format.parse(first), number_format.parse(last)
    except number_format.NotANumberError as error:
        raise NumbersError("malformed", rejection_of(error)) from None
    plus = "+" if start.startswith("+") else ""
    low, high = start.removeprefix("+"), end.removeprefix("+")
    if len(start) != len(end) or end.startswith("+") != bool(plus):
        raise NumbersError(
            "malformed",
            _("Enter both ends of the range in the same format and with the same length."),
        )
    count = int(high) - int(low) + 1
    if count < 1:
        raise NumbersError("malformed", _("The range ends before it starts."))
    if count > RANGE_LIMIT:
        text = _("A range can have up to %(n)s numbers.") % {"n": f"{RANGE_LIMIT:,}"}
        raise NumbersError("malformed", text)
    width = len(low)
    return [f"{plus}{number:0{width}d}" for number in range(int(low), int(high) + 1)]


def numbers_add(
    *,
    actor: Actor,
    pool: Pool,
    values: Iterable[str],
    label: str = "",
    notes: str = "",
    region: str = "",
    tags: Sequence[str] = (),
    reason: str = "",
    import_id: int | None = None,
    job: str | None = None,
) -> Added:
    """Add normalised numbers in chunks: SQL first, then Redis. Each chunk is atomic.

    The numbers are stored in their canonical form.
    """
    require(actor, "numbers.operate", pool)
    done = Added()
    wanted = sorted({canonical(value, pool.home_country) for value in values})
    for chunk in chunks(wanted):
        here, taken = len(done.here), len(done.elsewhere)
        with transaction.atomic():
            lock_living(pool)
            rows = _insert(
                pool, chunk, done, label=label, notes=notes, region=region, import_id=import_id
            )
            tag_rows(rows, tags)
            access.audit(
                actor=actor,
                action="numbers.number_add",
                thing=pool,
                after=summary([row.value for row in rows])
                | {"here": len(done.here) - here, "taken": len(done.elsewhere) - taken},
                reason=clean_reason(reason),
                job=job,
            )
            if rows:
                send_after_commit(pool, partial(load_numbers, pool, rows))
    return done


def _insert(
    pool: Pool,
    values: Sequence[str],
    done: Added,
    *,
    label: str,
    notes: str,
    region: str,
    import_id: int | None,
) -> list[Number]:
    known = owners_of(values)
    busy = calls_of_others(pool, [value for value in values if value not in known])
    rows = []
    for value in values:
        if value in known:
            owner = known[value]
            done.stored[value] = owner.value
            if owner.pool_id == pool.pk:
                done.here.append(value)
            else:
                done.elsewhere[value] = owner.pool.slug
        elif value in busy:
            done.in_call[value] = busy[value]
        else:
            rows.append(_row(pool, value, label, notes, region, import_id))
    Number.objects.bulk_create(rows, batch_size=CHUNK)
    done.added += [row.value for row in rows]
    return rows


def _row(
    pool: Pool, value: str, label: str, notes: str, region: str, import_id: int | None
) -> Number:
    known = regions.labels(value)
    return Number(
        pool=pool,
        value=value,
        canonical=value,
        label=label,
        notes=notes,
        region=region or known.region,
        carrier=known.carrier,
        import_id=import_id,
    )


def tag_rows(rows: Sequence[Number], tags: Sequence[str]) -> None:
    """Add tags to rows."""
    NumberTag.objects.bulk_create(
        [
            NumberTag(number=row, tag=tag, pool_id=row.pool_id, value=row.value)
            for row in rows
            for tag in clean_tags(tags)
        ],
        batch_size=CHUNK,
        ignore_conflicts=True,
    )


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Return the distinct tags, without surrounding spaces, up to 40 characters each, in order."""
    cleaned = {" ".join(tag.split())[:40] for tag in tags}
    return sorted(tag for tag in cleaned if tag)


def load_numbers(pool: Pool, rows: Sequence[Number], *, event: str = "add") -> int:
    """Add SQL's rows to Redis. Existing numbers stay as they are. Return how many were added."""
    put = 0
    for chunk in chunks(rows, commands.ROWS_LIMIT):
        write_aliases(pool, chunk)
        put += hotpath.run(commands.load(pool.slug, redis_rows(pool, chunk), event=event))
        register_contacts(pool, chunk)
    return put


def write_aliases(pool: Pool, rows: Iterable[Number]) -> None:
    """Let Redis find numbers that are stored in another format than their canonical form."""
    wanted = aliases_of(rows)
    for part in chunks(list(wanted), commands.ROWS_LIMIT):
        hotpath.run(commands.alias(pool.slug, {one: wanted[one] for one in part}))


def aliases_of(rows: Iterable[Number]) -> Mapping[str, str]:
    """Canonical form → stored format, where they differ."""
    return {
        row.canonical: row.value
        for row in rows
        if row.canonical is not None and row.canonical != row.value
    }


def register_contacts(pool: Pool, rows: Iterable[Number]) -> None:
    """Register numbers that were registered with a contact, for an hour.

    Only Redis knew when each contact expires. The next refresh sets it again.
    """
    events = [
        commands.Event.of("reg", number=row.value, contact=row.contact, expires=CONTACT_SECONDS)
        for row in rows
        if row.is_up and row.contact
    ]
    to_run = [commands.events(pool.slug, chunk) for chunk in chunks(events, commands.BATCH_LIMIT)]
    for outcomes in hotpath.run_batch(to_run):
        if isinstance(outcomes, hotpath.HotPathError):
            raise outcomes


def redis_rows(pool: Pool, rows: Iterable[Number]) -> list[commands.StoredNumber]:
    """SQL's rows as Redis expects them."""
    return [
        commands.StoredNumber(
            row.value,
            up=row.is_up and not row.contact,
            region=regions.area(row.value) if pool.near else "",
            quarantine=(row.quarantined_reason or "quarantined") if row.quarantined_at else "",
        )
        for row in rows
    ]
