"""The forms in which people enter data about themselves, other people and machines."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from poolsite.access.models import GrantName, Role, User
from poolsite.access.models.tenants import SLUG, THING
from poolsite.console.short_names import ShortNameMixin
from poolsite.moments import zone_names
from poolsite.people.log_in_forms import password_field


def _zones() -> list[tuple[str, Any]]:
    return [("", _("Same as the platform")), *((z, z) for z in sorted(zone_names()))]


def _languages() -> list[tuple[str, Any]]:
    return [("", _("Same as the browser")), *settings.LANGUAGES]


class NewPasswordMixin(forms.Form):
    """A chosen password, typed twice."""

    user_for_validation: User | None = None
    new_password = password_field(_("New password"), "new-password")
    repeated = password_field(_("Confirm new password"), "new-password")

    def clean(self) -> dict[str, Any]:
        """Check that both match and that the validators accept them."""
        data = super().clean() or {}
        first, second = data.get("new_password"), data.get("repeated")
        if first and second and first != second:
            self.add_error("repeated", _("The passwords don't match."))
        elif first:
            try:
                validate_password(first, self.user_for_validation)
            except ValidationError as error:
                self.add_error("new_password", error)
        return data


class JoinForm(NewPasswordMixin):
    """A new user's name and password."""

    field_order = ["username", "full_name", "new_password", "repeated"]
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    full_name = forms.CharField(
        label=_("Your name"),
        max_length=150,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class ProfileForm(forms.Form):
    """A user's own names, zone and language."""

    first_name = forms.CharField(label=_("First name"), max_length=150, required=False)
    last_name = forms.CharField(label=_("Last name"), max_length=150, required=False)
    zone = forms.ChoiceField(label=_("Time zone"), choices=_zones, required=False)
    locale = forms.ChoiceField(label=_("Language"), choices=_languages, required=False)


class RolesForm(forms.Form):
    """A member's roles in one account."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A person without a role is no longer a member of the account."),
    )
    supervises = forms.CharField(
        label=_("Supervised desks"),
        required=False,
        help_text=_("Individual desks, one per line, such as desk:support."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def clean_supervises(self) -> list[str]:
        """Return the objects, one per line."""
        return _things(self.cleaned_data["supervises"])


class InviteForm(forms.Form):
    """An invitation of a person to an account."""

    email = forms.EmailField(label=_("Email address"))
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class InviteOperatorForm(forms.Form):
    """An invitation of an operator."""

    email = forms.EmailField(label=_("Email address"))
    grants = forms.MultipleChoiceField(
        label=_("Grants"),
        choices=GrantName.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Without grants, an operator can view everything but change nothing. The Finance "
            "grant takes effect once another finance operator approves it."
        ),
    )


class GrantsForm(forms.Form):
    """An operator's grants."""

    grants = forms.MultipleChoiceField(
        label=_("Grants"),
        choices=GrantName.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The Finance grant takes effect once another finance operator approves it."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=200)


class ReasonForm(forms.Form):
    """The reason for an action on a user."""

    reason = forms.CharField(label=_("Reason"), max_length=200)


class ActiveForm(ReasonForm):
    """Whether a user may log in: what the page offered, however the user's state has changed."""

    active = forms.BooleanField(required=False, widget=forms.HiddenInput)


class AccountForm(ShortNameMixin, forms.Form):
    """A new account."""

    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        validators=[SLUG],
        help_text=_("Lowercase letters, digits and hyphens. It can't be changed later."),
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    zone = forms.ChoiceField(label=_("Time zone"), choices=_zones, required=False)
    currency = forms.CharField(
        label=_("Currency"),
        max_length=3,
        required=False,
        initial=settings.PLATFORM_CURRENCY,
        help_text=_("Three-letter code, such as CNY. It can't be changed later."),
    )
    locale = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)


def _things(text: str) -> list[str]:
    things = [line.strip() for line in text.splitlines() if line.strip()]
    for each in things:
        THING(each)
    return things
