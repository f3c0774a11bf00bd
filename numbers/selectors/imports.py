"""Queries about imports; tenant-safe."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from numbers.models import ImportRow, NumberImport, Pool
from numbers.selectors.pools import in_visible_pools
from poolsite import access
from poolsite.access import Principal
from poolsite.jobs.models import Job

SHOWN_ROWS = 9
ALL_ROWS = 1_000


def visible_imports(principal: Principal) -> QuerySet[NumberImport]:
    """The imports into pools that the principal may see, latest first."""
    rows = NumberImport.objects.select_related("pool__account", "actor", "job")
    return in_visible_pools(rows, principal).order_by("-pk")


def import_of(principal: Principal, import_id: int) -> NumberImport:
    """Return one import. Raise Hidden (404) if it is missing or belongs to another account."""
    found = visible_imports(principal).filter(pk=import_id).first()
    if found is None:
        access.require(principal, "numbers.view")
        raise access.Hidden
    return found


def staged_rows(found: NumberImport, kind: str, *, limit: int) -> list[ImportRow]:
    """The first rows of one kind, in the order of the file."""
    return list(found.staged.filter(kind=kind).order_by("row")[:limit])


def rows_left_out(found: NumberImport, *kinds: str) -> Iterator[ImportRow]:
    """Yield every row that gives no number, suspicious or refused, in the order of the file."""
    wanted = kinds or (ImportRow.Kind.SUSPICIOUS, ImportRow.Kind.REFUSED)
    return found.staged.filter(kind__in=wanted).order_by("row").iterator()


def pool_imports(pool: Pool) -> QuerySet[NumberImport]:
    """The imports into one pool, latest first."""
    rows = NumberImport.objects.select_related("pool__account", "actor", "job")
    return rows.filter(pool=pool).order_by("-pk")


def imports_in_state(rows: QuerySet[NumberImport], state: str) -> QuerySet[NumberImport]:
    """Filter by shown state ("" = all). Open imports whose job has ended count as stopped."""
    if not state:
        return rows
    stopped = Q(state__in=NumberImport.UNDER_WAY, job__state__in=Job.ENDED)
    if state == NumberImport.State.STOPPED:
        return rows.filter(stopped)
    return rows.filter(state=state).exclude(stopped)
