"""The form of a new API token: what will use it, what it may do, where and until when."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import Account
from poolsite.access.models.tenants import THING
from poolsite.access.networks import checked
from poolsite.access.principal import EVERYTHING
from poolsite.access.token_areas import (
    SHOWN_THINGS,
    TokenArea,
    areas,
    areas_of,
    events_of,
    purposes,
    rights,
)
from poolsite.people.token_words import Plan

CUSTOM = "custom"
UNTIL = "date"
LONGEST_DAYS = 730
LIFETIMES = (
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("180", _("180 days")),
    ("365", _("1 year")),
    (UNTIL, _("Until a date…")),
)


class _Things(forms.MultipleChoiceField):
    """The ticked objects. Only those that `TokenForm.reach` offers count."""

    def valid_value(self, value: Any) -> bool:
        return True


class TokenForm(forms.Form):
    """A new token.

    `platform`: the reader may create tokens of the platform, with any resource.
    """

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("Where the token is used, such as a server's name. Shown in the audit log."),
        error_messages={"required": _("Enter a name.")},
    )
    account = forms.ModelChoiceField(
        label=_("Account"), queryset=Account.objects.none(), required=False
    )
    purpose = forms.CharField(required=False, max_length=20)
    actions = forms.MultipleChoiceField(
        label=_("Permissions"),
        choices=(),
        error_messages={"required": _("Choose at least one permission.")},
    )
    things = _Things(label=_("Resources"), required=False)
    resources = forms.CharField(
        label=_("More resources"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_("One per line, such as pool:retail-east or device:scanner-7."),
    )
    events = forms.CharField(
        label=_("Events"),
        required=False,
        help_text=_("Names separated by spaces. Leave empty for all events of the permissions."),
    )
    switch = forms.CharField(
        label=_("Switch name"),
        max_length=64,
        required=False,
        help_text=_("Reports with this token then count for this switch only."),
    )
    lifetime = forms.ChoiceField(
        label=_("Expires after"),
        choices=LIFETIMES,
        initial="90",
        widget=forms.Select(attrs={"class": "select"}),
    )
    until = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    networks = forms.CharField(
        label=_("Allowed networks"),
        required=False,
        widget=forms.Textarea(
            attrs={"rows": 2, "spellcheck": "false", "placeholder": "203.0.113.0/24"}
        ),
        help_text=_("One address or network per line. Leave empty to allow any address."),
    )

    def __init__(self, accounts: Any, data: QueryDict | None, *, platform: bool) -> None:
        super().__init__(data)
        self.platform = platform
        account: Any = self.fields["account"]
        account.queryset = accounts
        account.required = not platform
        account.empty_label = _("The platform") if platform else None
        account.widget.attrs["class"] = "select"
        own = [] if platform else list(accounts[:2])
        self.only_account = own[0] if len(own) == 1 else None
        self._first_account = own[0] if own else None
        allowed: Any = self.fields["actions"]
        allowed.choices = [(action, right.label) for action, right in rights().items()]
        until: Any = self.fields["until"]
        today = timezone.localdate()
        until.widget.attrs |= {"min": str(today), "max": str(today + _days(LONGEST_DAYS - 1))}

    # -- what was chosen, also before the form is complete -----------------------------------------

    @property
    def chosen_actions(self) -> list[str]:
        """The permissions that are ticked."""
        known = rights()
        return [action for action in self._given("actions") if action in known]

    @property
    def chosen_account(self) -> Account | None:
        """The chosen account, else the first of the reader's; None for the platform."""
        found: Account | None = getattr(self, "cleaned_data", {}).get("account")
        return found or self._first_account

    def areas(self) -> list[dict[str, Any]]:
        """Return every area with its permissions, for the page."""
        chosen = set(self.chosen_actions)
        return [
            {
                "area": area,
                "rights": [(right, right.action in chosen) for right in area.rights],
                "count": sum(right.action in chosen for right in area.rights),
            }
            for area in areas()
        ]

    def reach(self) -> list[dict[str, Any]]:
        """Return the objects of each area with a chosen permission, for the page."""
        given = set(self._given("things"))
        return [self._reach_of(area, given) for area in areas_of(self.chosen_actions)]

    def _reach_of(self, area: TokenArea, given: set[str]) -> dict[str, Any]:
        account = self.chosen_account
        known = account is not None or self.platform  # else it would read every account's objects
        found = area.of_account(account) if known else []
        things = [(f"{area.kind}:{slug}", name) for slug, name in found[:SHOWN_THINGS]]
        everything = f"{area.kind}:{EVERYTHING}"
        is_only = account is not None and len(found) == 1 and everything not in given
        return {
            "area": area,
            "only": things[0] if is_only else None,
            "everything": everything,
            "all": everything in given,
            "things": [(ref, name, ref in given) for ref, name in things],
            "more": len(found) > SHOWN_THINGS,
        }

    def plan(self) -> Plan:
        """Return the token as it would be created from what is chosen so far."""
        reached, names = self._reached()
        data = getattr(self, "cleaned_data", {})
        account = self.chosen_account
        return Plan(
            name=data.get("name", ""),
            owner=account.name if account is not None else str(_("the platform")),
            resources=[*reached, *data.get("resources", [])],
            actions=self.chosen_actions,
            networks=data.get("networks", []),
            ends_at=self.ends_at,
            names=names,
            of_account=account is not None,
        )

    def _reached(self) -> tuple[list[str], dict[str, str]]:
        """Return the ticked objects, and the names of objects."""
        refs: list[str] = []
        names: dict[str, str] = {}
        for group in self.reach():
            names |= {ref: name for ref, name, _chosen in group["things"]}
            if group["only"]:
                refs.append(group["only"][0])
            elif group["all"]:
                refs.append(group["everything"])
            else:
                refs += [ref for ref, _name, chosen in group["things"] if chosen]
        return refs, names

    def _given(self, name: str) -> list[str]:
        data: Any = self.data
        return list(data.getlist(name)) if data else []

    # -- checks ------------------------------------------------------------------------------------

    def clean_networks(self) -> list[str]:
        """Return the networks in their usual form."""
        return checked(self.cleaned_data["networks"].replace(",", " ").split())

    def clean_resources(self) -> list[str]:
        """Return the objects, one per line; `*` only for the platform's own tokens."""
        found: list[str] = self.cleaned_data["resources"].split()
        for each in found:
            if each != EVERYTHING:
                THING(each)
        if EVERYTHING in found and self.chosen_account is not None:
            raise ValidationError(_("Choose resources. * is not allowed here."))
        return found

    def clean_events(self) -> list[str]:
        """Return the names of events; those of the permissions if the field is empty."""
        return str(self.cleaned_data["events"]).split() or events_of(self.chosen_actions)

    def clean(self) -> dict[str, Any]:
        """Check that the day is in range and that each area has an object."""
        data = super().clean() or {}
        if data.get("lifetime") == UNTIL and "until" not in self.errors:
            self._check_day(data.get("until"))
        reached, _names = self._reached()
        kinds = {ref.partition(":")[0] for ref in [*reached, *data.get("resources", [])]}
        for area in areas_of(self.chosen_actions):
            if area.kind not in kinds and EVERYTHING not in kinds:
                self.add_error("things", area.choose)
        return data

    def _check_day(self, day: date | None) -> None:
        today = timezone.localdate()
        if day is None:
            self.add_error("until", _("Choose a date."))
        elif not today <= day < today + _days(LONGEST_DAYS):
            self.add_error("until", _("Choose a date in the next two years."))

    @property
    def all_resources(self) -> list[str]:
        """What the token may reach, ticked and typed."""
        return list(self.plan().resources)

    @property
    def ends_at(self) -> datetime | None:
        """When the token expires: at the end of the chosen day, or this many days from now."""
        data = getattr(self, "cleaned_data", {})
        lifetime = data.get("lifetime", "90")
        if lifetime != UNTIL:
            return timezone.now() + _days(int(lifetime))
        if data.get("until") is None:
            return None
        return timezone.make_aware(datetime.combine(data["until"], time(23, 59, 59)))


def with_purpose(data: QueryDict, key: str) -> QueryDict:
    """Return the data with a purpose's permissions, and all objects if the purpose needs them."""
    data = data.copy()
    purpose = next((each for each in purposes() if each.key == key), None)
    actions = purpose.actions if purpose is not None else ()
    everything = purpose is not None and purpose.everything
    data["purpose"] = key
    data.setlist("actions", list(actions))
    refs = [f"{area.kind}:{EVERYTHING}" for area in areas_of(actions)] if everything else []
    data.setlist("things", refs)
    data.setdefault("lifetime", "90")
    return data


def _days(days: int) -> timedelta:
    return timedelta(days=days)
