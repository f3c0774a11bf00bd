"""Lists of the API by cursor: one form of request and response for all of them."""

import base64
import binascii
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from pydantic import BaseModel, Field

from poolsite.api.root import ProblemError
from poolsite.paging import keyset_page

T = TypeVar("T")
M = TypeVar("M", bound=Model)
ROWS, ROWS_LIMIT = 50, 200
_KEY_LIMIT = 2**63


class PageIn(BaseModel):
    """The parameters of every list. Subclasses add the list's filters."""

    cursor: str = Field(
        "", max_length=64, description="`next` of the page before. Omit it for the first page."
    )
    limit: int = Field(ROWS, ge=1, le=ROWS_LIMIT, description="Rows per page.")


class Page(BaseModel, Generic[T]):
    """One page of a list."""

    data: list[T]
    next: str | None = Field(
        description="Pass it as `cursor` to get the next page. Null on the last page."
    )


def page(
    request: HttpRequest,
    asked: PageIn,
    rows: QuerySet[M],
    out: Callable[[M], T],
    *,
    oldest_first: bool = False,
) -> Page[T]:
    """Return one page of `rows` by primary key, newest first by default.

    A row that is added meanwhile moves no other row to another page. Raise ProblemError `malformed`
    for an invalid cursor, and for query parameters that the list does not have: a misspelled filter
    would return everything.
    """
    check_known(request, asked)
    if asked.cursor:
        key = _key_of(asked.cursor)
        rows = rows.filter(pk__gt=key) if oldest_first else rows.filter(pk__lt=key)
    shown, last = keyset_page(rows.order_by("pk" if oldest_first else "-pk"), asked.limit)
    return Page(
        data=[out(row) for row in shown], next=_cursor_of(last.pk) if last is not None else None
    )


def check_known(request: HttpRequest, asked: BaseModel) -> None:
    """Raise ProblemError `malformed` for query parameters that the operation does not have."""
    unknown = sorted(set(request.GET) - set(type(asked).model_fields))
    if unknown:
        raise ProblemError("malformed", f"{unknown[0][:40]}: unknown parameter")


def _cursor_of(key: int) -> str:
    return base64.urlsafe_b64encode(b"%d" % key).decode().rstrip("=")


def _key_of(cursor: str) -> int:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raw = b""
    if not raw.isdigit() or int(raw[:20]) >= _KEY_LIMIT:
        raise ProblemError("malformed", "cursor: use `next` of the page before")
    return int(raw)
