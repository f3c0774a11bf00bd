"""Routes of languages, signing secrets and blocked addresses."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.idempotency import shows_secret
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from poolsite.moments import iso
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.found import visit_named
from queueing.line.api.list_schemas import (
    BlockedIn,
    BlockedOut,
    LanguagesIn,
    LanguagesOut,
    SigningSecretMadeOut,
    SigningSecretOut,
)
from queueing.line.models import BlockedVisitor, Desk, IdentityKey
from queueing.line.services import desk_settings, identities, routing

visitor_setup = Router(tags=["desk-people"])
CONFIGURE, SUPERVISE = AtDesk("line.configure"), AtDesk("line.supervise")
GONE: dict[int, Any] = {204: None}
Key: Any = param.Path(..., ge=1, lt=2**63, description="The ID.")


@visitor_setup.get(
    "/{slug}/languages", auth=CONFIGURE, response={200: LanguagesOut}, summary="Get languages"
)
def get_languages(request: HttpRequest, slug: str = Slug) -> Any:
    """The skills that agents need for visitors of a language."""
    return _languages(desk_of_request(request))


@visitor_setup.put(
    "/{slug}/languages", auth=CONFIGURE, response={200: LanguagesOut}, summary="Set languages"
)
def set_languages(request: HttpRequest, given: LanguagesIn, slug: str = Slug) -> Any:
    """Replace the skills of all languages."""
    desk = desk_of_request(request)
    known = {skill.slug: skill for skill in desk.skills.all()}
    if missing := [each.skill for each in given.languages.values() if each.skill not in known]:
        raise ProblemError("unknown-skill", f"{missing[0]}: the desk has no such skill")
    wanted = {code: (known[each.skill], each.level) for code, each in given.languages.items()}
    routing.languages_save(
        actor=principal_of_request(request), desk=desk, skills=wanted, reason=given.reason
    )
    return _languages(desk)


def _languages(desk: Desk) -> dict[str, Any]:
    rows = desk.language_skills.select_related("skill")
    found = {row.language: {"skill": row.skill.slug, "level": row.level} for row in rows}
    return {"languages": found}


# -- secrets of signed visitors --------------------------------------------------------------------


@visitor_setup.get(
    "/{slug}/signing-secrets",
    auth=CONFIGURE,
    response={200: Page[SigningSecretOut]},
    summary="List signing secrets",
)
def list_signing_secrets(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The secrets that are in use, newest first. Their values aren't shown."""
    rows = desk_of_request(request).identity_keys.filter(revoked_at=None)
    return page(request, asked, rows, _secret)


@visitor_setup.post(
    "/{slug}/signing-secrets",
    auth=CONFIGURE,
    response={201: SigningSecretMadeOut},
    summary="Create a signing secret",
)
@shows_secret
def create_signing_secret(request: HttpRequest, given: NothingIn, slug: str = Slug) -> Any:
    """Create a secret that signs visitors' identities. A desk can have two at the same time."""
    principal, desk = principal_of_request(request), desk_of_request(request)
    return Status(201, {"secret": identities.key_new(actor=principal, desk=desk)})


@visitor_setup.delete(
    "/{slug}/signing-secrets/{secret}",
    auth=CONFIGURE,
    response=GONE,
    summary="Revoke a signing secret",
)
def revoke_signing_secret(request: HttpRequest, slug: str = Slug, secret: int = Key) -> Any:
    """Revoke the secret. Tokens that are signed with it are refused from now on."""
    rows = IdentityKey.objects.select_related("desk__account").filter(revoked_at=None)
    found = rows.filter(desk=desk_of_request(request), pk=secret).first()
    if found is None:
        raise ProblemError("unknown-secret")
    identities.key_revoke(actor=principal_of_request(request), key=found)
    return Status(204, None)


def _secret(row: IdentityKey) -> dict[str, Any]:
    created = row.created_at.isoformat()
    return {"id": row.pk, "print": row.print, "created_at": created, "created_by": row.created_by}


# -- blocked addresses -----------------------------------------------------------------------------


@visitor_setup.get(
    "/{slug}/blocked",
    auth=CONFIGURE,
    response={200: Page[BlockedOut]},
    summary="List blocked addresses",
)
def list_blocked(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The network addresses that may not join, newest first."""
    return page(request, asked, desk_of_request(request).blocked_visitors.all(), _blocked)


@visitor_setup.post(
    "/{slug}/blocked", auth=SUPERVISE, response={201: BlockedOut}, summary="Block an address"
)
def block(request: HttpRequest, given: BlockedIn, slug: str = Slug) -> Any:
    """Refuse visitors from a network address. Blocking it again replaces reason and end."""
    address = given.address
    if given.visit is not None:
        address = visit_named(request, given.visit).address
        if not address:
            raise ValidationError("visit: it came through the API and has no address to block")
    made = desk_settings.visitor_block(
        actor=principal_of_request(request),
        desk=desk_of_request(request),
        key=address,
        reason=given.reason,
        until=given.until,
    )
    return Status(201, _blocked(made))


@visitor_setup.delete(
    "/{slug}/blocked/{blocked}", auth=SUPERVISE, response=GONE, summary="Unblock an address"
)
def unblock(request: HttpRequest, slug: str = Slug, blocked: int = Key) -> Any:
    """Let visitors from this address join again."""
    rows = BlockedVisitor.objects.select_related("desk__account")
    found = rows.filter(desk=desk_of_request(request), pk=blocked).first()
    if found is None:
        raise ProblemError("unknown-address")
    desk_settings.visitor_unblock(actor=principal_of_request(request), blocked=found)
    return Status(204, None)


def _blocked(row: BlockedVisitor) -> dict[str, Any]:
    return {
        "id": row.pk,
        "address": row.key,
        "reason": row.reason,
        "until": iso(row.until),
        "created_by": row.created_by,
        "created_at": row.created_at.isoformat(),
    }
