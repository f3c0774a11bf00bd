"""What pages read of imports; tenant-safe."""

from collections.abc import Iterator

from django.db.models import QuerySet

from numbers.models import ImportRow, NumberImport
from numbers.selectors.pools import in_visible_pools
from poolsite import access
from poolsite.access import Principal

SHOWN_ROWS = 9
ALL_ROWS = 1_000


def visible_imports(principal: Principal) -> QuerySet[NumberImport]:
    """The imports into pools that the principal may see, the latest first."""
    rows = NumberImport.objects.select_related("pool__account", "actor", "job")
    return in_visible_pools(rows, principal).order_by("-pk")


def import_of(principal: Principal, import_id: int) -> NumberImport:
    """One import; a foreign or missing one raises Hidden (404)."""
    found = visible_imports(principal).filter(pk=import_id).first()
    if found is None:
        access.require(principal, "numbers.view")
        raise access.Hidden
    return found


def staged_rows(found: NumberImport, kind: str, *, limit: int) -> list[ImportRow]:
    """The first rows of one kind, in the order of the file."""
    return list(found.staged.filter(kind=kind).order_by("row")[:limit])


def rows_left_out(found: NumberImport, *kinds: str) -> Iterator[ImportRow]:
    """Every row of which no number comes, suspicious or refused, in the order of the file."""
    wanted = kinds or (ImportRow.Kind.SUSPICIOUS, ImportRow.Kind.REFUSED)
    return found.staged.filter(kind__in=wanted).order_by("row").iterator()
