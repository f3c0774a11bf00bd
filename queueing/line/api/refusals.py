"""A use case's refusal as the interface's problem."""

from collections.abc import Iterator
from contextlib import contextmanager

from poolsite.api.root import ProblemError
from queueing.line.errors import LineError


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a LineError of the block into the problem of its kind."""
    try:
        yield
    except LineError as error:
        raise ProblemError(error.kind, error.detail, **error.more) from None
