"""Operators in the API: their grants, invitations, finance requests, and users' logins."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status

from poolsite.access import FactorNeeded, selectors, services
from poolsite.access.models import FinanceRequest, Invitation, User
from poolsite.api.callers import allowed, require_confirmed
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.root import ProblemError
from poolsite.people.api.answers import (
    finance_request_out,
    invitation_made_out,
    invitation_out,
    operator_out,
    person_out,
)
from poolsite.people.api.schemas import (
    ApprovalIn,
    FinanceRequestOut,
    FinanceRequestsIn,
    InvitationMadeOut,
    InvitationOut,
    OperatorChangedOut,
    OperatorChangeIn,
    OperatorInviteIn,
    OperatorOut,
    OperatorsIn,
    PersonOut,
    PersonReasonIn,
)

router = Router(tags=["people"])
VIEW, CHANGE = "access.operators_view", "access.operators_change"
UserId = id_in_path("The user's ID.")
InvitationId = id_in_path("The invitation's ID.")
RequestId = id_in_path("The finance request's ID.")


@router.get(
    "/operators",
    response={200: Page[OperatorOut]},
    summary="List operators",
)
def list_operators(request: HttpRequest, asked: Query[OperatorsIn]) -> Any:
    """The platform's operators with their grants."""
    allowed(request, VIEW)
    return page(request, asked, selectors.operators(text=asked.q), operator_out)


@router.patch(
    "/operators/{user}",
    response={200: OperatorChangedOut},
    summary="Change an operator's grants",
)
def change_operator(request: HttpRequest, given: OperatorChangeIn, user: int = UserId) -> Any:
    """Set the grants for the whole platform. Either all changes are made or none.

    You can only give grants that you have, and not to yourself. The Finance grant takes effect
    once another finance operator approves it.
    """
    principal = allowed(request, CHANGE)
    require_confirmed(request)
    person = _user(user, is_operator=True)
    change = services.operator_set(user=person, actor=principal, **given.model_dump())
    return OperatorChangedOut(changed=change.changed, waits_for_approval=change.waits)


@router.get(
    "/operator-invitations",
    response={200: Page[InvitationOut]},
    summary="List operator invitations",
)
def list_operator_invitations(request: HttpRequest, asked: Query[PageIn]) -> Any:
    """The open invitations of operators."""
    allowed(request, VIEW)
    return page(request, asked, selectors.invitations(None), invitation_out)


@router.post(
    "/operator-invitations",
    response={201: InvitationMadeOut},
    summary="Invite an operator",
)
def invite_operator(request: HttpRequest, given: OperatorInviteIn) -> Any:
    """Email an invitation. It is valid for 7 days and replaces an earlier one to this address."""
    principal = allowed(request, CHANGE)
    require_confirmed(request)
    made, secret = services.operator_invite(actor=principal, **given.model_dump())
    return Status(201, invitation_made_out(request, made, secret))


@router.post(
    "/operator-invitations/{invitation}/withdraw",
    response={204: None},
    summary="Withdraw an operator invitation",
)
def withdraw_operator_invitation(request: HttpRequest, invitation: int = InvitationId) -> Any:
    """Invalidate the emailed link. An accepted invitation stays accepted."""
    principal = allowed(request, CHANGE)
    found = Invitation.objects.filter(pk=invitation, account=None).first()
    if found is None:
        raise ProblemError("unknown-invitation", "invitation not found")
    services.invitation_withdraw(invitation=found, actor=principal)
    return Status(204, None)


# -- finance grants --------------------------------------------------------------------------------


@router.get(
    "/finance-requests",
    response={200: Page[FinanceRequestOut]},
    summary="List finance requests",
)
def list_finance_requests(request: HttpRequest, asked: Query[FinanceRequestsIn]) -> Any:
    """The requests for the Finance grant."""
    allowed(request, VIEW)
    rows = selectors.finance_requests()
    if asked.status is not None:
        rows = rows.filter(status=asked.status)
    return page(request, asked, rows, finance_request_out)


@router.get(
    "/finance-requests/{finance_request}",
    response={200: FinanceRequestOut},
    summary="Get a finance request",
)
def get_finance_request(request: HttpRequest, finance_request: int = RequestId) -> Any:
    """A request for the Finance grant with its decision."""
    allowed(request, VIEW)
    return finance_request_out(_finance_request(finance_request))


@router.post(
    "/finance-requests/{finance_request}/approve",
    response={200: FinanceRequestOut},
    summary="Approve a finance request",
)
def approve_finance_request(
    request: HttpRequest, given: ApprovalIn, finance_request: int = RequestId
) -> Any:
    """Approve as the second finance operator. The grant takes effect immediately.

    You can't approve your own request or grant, or one by an operator you aren't independent of.
    """
    principal = _decider(request)
    found = _finance_request(finance_request)
    decided = services.finance_approve(found, actor=principal, reason=given.reason)
    return finance_request_out(decided)


@router.post(
    "/finance-requests/{finance_request}/reject",
    response={200: FinanceRequestOut},
    summary="Reject a finance request",
)
def reject_finance_request(
    request: HttpRequest, given: PersonReasonIn, finance_request: int = RequestId
) -> Any:
    """Reject a request, or withdraw your own. The grant isn't given."""
    principal = _decider(request)
    found = _finance_request(finance_request)
    return finance_request_out(services.finance_reject(found, actor=principal, reason=given.reason))


def _decider(request: HttpRequest) -> Any:
    """Return the caller, a finance operator who has recently proved a second factor."""
    try:
        return allowed(request, "access.finance_decide")
    except FactorNeeded:
        raise ProblemError("second-factor") from None


def _finance_request(key: int) -> FinanceRequest:
    found = selectors.finance_requests().filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-request", "finance request not found")
    return found


# -- users -----------------------------------------------------------------------------------------


@router.post(
    "/users/{user}/deactivate",
    response={200: PersonOut},
    summary="Deactivate a user",
)
def deactivate_user(request: HttpRequest, given: PersonReasonIn, user: int = UserId) -> Any:
    """End the user's sessions and refuse new logins. You can't deactivate yourself."""
    return _set_active(request, user, given.reason, active=False)


@router.post(
    "/users/{user}/activate",
    response={200: PersonOut},
    summary="Reactivate a user",
)
def activate_user(request: HttpRequest, given: PersonReasonIn, user: int = UserId) -> Any:
    """Allow a deactivated user to log in again. The Finance grant does not come back."""
    allowed(request, CHANGE)
    require_confirmed(request)
    return _set_active(request, user, given.reason, active=True)


@router.post(
    "/users/{user}/reset-factor",
    response={204: None},
    summary="Remove a user's authenticator app",
)
def reset_factor(request: HttpRequest, given: PersonReasonIn, user: int = UserId) -> Any:
    """Remove the app, passkeys and recovery codes of another user who lost them."""
    principal = allowed(request, CHANGE)
    require_confirmed(request)
    services.factors_reset(user=_user(user), actor=principal, reason=given.reason)
    return Status(204, None)


def _set_active(request: HttpRequest, user: int, reason: str, *, active: bool) -> PersonOut:
    principal = allowed(request, CHANGE)
    person = _user(user)
    changed = services.user_set_active(user=person, active=active, actor=principal, reason=reason)
    return person_out(changed)


def _user(key: int, **only: bool) -> User:
    found = User.objects.filter(pk=key, **only).first()
    if found is None:
        raise ProblemError("unknown-user", "user not found")
    return found
