"""The list of numbers: filtered, by keyset, with live states; usable with a million rows.

SQL filters and sorts; Redis has the states of one page. A filter by state reads page after page, up
to a limit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from numbers.models import Number, NumberTag, Pool
from numbers.pool import NumberState
from numbers.selectors.pools import in_visible_pools
from numbers.selectors.spellings import stored_value, typed_prefix, with_country
from numbers.selectors.states import live_numbers
from poolsite import access
from poolsite.access import Principal

PAGE = 50
PAGE_LIMIT = 1_000
EXACT_COUNT_LIMIT = 10_000
SCAN_ROWS = 20_000
SCAN_PAGE = 1_000

StateFilter = Literal["", "idle+up", "idle+down", "busy+up", "busy+down", "quarantined"]


@dataclass(frozen=True, slots=True)
class NumberFilter:
    """The filter of a list. Empty means everything that the user may see."""

    pool_slug: str = ""
    region: str = ""
    tag: str = ""
    prefix: str = ""
    state: StateFilter = ""
    import_id: int | None = None


@dataclass(frozen=True, slots=True)
class ListedNumber:
    """One row from SQL with its live state, or None if Redis doesn't have the number."""

    number: Number
    live: NumberState | None
    as_of_us: int = 0


@dataclass(frozen=True, slots=True)
class NumberPage:
    """A page in ascending order of numbers.

    `next`, `previous`: the value to pass as `after` or `before`; "" if there is no such page. A
    page of a state filter can be short and still have a `next`, because the search stopped at the
    limit.
    """

    rows: Sequence[ListedNumber]
    next: str
    previous: str


@dataclass(frozen=True, slots=True)
class About:
    """The number of rows; approximate unless `exact`."""

    count: int
    exact: bool


def visible_numbers(principal: Principal) -> QuerySet[Number]:
    """The numbers that this principal may see."""
    return in_visible_pools(Number.objects.all(), principal)


def filtered(principal: Principal, wanted: NumberFilter) -> QuerySet[Number]:
    """The numbers that match a filter, except for its live state, unordered."""
    numbers = visible_numbers(principal)
    if wanted.pool_slug:
        pool_id = Pool.objects.filter(slug=wanted.pool_slug).values_list("pk", flat=True).first()
        numbers = numbers.filter(pool_id=pool_id or 0)
    if wanted.region:
        numbers = numbers.filter(region=wanted.region)
    if wanted.tag:
        # The tag's row has number and pool, so its index alone gives the page in order.
        numbers = numbers.filter(tags__tag=wanted.tag)
    if wanted.prefix:
        numbers = numbers.filter(prefix_condition(wanted.prefix))
    if wanted.import_id is not None:
        numbers = numbers.filter(import_id=wanted.import_id)
    if wanted.state == "quarantined":
        numbers = numbers.filter(quarantined_at__isnull=False)
    return numbers


def prefix_condition(prefix: str, field: str = "value") -> Q:
    """Values that begin with `prefix`, as a range of the column's index."""
    if not prefix or not prefix.isascii():
        return Q(pk__in=()) if prefix else Q()
    following = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return Q(**{f"{field}__gte": prefix, f"{field}__lt": following})


def meant_prefix(numbers: QuerySet[Number], text: str) -> str:
    """Return the stored prefix that a typed one means: as typed, or after the country's code."""
    prefix = typed_prefix(text)
    forms = (prefix, with_country(prefix), f"+{prefix}", stored_value(numbers, prefix))
    for form in dict.fromkeys(forms):
        if numbers.filter(prefix_condition(form)).exists():
            return form
    return prefix


def pool_numbers(
    pool: Pool,
    *,
    q: str = "",
    region: str = "",
    carrier: str = "",
    tag: str = "",
    quarantined: bool | None = None,
    import_id: int | None = None,
) -> QuerySet[Number]:
    """The numbers of a pool that match each given filter, unordered. `q`: the first digits."""
    given = {"region": region, "carrier": carrier, "tags__tag": tag, "import_id": import_id}
    numbers = Number.objects.filter(pool=pool)
    if q:
        numbers = numbers.filter(prefix_condition(meant_prefix(numbers, q)))
    if quarantined is not None:
        numbers = numbers.filter(quarantined_at__isnull=not quarantined)
    numbers = numbers.filter(**{name: value for name, value in given.items() if value})
    return numbers.select_related("pool").prefetch_related("tags")


def number_list(
    principal: Principal,
    wanted: NumberFilter,
    *,
    after: str = "",
    before: str = "",
    limit: int = PAGE,
) -> NumberPage:
    """Return one page of numbers with their live states. `limit` up to 1 000."""
    limit = max(1, min(limit, PAGE_LIMIT))
    numbers = filtered(principal, wanted).select_related("pool")
    if wanted.state and wanted.state != "quarantined":
        return _page_by_state(numbers, wanted.state, after=after, limit=limit)
    if before:
        rows = list(numbers.filter(value__lt=before).order_by("-value")[: limit + 1])
        more_before, rows = len(rows) > limit, rows[:limit][::-1]
        following = bool(rows)
    else:
        rows = list(_after(numbers, after).order_by("value")[: limit + 1])
        following, rows = len(rows) > limit, rows[:limit]
        more_before = bool(after and rows)
    return NumberPage(
        rows=with_live(rows),
        next=rows[-1].value if rows and following else "",
        previous=rows[0].value if rows and more_before else "",
    )


