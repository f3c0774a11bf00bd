"""Templates of messages: what each terminal is sent, and what is still missing."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from billing.models import Chatbot, Template, Wallet
from billing.pricing.content import missing_of
from billing.pricing.quotes import PriceError
from billing.selectors.messages import PriceLine, price_lines
from billing.selectors.tariffs import quotes_of, tariff_at
from billing.selectors.wallets import wallet_get
from billing.services import templates as services
from billing.views.campaigns_common import may_send
from poolsite import access
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure


class TemplateForm(forms.Form):
    """One message in every form."""

    chatbot = forms.ChoiceField(label=gettext_lazy("Chatbot"))
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    native_kind = forms.ChoiceField(
        label=gettext_lazy("Native message"),
        choices=[(value, capfirst(label)) for value, label in Template.Native.choices],
    )
    native_text = forms.CharField(
        label=gettext_lazy("Native text"),
        max_length=services.TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    card_kilobytes = forms.IntegerField(
        label=gettext_lazy("Card size (kB)"),
        min_value=0,
        required=False,
        help_text=gettext_lazy("As your gateway shows it for the uploaded card."),
    )
    yuexin_text = forms.CharField(
        label=gettext_lazy("Yuexin text"),
        max_length=services.TEXT_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Phones that don't resolve the link show it as SMS."),
    )
    yuexin_link = forms.URLField(
        label=gettext_lazy("Yuexin link"), required=False, assume_scheme="https"
    )
    link_registered = forms.BooleanField(
        label=gettext_lazy("Link registered with handset makers"), required=False
    )
    video_subject = forms.CharField(
        label=gettext_lazy("Video subject"), max_length=120, required=False
    )
    video_kilobytes = forms.IntegerField(
        label=gettext_lazy("Video size (kB)"),
        min_value=0,
        required=False,
        help_text=gettext_lazy("As your gateway shows it. Tariffs may charge by size."),
    )

    def __init__(self, chatbots: list[Chatbot], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chatbots = {str(each.pk): each for each in chatbots}
        choices = [(str(each.pk), each.name) for each in chatbots]
        self.fields["chatbot"].choices = choices  # type: ignore[attr-defined]  # a choice

    def given(self) -> dict[str, Any]:
        """Return the fields as the service takes them; call this after is_valid()."""
        data = {name: self.cleaned_data[name] for name in services.FIELDS}
        for name in ("card_kilobytes", "video_kilobytes"):
            data[name] = data[name] or 0
        return data


@require_http_methods(["GET", "POST"])
def template_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a template, complete or not."""
    wallet = wallet_get(principal_of(request), slug, "billing.send")
    return _form_page(request, wallet, None)


@require_http_methods(["GET", "POST"])
def template_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one template; a POST changes it until a campaign begins to send it."""
    action = "billing.send" if request.method == "POST" else "billing.view"
    wallet = wallet_get(principal_of(request), slug, action)
    return _form_page(request, wallet, _found(wallet, pk))


@require_POST
def template_archive(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Archive a template, which removes it from the lists, or restore it."""
    principal = principal_of(request)
    template = _found(wallet_get(principal, slug, "billing.send"), pk)
    archived = template.archived_at is None
    services.template_archive(actor=principal, template=template, archived=archived)
    said = _("Template “%s” archived.") if archived else _("Template “%s” restored.")
    messages.success(request, said % template.name)
    return redirect("billing:templates", slug)


def _found(wallet: Wallet, pk: int) -> Template:
    rows = Template.objects.select_related("chatbot__account")
    found = rows.filter(pk=pk, chatbot__account_id=wallet.account_id).first()
    if found is None:
        raise access.Hidden("billing.view")
    return found


def _form_page(request: HttpRequest, wallet: Wallet, template: Template | None) -> HttpResponse:
    principal = principal_of(request)
    rows = Chatbot.objects.filter(account_id=wallet.account_id, archived_at=None).order_by("name")
    chatbots = [template.chatbot] if template is not None else list(rows)
    form = TemplateForm(chatbots, request.POST or None, initial=_initial(template))

    def save(**given: Any) -> Template:
        if template is not None:
            return services.template_change(actor=principal, template=template, **given)
        chatbot = form.chatbots[form.cleaned_data["chatbot"]]
        return services.template_create(actor=principal, chatbot=chatbot, **given)

    done = redirect_with(request, _("Template saved."), "billing:templates", wallet.slug)
    if answer := saved(form, save, done, given=form.given):
        return answer
    fixed = services.why_fixed(template) if template is not None else ""
    costs, problem = _costs(template) if template is not None else ([], "")
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "template": template,
        "form": form,
        "chatbots": chatbots,
        "missing": missing_of(template) if template is not None else [],
        "editable": may_send(principal, wallet) and (not fixed or form.is_bound),
        "fixed": fixed if may_send(principal, wallet) else "",
        "facts": _facts(template) if template is not None else [],
        "costs": costs,
        "cost_problem": problem,
    }
    return form_page(request, "billing/campaigns/template.html", context)


def _costs(template: Template) -> tuple[list[PriceLine], str]:
    """Return a message's price in each mode, or the reason why there is none."""
    tariff = tariff_at(template.account_id)
    if tariff is None:
        return [], _("No tariff is valid now.")
    if missing_of(template):
        return [], ""
    try:
        quotes = quotes_of(template, tariff)
    except PriceError:
        return [], _("The tariff has no price for one of the template's modes.")
    prices = {mode: price for quote in quotes.values() for mode, price in quote.prices.items()}
    return price_lines(prices, {}, "", tariff), ""


def _facts(template: Template) -> list[tuple[Any, Any]]:
    """Return the template as text, for users who cannot change it."""
    size = _("%s kB")
    registered = _("registered with handset makers")
    card = size % figure(template.card_kilobytes) if template.card_kilobytes else ""
    video = size % figure(template.video_kilobytes) if template.video_kilobytes else ""
    return [
        (_("Native message"), capfirst(template.get_native_kind_display())),
        (_("Native text"), template.native_text),
        *([(_("Card size"), card)] if template.native_kind == "card" else []),
        (_("Yuexin text"), template.yuexin_text),
        (_("Yuexin link"), template.yuexin_link),
        (_("Link"), registered if template.link_registered else _("not registered")),
        (_("Video subject"), template.video_subject),
        (_("Video size"), video),
    ]


def _initial(template: Template | None) -> dict[str, Any]:
    if template is None:
        return {}
    return {"chatbot": str(template.chatbot_id)} | {
        name: getattr(template, name) for name in services.FIELDS
    }
