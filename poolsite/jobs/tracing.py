"""A span for each task. Its parent is the request or task that sent it."""

from contextlib import AbstractContextManager
from typing import Any

from celery import signals

from poolsite import tracing

PREFIX = "trace_"  # of a message's headers, which also include Celery's own
_open: dict[str, tuple[AbstractContextManager[Any], Any]] = {}  # by task: the block and its span


def install() -> None:
    """Connect to Celery's signals. Without tracing, the handlers do nothing."""
    signals.before_task_publish.connect(_sent)
    signals.worker_process_init.connect(_started)
    signals.worker_process_shutdown.connect(_ended)
    signals.task_prerun.connect(_begun)
    signals.task_failure.connect(_failed)
    signals.task_postrun.connect(_done)


def _started(**_: Any) -> None:
    tracing.start("worker")


def _ended(**_: Any) -> None:
    tracing.stop()


def _sent(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is not None:
        headers.update({f"{PREFIX}{name}": value for name, value in tracing.headers().items()})


def _begun(task_id: str, task: Any, **_: Any) -> None:
    if not tracing.is_on():
        return
    given = getattr(task.request, "headers", None) or {}
    parent = {
        name.removeprefix(PREFIX): value
        for name, value in given.items()
        if name.startswith(PREFIX) and isinstance(value, str)
    }
    block = tracing.span(task.name, "consumer", parent=parent)
    _open[task_id] = block, block.__enter__()


def _failed(task_id: str, exception: BaseException, **_: Any) -> None:
    if task_id in _open:
        tracing.note_error(_open[task_id][1], exception)


def _done(task_id: str, **_: Any) -> None:
    if task_id in _open:
        block, _span = _open.pop(task_id)
        block.__exit__(None, None, None)
