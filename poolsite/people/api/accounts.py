"""Accounts in the API: their details, members and invitations."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status

from poolsite.access import principal_of_request, require, selectors, services
from poolsite.access.models import Account, Invitation, User
from poolsite.api.callers import allowed, require_confirmed
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.root import ProblemError
from poolsite.operations.tags_and_notes import with_tag
from poolsite.people.api.answers import account_out, invitation_made_out, invitation_out, member_out
from poolsite.people.api.common import Slug, account_of
from poolsite.people.api.schemas import (
    AccountChangeIn,
    AccountCreateIn,
    AccountDetailOut,
    AccountsIn,
    InvitationMadeOut,
    InvitationOut,
    MemberChangeIn,
    MemberInviteIn,
    MemberOut,
    MembersIn,
)

router = Router(tags=["people"])
VIEW, CHANGE = "access.people_view", "access.people_change"
UserId = id_in_path("The user's ID.")
InvitationId = id_in_path("The invitation's ID.")


@router.get(
    "/accounts",
    response={200: Page[AccountDetailOut]},
    summary="List accounts",
)
def list_accounts(request: HttpRequest, asked: Query[AccountsIn]) -> Any:
    """The accounts whose members you can view."""
    principal = allowed(request, VIEW)
    rows = selectors.accounts(principal, text=asked.q)
    if asked.tag:
        require(principal, "access.operators_view")
        rows = with_tag(rows, asked.tag, kind="account")
    return page(request, asked, rows, account_out)


@router.post(
    "/accounts",
    response={201: AccountDetailOut},
    summary="Create an account",
)
def create_account(request: HttpRequest, given: AccountCreateIn) -> Any:
    """Create an account. Next, invite its owner."""
    principal = allowed(request, "access.accounts_change")
    return Status(201, account_out(services.account_create(actor=principal, **given.model_dump())))


@router.get(
    "/accounts/{slug}",
    response={200: AccountDetailOut},
    summary="Get an account",
)
def get_account(request: HttpRequest, slug: str = Slug) -> Any:
    """An account's name, time zone, currency and language."""
    return account_out(account_of(principal_of_request(request), slug, VIEW))


@router.patch(
    "/accounts/{slug}",
    response={200: AccountDetailOut},
    summary="Change an account",
)
def change_account(request: HttpRequest, given: AccountChangeIn, slug: str = Slug) -> Any:
    """Change the name, time zone or language. The slug and currency never change."""
    principal = principal_of_request(request)
    account = account_of(principal, slug, "access.accounts_change")
    changed = services.account_change(account=account, actor=principal, **given.model_dump())
    return account_out(changed)


# -- members ---------------------------------------------------------------------------------------


@router.get(
    "/accounts/{slug}/members",
    response={200: Page[MemberOut]},
    summary="List members",
)
def list_members(request: HttpRequest, asked: Query[MembersIn], slug: str = Slug) -> Any:
    """The members of an account with their roles."""
    account = account_of(principal_of_request(request), slug, VIEW)
    rows = selectors.members(account, text=asked.q, role=asked.role or "")
    return page(request, asked, rows, lambda user: member_out(user, account))


@router.patch(
    "/accounts/{slug}/members/{user}",
    response={200: MemberOut},
    summary="Change a member",
)
def change_member(
    request: HttpRequest, given: MemberChangeIn, slug: str = Slug, user: int = UserId
) -> Any:
    """Set a member's roles and individual desks. Changes take effect immediately.

    Only owners, and operators with the Operate grant, can add or remove owners.
    """
    principal = principal_of_request(request)
    account = account_of(principal, slug, CHANGE)
    person = _member(account, user)
    services.member_set(user=person, account=account, actor=principal, **given.model_dump())
    return member_out(person, account)


@router.post(
    "/accounts/{slug}/members/{user}/remove",
    response={204: None},
    summary="Remove a member",
)
def remove_member(request: HttpRequest, slug: str = Slug, user: int = UserId) -> Any:
    """End all roles and individual desks of a member. An account keeps at least one owner."""
    principal = principal_of_request(request)
    account = account_of(principal, slug, CHANGE)
    person = _member(account, user)
    services.member_set(user=person, account=account, actor=principal, roles=(), supervises=())
    return Status(204, None)


def _member(account: Account, user: int) -> User:
    found = User.objects.filter(pk=user, memberships__account=account).first()
    if found is None:
        raise ProblemError("unknown-user", "the account has no member with this ID")
    return found


# -- invitations -----------------------------------------------------------------------------------


@router.get(
    "/accounts/{slug}/invitations",
    response={200: Page[InvitationOut]},
    summary="List invitations",
)
def list_invitations(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The open invitations of an account."""
    account = account_of(principal_of_request(request), slug, VIEW)
    return page(request, asked, selectors.invitations(account), invitation_out)


@router.post(
    "/accounts/{slug}/invitations",
    response={201: InvitationMadeOut},
    summary="Invite a member",
)
def invite_member(request: HttpRequest, given: MemberInviteIn, slug: str = Slug) -> Any:
    """Email an invitation. It is valid for 7 days and replaces an earlier one to this address."""
    principal = principal_of_request(request)
    account = account_of(principal, slug, CHANGE)
    require_confirmed(request)
    made, secret = services.member_invite(account=account, actor=principal, **given.model_dump())
    return Status(201, invitation_made_out(request, made, secret))


@router.post(
    "/accounts/{slug}/invitations/{invitation}/withdraw",
    response={204: None},
    summary="Withdraw an invitation",
)
def withdraw_invitation(
    request: HttpRequest, slug: str = Slug, invitation: int = InvitationId
) -> Any:
    """Invalidate the emailed link. An accepted invitation stays accepted."""
    principal = principal_of_request(request)
    account = account_of(principal, slug, CHANGE)
    found = Invitation.objects.filter(pk=invitation, account=account).first()
    if found is None:
        raise ProblemError("unknown-invitation", "invitation not found")
    services.invitation_withdraw(invitation=found, actor=principal)
    return Status(204, None)
