"""A finance grant needs two people: one operator requests it, another finance operator approves."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.actions import Forbidden
from poolsite.access.auditing import audit
from poolsite.access.four_eyes import may_finance, why_dependent
from poolsite.access.giving import why_no_grants
from poolsite.access.models import AccessLink, FinanceRequest, Grant, GrantName, User
from poolsite.access.principals import principal_of_user
from poolsite.access.services.actor import Actor, clean_reason, require, user_of
from poolsite.access.services.links import link_access
from poolsite.access.services.people import grant_give

DECIDE = "access.finance_decide"
Status = FinanceRequest.Status


@transaction.atomic
def finance_ask(*, user: User, actor: Actor, reason: str) -> FinanceRequest:
    """Request the grant finance, for everything. Nothing is granted before an approval.

    Raise ValidationError without a reason, for the actor's own user, if the actor has no finance
    grant, or if the user is no active operator, has the grant or already waits for it.
    """
    require(actor, "access.operators_change")
    asker = _person(actor)
    reason = clean_reason(reason, needed=True)
    user = User.objects.select_for_update().get(pk=user.pk)
    if why := why_no_grants(principal_of_user(asker), user, [GrantName.FINANCE]):
        raise ValidationError(why)
    if not (user.is_operator and user.is_active):
        raise ValidationError(_("Only active operators can get the Finance grant."))
    if _holds_finance(user):
        raise ValidationError(_("This operator already has the Finance grant."))
    if FinanceRequest.objects.filter(user=user, status=Status.WAITING).exists():
        raise ValidationError(_("A request for this grant is already waiting for approval."))
    made = FinanceRequest.objects.create(user=user, asked_by=asker, reason=reason)
    _audit(made, "access.finance_ask", actor, reason)
    return made


@transaction.atomic
def finance_approve(request: FinanceRequest, *, actor: Actor, reason: str = "") -> FinanceRequest:
    """Approve as the second finance operator: the grant counts at once.

    Raise ValidationError with why this person may not approve it, or if it was already decided.
    """
    require(actor, DECIDE)
    decider, found = _person(actor), _waiting(request)
    if why := why_not_approve(found, decider):
        raise ValidationError(why)
    _decide(found, Status.APPROVED, decider, reason)
    _audit(found, "access.finance_approve", actor, found.decision_reason)
    if not _holds_finance(found.user):
        grant = Grant(user=found.user, name=GrantName.FINANCE)
        grant_give(grant, actor=actor, reason=found.reason)
    link_access(giver=found.asked_by, receiver=found.user, how=AccessLink.How.GRANTED)
    return found


@transaction.atomic
def finance_reject(request: FinanceRequest, *, actor: Actor, reason: str) -> FinanceRequest:
    """Reject a request, or withdraw the actor's own.

    Raise ValidationError without a reason, or if it was already decided.
    """
    require(actor, DECIDE)
    decider, reason = _person(actor), clean_reason(reason, needed=True)
    found = _waiting(request)
    own = found.asked_by_id == decider.pk
    _decide(found, Status.WITHDRAWN if own else Status.REJECTED, decider, reason)
    _audit(found, "access.finance_reject", actor, reason)
    return found


def why_not_approve(request: FinanceRequest, decider: User) -> str:
    """Return why this user may not approve a waiting request, in the reader's language, or ""."""
    asker, user = request.asked_by, request.user
    if not may_finance(decider):
        return _("Only operators with the Finance grant can approve this.")
    if decider.pk == asker.pk:
        return _("You requested this grant. Another finance operator must approve it.")
    if decider.pk == user.pk:
        return _("You can't approve your own grant.")
    if not (may_finance(asker) and "operate" in principal_of_user(asker).grants):
        return _("The requester can no longer give this grant. Reject the request.")
    if not (user.is_operator and user.is_active):
        return _("This person is no longer an active operator. Reject the request.")
    return why_dependent(decider, asker)


def _person(actor: Actor) -> User:
    user = user_of(actor)
    if user is None:
        raise Forbidden("a person must do this")
    return user


def _holds_finance(user: User) -> bool:
    return Grant.objects.filter(user=user, name=GrantName.FINANCE, thing="").exists()


def _waiting(request: FinanceRequest) -> FinanceRequest:
    """Return the row, locked and still waiting. Raise ValidationError if it was already decided."""
    rows = FinanceRequest.objects.select_for_update(of=("self",))
    found = rows.select_related("user", "asked_by").get(pk=request.pk)
    if found.status != Status.WAITING:
        raise ValidationError(_("A decision was already made: %s.") % found.get_status_display())
    return found


def _decide(request: FinanceRequest, status: str, decider: User, reason: str) -> None:
    request.status = status
    request.decided_by = decider
    request.decided_at = timezone.now()
    request.decision_reason = clean_reason(reason)
    request.save()


def _audit(request: FinanceRequest, action: str, actor: Actor, reason: str) -> None:
    audit(
        actor=actor,
        action=action,
        thing=request.user,
        after={
            "request": request.pk,
            "user": request.user.get_username(),
            "asked_by": request.asked_by.get_username(),
            "status": request.status,
        },
        reason=reason,
    )
