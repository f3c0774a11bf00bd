"""The request that is being served, for the audit log and the logs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The parts of a request that its audit entries store."""

    request_id: str = ""
    address: str = ""


_NONE = RequestContext()
_CURRENT: ContextVar[RequestContext] = ContextVar("poolsite_request", default=_NONE)


def current() -> RequestContext:
    """Return the request being served in this task or thread; an empty one outside of a request."""
    return _CURRENT.get()


@contextmanager
def serving(request_id: str, address: str) -> Iterator[RequestContext]:
    """Set the current request for everything that runs inside the block."""
    context = RequestContext(request_id[:64], address[:64])
    reset = _CURRENT.set(context)
    try:
        yield context
    finally:
        _CURRENT.reset(reset)
