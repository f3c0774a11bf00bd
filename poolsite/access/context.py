"""Which request is being served, for the audit log and the logs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What an audit entry remembers of the request that led to it."""

    request_id: str = ""
    address: str = ""


_NONE = RequestContext()
_CURRENT: ContextVar[RequestContext] = ContextVar("poolsite_request", default=_NONE)


def current() -> RequestContext:
    """The request being served in this task or thread; empty outside of one."""
    return _CURRENT.get()


@contextmanager
def serving(request_id: str, address: str) -> Iterator[RequestContext]:
    """Name the request for everything that runs inside."""
    context = RequestContext(request_id[:64], address[:64])
    reset = _CURRENT.set(context)
    try:
        yield context
    finally:
        _CURRENT.reset(reset)
