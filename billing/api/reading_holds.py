"""Turns a request into holds: finds sender, template and terminal, but does not hold money yet."""

from collections.abc import Sequence
from dataclasses import dataclass

from billing import wallet as commands
from billing.abilities import Ability
from billing.api.directory import look_up, templates
from billing.pricing.content import Content
from billing.pricing.modes import VIDEO, ends_of
from billing.schemas import HoldIn, SessionIn
from billing.services.holds import HoldItem, body_hash
from billing.services.senders import TemplateRef, WalletRef
from billing.wallet import MessageState
from poolsite.access import Principal
from poolsite.api.reading import MalformedError

NO_FALLBACK = "none"


@dataclass(frozen=True, slots=True)
class Asked:
    """A hold that is ready to be priced. `ability`: the result of the terminal lookup, if any."""

    item: HoldItem
    ability: Ability | None = None

    def more(self, fallback: str = "") -> dict[str, object]:
        """Return the response's extra fields. `fallback`: the one that an earlier hold was for."""
        if self.ability is None:
            return {}
        return {
            "fallback": fallback or self.ability.fallback,
            "ability": {
                "supports_yuexin": self.ability.supports_yuexin,
                "source": self.ability.source,
                "age_seconds": self.ability.age_seconds,
            },
        }


async def read_all(
    ref: WalletRef, principal: Principal, items: Sequence[HoldIn | MalformedError]
) -> list[Asked | Exception]:
    """Return each item's hold, or the MalformedError or PermissionError that prevents it."""
    numbers = {
        item.to
        for item in items
        if isinstance(item, HoldIn) and item.fallback == "by_terminal" and item.to
    }
    known = await look_up(numbers) if numbers else {}
    found: list[Asked | Exception] = []
    for item in items:
        try:
            if isinstance(item, MalformedError):
                raise item
            found.append(await _read(ref, principal, item, known))
        except (MalformedError, PermissionError) as error:
            found.append(error)
    return found


async def _read(
    ref: WalletRef, principal: Principal, item: HoldIn, known: dict[str, Ability]
) -> Asked:
    template = await _template(ref, item)
    chatbot = sender_of(ref, principal, item.chatbot or (template.chatbot if template else None))
    if template is not None and template.chatbot != chatbot:
        raise MalformedError("template: it belongs to another chatbot")
    ability = known.get(item.to or "") if item.fallback == "by_terminal" else None
    fallback = ability.fallback if ability else item.fallback
    native = template.native if template else item.native
    return Asked(
        HoldItem(
            message_id=item.message_id,
            body_hash=_hash(chatbot, item),
            ends=ends_of(native, "" if fallback == NO_FALLBACK else fallback),
            content=template.content if template else _content(item),
            chatbot=chatbot,
            sent=item.sent,
        ),
        ability,
    )


async def _template(ref: WalletRef, item: HoldIn) -> TemplateRef | None:
    if item.template is None:
        return None
    template = await templates().get(str(item.template))
    if template is None or template.account_id != ref.account_id:
        raise MalformedError("template: not found")
    return template


def sender_of(ref: WalletRef, principal: Principal, named: str | None) -> str:
    """Return the chatbot that this token sends as. Raise MalformedError or PermissionError."""
    own = ref.chatbot_of_token(principal.id) if principal.kind == "token" else None
    if own is not None and named not in (None, own.slug):
        raise PermissionError(f"this token is for the chatbot {own.slug}")
    chatbot = own.slug if own is not None else named
    if chatbot is None:
        raise MalformedError("chatbot: name the sender")
    if chatbot not in ref.chatbots:
        raise MalformedError("chatbot: not found")
    return chatbot


def fallback_of(state: MessageState) -> str:
    """Return the fallback that a hold's price is based on."""
    return "video" if VIDEO in state.prices else "yuexin"


def session_of(ref: WalletRef, principal: Principal, item: SessionIn) -> HoldItem:
    """Return a session message as an item. Raise MalformedError or PermissionError."""
    chatbot = sender_of(ref, principal, item.chatbot)
    return HoldItem(
        message_id=item.message_id,
        body_hash=body_hash({"chatbot": chatbot, "text": item.text}),
        ends=("native_session",),
        content=Content(text=item.text),
        chatbot=chatbot,
        kind="session",
    )


def session_request(request: commands.HoldRequest) -> commands.HoldRequest:
    """Return the request with its quote alone: a session message has only one mode."""
    quote = commands.Quote(request.quote.prices, request.quote.tariff_id)
    return commands.HoldRequest(
        request.message_id, request.body_hash, quote, kind="session", chatbot=request.chatbot
    )


def _content(item: HoldIn) -> Content:
    return Content(item.text, item.yuexin_text, item.card_kilobytes, item.video_kilobytes)


def _hash(chatbot: str, item: HoldIn) -> str:
    """Hash what the sender decided. Whether the message is already sent is not part of the body."""
    body = item.model_dump(exclude={"message_id", "sent"}, exclude_defaults=True)
    return body_hash(body | {"chatbot": chatbot})
