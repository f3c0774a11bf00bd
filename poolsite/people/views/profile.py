"""A user's own pages: names and language, log-out everywhere. allauth has the log-in settings."""

from functools import partial

from django.contrib import messages
from django.contrib.auth import logout
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.access import principal_of_request, services
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import user_of
from poolsite.people.forms import ProfileForm
from poolsite.people.views.common import asks


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@asks("access.profile")
def profile(request: HttpRequest) -> HttpResponseBase:
    """Show and change names, zone and language."""
    user = user_of(request)
    fields = ("first_name", "last_name", "zone", "locale")
    form = ProfileForm(request.POST or None, initial={name: getattr(user, name) for name in fields})
    save = partial(services.profile_change, user=user, actor=principal_of_request(request))
    done = redirect_with(request, _("Profile saved."), "access:profile")
    return saved(form, save, done) or form_page(request, "access/profile.html", {"form": form})


@never_cache
@require_POST
@asks("access.profile")
def log_out_everywhere(request: HttpRequest) -> HttpResponseBase:
    """End every session of the reader, including the current one."""
    with transaction.atomic():
        services.log_out_everywhere(user=user_of(request), actor=principal_of_request(request))
        logout(request)
    messages.success(request, _("You've been logged out everywhere."))
    return redirect("account_login")
