"""Creates and links users at a log-in by the provider, and syncs their rights with its groups.

A group gives neither `finance` nor `owner` (`oidc.mapping`) and writes no access link: no one in
the console gave the right, as with `manage.py` (docs/decisions/0035, 0051).
"""

import logging
import re
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from poolsite.access.auditing import audit
from poolsite.access.models import Account, Grant, Membership, User
from poolsite.access.notices import tell_owner
from poolsite.access.oidc.mapping import GRANTS, OPERATOR, Right
from poolsite.access.rights.changes import changed
from poolsite.access.services.actor import Actor
from poolsite.access.services.links import withdraw_void_invitations
from poolsite.access.services.people import grant_set, grant_take, membership_set, user_create
from poolsite.plain_text import one_line

ACTOR = "single sign-on"
log = logging.getLogger("poolsite.access")
LONGEST_NAME = 60


def user_of_claims(claims: dict[str, Any], *, email: str) -> User:
    """Create a user without a password, named like the person at the provider.

    email: a verified one, or "". Raise ValidationError if a field is invalid.
    """
    full_name = claims.get("name")
    return user_create(
        username=_free_name(str(claims.get("preferred_username") or email or "user")),
        email=email,
        full_name=one_line(full_name)[:120] if isinstance(full_name, str) else "",
        actor=ACTOR,
    )


def _free_name(wanted: str) -> str:
    """Return an unused user name, made of what comes before the @."""
    stem = re.sub(r"[^\w.+-]", "", wanted.partition("@")[0])[:LONGEST_NAME] or "user"
    taken = User.objects.filter(username__istartswith=stem).values_list("username", flat=True)
    known = {name.lower() for name in taken}
    names = [stem, *(f"{stem}-{n}" for n in range(2, len(known) + 3))]
    return next(name for name in names if name.lower() not in known)


def known_rights(rights: Collection[Right]) -> frozenset[Right]:
    """Return the rights whose accounts exist. Log the rest, which are errors in the settings."""
    named = {each.account for each in rights if each.account}
    known = set(Account.objects.filter(slug__in=named).values_list("slug", flat=True))
    for slug in sorted(named - known):
        log.error("POOLSITE_OIDC_ROLES names the account %r, which does not exist", slug)
    return frozenset(each for each in rights if not each.account or each.account in known)


@transaction.atomic
def rights_sync(*, user: User, rights: Collection[Right]) -> User:
    """Give what the groups give now, and take what they gave before. Return the current user.

    What was given by hand stays, even where a group gives the same. rights: `known_rights`.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    _sync_grants(user, {(each.name, each.thing) for each in rights if each.name in GRANTS})
    _sync_roles(user, {(each.account, each.name) for each in rights if each.account})
    everywhere = {OPERATOR, *GRANTS}
    _sync_operator(user, any(each.name in everywhere and not each.thing for each in rights))
    return user


def _sync_grants(user: User, wanted: set[tuple[str, str]]) -> None:
    held = list(Grant.objects.filter(user=user, account=None))
    for grant in held:
        if grant.by_group and (grant.name, grant.thing) not in wanted:
            grant_take(grant, actor=ACTOR, reason="")
    for name, thing in sorted(wanted - {(grant.name, grant.thing) for grant in held}):
        grant_set(user=user, name=name, thing=thing, actor=ACTOR)
        mine = Grant.objects.filter(user=user, name=name, thing=thing, account=None)
        mine.update(by_group=True)  # unaudited: just above


def _sync_roles(user: User, wanted: set[tuple[str, str]]) -> None:
    by_account: defaultdict[str, set[str]] = defaultdict(set)
    for slug, role in wanted:
        by_account[slug].add(role)
    given = Membership.objects.filter(user=user, by_group=True)
    slugs = {*by_account, *given.values_list("account__slug", flat=True)}
    for account in Account.objects.filter(slug__in=slugs).order_by("pk"):
        _sync_roles_in(user, account, by_account[account.slug])


def _sync_roles_in(user: User, account: Account, wanted: set[str]) -> None:
    rows = Membership.objects.filter(user=user, account=account)
    held = dict(rows.values_list("role", "by_group"))
    by_hand = {role for role, by_group in held.items() if not by_group}
    membership_set(user=user, account=account, roles=by_hand | wanted, actor=ACTOR)
    rows.filter(role__in=wanted - held.keys()).update(by_group=True)  # unaudited: just above


def _sync_operator(user: User, wanted: bool) -> None:
    """Set whether the person sees everything; the grants decide what they may change."""
    if user.is_operator == wanted or (user.is_operator and not user.operator_by_group):
        return
    if not wanted and Grant.objects.filter(user=user, account=None, thing="").exists():
        return  # it was given by hand, and it is an operator's
    user.is_operator = user.operator_by_group = wanted
    user.save(update_fields=["is_operator", "operator_by_group"])
    audit(
        actor=ACTOR,
        action="access.operator_set",
        thing=user,
        before={"is_operator": not wanted},
        after={"is_operator": wanted},
    )
    if not wanted:
        withdraw_void_invitations(inviter=user, actor=ACTOR)


@transaction.atomic
def sign_on_linked(*, user: User, actor: Actor) -> None:
    """Audit that the provider lets this user in from now on, and notify the user."""
    audit(actor=actor, action="access.sign_on_link", thing=user)
    tell_owner(user, "access.sign_on_link")


@transaction.atomic
def sign_on_unlink(*, user: User, issuer: str, actor: Actor) -> bool:
    """Remove the link to the provider and the rights by its groups; return whether it existed."""
    removed, _rows = SocialAccount.objects.filter(user=user, provider=issuer).delete()
    if not removed:
        return False
    audit(actor=actor, action="access.sign_on_unlink", thing=user)
    tell_owner(user, "access.sign_on_unlink")
    rights_sync(user=user, rights=())
    changed("user", user.pk)
    return True
