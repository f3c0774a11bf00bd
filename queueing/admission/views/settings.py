"""A gate's settings, all of them on one page."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out, word_of
from queueing.admission import services
from queueing.admission.forms import GateSettingsForm
from queueing.admission.models import Gate
from queueing.admission.selectors import GATES

KEY_DONE = {
    "new": gettext_lazy("Signing key created."),
    "use": gettext_lazy("Permits are signed with the new key."),
    "remove": gettext_lazy("Signing keys removed. Permits are no longer signed."),
}


@require_http_methods(["GET", "HEAD", "POST"])
def gate_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about a gate that may be changed; in force from the moment it is saved."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug, "admission.operate")
    form = GateSettingsForm(request.POST or None, instance=gate)
    if request.method == "POST" and form.is_valid():
        fresh = Gate.objects.get(pk=gate.pk)  # the form has written into its own copy
        reason = form.cleaned_data["reason"]
        try:
            services.gate_configure(actor=principal, gate=fresh, reason=reason, **form.changes())
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            messages.success(request, _("Settings saved."))
            return redirect("admission:gate", slug=gate.slug)
    context = {"gate": Gate.objects.get(pk=gate.pk), "form": form, "groups": form.groups()}
    status = 422 if form.is_bound else 200
    return render(request, "admission/gate_settings.html", context, status=status)


@require_POST
def gate_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the gate, once its short name was typed. Says why it stays, if it does."""
    principal = principal_of(request)
    gate = GATES.get(principal, slug, "admission.operate")
    typed, reason = word_of(request, "typed"), word_of(request, "reason")

    def delete() -> str:
        if typed != gate.slug:
            raise ValidationError(_("Enter the gate's short name to confirm."))
        services.gate_delete(actor=principal, gate=gate, reason=reason)
        return _("Gate %(name)s deleted.") % {"name": gate.name}

    if carry_out(request, delete):
        return redirect("admission:gates")
    return redirect("admission:gate_settings", slug=gate.slug)


@never_cache
@require_POST
def gate_key(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a signing key, shown on this one page only; put it into use; remove the keys."""
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
