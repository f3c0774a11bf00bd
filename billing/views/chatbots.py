"""An account's chatbots, which send in its name: their rate limits and tokens."""

from functools import partial

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from billing.forms import ChatbotForm
from billing.models import Campaign, Chatbot, Template, Wallet
from billing.selectors.wallets import wallet_get
from billing.services import chatbots as services
from billing.views.campaigns_common import may_send
from poolsite import access
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of

PAGE_ROWS = 200
SHOWN = 6  # templates and campaigns shown with a chatbot


@require_GET
def chatbots(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every chatbot of the account, archived ones last."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    rows = Chatbot.objects.filter(account=wallet.account_id).select_related("token")
    rows = rows.annotate(template_count=_count("templates"), campaign_count=_count("campaigns"))
    rows = rows.order_by(F("archived_at").asc(nulls_first=True), "slug")
    context = {
        "wallet": wallet,
        "rows": rows[:PAGE_ROWS],
        "may_change": may_send(principal, wallet),
    }
    return render(request, "billing/chatbots/chatbots.html", context)


def _count(related: str) -> Count:
    return Count(related, distinct=True)


@require_http_methods(["GET", "POST"])
def chatbot_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a chatbot."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.send")
    form = ChatbotForm(request.POST or None, is_new=True)
    answer = saved(
        form,
        partial(services.chatbot_create, actor=principal, account=wallet.account),
        lambda made: redirect("billing:chatbot", slug=slug, chatbot=made.slug),
    )
    return answer or _page(request, wallet, form, None)


@require_http_methods(["GET", "POST"])
def chatbot(request: HttpRequest, slug: str, chatbot: str) -> HttpResponse:
    """Show name, rate limit and token of one chatbot; a POST changes the first two."""
    principal = principal_of(request)
    action = "billing.send" if request.method == "POST" else "billing.view"
    wallet = wallet_get(principal, slug, action)
    found = _chatbot(wallet, chatbot)
    initial = {"name": found.name, "rate_limit": found.rate_limit}
    form = ChatbotForm(request.POST or None, is_new=False, initial=initial)
    save = partial(services.chatbot_change, actor=principal, chatbot=found)
    done = redirect_with(request, _("Saved."), "billing:chatbot", slug=slug, chatbot=chatbot)
    return saved(form, save, done) or _page(request, wallet, form, found)


def _page(
    request: HttpRequest,
    wallet: Wallet,
    form: ChatbotForm,
    found: Chatbot | None,
    secret: str = "",
) -> HttpResponse:
    templates: list[Template] = []
    campaigns: list[Campaign] = []
    if found is not None:
        templates = list(found.templates.filter(archived_at=None).order_by("name")[:SHOWN])
        campaigns = list(found.campaigns.order_by("-pk")[:SHOWN])
    context = {
        "wallet": wallet,
        "form": form,
        "chatbot": found,
        "secret": secret,
        "templates": templates,
        "campaigns": campaigns,
        "may": may_send(principal_of(request), wallet),
    }
    answer = form_page(request, "billing/chatbots/chatbot.html", context)
    if secret:
        answer["Cache-Control"] = "no-store"
    return answer


@require_POST
def chatbot_token(request: HttpRequest, slug: str, chatbot: str) -> HttpResponse:
    """Create a new token for this chatbot only, shown once; the previous one is revoked."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.send")
    found = _chatbot(wallet, chatbot)
    try:
        secret = services.chatbot_token_create(actor=principal, chatbot=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("billing:chatbot", slug=slug, chatbot=chatbot)
    found.refresh_from_db()
    initial = {"name": found.name, "rate_limit": found.rate_limit}
    return _page(request, wallet, ChatbotForm(is_new=False, initial=initial), found, secret)


@require_POST
def chatbot_archive(request: HttpRequest, slug: str, chatbot: str) -> HttpResponse:
    """Archive a chatbot and its token, or restore it without one."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug, "billing.send")
    found = _chatbot(wallet, chatbot)
    archived = request.POST.get("archived") == "1"
    services.chatbot_archive(actor=principal, chatbot=found, archived=archived)
    messages.success(request, _("Chatbot archived.") if archived else _("Chatbot restored."))
    return redirect("billing:chatbots", slug=slug)


def _chatbot(wallet: Wallet, slug: str) -> Chatbot:
    rows = Chatbot.objects.select_related("account", "token")
    found = rows.filter(account=wallet.account_id, slug=slug).first()
    if found is None:
        raise access.Hidden("billing.send")
    return found
