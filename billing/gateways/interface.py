"""The interface of every gateway, and the choice of the one in the settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol, Self

from django.conf import settings

from billing.pricing.content import content_of

if TYPE_CHECKING:
    from billing.models import Template


class GatewayError(Exception):
    """No gateway can be used. The text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A message for a terminal. Its ID makes it safe to send it twice."""

    account: str
    message_id: str
    chatbot: str
    number: str
    native: Mapping[str, Any]
    fallback: Mapping[str, Any]


class SubmitResult(Enum):
    """The result of a submission: accepted (even if it is a repeat), refused for good, or unknown.

    Unknown means that there is no conclusive response: submit again with the same ID.
    """

    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Gateway(Protocol):
    """A connection to a provider; an asynchronous context manager."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *error: object) -> None: ...

    async def send(self, messages: Sequence[Handover]) -> list[tuple[SubmitResult, str]]:
        """Submit messages, with no more than BILLING_GATEWAY_CONCURRENCY requests at a time.

        Return a result and its reason for each message, in order. Network errors are not raised.
        """


def is_configured() -> bool:
    """Whether the settings name a gateway."""
    return bool(settings.BILLING_GATEWAY_URL)


def open_gateway() -> Gateway:
    """Return the settings' gateway, not entered yet. Raise GatewayError if there is none."""
    if not is_configured():
        raise GatewayError("no gateway is configured: set POOLSITE_GATEWAY_URL")
    gateway: Gateway = _provider(settings.BILLING_GATEWAY)(
        settings.BILLING_GATEWAY_URL,
        settings.BILLING_GATEWAY_TOKEN,
        settings.BILLING_GATEWAY_CONCURRENCY,
    )
    return gateway


def _provider(name: str) -> Any:
    package = import_module("billing.gateways")
    known = [each.name for each in iter_modules(package.__path__) if each.ispkg]
    if name not in known:
        raise GatewayError(f"no gateway provider {name!r}: there are {', '.join(known)}")
    return import_module(f"billing.gateways.{name}").Gateway


def handover_of(
    template: "Template", *, account: str, chatbot: str, message_id: str, number: str, yuexin: bool
) -> Handover:
    """Return a template's message for a number. `yuexin` chooses the fallback for its terminal.

    A complete template always gives the same body for the same ID.
    """
    content = content_of(template)
    native: dict[str, Any] = {"kind": template.native_kind, "text": content.text}
    if template.native_kind == "card":
        native["kilobytes"] = content.card_kilobytes
    fallback: dict[str, Any] = {
        "kind": "video",
        "subject": template.video_subject,
        "kilobytes": content.video_kilobytes,
    }
    if yuexin:
        fallback = {
            "kind": "yuexin",
            "text": content.yuexin_text,
            "link": template.yuexin_link,
        }
    return Handover(account, message_id, chatbot, number, native, fallback)
