"""An OpenTelemetry collector on 127.0.0.1: it accepts spans over HTTP and stores them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.support.http_server import http_server


@dataclass(frozen=True)
class Seen:
    """A span as it was sent, with IDs in hex."""

    name: str
    service: str
    trace: str
    span: str
    parent: str
    links: tuple[tuple[str, str], ...]  # (trace, span)
    failed: bool
    attributes: dict[str, Any]


@dataclass
class Collector:
    """`spans`: in the order of their arrival. `bodies`: the bytes of every request."""

    port: int = 0
    spans: list[Seen] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process that exports to the collector."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "100",
        }

    def named(self, name: str, trace: str = "") -> list[Seen]:
        """Return the spans with this name, in this trace or in any."""
        return [each for each in self.spans if each.name == name and trace in ("", each.trace)]

    def linked(self, name: str, trace: str) -> list[Seen]:
        """Return the spans with this name that link to this trace."""
        return [each for each in self.spans if each.name == name and trace in dict(each.links)]

    def names(self) -> str:
        """Return the names of all received spans, for the message of a failure."""
        return "\n".join(f"{each.service} {each.trace[:6]} {each.name}" for each in self.spans)

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        self.bodies.append(body)
        for resource in request.resource_spans:
            service = {each.key: each.value.string_value for each in resource.resource.attributes}[
                "service.name"
            ]
            for scope in resource.scope_spans:
                self.spans += [_seen(each, service) for each in scope.spans]


def _seen(span: Any, service: str) -> Seen:
    return Seen(
        name=span.name,
        service=service,
        trace=span.trace_id.hex(),
        span=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        links=tuple((each.trace_id.hex(), each.span_id.hex()) for each in span.links),
        failed=span.status.code == 2,
        attributes={
            each.key: each.value.string_value or each.value.int_value for each in span.attributes
        },
    )


class _Handler(BaseHTTPRequestHandler):
    collector: Collector

    def do_POST(self) -> None:
        self.collector.take(self.rfile.read(int(self.headers["Content-Length"])))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector during the block."""
    collector = Collector()
    handler = type("Handler", (_Handler,), {"collector": collector})
    with http_server(handler) as collector.port:
        yield collector
