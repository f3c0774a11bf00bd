"""Shared parts of the pool's routes behind Django: a path's pool, its numbers, their answers."""

from typing import Any

from ninja import Router

from numbers import selectors
from numbers.api.number_schemas import NumberOut
from numbers.api.pool_schemas import Counts, PoolOut
from numbers.canonical import home_of
from numbers.models import Number, Pool
from numbers.selectors import ListedNumber, PoolNow
from numbers.services.pools import SETTINGS
from poolsite import access, number_format
from poolsite.access import Principal
from poolsite.api.paths import slug_in_path
from poolsite.api.root import ProblemError
from poolsite.moments import iso

# One router for all paths below a pool, because Django gives a path to the first router that
# matches.
router = Router(tags=["numbers"])
Slug = slug_in_path("The pool's slug.")
VIEW, OPERATE = "numbers.view", "numbers.operate"


def pool_of(principal: Principal, slug: str, action: str = VIEW) -> Pool:
    """Return a pool that the principal may do `action` to.

    Raise ProblemError if the pool is missing, or if it belongs to another account.
    """
    try:
        return selectors.pool_get(principal, slug, action)
    except access.Hidden:
        raise ProblemError("unknown-pool", "pool not found") from None


def number_of(pool: Pool, text: str) -> Number:
    """Return a number of the pool, given in any format. Raise ProblemError if the pool lacks it."""
    row = selectors.number_of_pool(pool, value_of(text))
    if row is None:
        raise ProblemError("unknown-number", "the number is not in this pool")
    row.pool = pool  # with its account, for the permission checks
    return row


def value_of(text: str) -> str:
    """Normalise a number of a path or query. Raise ProblemError if the text is not a number."""
    try:
        return number_format.parse(text)
    except number_format.NotANumberError as error:
        raise ProblemError("malformed", f"number: {error}") from None


def check_text(*texts: str) -> None:
    """Raise ProblemError if a text has control characters."""
    if not all(text.isprintable() for text in texts):
        raise ProblemError("malformed", "control characters are not allowed")


def pool_out(now: PoolNow) -> PoolOut:
    """A pool as the API returns it."""
    pool, live = now.pool, now.live
    settings: dict[str, Any] = {name: getattr(pool, name) for name in SETTINGS}
    counts = None
    if live is not None:
        counts = Counts(**{name: getattr(live, name) for name in Counts.model_fields})
    return PoolOut(
        **(settings | {"home_country": home_of(pool.home_country)}),
        slug=pool.slug,
        account=pool.account.slug if pool.account is not None else None,
        status=now.status,
        status_reason=now.status_reason,
        numbers=live.numbers if live is not None else pool.numbers.count(),
        counts=counts,
        as_of=live.as_of_us if live is not None else 0,
    )


def number_out(listed: ListedNumber) -> NumberOut:
    """A number as the API returns it."""
    row, live = listed.number, listed.live
    as_of = listed.as_of_us
    why_not = live.why_not(as_of) if live is not None else "not in Redis"
    return NumberOut(
        number=row.canonical or row.value,
        stored_as=row.value,
        pool=row.pool.slug,
        label=row.label,
        notes=row.notes,
        tags=sorted(each.tag for each in row.tags.all()),
        region=row.region,
        carrier=row.carrier,
        import_id=row.import_id,
        duplicate=row.twin_of_id is not None,
        quarantined_at=iso(row.quarantined_at),
        quarantined_by=row.quarantined_by,
        quarantined_reason=row.quarantined_reason,
        quarantined_until=iso(row.quarantined_until),
        state=live.name if live is not None else "nodata",
        pickable=live is not None and not why_not,
        why_not=why_not,
        pickable_from=live.since_us if live is not None and not live.busy else None,
        as_of=as_of,
        **_call(listed),
    )


def _call(listed: ListedNumber) -> dict[str, Any]:
    """The fields of the number's call, empty if the number is in no call."""
    live = listed.live
    call = live.call if live is not None else None
    busy = live if live is not None and live.busy else None
    names = ("call_id", "agent", "callee", "switch", "direction")
    lease_ms = busy.lease_until_ms if busy is not None else None
    return {
        **{name: getattr(call, name) if call is not None else "" for name in names},
        "since": busy.since_us if busy is not None else None,
        "lease_until": lease_ms * 1000 if lease_ms is not None else None,
    }
