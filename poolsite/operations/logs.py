"""Structured logs: one line per event, with the request's name; telephone numbers and message
bodies masked, whoever logs them.

Used by settings.LOGGING, so it is imported before Django's apps: nothing of theirs here.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

HIDDEN = "[hidden]"
# What a person wrote, or what opens doors: never in a log, not even in part.
HIDDEN_KEYS = frozenset(
    {
        *("body", "text", "content", "message_body", "authorization", "cookie", "set-cookie"),
        *("password", "secret", "token", "api_key", "session", "csrf", "signature"),
    }
)
# Ours, made by ourselves, and full of digits.
PLAIN_KEYS = frozenset(
    {"timestamp", "level", "logger", "request_id", "event_id", "lineno", "sha1", "process"}
)
# Seven digits or more in a row, or a number written with its plus and any grouping, or a
# mainland mobile number in groups. \d is any script's digit: full-width ones are numbers too.
_NUMBER = re.compile(
    r"\+\d(?:[ .()\-]{0,2}\d){5,31}"
    r"|(?<![\w.])00\d(?:[ \-]?\d){5,31}"
    r"|(?<!\d)1[3-9]\d[ \-]\d{4}[ \-]\d{4}(?!\d)"
    r"|(?<![0-9a-fA-F])\d{7,32}(?![0-9a-fA-F])"
)


def mask_text(text: str) -> str:
    """Replace the middle of every telephone number: +8613812345678 → +86***78."""
    return _NUMBER.sub(_masked, text)


def _masked(found: re.Match[str]) -> str:
    number = found[0]
    kept = 3 if number.startswith("+") else 2
    return f"{number[:kept]}***{number[-2:]}"


def mask(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """The processor: masks every value, however deep, and the message itself."""
    return {key: _mask_value(key, value) for key, value in event.items()}


def _mask_value(key: str, value: Any) -> Any:
    if key in PLAIN_KEYS or key.startswith("_"):
        return value
    if key.lower() in HIDDEN_KEYS:
        return HIDDEN if value else value
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, bytes):
        return mask_text(value.decode("utf-8", "replace"))
    if isinstance(value, Mapping):
        return {str(name): _mask_value(str(name), inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_mask_value("", inner) for inner in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_text(str(value))


def add_request(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Name the request that is being served."""
    from poolsite.access import context

    serving = context.current()
    if serving.request_id:
        event.setdefault("request_id", serving.request_id)
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
    """The formatter of settings.LOGGING: `kind` is json or console. Also configures structlog."""
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


def logging_config(kind: str, level: str) -> dict[str, Any]:
    """Return settings.LOGGING: everything to standard error, one line per event."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "poolsite.operations.logs.formatter", "kind": kind}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"level": level},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            "httpx": {"level": "WARNING"},  # it writes whole addresses, which may hold secrets
            "celery.app.trace": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
        },
    }
