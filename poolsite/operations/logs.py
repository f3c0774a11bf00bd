"""Structured logs: one bounded line per event, with the request's ID.

Telephone numbers and message bodies are masked, whatever code logs them. settings.LOGGING uses this
module, so it is imported before Django's apps and imports none of them.
"""

import logging
import re
import time
from collections.abc import Mapping
from itertools import islice
from threading import Lock
from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from poolsite import tracing

HIDDEN = "[hidden]"
# Texts that people wrote, and credentials: never logged, not even in part.
HIDDEN_KEYS = frozenset(
    {
        *("body", "text", "content", "message_body", "authorization", "cookie", "set-cookie"),
        *("password", "secret", "token", "api_key", "session", "csrf", "signature"),
    }
)
# Values that we create ourselves and that are full of digits.
PLAIN_KEYS = frozenset(
    {
        "timestamp",
        "level",
        "logger",
        "request_id",
        "trace_id",
        "event_id",
        "lineno",
        "sha1",
        "process",
    }
)
# Seven digits or more in a row, or a number with its plus sign and any grouping, or a mainland
# mobile number in groups. \d matches the digits of any script: full-width digits are numbers, too.
_NUMBER = re.compile(
    r"\+\d(?:[ .()\-]{0,2}\d){5,31}"
    r"|(?<![\w.])00\d(?:[ \-]?\d){5,31}"
    r"|(?<!\d)1[3-9]\d[ \-]\d{4}[ \-]\d{4}(?!\d)"
    r"|(?<![0-9a-fA-F])\d{7,32}(?![0-9a-fA-F])"
)

TEXT_LIMIT = 2_000  # characters per value
TRACEBACK_LIMIT = 16_000  # its end, with the error itself, matters most
ITEMS_LIMIT = 20  # per list or mapping
# What a terminal would execute, or a viewer would take for the end of a line.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROL_IN_TRACEBACK = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def bounded(text: str) -> str:
    """Shorten a value from outside and escape its control characters: it stays on a line."""
    if len(text) > TEXT_LIMIT:
        text = f"{text[:TEXT_LIMIT]}… ({len(text)} characters)"
    return _CONTROL.sub(_escaped, text)


def bounded_traceback(text: str) -> str:
    """Do the same for a traceback, but keep its lines. If it is too long, its middle is cut."""
    if len(text) > TRACEBACK_LIMIT:
        half = TRACEBACK_LIMIT // 2
        text = f"{text[:half]}\n… ({len(text)} characters) …\n{text[-half:]}"
    return _CONTROL_IN_TRACEBACK.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


# Secrets that we issue and that must not appear in a log: tokens, visitors' tokens, invitations.
# They are sent in headers and forms, but a user may still paste one into an address.
_SECRET = re.compile(r"\b(ps[iv]?_)[A-Za-z0-9_.:-]{20,}")


def mask_text(text: str) -> str:
    """Mask every telephone number and our secrets: +8613812345678 → +86***78."""
    return _NUMBER.sub(_masked, _SECRET.sub(r"\1***", text))


def _masked(found: re.Match[str]) -> str:
    number = found[0]
    kept = 3 if number.startswith("+") else 2
    return f"{number[:kept]}***{number[-2:]}"


def mask(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Mask and bound every value, however deeply nested, and the message. A structlog processor."""
    return {key: _mask_value(key, value) for key, value in event.items()}


def _mask_value(key: str, value: Any) -> Any:
    if key in PLAIN_KEYS or key.startswith("_"):
        return value
    if key.lower() in HIDDEN_KEYS:
        return HIDDEN if value else value
    if isinstance(value, str):
        return mask_text(bounded_traceback(value) if key == "exception" else bounded(value))
    if isinstance(value, bytes):
        return mask_text(bounded(value.decode("utf-8", "replace")))
    if isinstance(value, Mapping):
        items = islice(value.items(), ITEMS_LIMIT)
        return {bounded(str(name)): _mask_value(str(name), inner) for name, inner in items}
    if isinstance(value, list | tuple | set | frozenset):
        return [_mask_value("", inner) for inner in islice(value, ITEMS_LIMIT)]
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_text(bounded(str(value)))


def add_request(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Add the ID of the request that is being served."""
    from poolsite.access import context

    serving = context.current()
    if serving.request_id:
        event.setdefault("request_id", serving.request_id)
    if trace := tracing.trace_id():
        event.setdefault("trace_id", trace)
    return event


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_request,
    ]


def formatter(kind: str) -> logging.Formatter:
    """Configure structlog, and return the formatter for settings.LOGGING: json or console."""
    if kind not in ("json", "console"):
        raise ValueError(f"POOLSITE_LOG_FORMAT is json or console, not {kind!r}")
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    last: Processor = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    if kind == "json":
        last = structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_shared(),
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            mask,
            last,
        ],
    )


class RefusedRequests(logging.Filter):
    """Limits the lines of refused requests (4xx): no traceback, and a number of lines per second.

    A refusal is the caller's fault, and one line explains it. The next line that is written says
    how many were left out. Each process has one such object.
    """

    def __init__(self, lines_per_second: int = 20) -> None:
        super().__init__()
        self._limit = lines_per_second
        self._lock = Lock()
        self._second = 0
        self._written = 0
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write the record. The records of refused requests are changed."""
        if not _is_refusal(record):
            return True
        record.exc_info = record.exc_text = None
        with self._lock:
            second = int(time.monotonic())
            if second != self._second:
                self._second, self._written = second, 0
            if self._written >= self._limit:
                self._left_out += 1
                return False
            self._written += 1
            left_out, self._left_out = self._left_out, 0
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more refused requests before it)"
            record.args = ()
        return True


def _is_refusal(record: logging.LogRecord) -> bool:
    """Return whether Django or the rate limits log a response of 400 to 499."""
    status = getattr(record, "status_code", 0)
    return isinstance(status, int) and 400 <= status < 500


def logging_config(kind: str, level: str) -> dict[str, Any]:
    """Return settings.LOGGING: everything to standard error, one line per event."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "poolsite.operations.logs.formatter", "kind": kind}},
        "filters": {"refused": {"()": "poolsite.operations.logs.RefusedRequests"}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["refused"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"level": level},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            # Errors and warnings of uvicorn. Its own handler would neither mask nor bound them.
            "uvicorn.error": {"handlers": ["stderr"], "propagate": False},
            "httpx": {"level": "WARNING"},  # it logs whole URLs, which may contain secrets
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
        },
    }
