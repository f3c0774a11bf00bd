"""OpenTelemetry traces, enabled by its standard variables (docs/operations/tracing.md).

While tracing is off, none of OpenTelemetry is imported, and `span` returns a block that does
nothing. Work inside a request gets spans of the request's trace. Work that a request causes later
(the drain, the push to open pages) has its own trace, which links to it. Spans contain no
addresses, no query strings and no error texts: only our own names, counts and sizes.
"""

import atexit
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import poolsite

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
PROTOCOL = "http/protobuf"
EXPORTERS = ("otlp", "console", "none")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
EXPORT_SECONDS = 5  # the standard's 10 would delay the end of a process
STOP_SECONDS = 2.0
OFF: AbstractContextManager[Any] = nullcontext()
CONTEXT = {b"traceparent", b"tracestate"}

_deadline = float("inf")  # nothing is exported after this time
_tracer: Any = None
_provider: Any = None
# The current request as a W3C traceparent, if its changes are to link back to it.
_cause: ContextVar[str] = ContextVar("poolsite_cause", default="")


def is_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether an exporter or its address is set and OTEL_SDK_DISABLED is not true."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    return exporter != "none" if exporter else any(environment.get(name) for name in ENDPOINTS)


def refusals(environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield a sentence for each variable that requests something unsupported."""
    if not is_wanted(environment):
        return
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip() or "otlp"
    if exporter not in EXPORTERS:
        yield f"OTEL_TRACES_EXPORTER is {exporter!r}: set it to {', '.join(EXPORTERS)}."
    for name in PROTOCOLS:
        wanted = environment.get(name, PROTOCOL)
        if wanted != PROTOCOL:
            yield f"{name} is {wanted!r}: only {PROTOCOL} is supported (port 4318 of a collector)."


def start(role: str) -> None:
    """Export this process's spans from now on, if tracing is wanted. Call this once per process.

    `role` ("web", "worker", "timers") is the default of OTEL_SERVICE_NAME, after "poolsite-".
    """
    if not is_wanted() or _provider is not None:
        return
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    is_console = os.environ.get("OTEL_TRACES_EXPORTER", "").strip() == "console"
    exporter = ConsoleSpanExporter() if is_console else _otlp_exporter()
    start_with(BatchSpanProcessor(exporter), role)
    atexit.register(stop)


def _otlp_exporter() -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SpanExportResult

    class Exporter(OTLPSpanExporter):
        """An exporter that delays the end of a process only by a few seconds."""

        def export(self, spans: Any) -> Any:
            if time.monotonic() > _deadline:
                return SpanExportResult.FAILURE
            return super().export(spans)

    given = any(os.environ.get(name) for name in TIMEOUTS)
    return Exporter() if given else Exporter(timeout=EXPORT_SECONDS)


def start_with(processor: Any, role: str) -> None:
    """Pass every span to `processor`. OTEL_TRACES_SAMPLER determines the sampler."""
    global _deadline, _provider, _tracer
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    _deadline = float("inf")
    name = os.environ.get("OTEL_SERVICE_NAME") or f"poolsite-{role}"
    made = Resource.create({"service.name": name, "service.version": poolsite.__version__})
    _provider = TracerProvider(resource=made, shutdown_on_exit=False)
    _provider.add_span_processor(processor)
    _tracer = _provider.get_tracer("poolsite")


def stop() -> None:
    """Send the remaining spans and turn tracing off.

    This takes up to STOP_SECONDS plus one more export.
    """
    global _deadline, _provider, _tracer
    _deadline = time.monotonic() + STOP_SECONDS
    provider, _provider, _tracer = _provider, None, None
    if provider is not None:
        provider.shutdown()


def is_on() -> bool:
    """Whether spans are exported."""
    return _tracer is not None


def span(
    name: str,
    kind: str = "internal",
    *,
    parent: Mapping[str, str] | None = None,
    links: Sequence[str] = (),
    attributes: Mapping[str, str | int] | None = None,
) -> AbstractContextManager[Any]:
    """Open a span around a block. The block gets the span, or None while tracing is off.

    `parent` is a mapping of headers that may contain a traceparent; with None, the parent is the
    enclosing span. `links` are the traceparents of the causes. An error's type is recorded, its
    text is not.
    """
    if _tracer is None:
        return OFF
    return _span(name, kind, parent, links, attributes or {})


@contextmanager
def _span(
    name: str,
    kind: str,
    parent: Mapping[str, str] | None,
    links: Sequence[str],
    attributes: Mapping[str, str | int],
) -> Iterator[Any]:
    from opentelemetry.trace import Link, SpanKind, get_current_span

    found = [get_current_span(_propagator().extract({"traceparent": link})) for link in links]
    with _tracer.start_as_current_span(
        name,
        context=None if parent is None else _propagator().extract(parent),
        kind=SpanKind[kind.upper()],
        attributes=attributes,
        links=[Link(each.get_span_context()) for each in found],
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        try:
            yield made
        except BaseException as error:
            note_error(made, error)
            raise


def note_error(made: Any, error: BaseException) -> None:
    """Record an error of a span's block, whether it is raised or returned."""
    from opentelemetry.trace import StatusCode

    made.set_attribute("error.type", type(error).__qualname__)
    made.set_status(StatusCode.ERROR)


def _propagator() -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()


def headers() -> dict[str, str]:
    """Return the headers that lead to the enclosing span, or an empty dict outside of a span."""
    carrier: dict[str, str] = {}
    if _tracer is not None:
        _propagator().inject(carrier)
    return carrier


def is_recording() -> bool:
    """Whether the caller is inside a span that is exported."""
    if _tracer is None:
        return False
    from opentelemetry.trace import get_current_span

    return bool(get_current_span().is_recording())


def context_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a request or a handshake that name its client's trace."""
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in CONTEXT
    }


def trace_id() -> str:
    """Return the caller's trace ID (32 hex digits) for log lines, or "" outside of a trace."""
    return headers().get("traceparent", "--").split("-")[1] if _tracer is not None else ""


@contextmanager
def causing() -> Iterator[None]:
    """Link changes inside the block back to the enclosing span, if that is exported."""
    token = _cause.set(headers().get("traceparent", "") if is_recording() else "")
    try:
        yield
    finally:
        _cause.reset(token)


@contextmanager
def commands(action: str, count: int) -> Iterator[None]:
    """Open a span, with a trace of its own, around commands that arrived on a websocket."""
    shown = {"poolsite.frames": count}
    with span(f"frames {action}", "server", parent={}, attributes=shown), causing():
        yield


def cause() -> str:
    """Return the traceparent of the current request, if it may change something, else ""."""
    return _cause.get() if _tracer is not None else ""
