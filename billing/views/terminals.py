"""The table of terminals: the ability of a number, and files that update the table."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from billing.models import TerminalFile
from billing.selectors.terminals import ability_of, terminals
from billing.services import terminals as services
from billing.views.common import finance_of, given, link
from poolsite import access, number_format
from poolsite.console.pages import principal_of

CHIPS = {"done": "chip--ok", "failed": "chip--bad", "cancelled": "chip--warn"}


@require_GET
def terminals_page(request: HttpRequest) -> HttpResponse:
    """Show the number of known terminals, the ability of one, and the last files."""
    principal = principal_of(request)
    found = terminals(principal)
    filters = given(request, "number")
    may_import, confirm_url = finance_of(principal, None, request)
    files = [_file(each) for each in found.files]
    running = next((each for each in files if each["cancel_url"]), None)
    context = {
        "found": found,
        "filters": filters,
        **_asked(principal, filters["number"]),
        "files": files,
        "running": running["file"] if running else None,
        "running_cancel_url": running["cancel_url"] if running else "",
        "may_import": may_import,
        "confirm_url": confirm_url,
    }
    return render(request, "billing/terminals.html", context)


def _asked(principal: access.Principal, number: str) -> dict[str, Any]:
    """Return what a hold would know of a number: its ability, the source, and the age."""
    if not number:
        return {"ability": None, "fault": ""}
    try:
        ability = ability_of(principal, number)
    except number_format.NotANumberError as error:
        return {"ability": None, "fault": str(error)}
    sources = {
        "unknown": _("not found"),
        "failed": _("lookup failed"),
        "slow": _("lookup timed out"),
    }
    return {"ability": ability, "source": sources.get(ability.source, ability.source), "fault": ""}


def _file(found: TerminalFile) -> dict[str, Any]:
    return {
        "file": found,
        "chip": CHIPS.get(found.job.state, "chip--info"),
        "state": found.job.get_state_display(),
        "why": found.job.message if found.job.state == "failed" else "",
        "cancel_url": "" if found.job.ended else reverse("jobs:cancel", args=[found.job_id]),
    }


@require_POST
def terminals_upload(request: HttpRequest) -> HttpResponse:
    """Take a file; faults of the whole file are shown at once, faults of rows later."""
    principal = principal_of(request)
    access.require(principal, "billing.finance")
    file = request.FILES.get("file")
    try:
        if file is None or not file.name:
            raise ValidationError(_("Choose a file first."))
        services.terminals_upload(actor=principal, file_name=file.name, data=file.chunks())
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(link("terminals"))
