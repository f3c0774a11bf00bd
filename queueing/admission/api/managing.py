"""The gates' routes for managing them: list, create, change, pause, delete, signing keys."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from ninja import Router, Status
from ninja.params import functions as param

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.models import Account
from poolsite.aggregates.minutes import minute_of
from poolsite.api.idempotency import shows_secret
from poolsite.api.root import ProblemError
from poolsite.api.setting_models import given_of
from queueing.admission import selectors, services
from queueing.admission.api.common import Slug, gate_of, told, told_after
from queueing.admission.api.managing_schemas import (
    CapIn,
    GateChangeIn,
    GateIn,
    GateOut,
    GateReasonIn,
    GateSampleOut,
    KeyOut,
)
from queueing.admission.models import Gate
from queueing.admission.services.gates import SETTINGS

gates = Router(tags=["gates"])


@gates.get("", response={200: list[GateOut]}, summary="List gates")
def list_gates(request: HttpRequest) -> Any:
    """The gates that you can access."""
    principal = principal_of_request(request)
    access.require(principal, "admission.view")
    return [told(now) for now in selectors.GATES.every(principal)]


@gates.post("", response={201: GateOut}, summary="Create a gate")
def make_gate(request: HttpRequest, given: GateIn) -> Any:
    """Create a gate. Requires an operator with the grant `operate`.

    The slug must never have been used by another gate. Without a key, the slug is the gate's key.
    """
    principal = principal_of_request(request)
    access.require(principal, "admission.create")
    gate = services.gate_create(
        actor=principal,
        slug=given.slug,
        account=_account(given.account),
        reason=given.reason,
        **given_of(given, SETTINGS),
    )
    return Status(201, told_after(gate))


def _account(slug: str | None) -> Account | None:
    if slug is None:
        return None
    account = Account.objects.filter(slug=slug).first()
    if account is None:
        raise ProblemError("malformed", "account: not found")
    return account


@gates.get("/{slug}", response={200: GateOut}, summary="Get a gate")
def get_gate(request: HttpRequest, slug: str = Slug) -> Any:
    """The gate, its settings and its current figures."""
    return told(selectors.GATES.now(gate_of(principal_of_request(request), slug)))


@gates.patch("/{slug}", response={200: GateOut}, summary="Change a gate")
def change_gate(request: HttpRequest, given: GateChangeIn, slug: str = Slug) -> Any:
    """Change settings. They take effect immediately, and permits in use stay valid.

    Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    changes = given_of(given, SETTINGS)
    services.gate_configure(actor=principal, gate=gate, reason=given.reason, **changes)
    return told_after(_fresh(gate))


@gates.delete("/{slug}", response={204: None}, summary="Delete a gate")
def delete_gate(
    request: HttpRequest,
    slug: str = Slug,
    reason: str = param.Query(..., max_length=500),
) -> Any:
    """Delete a gate that has no permits in use and no unfinished batches.

    Its history is kept, and its slug can't be used again. Requires an operator with the grant
    `operate`.
    """
    principal = principal_of_request(request)
    services.gate_delete(actor=principal, gate=gate_of(principal, slug), reason=reason)
    return Status(204, None)


@gates.get("/{slug}/samples", response={200: list[GateSampleOut]}, summary="List samples")
def list_samples(request: HttpRequest, slug: str = Slug) -> Any:
    """The last hour by the minute, oldest first. A minute without a sample is omitted."""
    gate = gate_of(principal_of_request(request), slug)
    names = GateSampleOut.model_fields
    rows = selectors.GATES.samples(gate, minute_of() - timedelta(hours=1))
    return [{name: getattr(row, name) for name in names} for row in rows]


# -- actions -------------------------------------------------------------------------------------


@gates.post("/{slug}/resize", response={200: GateOut}, summary="Change the concurrency limit")
def resize_gate(request: HttpRequest, given: CapIn, slug: str = Slug) -> Any:
    """Change the concurrency limit, effective immediately.

    A lower limit revokes no permits: no new ones are granted until enough are released. A pinned
    limit must be unpinned first. Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    gate = services.gate_resize(actor=principal, gate=gate, **given.model_dump())
    return told_after(gate)


@gates.post("/{slug}/pin", response={200: GateOut}, summary="Pin the concurrency limit")
def pin_gate(request: HttpRequest, given: CapIn, slug: str = Slug) -> Any:
    """Keep an adaptive limit at `cap` until it is unpinned. The reason is required.

    Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    return told_after(services.gate_pin(actor=principal, gate=gate, **given.model_dump()))


@gates.post("/{slug}/unpin", response={200: GateOut}, summary="Unpin the concurrency limit")
def unpin_gate(request: HttpRequest, given: GateReasonIn, slug: str = Slug) -> Any:
    """Let the limit change again. An adaptive limit continues from the pinned value.

    Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    return told_after(services.gate_pin(actor=principal, gate=gate, cap=None, reason=given.reason))


@gates.post("/{slug}/pause", response={200: GateOut}, summary="Pause a gate")
def pause_gate(request: HttpRequest, given: GateReasonIn, slug: str = Slug) -> Any:
    """Grant no new permits until the gate is resumed. Permits in use stay valid.

    The reason is required. Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    return told_after(services.gate_pause(actor=principal, gate=gate, reason=given.reason))


@gates.post("/{slug}/resume", response={200: GateOut}, summary="Resume a gate")
def resume_gate(request: HttpRequest, given: GateReasonIn, slug: str = Slug) -> Any:
    """Grant permits again. Requires an operator with the grant `operate`."""
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    return told_after(services.gate_resume(actor=principal, gate=gate, reason=given.reason))


@gates.post("/{slug}/open", response={200: GateOut}, summary="Open a recovering gate")
def open_gate(request: HttpRequest, given: GateReasonIn, slug: str = Slug) -> Any:
    """Open a recovering gate before the permits of the previous generation have ended.

    The external system may then see more clients than the limit. The reason is required.
    Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    return told_after(services.gate_open_early(actor=principal, gate=gate, reason=given.reason))


@gates.post("/{slug}/key/{do}", response={200: KeyOut}, summary="Change the signing key")
@shows_secret
def change_key(
    request: HttpRequest,
    slug: str = Slug,
    do: str = param.Path(..., pattern=r"^(new|use|remove)$"),
    reason: str = param.Query("", max_length=500, description="Required for `remove`."),
) -> Any:
    """Create a signing key, sign with the newest one, or stop signing.

    The first key signs immediately. A later key waits for `use`, so that external systems can be
    given it first. Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = gate_of(principal, slug)
    found = services.gate_key_change(do, actor=principal, gate=gate, reason=reason)
    return {"key": found or None, **_fresh(gate).signing_prints}


def _fresh(gate: Gate) -> Gate:
    return Gate.objects.select_related("account").get(pk=gate.pk)
