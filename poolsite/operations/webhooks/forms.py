"""The form of a webhook endpoint."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite.access.models import Account
from poolsite.operations.models.webhooks import EVERY_EVENT
from poolsite.operations.webhooks import event_types


def _offered_events() -> list[tuple[str, str]]:
    return [(name, name) for name in event_types.known() if name != event_types.TEST]


class EndpointForm(forms.Form):
    """A new endpoint, or an endpoint's settings.

    accounts: the accounts to choose from, or None if the endpoint exists.
    """

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=80,
        help_text=gettext_lazy("Shown in lists, alerts and the audit log."),
        error_messages={"required": gettext_lazy("Enter a name.")},
    )
    account = forms.ModelChoiceField(
        label=gettext_lazy("Account"),
        queryset=Account.objects.none(),
        required=False,
        help_text=gettext_lazy("Events of this account are sent."),
    )
    url = forms.CharField(
        label=gettext_lazy("URL"),
        max_length=500,
        help_text=gettext_lazy("Events are sent to it as POST requests. Use https."),
        widget=forms.URLInput(attrs={"placeholder": "https://example.com/webhooks"}),
        error_messages={"required": gettext_lazy("Enter a URL.")},
    )
    every = forms.BooleanField(
        label=gettext_lazy("All events, including types that are added later"), required=False
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=_offered_events,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self, *args: Any, accounts: Any = None, platform: bool = False, **given: Any
    ) -> None:
        super().__init__(*args, **given)
        if accounts is None:
            del self.fields["account"]
            return
        field: Any = self.fields["account"]
        field.queryset = accounts
        field.required = not platform
        field.empty_label = _("Platform and all accounts") if platform else None
        field.error_messages["required"] = _("Choose an account.")

    def clean(self) -> dict[str, Any]:
        """Set `events` to what the endpoint stores."""
        cleaned = super().clean() or {}
        if cleaned.pop("every", False):
            cleaned["events"] = [EVERY_EVENT]
        elif not cleaned.get("events") and "events" not in self.errors:
            self.add_error("events", _("Choose at least one event."))
        return cleaned

    def groups(self) -> list[tuple[Any, list[tuple[event_types.EventType, Any]]]]:
        """Return the events by group, each with its checkbox."""
        known = event_types.known()
        found: dict[str, tuple[Any, list[tuple[event_types.EventType, Any]]]] = {}
        for box in self["events"]:
            kind = known[str(box.data["value"])]
            found.setdefault(str(kind.group), (kind.group, []))[1].append((kind, box))
        return [found[name] for name in sorted(found)]
