"""A group's settings, and its deletion."""

from copy import copy
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out, check_typed, word_of
from queueing.dispatch import services
from queueing.dispatch.forms import GroupSettingsForm
from queueing.dispatch.selectors import GROUPS


@require_http_methods(["GET", "HEAD", "POST"])
def group_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and save every setting of a group. Links and sessions continue."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug, "dispatch.configure")
    form = GroupSettingsForm(request.POST or None, instance=copy(group))
    save = partial(services.group_configure, actor=principal, group=group)
    message = _("Settings saved. They take effect immediately.")
    done = redirect_with(request, message, "dispatch:group", slug=slug)
    if answer := saved(form, save, done, given=form.given):
        return answer
    context = {"group": group, "form": form, "groups": form.groups()}
    return form_page(request, "dispatch/settings.html", context)


@require_POST
def group_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the group if its short name was entered, or show why it can't be deleted."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug, "dispatch.configure")

    def delete() -> str:
        check_typed(request, group.slug)
        services.group_delete(actor=principal, group=group, reason=word_of(request, "reason"))
        return _("Group %(name)s deleted.") % {"name": group.name}

    if carry_out(request, delete):
        return redirect("dispatch:groups")
    return redirect("dispatch:settings", slug=group.slug)
