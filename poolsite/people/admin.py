"""The admin's lists about people. Changes are made on the console's pages, which audit them."""

from typing import Any

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.socialaccount.admin import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.auth import admin as groups  # noqa: F401  it registers Group
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from poolsite.access import principal_of_request, services
from poolsite.access.models import Account, ApiToken, AuditEntry, User
from poolsite.console.admin_columns import ReadableAdmin, Words
from poolsite.console.admin_values import label_of_key, labelled, value_of_key
from poolsite.console.sentences import Reading, Sentence, object_word, plain, registered, title_of

# Roles and grants replace Django's groups. Only the users themselves see how they log in. The
# imports above run the modules that register these models, so the order of imports doesn't matter.
OTHERS = (Group, EmailAddress, Authenticator, UserSession, SocialAccount, SocialApp, SocialToken)
for model in OTHERS:
    admin.site.unregister(model)


@admin.register(Account)
class AccountAdmin(ReadableAdmin):
    """Accounts: name, zone and language can be changed, slug and currency never."""

    view_action = "access.people_view"
    change_action = "access.accounts_change"
    account_field = "pk"
    list_display = ("name", "slug", "zone", "currency", "created_at")
    search_fields = ("slug", "name__istartswith")
    fields = ("slug", "name", "zone", "currency", "locale")

    def get_readonly_fields(self, request: HttpRequest, obj: Account | None = None) -> list[str]:
        """Return the fields that can't be changed once the account exists."""
        return ["slug", "currency"] if obj is not None else []

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the services, which check and audit."""
        actor = principal_of_request(request)
        data = form.cleaned_data
        if change:
            fields = {name: data[name] for name in ("name", "zone", "locale")}
            services.account_change(account=obj, actor=actor, **fields)
        else:
            made = services.account_create(actor=actor, **data)
            obj.pk = made.pk

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: accounts stay, because the history names them."""
        return False


@admin.register(User)
class UserAdmin(ReadableAdmin):
    """Users, to find one by name or address."""

    view_action = "access.operators_view"
    account_field = "memberships__account"
    list_display = ("username", "email", "is_operator", "is_active", "last_login")
    list_filter = ("is_operator", "is_active")
    search_fields = ("username__istartswith", "email__istartswith")
    hidden = ("password", "sessions_epoch")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadableAdmin):
    """API tokens, without their secrets."""

    view_action = "access.tokens_view"
    list_display = ("name", "prefix", "account", "switch", "last_used_at", "expires_at")
    search_fields = ("name__istartswith", "prefix")
    hidden = ("secret_hash",)


def _action_words(action: str) -> str:
    """Return the action as the console's audit log lists it."""
    sentence = registered(action)
    return title_of(sentence) if sentence else action


def _object_words(kind: str) -> str:
    return object_word(kind) or kind


ACTOR_WORDS = Words(
    {
        "user": gettext_lazy("user"),
        "token": gettext_lazy("API token"),
        "visitor": gettext_lazy("visitor"),
        "system": gettext_lazy("system"),
    }
)


def _kept(entry: AuditEntry, values: Any) -> str:
    """Return each value as the action's sentence shows it, also those that the console hides."""
    sentence = registered(entry.action) or Sentence(entry.action, "")
    settings, reading = sentence.settings, Reading(entry)

    def write(name: str, value: Any) -> str:
        kind = sentence.places.get(name) or settings.kind(name)
        return value_of_key(name, value) if kind is plain else kind(value, reading)

    return labelled(values, lambda name: settings.label(name) or label_of_key(name), write)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadableAdmin):
    """The audit log, newest first."""

    view_action = "access.history_view"
    words = {"action": _action_words, "thing_kind": _object_words, "actor_kind": ACTOR_WORDS}
    list_display = ("at", "actor_name", "action", "thing_label", "reason")
    list_filter = ("thing_kind",)
    search_fields = ("actor_name__istartswith", "action__startswith", "thing_id")
    date_hierarchy = None

    @admin.display(description=gettext_lazy("before"))
    def before_written(self, entry: AuditEntry) -> str:
        """The old values, as the console's audit log shows them."""
        return _kept(entry, entry.before)

    @admin.display(description=gettext_lazy("after"))
    def after_written(self, entry: AuditEntry) -> str:
        """The new values, as the console's audit log shows them."""
        return _kept(entry, entry.after)
