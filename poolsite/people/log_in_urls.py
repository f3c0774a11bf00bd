"""The addresses of allauth's pages that exist here, by allauth's names. There is no sign-up."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as app
from allauth.mfa.webauthn import views as passkeys
from django.db import transaction
from django.urls import path, re_path, reverse_lazy
from django.views.decorators.http import require_POST
from django.views.generic import RedirectView
from django.views.i18n import set_language

from poolsite.people.views import factors, single_sign_on
from poolsite.people.views.single_sign_on import local

whole = transaction.atomic  # the change, its audit entry and its mail
RESET = RedirectView.as_view(url=reverse_lazy("account_reset_password"))
LOG_IN = RedirectView.as_view(url=reverse_lazy("account_login"))

urlpatterns = [
    path("login/", account.login, name="account_login"),
    path("login/code/", factors.LogInCodeView.as_view(), name="mfa_authenticate"),
    path("login/passkey/", local(passkeys.login_webauthn), name="mfa_login_webauthn"),
    path("login/closed/", LOG_IN, name="account_inactive"),
    path("language/", require_POST(set_language), name="set_language"),
    path("logout/", require_POST(account.logout), name="account_logout"),
    path("password/reset/", local(account.password_reset), name="account_reset_password"),
    path("password/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    path("password/reset/done/", LOG_IN, name="account_reset_password_from_key_done"),
    re_path(
        r"^password/reset/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>set-password)/$",
        local(account.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("security/", mfa.index, name="mfa_index"),
    path("security/password/", local(account.password_change), name="account_change_password"),
    path("password/first/", RESET, name="account_set_password"),  # for users without a password
    path("security/app/", app.activate_totp, name="mfa_activate_totp"),
    path("security/app/remove/", whole(app.deactivate_totp), name="mfa_deactivate_totp"),
    path("security/codes/", codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "security/codes/new/",
        whole(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("security/passkeys/add/", whole(passkeys.add_webauthn), name="mfa_add_webauthn"),
    path("security/passkeys/<int:pk>/", passkeys.edit_webauthn, name="mfa_edit_webauthn"),
    path(
        "security/passkeys/<int:pk>/remove/",
        whole(passkeys.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
    path("security/passkeys/", mfa.index, name="mfa_list_webauthn"),
    path("security/sessions/", factors.SessionsView.as_view(), name="usersessions_list"),
    path("security/confirm/", factors.ConfirmView.as_view(), name="mfa_reauthenticate"),
    path(
        "security/confirm/passkey/",
        passkeys.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path(
        "security/confirm/password/",
        local(account.reauthenticate),
        name="account_reauthenticate",
    ),
    path("login/sign-on/", single_sign_on.log_in, name="sign_on"),
    path("login/sign-on/callback/", single_sign_on.callback, name="sign_on_callback"),
    path("logout/sign-on/", single_sign_on.logged_out, name="sign_on_logged_out"),
    path("security/sign-on/", single_sign_on.link, name="sign_on_link"),
    path("security/sign-on/start/", single_sign_on.link_start, name="sign_on_link_start"),
    path("security/sign-on/remove/", single_sign_on.unlink, name="sign_on_unlink"),
    path("security/confirm/sign-on/", single_sign_on.confirm, name="sign_on_confirm"),
    path(
        "security/confirm/sign-on/start/",
        single_sign_on.confirm_start,
        name="sign_on_confirm_start",
    ),
]
