"""An account's templates: found by name, filtered, sorted, and as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from billing.models import Chatbot, Template, Wallet
from billing.pricing.content import content_of, missing_of
from billing.pricing.segments import segments
from billing.selectors.wallets import wallet_get
from billing.views.campaigns_common import may_send
from poolsite.console import tables
from poolsite.console.pages import principal_of
from poolsite.console.tables import Choice, SqlColumn
from poolsite.console.templatetags.console import figure
from poolsite.moments import iso


@require_GET
def template_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the account's templates and what each lacks; `?format=csv` returns them as a file."""
    principal = principal_of(request)
    wallet = wallet_get(principal, slug)
    text = tables.text_of(request, "q")
    every = Template.objects.filter(chatbot__account_id=wallet.account_id)
    found = every.filter(name__istartswith=text) if text else every
    state = tables.choice_of(request, "state", _("State"), _states(found))
    chatbot = _chatbots(request, wallet)
    rows = found.select_related("chatbot")
    if state.value != "all":
        rows = rows.filter(archived_at__isnull=state.value == "")
    if chatbot.value:
        rows = rows.filter(chatbot__slug=chatbot.value)
    total = rows.count()  # an account has hundreds
    return tables.answer(
        request,
        "billing/campaigns/templates.html",
        rows,
        _columns(),
        given={"q": text, "state": state.value, "chatbot": chatbot.value},
        file=f"templates-{wallet.slug}",
        default="name",
        dress=lambda shown: [_row(each) for each in shown],
        context={
            "wallet": wallet,
            "account": wallet.account,
            "may": may_send(principal, wallet),
            "text": text,
            "choices": [state, chatbot],
            "none_yet": not every.exists(),
            "shown": ngettext("%(n)s template", "%(n)s templates", total) % {"n": figure(total)},
        },
    )


def _states(rows: Any) -> list[tuple[str, str]]:
    archived = rows.exclude(archived_at=None).count()
    every = rows.count()
    words = [
        ("", _("In use"), every - archived),
        ("archived", _("Archived"), archived),
        ("all", _("All"), every),
    ]
    return [(value, f"{word} ({figure(count)})") for value, word, count in words]


def _chatbots(request: HttpRequest, wallet: Wallet) -> Choice:
    rows = Chatbot.objects.filter(account=wallet.account_id).order_by("name")
    options = [("", _("All chatbots")), *rows.values_list("slug", "name")[:200]]
    return tables.choice_of(request, "chatbot", _("Chatbot"), options)


def _row(template: Template) -> dict[str, Any]:
    return {
        "template": template,
        "missing": missing_of(template),
        "segments": _segments(template),
    }


def _segments(template: Template) -> int:
    text = content_of(template).yuexin_text
    return segments(text) if text else 0


def _state(template: Template) -> str:
    if template.archived_at:
        return "archived"
    return "incomplete" if missing_of(template) else "complete"


def _columns() -> list[SqlColumn[Template]]:
    return [
        SqlColumn("name", _("Template"), lambda row: row.name, right=False, order=("name",)),
        SqlColumn("chatbot", _("Chatbot"), lambda row: row.chatbot.name, order=("chatbot__name",)),
        SqlColumn("state", _("State"), _state),
        SqlColumn("missing", "", lambda row: ", ".join(str(part) for part in missing_of(row))),
        SqlColumn(
            "native", _("Native message"), lambda row: row.native_kind, order=("native_kind",)
        ),
        SqlColumn("segments", _("SMS per text"), _segments, right=True),
        SqlColumn(
            "video_kb",
            _("Video, kB"),
            lambda row: row.video_kilobytes,
            right=True,
            order=("video_kilobytes",),
        ),
        SqlColumn(
            "created",
            _("Created"),
            lambda row: iso(row.created_at),
            order=("created_at",),
            falls=True,
        ),
    ]
