"""The API of an account's chatbots and templates."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Status

from billing.api.common import Id, Slug, wallet_of
from billing.models import Chatbot, Template, Wallet
from billing.pricing.content import missing_of
from billing.schemas_senders import (
    ChatbotChangeIn,
    ChatbotIn,
    ChatbotOut,
    ChatbotsIn,
    TemplateChangeIn,
    TemplateIn,
    TemplateOut,
    TemplatesIn,
    TokenOut,
)
from billing.services import chatbots as chatbot_services
from billing.services import templates as template_services
from poolsite.access import Principal
from poolsite.api.idempotency import shows_secret
from poolsite.api.pages import Page, page
from poolsite.api.paths import slug_in_path
from poolsite.api.root import ProblemError

router = Router(tags=["campaigns"])
SEND = "billing.send"
Bot = slug_in_path("The chatbot's ID.")
_BOT = "/{slug}/chatbots/{chatbot}"
_TEMPLATE = "/{slug}/templates/{template}"


@router.get("/{slug}/chatbots", response={200: Page[ChatbotOut]}, summary="List chatbots")
def list_chatbots(request: HttpRequest, asked: Query[ChatbotsIn], slug: str = Slug) -> Any:
    """The account's chatbots, newest first."""
    _principal, wallet = wallet_of(request, slug)
    rows = Chatbot.objects.filter(account=wallet.account_id).select_related("token")
    if asked.state:
        rows = rows.filter(archived_at__isnull=asked.state == "active")
    return page(request, asked, rows, _chatbot)


@router.post("/{slug}/chatbots", response={201: ChatbotOut}, summary="Create a chatbot")
def create_chatbot(request: HttpRequest, given: ChatbotIn, slug: str = Slug) -> Any:
    """Create a chatbot. Create its token next."""
    principal, wallet = wallet_of(request, slug, SEND)
    made = chatbot_services.chatbot_create(
        actor=principal,
        account=wallet.account,
        slug=given.id,
        name=given.name,
        rate_limit=given.rate_limit,
    )
    return Status(201, _chatbot(made))


@router.get(_BOT, response={200: ChatbotOut}, summary="Get a chatbot")
def get_chatbot(request: HttpRequest, slug: str = Slug, chatbot: str = Bot) -> Any:
    """A chatbot."""
    return _chatbot(_own_chatbot(wallet_of(request, slug)[1], chatbot))


@router.patch(_BOT, response={200: ChatbotOut}, summary="Change a chatbot")
def change_chatbot(
    request: HttpRequest, given: ChatbotChangeIn, slug: str = Slug, chatbot: str = Bot
) -> Any:
    """Change a chatbot's name or rate limit."""
    principal, found = _sender(request, slug, chatbot)
    rate = found.rate_limit if given.rate_limit is None else given.rate_limit
    return _chatbot(
        chatbot_services.chatbot_change(
            actor=principal,
            chatbot=found,
            name=given.name or found.name,
            rate_limit=rate,
            reason=given.reason,
        )
    )


@router.post(_BOT + "/archive", response={200: ChatbotOut}, summary="Archive a chatbot")
def archive_chatbot(request: HttpRequest, slug: str = Slug, chatbot: str = Bot) -> Any:
    """Archive a chatbot. Its token is revoked."""
    principal, found = _sender(request, slug, chatbot)
    chatbot_services.chatbot_archive(actor=principal, chatbot=found)
    return _chatbot(_own_chatbot_of(found))


@router.post(_BOT + "/restore", response={200: ChatbotOut}, summary="Restore a chatbot")
def restore_chatbot(request: HttpRequest, slug: str = Slug, chatbot: str = Bot) -> Any:
    """Restore an archived chatbot. It needs a new token."""
    principal, found = _sender(request, slug, chatbot)
    chatbot_services.chatbot_archive(actor=principal, chatbot=found, archived=False)
    return _chatbot(_own_chatbot_of(found))


@router.post(_BOT + "/token", response={201: TokenOut}, summary="Create a chatbot's token")
@shows_secret
def create_chatbot_token(
    request: HttpRequest, response: HttpResponse, slug: str = Slug, chatbot: str = Bot
) -> Any:
    """Create a token for this chatbot only, shown once. Its earlier token is revoked."""
    principal, found = _sender(request, slug, chatbot)
    secret = chatbot_services.chatbot_token_create(actor=principal, chatbot=found)
    response["Cache-Control"] = "no-store"
    return Status(201, TokenOut(token=secret))


