"""Path parameters that all parts of the API share: slugs and IDs."""

from typing import Any, Final

from ninja.params import functions as param

LARGEST_ID: Final = 2**63 - 1  # of a primary key in SQL


def slug_in_path(what: str) -> Any:
    """Return a path parameter for a slug. `what` is its description."""
    return param.Path(..., pattern=r"^[a-z0-9-]{1,40}$", description=what)


def id_in_path(what: str) -> Any:
    """Return a path parameter for an ID. `what` is its description."""
    return param.Path(..., ge=1, le=LARGEST_ID, description=what)


def id_of(key: int) -> int:
    """Return an ID that SQL can look up. Return 0, which no row has, for any other."""
    return key if 0 < key <= LARGEST_ID else 0
