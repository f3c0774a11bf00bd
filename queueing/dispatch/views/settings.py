"""A group's settings, and its end."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out, word_of
from queueing.dispatch import services
from queueing.dispatch.forms import GroupSettingsForm
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GROUPS


@require_http_methods(["GET", "HEAD", "POST"])
def group_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Every setting of a group; links and sessions go on when one changes."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug, "dispatch.configure")
    row = Group.objects.get(pk=group.pk)  # a form writes what was typed into its own copy
    form = GroupSettingsForm(request.POST if request.method == "POST" else None, instance=row)
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            services.group_configure(actor=principal, group=group, reason=reason, **form.changes())
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            messages.success(request, _("Settings saved. They take effect immediately."))
            return redirect("dispatch:group", slug=group.slug)
    status = 422 if form.is_bound else 200
    context = {"group": group, "form": form, "groups": form.groups()}
    return render(request, "dispatch/settings.html", context, status=status)


@require_POST
def group_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete a group, or say why it can't be."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug, "dispatch.configure")

    def delete() -> str:
        services.group_delete(actor=principal, group=group, reason=word_of(request, "reason"))
        return _("Group %(name)s deleted.") % {"name": group.name}

    if carry_out(request, delete):
        return redirect("dispatch:groups")
    return redirect("dispatch:settings", slug=group.slug)
