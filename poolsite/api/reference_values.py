"""Values for the examples of the API reference: by format, by a field's name, or by its limits."""

import re
from collections.abc import Mapping
from typing import Any, Final

FORMATS: Final = {
    "date-time": "2026-03-01T10:32:07+08:00",
    "date": "2026-03-01",
    "binary": "@file",
    "uuid": "7f1c8f0e-6a55-4d0e-9f0b-2f4a4f2b8a11",
    "email": "mei@example.com",
    "uri": "https://example.com/",
}
TEXTS: Final = {
    "account": "acme",
    "agent": "1042",
    "callee": "+8613900000001",
    "call_id": "8f14e45f@sip.example.com",
    "caller": "+8613800000000",
    "chatbot": "shop-news",
    "code": "K7PMQ2XA",
    "comment": "Quick and friendly",
    "contact": "mei@example.com",
    "currency": "CNY",
    "day": "2026-03-01",
    "desk": "support",
    "detail": "the number is not in this pool",
    "email": "mei@example.com",
    "gate": "speed-025",
    "group": "asi",
    "holder": "device-17",
    "id": "request-0001",
    "incarnation": "boot-1",
    "instance": "app-1",
    "label": "Spam risk",
    "language": "en",
    "last_heard": "2026-03-01T10:32:07+08:00",
    "mail": "mei@example.com",
    "message_id": "msg-0001",
    "name": "Example",
    "number": "+8613800000000",
    "phone": "+8613800000000",
    "pool": "retail-east",
    "queue": "sales",
    "queue_name": "Sales",
    "queue_slug": "sales",
    "reason": "Planned maintenance",
    "region": "Shanghai",
    "slug": "example-1",
    "source": "Hiya",
    "switch": "switch-1",
    "target_version": "1.5.0",
    "task": "speed-025.17",
    "text": "Hello, how can I help?",
    "timezone": "Asia/Shanghai",
    "title": "Example",
    "to": "+8613900000001",
    "topic": "Order 1042",
    "url": "https://example.com/",
    "version": "1.4.2",
    "version_before": "1.4.1",
    "visit": "Qm9v4kZr2xWc7LpT",
    "welcome": "Hello, how can we help?",
    "words": "Ask for the order number",
    "zone": "Asia/Shanghai",
    "at": "2026-03-01T10:32:07+08:00",
}
FITTING: Final = ("example-1", "speed-025.17", "Qm9v4kZr2xWc7LpT", "1", "")  # for patterns
LONGEST: Final = 10_000
FEWEST_US: Final = 1_772_332_327_000_000  # 2026-03-01T10:32:07+08:00 in microseconds


def text_of(schema: Mapping[str, Any], name: str) -> str:
    """A text for the field that fits its pattern; its name in capitals where nothing is known."""
    told = FORMATS.get(str(schema.get("format", "")))
    if told is None and name.endswith("_at"):
        told = FORMATS["date-time"]
    if told is None:
        told = TEXTS.get(name, name.upper() or "TEXT")
    pattern = re.compile(schema.get("pattern", ""))
    longest = schema.get("maxLength", LONGEST)
    fitting = (each for each in (told, *FITTING) if len(each) <= longest and pattern.search(each))
    return next(fitting, told[:longest])


def number_of(schema: Mapping[str, Any], name: str) -> int:
    """A number within the limits."""
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    told = max(1, int(least))
    if name.endswith("_us"):
        told = max(told, FEWEST_US)
    elif name.endswith("_ms"):
        told = max(told, FEWEST_US // 1000)
    most = schema.get("maximum")
    return told if most is None else min(told, int(most))