def with_live(rows: Sequence[Number]) -> list[ListedNumber]:
    """Return the rows with their live states. Pools must be loaded. One round trip to Redis."""
    by_pool: dict[str, list[str]] = {}
    for row in rows:
        by_pool.setdefault(row.pool.slug, []).append(row.value)
    as_of_us, states = live_numbers(by_pool)
    return [ListedNumber(row, states.get((row.pool.slug, row.value)), as_of_us) for row in rows]


def about_count(principal: Principal, wanted: NumberFilter) -> About:
    """Count the numbers of a filter: exactly up to 10 000, then approximately.

    Never counts a million rows: beyond the limit it uses the planner's statistics.
    """
    numbers = filtered(principal, wanted)
    counted = numbers.order_by().values("pk")[: EXACT_COUNT_LIMIT + 1].count()
    if counted <= EXACT_COUNT_LIMIT:
        return About(counted, exact=True)
    return About(_estimate(numbers), exact=False)


def shown_state(state: NumberState) -> str:
    """The state by which a list is filtered: quarantine takes precedence over the other states."""
    return "quarantined" if state.quarantined else state.name


def _after(numbers: QuerySet[Number], after: str) -> QuerySet[Number]:
    return numbers.filter(value__gt=after) if after else numbers


def _page_by_state(numbers: QuerySet[Number], state: str, *, after: str, limit: int) -> NumberPage:
    found: list[ListedNumber] = []
    last = after
    exhausted = False
    for rows in _scan(numbers, after):
        last = rows[-1].value
        exhausted = len(rows) < SCAN_PAGE
        for listed in with_live(rows):
            if listed.live is not None and shown_state(listed.live) == state:
                found.append(listed)
                if len(found) == limit:
                    return NumberPage(found, listed.number.value, "")
        if exhausted:
            break
    return NumberPage(found, "" if exhausted or last == after else last, "")


def _scan(numbers: QuerySet[Number], after: str) -> Iterator[list[Number]]:
    read = 0
    while read < SCAN_ROWS:
        rows = list(_after(numbers, after).order_by("value")[:SCAN_PAGE])
        if not rows:
            return
        yield rows
        read += len(rows)
        after = rows[-1].value


def _estimate(numbers: QuerySet[Number]) -> int:
    """The approximate number of rows of a filter, estimated by the planner where there is one."""
    if connection.vendor == "postgresql":
        sql, parameters = numbers.order_by().values("pk").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", parameters)
            plan = cursor.fetchone()[0]
        return round(int(plan[0]["Plan"]["Plan Rows"]), -3) or EXACT_COUNT_LIMIT
    return int(numbers.order_by().values("pk").count())


_HOPS = """
WITH RECURSIVE hop(word) AS (
    SELECT ({first}) UNION ALL SELECT ({next}) FROM hop WHERE hop.word IS NOT NULL
) SELECT word FROM hop WHERE word IS NOT NULL LIMIT {limit}
"""


def regions(principal: Principal, *, pool_slug: str = "", limit: int = 200) -> list[str]:
    """The regions that occur, in order. One query."""
    return _words(filtered(principal, NumberFilter(pool_slug=pool_slug)), "region", limit)


def tags(principal: Principal, *, pool_slug: str = "", limit: int = 200) -> list[str]:
    """The tags that occur, in order. One query."""
    found = in_visible_pools(NumberTag.objects.all(), principal)
    return _words(found.filter(pool__slug=pool_slug) if pool_slug else found, "tag", limit)


def _words(rows: QuerySet[Any], field: str, limit: int) -> list[str]:
    """The distinct values of a field. Hops over the index: O(values · log n)."""
    rows = rows.order_by(field)

    def next_after(word: Any) -> tuple[str, tuple[Any, ...]]:
        found = rows.filter(**{f"{field}__gt": word}).values(field)[:1]
        return found.query.sql_with_params()

    try:
        first, next_one = next_after(""), next_after(RawSQL("hop.word", ()))
    except EmptyResultSet:  # the user may see no number at all
        return []
    sql = _HOPS.format(first=first[0], next=next_one[0], limit=limit)
    with connection.cursor() as cursor:
        cursor.execute(sql, (*first[1], *next_one[1]))
        return [word for (word,) in cursor.fetchall()]


def number_get(principal: Principal, value: str, action: str = "numbers.view") -> ListedNumber:
    """Return one number, given in any format, with its live state.

    Raise access.Hidden if there is none, or Forbidden.
    """
    stored = stored_value(Number.objects.all(), value)
    numbers = Number.objects.select_related("pool__account").filter(value=stored)
    return with_live([access.require_one(numbers, principal, action)])[0]
