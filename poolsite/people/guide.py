"""Steps that the goals of several apps share: an account and its owner."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite.access import selectors, services
from poolsite.access.models import Account, Invitation, Membership, Role
from poolsite.console import GoalStep
from poolsite.console.goal_forms import with_short_name
from poolsite.console.goals import Data, Guide
from poolsite.people.forms import AccountForm, InviteForm
from poolsite.people.views.invitations import mail_invitation


def account_step(find: Callable[[Guide], Account | None]) -> GoalStep:
    """Return the step that creates an account, unless `find` returns one."""
    return GoalStep(
        "account",
        gettext_lazy("Create an account"),
        gettext_lazy("A customer, or your own company, with its own people, pools and money."),
        "access.accounts_change",
        find,
        lambda _guide, account: account.name,
        link=lambda _guide, account: reverse("access:members", args=[account.slug]),
        form=lambda _guide, data: AccountForm(with_short_name(data, Account, "account")),
        first=("name", "currency", "zone"),
        button=gettext_lazy("Create account"),
        save=_create_account,
    )


def owner_step() -> GoalStep:
    """Return the step that invites the account's owner by mail, like the invitation page."""
    return GoalStep(
        "owner",
        gettext_lazy("Invite its owner"),
        gettext_lazy("The owner gets an email, chooses a password and manages the account."),
        "access.accounts_change",
        lambda guide: _owner(guide.things["account"]),
        lambda _guide, found: _invited(found),
        thing="account",
        link=lambda guide, _found: reverse("access:members", args=[guide.things["account"].slug]),
        form=_invite_form,
        first=("email",),
        button=gettext_lazy("Invite owner"),
        save=_invite,
        asks_again=True,
    )


def first_account(guide: Guide) -> Account | None:
    """Return the account in the address, or the oldest one that the reader may see."""
    return guide.chosen(selectors.accounts(guide.principal))


def _create_account(guide: Guide, form: Any) -> str:
    account = services.account_create(actor=guide.principal, **form.cleaned_data)
    return _("Account %(name)s created.") % {"name": account.name}


def _owner(account: Account) -> Membership | Invitation | None:
    """Return the account's owner, or the newest open invitation to own it."""
    rows = Membership.objects.filter(account=account, role=Role.OWNER).select_related("user")
    invited = (each for each in selectors.open_invitations(account) if each.role == Role.OWNER)
    return rows.first() or next(invited, None)


def _invited(found: Membership | Invitation) -> str:
    if isinstance(found, Membership):
        return str(found.user.display_name)
    return _("%(email)s, invited") % {"email": found.email}


def _invite_form(_guide: Guide, data: Data) -> InviteForm:
    form = InviteForm(data)
    del form.fields["role"]  # the step sets the role
    return form


def _invite(guide: Guide, form: Any) -> str:
    """Invite the owner. Messages report whether the mail was sent, as on the invitation page."""
    if guide.request is None:
        raise ValidationError(_("The email couldn't be sent."))
    invitation, secret = services.invitation_create(
        email=form.cleaned_data["email"],
        role=Role.OWNER,
        account=guide.things["account"],
        actor=guide.principal,
    )
    mail_invitation(guide.request, invitation, secret)
    return ""
