"""What the pages here share: the thing of the address, and a verb whose refusal is said."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access import Principal
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, TaskBatch

ID_LIMIT = 2**63


def gate_of(principal: Principal, slug: str, action: str = "admission.view") -> Gate:
    """One gate, or the refusal: a foreign one looks like a missing one."""
    gate = Gate.objects.select_related("account").filter(slug=slug).first()
    if gate is None:
        raise Http404
    access.require(principal, action, gate)
    return gate


def batch_of(principal: Principal, batch_id: int, action: str = "admission.view") -> TaskBatch:
    """One batch, or the refusal; that of a deleted gate is gone with it."""
    if batch_id >= ID_LIMIT:
        raise Http404
    found = TaskBatch.objects.select_related("gate__account").filter(pk=batch_id).first()
    if found is None or found.gate.deleted_at is not None:
        raise Http404
    access.require(principal, action, found)
    return found


def carry_out(request: HttpRequest, verb: Callable[[], str]) -> bool:
    """Run a verb and tell its sentence, or why nothing was done. Whether it was done."""
    try:
        messages.success(request, verb())
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except AdmissionError as error:
        messages.error(request, error.detail)
    except hotpath.UnknownOutcome:
        messages.error(request, _("Redis took it and did not answer. Look before you try again."))
    except hotpath.HotPathError:
        messages.error(request, _("Redis is down. Nothing was changed."))
    else:
        return True
    return False


def word_of(request: HttpRequest, name: str, length: int = 200) -> str:
    """A short text of the form that was sent."""
    return " ".join(request.POST.get(name, "").split())[:length]
