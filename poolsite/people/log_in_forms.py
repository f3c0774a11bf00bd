"""allauth's forms of log-in, password and second factor, with this platform's texts and limits."""

from typing import Any

from allauth.account import forms as account
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.base import forms as mfa
from allauth.mfa.recovery_codes import forms as recovery
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as passkeys
from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError

from poolsite.access import audit, client_address, services
from poolsite.access.limiting import network_of, reached_limit
from poolsite.access.logins import LONGEST_NAME, normal
from poolsite.access.mail_tasks import send_reset_mail
from poolsite.access.mails import site_of
from poolsite.access.notices import tell_owner
from poolsite.access.services.factors import CodesBlockedError

LONGEST_PASSWORD = 1024  # hashing costs time and memory; no person types more
MAILS_PER_ADDRESS, MAILS_BY_CLIENT, WINDOW_SECONDS = 3, 20, 3600


def password_field(label: Any, autocomplete: str) -> forms.CharField:
    """Return a field for a password as it was typed: nothing is stripped."""
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, max_length=LONGEST_PASSWORD, strip=False, widget=widget)


def code_field(help_text: Any = "") -> forms.CharField:
    """Return a field for an app's code or a recovery code; spaces and hyphens do not count."""
    attrs = {
        "autocomplete": "one-time-code",
        "inputmode": "numeric",
        "autocapitalize": "none",
        "autofocus": True,
    }
    widget = forms.TextInput(attrs=attrs)
    return forms.CharField(label=_("Code"), max_length=32, widget=widget, help_text=help_text)


class LoginForm(account.LoginForm):
    """User name or email address, and the password."""

    password = password_field(_("Password"), "current-password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attrs = {"autocomplete": "username", "autocapitalize": "none", "autofocus": True}
        self.fields["login"] = forms.CharField(
            label=_("User name or email"),
            max_length=LONGEST_NAME,
            widget=forms.TextInput(attrs=attrs),
        )
        self.order_fields(["login", "password"])


class ReauthenticateForm(account.ReauthenticateForm):
    """The password of the logged-in user, once more; wrong guesses are counted."""

    password = password_field(_("Current password"), "current-password")


class _NewPasswordMixin:
    """Texts and limit of a chosen password, typed twice. allauth compares and validates it."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        first = self.fields["password1"]
        first.label = _("New password")
        first.help_text = _("At least 10 characters, not a common password.")
        first.validators.append(MaxLengthValidator(LONGEST_PASSWORD))
        first.widget.attrs.pop("placeholder", None)
        self.fields["password2"] = password_field(_("Confirm new password"), "new-password")


class ChangePasswordForm(_NewPasswordMixin, account.ChangePasswordForm):
    """A new password of a user who knows the current one."""

    oldpassword = password_field(_("Current password"), "current-password")

    def clean_oldpassword(self) -> str:
        """Check the password; wrong ones count together with those on the confirmation page."""
        given = str(self.cleaned_data["oldpassword"])
        adapter = account.get_adapter()
        if not adapter.reauthenticate(self.user, given):
            raise adapter.validation_error("enter_current_password")
        return given


class NewPasswordForm(_NewPasswordMixin, account.ResetPasswordKeyForm):
    """The new password of a user who opened a mailed link."""

    def clean(self) -> dict[str, Any]:
        """Set the password here: a link that was used a moment ago is an error of this form."""
        data: dict[str, Any] = super().clean()
        if not self.errors:
            services.password_reset(
                user=self.user, secret=self.temp_key, password=data["password1"]
            )
        return data

    def save(self) -> None:
        """Do nothing: `clean` has set the password."""


class ResetForm(account.ResetPasswordForm):
    """The address for the link. The worker looks it up, so that timing reveals nothing either."""

    email = forms.EmailField(
        label=_("Email address"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def clean_email(self) -> str:
        """Return the address as typed, without looking up a user."""
        return str(self.cleaned_data["email"])

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Queue the mail; the response is the same whether the address is known or not."""
        email: str = self.cleaned_data["email"]
        client = network_of(client_address(request))
        if reached_limit("reset", client, MAILS_BY_CLIENT, WINDOW_SECONDS):
            self.refuse(request, _("Too many attempts. Try again in an hour."), 429)
        if not reached_limit("reset-mail", normal(email), MAILS_PER_ADDRESS, WINDOW_SECONDS):
            try:
                send_reset_mail.delay(email, site_of(request))
            except OperationalError:
                message = _("Email can't be sent right now. Try again in a minute.")
                self.refuse(request, message, 503)
        return email

    def refuse(self, request: HttpRequest, message: Any, status: int) -> None:
        """Show the page again with this message."""
        self.add_error(None, message)
        page = render(request, "account/password_reset.html", {"form": self}, status=status)
        raise ImmediateHttpResponse(page)


class _CodeMixin:
    """Takes a code of the user's app or a recovery code. A code works once; guessing is blocked."""

    user: Any
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        """Use the code up. Raise ValidationError if it is wrong, or after too many wrong ones."""
        code = str(self.cleaned_data["code"])
        try:
            self.authenticator = services.code_use(user=self.user, code=code)
        except CodesBlockedError:
            raise ValidationError(
                _("Too many incorrect codes. Try again in a few minutes."), code="blocked"
            ) from None
        if self.authenticator is None:
            raise ValidationError(_("The code is incorrect or was already used. Enter a new code."))
        return code


CODE_HELP = _("Enter the six-digit code from your app, or a recovery code.")


class CodeForm(_CodeMixin, mfa.AuthenticateForm):
    """The second step of the log-in."""

    code = code_field(CODE_HELP)


class ConfirmForm(_CodeMixin, mfa.ReauthenticateForm):
    """The second factor again, of a logged-in user."""

    code = code_field(CODE_HELP)


class AppForm(totp.ActivateTOTPForm):
    """The first code of a new authenticator app."""

    code = code_field()

    def clean_code(self) -> str:
        """Check the code and use it up, so that it can't be used for a log-in as well."""
        code = str(self.cleaned_data["code"])
        if not services.first_code_use(user=self.user, secret=self.secret, code=code):
            raise ValidationError(
                _("Incorrect code. Codes change every 30 seconds, so enter the current one.")
            )
        return code


class RecoveryCodesForm(recovery.GenerateRecoveryCodesForm):
    """New recovery codes; runs in the transaction of its view."""

    def clean(self) -> dict[str, Any]:
        """Audit the new codes and notify the user."""
        data: dict[str, Any] = super().clean()
        audit(actor=self.user, action="access.recovery_codes_renew", thing=self.user)
        tell_owner(self.user, "access.recovery_codes_renew")
        return data


class PasskeyForm(passkeys.AddWebAuthnForm):
    """A new passkey and its name."""

    name = forms.CharField(label=_("Name"), max_length=80, required=False)
    passwordless = forms.BooleanField(
        label=_("Log in with this passkey only, without a password"), required=False, initial=True
    )
