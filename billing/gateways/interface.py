"""What every provider does, and which one the settings name."""

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
    """No gateway can be used at all; one sentence for a person."""


@dataclass(frozen=True, slots=True)
class Handover:
    """One message for one terminal. The id is what makes handing over a second time harmless."""

    account: str
    message_id: str
    chatbot: str
    number: str
    native: Mapping[str, Any]
    fallback: Mapping[str, Any]


class SubmitResult(Enum):
    """What came of handing over: taken (also for the second time), refused for good, or unknown.

    Unknown = no answer, or one that leaves it open: hand over again under the same id.
    """

    TAKEN = "taken"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Gateway(Protocol):
    """A connection to a provider; an asynchronous context manager."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *error: object) -> None: ...

    async def send(self, messages: Sequence[Handover]) -> list[tuple[SubmitResult, str]]:
        """Hand messages over, at most BILLING_GATEWAY_CONCURRENCY at once.

        Returns an answer and its reason for each, in order; raises nothing of the network.
        """


def is_configured() -> bool:
    """Whether the settings name a gateway."""
    return bool(settings.BILLING_GATEWAY_URL)


def open_gateway() -> Gateway:
    """Return the gateway of the settings, not yet entered. GatewayError when there is none."""
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
    """The message that a template makes for one number; the terminal's ability picks the fallback.

    A template that is complete makes the same body for the same id, always.
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
