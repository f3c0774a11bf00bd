"""Writing down who gave whom access, and withdrawing invitations whose inviter lost the right."""

from django.utils import timezone

from poolsite.access.auditing import audit
from poolsite.access.giving import invitation_works
from poolsite.access.models import AccessLink, Invitation, User
from poolsite.access.services.actor import Actor, user_of


def link_access(*, giver: Actor, receiver: User, how: AccessLink.How) -> None:
    """Remember that the actor gave this user access, for four eyes (`access.four_eyes`).

    Nothing is written for a part of the system, a token, or what people do to themselves.
    """
    person = user_of(giver)
    if person is not None and person.pk != receiver.pk:
        AccessLink.objects.create(giver=person, receiver=receiver, how=how)


def withdraw_void_invitations(*, inviter: User, actor: Actor) -> None:
    """Withdraw the user's open invitations to what he or she may no longer give.

    Called wherever a right is taken, inside that transaction, so that the links stay worthless
    even when the right comes back.
    """
    open_ones = Invitation.objects.select_for_update(of=("self",)).filter(
        invited_by=inviter, accepted_at=None, withdrawn_at=None, expires_at__gt=timezone.now()
    )
    for invitation in open_ones.select_related("account", "invited_by"):
        if not invitation_works(invitation):
            withdraw(invitation, actor)


def withdraw(invitation: Invitation, actor: Actor) -> None:
    """Make the link worthless, with an audit entry. The row is locked by the caller."""
    invitation.withdrawn_at = timezone.now()
    invitation.save(update_fields=["withdrawn_at"])
    audit(actor=actor, action="access.invitation_withdraw", thing=invitation)
