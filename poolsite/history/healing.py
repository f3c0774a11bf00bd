"""What an app's source does when the drain finds Redis behind SQL."""

from collections.abc import Callable
from typing import Any, TypeVar

from poolsite import hotpath
from poolsite.history.models import Cursor
from poolsite.hotpath.rows import RedisRow

Row = TypeVar("Row", bound=RedisRow)


def heal(
    kind: str,
    row: Row | None,
    reason: str,
    *,
    show: Callable[[str], hotpath.Command[Any]],
    check: Callable[[Row, Any], bool],
    rebuild: Callable[[Row, str, int], bool],
) -> None:
    """Rebuild an aggregate's data, unless another worker has done so since.

    kind: the source's. row: None if the aggregate is deleted. show: returns the command for the
    figures of a slug. check: compares figures with what SQL has stored. rebuild: gets the row, the
    reason, and the generation found in Redis.
    """
    if row is None:
        return
    figures = hotpath.run(show(row.slug))
    known = Cursor.objects.filter(kind=kind, tag=row.tag).values_list("generation", flat=True)
    if figures is not None and figures.generation == row.generation == known.first():
        # The same generation, but entries that SQL has are missing: a failover lost them.
        rebuild(row, reason, figures.generation)
    else:
        check(row, figures)
