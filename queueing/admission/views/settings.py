"""A gate's settings, all of them on one page."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from poolsite.operations.pages import principal_of
from queueing.admission import services
from queueing.admission.forms import GateSettingsForm
from queueing.admission.models import Gate
from queueing.admission.selectors import gate_get


@require_http_methods(["GET", "HEAD", "POST"])
def gate_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about a gate that may be changed; in force from the moment it is saved."""
    principal = principal_of(request)
    gate = gate_get(principal, slug, "admission.operate")
    form = GateSettingsForm(request.POST or None, instance=gate)
    if request.method == "POST" and form.is_valid():
        fresh = Gate.objects.get(pk=gate.pk)  # the form has written into its own copy
        reason = form.cleaned_data["reason"]
        try:
            services.gate_configure(actor=principal, gate=fresh, reason=reason, **form.changes())
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        except IntegrityError:
            form.add_error("key", _("Another gate has this key."))
        else:
            messages.success(request, _("The settings are saved."))
            return redirect("admission:gate", slug=gate.slug)
    context = {"gate": Gate.objects.get(pk=gate.pk), "form": form, "groups": form.groups()}
    status = 422 if form.is_bound else 200
    return render(request, "admission/gate_settings.html", context, status=status)