@router.get("/{slug}/templates", response={200: Page[TemplateOut]}, summary="List templates")
def list_templates(request: HttpRequest, asked: Query[TemplatesIn], slug: str = Slug) -> Any:
    """The account's templates, newest first."""
    rows = _templates(wallet_of(request, slug)[1])
    if asked.q:
        rows = rows.filter(name__istartswith=asked.q)
    if asked.state:
        rows = rows.filter(archived_at__isnull=asked.state == "active")
    if asked.chatbot:
        rows = rows.filter(chatbot__slug=asked.chatbot)
    return page(request, asked, rows, _template)


@router.post("/{slug}/templates", response={201: TemplateOut}, summary="Create a template")
def create_template(request: HttpRequest, given: TemplateIn, slug: str = Slug) -> Any:
    """Create a template. A campaign can use it once nothing is `missing`."""
    principal, wallet = wallet_of(request, slug, SEND)
    chatbot = _own_chatbot(wallet, given.chatbot)
    parts = given.model_dump(exclude={"chatbot"}, exclude_none=True)
    made = template_services.template_create(actor=principal, chatbot=chatbot, **parts)
    return Status(201, _template(made))


@router.get(_TEMPLATE, response={200: TemplateOut}, summary="Get a template")
def get_template(request: HttpRequest, slug: str = Slug, template: int = Id) -> Any:
    """A template."""
    return _template(_own_template(wallet_of(request, slug)[1], template))


@router.patch(_TEMPLATE, response={200: TemplateOut}, summary="Change a template")
def change_template(
    request: HttpRequest, given: TemplateChangeIn, slug: str = Slug, template: int = Id
) -> Any:
    """Change a template that no campaign was sent with."""
    principal, wallet = wallet_of(request, slug, SEND)
    parts = given.model_dump(exclude={"reason"}, exclude_none=True)
    return _template(
        template_services.template_change(
            actor=principal,
            template=_own_template(wallet, template),
            reason=given.reason,
            **parts,
        )
    )


@router.post(_TEMPLATE + "/archive", response={200: TemplateOut}, summary="Archive a template")
def archive_template(request: HttpRequest, slug: str = Slug, template: int = Id) -> Any:
    """Archive a template, so that no new campaign uses it."""
    return _archive_template(request, slug, template, archived=True)


@router.post(_TEMPLATE + "/restore", response={200: TemplateOut}, summary="Restore a template")
def restore_template(request: HttpRequest, slug: str = Slug, template: int = Id) -> Any:
    """Restore an archived template."""
    return _archive_template(request, slug, template, archived=False)


def _archive_template(request: HttpRequest, slug: str, key: int, *, archived: bool) -> TemplateOut:
    principal, wallet = wallet_of(request, slug, SEND)
    found = _own_template(wallet, key)
    template_services.template_archive(actor=principal, template=found, archived=archived)
    return _template(_own_template(wallet, key))


def _sender(request: HttpRequest, slug: str, chatbot: str) -> tuple[Principal, Chatbot]:
    principal, wallet = wallet_of(request, slug, SEND)
    return principal, _own_chatbot(wallet, chatbot)


def _own_chatbot(wallet: Wallet, slug: str) -> Chatbot:
    rows = Chatbot.objects.select_related("account", "token")
    found = rows.filter(account=wallet.account_id, slug=slug).first()
    if found is None:
        raise ProblemError("unknown-chatbot", "chatbot not found")
    return found


def _own_chatbot_of(row: Chatbot) -> Chatbot:
    """Return the current row, with its token."""
    return Chatbot.objects.select_related("token").get(pk=row.pk)


def _templates(wallet: Wallet) -> QuerySet[Template]:
    rows = Template.objects.select_related("chatbot__account")
    return rows.filter(chatbot__account_id=wallet.account_id)


def _own_template(wallet: Wallet, key: int) -> Template:
    found = _templates(wallet).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-template", "template not found")
    return found


def _chatbot(row: Chatbot) -> ChatbotOut:
    live = row.token is not None and row.token.revoked_at is None
    return ChatbotOut(
        id=row.slug,
        name=row.name,
        rate_limit=row.rate_limit,
        token=row.token.prefix if live and row.token else "",
        archived=row.archived_at is not None,
        created_at=row.created_at,
    )


def _template(row: Template) -> TemplateOut:
    return TemplateOut(
        id=row.pk,
        chatbot=row.chatbot.slug,
        **{name: getattr(row, name) for name in template_services.FIELDS},
        missing=[str(each) for each in missing_of(row)],
        archived=row.archived_at is not None,
        created_at=row.created_at,
    )
