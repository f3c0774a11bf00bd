"""The parameters of the API's paths that are alike everywhere: slugs and IDs."""

from typing import Any, Final

from ninja.params import functions as param

LARGEST_ID: Final = 2**63 - 1  # of a primary key in SQL


def slug_in_path(what: str) -> Any:
    """A path parameter that is the slug of something."""
    return param.Path(..., pattern=r"^[a-z0-9-]{1,40}$", description=what)


def id_in_path(what: str) -> Any:
    """A path parameter that is the ID of something."""
    return param.Path(..., ge=1, le=LARGEST_ID, description=what)


def id_of(key: int) -> int:
    """An ID that SQL can look up; 0, which no row has, for any other."""
    return key if 0 < key <= LARGEST_ID else 0
