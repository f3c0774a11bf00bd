"""A gate's settings, all on one page."""

from copy import copy
from functools import partial

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out, check_typed, word_of
from queueing.admission import services
from queueing.admission.forms import GateSettingsForm
from queueing.admission.selectors import GATES

KEY_DONE = {
    "new": gettext_lazy("Signing key created."),
    "use": gettext_lazy("Permits are signed with the new key."),
    "remove": gettext_lazy("Signing keys removed. Permits are no longer signed."),
}


@require_http_methods(["GET", "HEAD", "POST"])
def gate_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and save every setting of a gate. They take effect when they are saved."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug, "admission.operate")
    form = GateSettingsForm(request.POST or None, instance=copy(gate))
    save = partial(services.gate_configure, actor=principal, gate=gate)
    done = redirect_with(request, _("Settings saved."), "admission:gate", slug=slug)
    if answer := saved(form, save, done, given=form.given):
        return answer
    context = {"gate": gate, "form": form, "groups": form.groups()}
    return form_page(request, "admission/gate_settings.html", context)


@require_POST
def gate_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the gate if its short name was entered, or show why it can't be deleted."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug, "admission.operate")

    def delete() -> str:
        check_typed(request, gate.slug)
        services.gate_delete(actor=principal, gate=gate, reason=word_of(request, "reason"))
        return _("Gate %(name)s deleted.") % {"name": gate.name}

    if carry_out(request, delete):
        return redirect("admission:gates")
    return redirect("admission:gate_settings", slug=gate.slug)


@never_cache
@require_POST
def gate_key(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a signing key, which only this page shows, use it, or remove the keys."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug, "admission.operate")
    do, reason = request.POST.get("do", ""), word_of(request, "reason")
    made: list[str] = []

    def change() -> str:
        if do not in KEY_DONE:
            raise ValidationError(_("The request can't be read."))
        made.append(services.gate_key_change(do, actor=principal, gate=gate, reason=reason))
        return str(KEY_DONE[do])

    if carry_out(request, change) and made[0]:
        gate.refresh_from_db()
        return render(request, "admission/key_shown.html", {"gate": gate, "key": made[0]})
    return redirect("admission:gate_settings", slug=gate.slug)
