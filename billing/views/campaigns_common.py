"""Code shared by the pages of campaigns: forms, permissions, and how a refusal is shown."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.models import Campaign, Template
from billing.selectors.campaigns import campaign_get
from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.console.pages import principal_of

CHIPS = {
    "draft": ("", "edit_note"),
    "scheduled": ("chip--info", "schedule"),
    "sending": ("chip--info", "play_arrow"),
    "paused": ("chip--warn", "pause"),
    "low": ("chip--warn", "account_balance_wallet"),
    "sent": ("chip--info", "hourglass_top"),
    "done": ("chip--ok", "check"),
    "cancelled": ("", "block"),
}
WORDS = {
    "draft": gettext_lazy("Draft"),
    "scheduled": gettext_lazy("Scheduled"),
    "sending": gettext_lazy("Sending"),
    "paused": gettext_lazy("Paused"),
    "low": gettext_lazy("Balance too low"),
    "sent": gettext_lazy("Awaiting reports"),
    "done": gettext_lazy("Done"),
    "cancelled": gettext_lazy("Cancelled"),
}


def chip_of(campaign: Campaign) -> dict[str, Any]:
    """Return the campaign's status as a chip: look, icon and label."""
    look, icon = CHIPS[campaign.status]
    if campaign.is_reading:
        return {"look": "chip--info", "icon": "sync", "word": _("Reading")}
    return {"look": look, "icon": icon, "word": WORDS[campaign.status]}


def found_of(request: HttpRequest, slug: str, campaign_id: int, action: str) -> Campaign:
    """Return the campaign of an address if the user may do the action; else raise the refusal."""
    found = campaign_get(principal_of(request), campaign_id, action)
    if found.wallet.slug != slug:
        raise access.Hidden(action)
    return found


def may_send(principal: Principal, thing: object) -> bool:
    """Whether the user may send in this account's name."""
    return access.decide(principal, "billing.send", thing).allowed


def step(view: Callable[[HttpRequest, Campaign], str]) -> Callable[..., HttpResponse]:
    """Decorate a POST that changes one campaign and shows it again with the result or the refusal.

    The view returns a sentence about what was done, or "" for none.
    """

    @wraps(view)
    def stepped(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        found = found_of(request, slug, pk, "billing.send")
        try:
            said = view(request, found)
            if said:
                messages.success(request, said)
        except ValidationError as error:
            for text in error.messages:
                messages.error(request, text)
        except hotpath.UnknownOutcome:
            messages.error(
                request, _("Redis didn't respond. Check the campaign before you try again.")
            )
        except hotpath.HotPathError:
            messages.error(request, _("Redis is down. Nothing was changed."))
        return redirect("billing:campaign", slug, pk)

    return stepped


def template_choices(templates: Sequence[Template]) -> list[tuple[str, str]]:
    """Return the templates by chatbot, as options of a select."""
    return [(str(each.pk), f"{each.chatbot.name}: {each.name}") for each in templates]


class CampaignForm(forms.Form):
    """Name and template; the template is one of the account's."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    template = forms.ChoiceField(label=gettext_lazy("Template"))

    def __init__(self, templates: Sequence[Template], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.templates = {str(each.pk): each for each in templates}
        self.fields["template"].choices = template_choices(templates)  # type: ignore[attr-defined]

    def clean_template(self) -> Template:
        """Return the template that was chosen."""
        return self.templates[self.cleaned_data["template"]]


class CampaignSettingsForm(CampaignForm):
    """A draft's message and time; times are in the account's time zone."""

    scheduled_at = forms.DateTimeField(
        label=gettext_lazy("Send at"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text=gettext_lazy("Leave empty to send immediately."),
    )
    quiet_from = forms.TimeField(
        label=gettext_lazy("Quiet hours start"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    quiet_until = forms.TimeField(
        label=gettext_lazy("Quiet hours end"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
