"""When tracing is on, what a span contains, and which spans link to which request."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from poolsite import hotpath, tracing
from poolsite.hotpath import traces
from poolsite.live import resolve
from poolsite.operations import logs
from tests.numbers.people import in_thread, make_pool, send, token_for
from tests.numbers.test_consumers_switch import opened
from tests.support.waiting import eventually

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
PARENT = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """Tracing, switched on for this test."""
    kept = InMemorySpanExporter()
    tracing.start_with(SimpleSpanProcessor(kept), "test")
    yield kept
    tracing.stop()


def told(exporter: InMemorySpanExporter) -> dict[str, Any]:
    """Return the ended spans by name."""
    return {span.name: span for span in exporter.get_finished_spans()}


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({**ENDPOINT, "OTEL_TRACES_EXPORTER": "none"}, False),
        ({**ENDPOINT, "OTEL_SDK_DISABLED": "true"}, False),
        ({**ENDPOINT, "OTEL_SDK_DISABLED": "false"}, True),
        ({"OTEL_SERVICE_NAME": "console"}, False),
    ],
)
def test_it_is_on_when_an_exporter_or_its_address_is_named(
    environment: dict[str, str], wanted: bool
) -> None:
    assert tracing.is_wanted(environment) is wanted
    assert not list(tracing.refusals(environment))


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (
            {"OTEL_TRACES_EXPORTER": "jaeger"},
            "OTEL_TRACES_EXPORTER is 'jaeger': set it to otlp, console, none.",
        ),
        (
            {**ENDPOINT, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc': only http/protobuf is supported "
            "(port 4318 of a collector).",
        ),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(
    environment: dict[str, str], sentence: str
) -> None:
    assert list(tracing.refusals(environment)) == [sentence]


def test_while_it_is_off_a_span_is_nothing() -> None:
    with tracing.span("nothing") as span, tracing.causing():
        assert span is None
        assert tracing.headers() == {}
        assert tracing.trace_id() == tracing.cause() == ""
        assert not tracing.is_recording()
        assert traces.links(["{east}"], hotpath.default()) == []


def test_an_error_is_told_by_its_type_and_never_by_its_text(exporter: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="13800001111"), tracing.span("call"):
        raise ValueError("13800001111 is busy")
    span = told(exporter)["call"]
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes["error.type"] == "ValueError"
    assert "1380000" not in span.to_json()


def test_a_span_joins_the_trace_of_its_parent_and_a_bad_one_begins_a_trace(
    exporter: InMemorySpanExporter,
) -> None:
    with tracing.span("joined", parent=PARENT):
        assert tracing.trace_id() == "a" * 32
    with tracing.span("alone", parent={"traceparent": "00-nonsense"}):
        assert tracing.trace_id() != "a" * 32
    assert told(exporter)["joined"].parent.span_id == int("b" * 16, 16)
    assert told(exporter)["alone"].parent is None


def test_a_client_that_does_not_sample_is_followed(exporter: InMemorySpanExporter) -> None:
    with tracing.span("quiet", parent={"traceparent": PARENT["traceparent"][:-1] + "0"}):
        assert not tracing.is_recording()
        with tracing.causing():
            assert tracing.cause() == ""
    assert told(exporter) == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_scripts_have_spans_inside_of_a_trace_and_lead_back_to_a_request(
    exporter: InMemorySpanExporter,
) -> None:
    pool = make_pool(numbers=2)
    assert "numbers/event" not in told(exporter)  # nothing is traced automatically
    with tracing.span("a look"):
        send("east", "renew", call_id="x")
    script = told(exporter)["numbers/event"]
    assert script.parent.span_id == told(exporter)["a look"].context.span_id
    assert dict(script.attributes) == {
        "db.system.name": "redis",
        "poolsite.aggregate": pool.tag,
    }
    assert traces.links([pool.tag], hotpath.default()) == []
    with tracing.span("a change", parent=PARENT), tracing.causing():
        send("east", "call", call_id="a")
        expected = tracing.headers()["traceparent"]
    assert traces.links([pool.tag, pool.tag], hotpath.default()) == [expected]
    key = f"trace:{pool.tag}"
    assert 0 < hotpath.client().ttl(key) <= traces.KEPT_SECONDS


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
def test_redis_that_is_away_costs_the_link_and_nothing_else(
    exporter: InMemorySpanExporter,
) -> None:
    with hotpath.connect("redis://127.0.0.1:1/0") as away:
        assert traces.links(["{east}"], away) == []
        with tracing.span("a change"), tracing.causing(), pytest.raises(hotpath.Unavailable):
            send("east", "call", call_id="a")
    assert told(exporter)["numbers/event"].attributes["error.type"] == "Unavailable"


def test_log_lines_name_the_trace(exporter: InMemorySpanExporter) -> None:
    assert "trace_id" not in logs.add_request(None, "info", {})
    with tracing.span("request", parent=PARENT):
        event = logs.mask(None, "info", logs.add_request(None, "info", {"event": "told"}))
    assert event["trace_id"] == "a" * 32


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clean_redis")
async def test_a_websocket_has_spans_for_its_opening_and_for_what_arrives_on_it(
    exporter: InMemorySpanExporter,
) -> None:
    pool = await in_thread(make_pool)("east", numbers=1)
    secret = await in_thread(token_for)(pool)
    async with opened(secret, **PARENT) as socket:
        assert (await socket.ask({"event": "call", "call_id": "a"}))["status"] == 200
    opening = told(exporter)["websocket numbers.event"]
    assert opening.parent.span_id == int("b" * 16, 16)
    frames = told(exporter)["frames numbers.event"]
    assert frames.parent is None
    assert dict(frames.attributes) == {"poolsite.frames": 1}
    script = told(exporter)["numbers/events"]
    assert script.context.trace_id == frames.context.trace_id

    async def is_linked() -> bool:
        links = await traces.alinks([pool.tag], hotpath.default())
        return [link.split("-")[1] for link in links] == [f"{frames.context.trace_id:032x}"]

    await eventually(is_linked)
    assert secret not in opening.to_json() + frames.to_json()


@pytest.mark.parametrize(
    ("address", "tag"),
    [
        ("numbers.pool:east", "{east}"),
        ("numbers.tiles:east:0", "{east}"),
        ("admission.gate:speed", "{gate.speed}"),
        ("dispatch.group:asi", "{disp.asi}"),
        ("line.desk:care", "{line.care}"),
        ("billing.wallet:acme", "{acct.acme}"),
    ],
)
async def test_a_topic_of_one_aggregate_names_it_so_that_its_pushes_are_linked(
    address: str, tag: str
) -> None:
    topic = resolve(address)
    assert topic is not None
    assert topic.tag == tag
