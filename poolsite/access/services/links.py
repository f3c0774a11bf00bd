"""Records who gave whom access, and withdraws invitations whose inviter lost the right."""

from django.utils import timezone

from poolsite.access.auditing import audit
from poolsite.access.giving import invitation_works
from poolsite.access.models import AccessLink, Invitation, User
from poolsite.access.services.actor import Actor, user_of


def link_access(*, giver: Actor, receiver: User, how: AccessLink.How) -> None:
    """Record that the actor gave this user access, for the four-eyes check (`access.four_eyes`).

    Nothing is written for a part of the system, a token, or what people do to themselves.
    """
    person = user_of(giver)
    if person is not None and person.pk != receiver.pk:
        AccessLink.objects.create(giver=person, receiver=receiver, how=how)


def withdraw_void_invitations(*, inviter: User, actor: Actor) -> None:
    """Withdraw the user's open invitations to what the user may no longer give.

    Call this wherever a right is taken, inside that transaction, so that the links stay invalid
    even if the right comes back.
    """
    open_ones = Invitation.objects.select_for_update(of=("self",)).filter(
        invited_by=inviter, accepted_at=None, withdrawn_at=None, expires_at__gt=timezone.now()
    )
    for invitation in open_ones.select_related("account", "invited_by"):
        if not invitation_works(invitation):
            withdraw(invitation, actor)


def withdraw(invitation: Invitation, actor: Actor) -> None:
    """Invalidate the link, with an audit entry. The caller has locked the row."""
    invitation.withdrawn_at = timezone.now()
    invitation.save(update_fields=["withdrawn_at"])
    audit(actor=actor, action="access.invitation_withdraw", thing=invitation)
