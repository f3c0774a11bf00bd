"""Pools are created, changed, paused, opened, compared and deleted."""

from typing import Any

from django.http import HttpRequest
from ninja import Status
from ninja.params import functions as param

from numbers import selectors, services
from numbers.api.common import OPERATE, Slug, pool_of, pool_out, router
from numbers.api.pool_schemas import (
    OptionalReasonIn,
    PoolChangeIn,
    PoolIn,
    PoolOut,
    ReconciledOut,
    RequiredReasonIn,
)
from numbers.models import Pool
from numbers.services.pools import SETTINGS
from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.models import Account
from poolsite.api.root import ProblemError
from poolsite.api.setting_models import given_of

POOLS = ["pools"]
Why: Any = param.Query("", max_length=200, description="Required. It is kept in the audit log.")


@router.post("", response={201: PoolOut}, summary="Create a pool", tags=POOLS)
def post_pool(request: HttpRequest, given: PoolIn) -> Any:
    """Create a pool. Add its numbers next."""
    principal = principal_of_request(request)
    access.require(principal, "numbers.create")
    account = None
    if given.account is not None:
        account = Account.objects.filter(slug=given.account).first()
        if account is None:
            raise ProblemError("unknown-account", "account not found")
    pool = services.pool_create(
        actor=principal,
        slug=given.slug,
        account=account,
        reason=given.reason,
        **given_of(given, SETTINGS),
    )
    return Status(201, _now(pool))


@router.patch(
    "/{slug}",
    response={200: PoolOut},
    summary="Change a pool",
    tags=POOLS,
)
def patch_pool(request: HttpRequest, change: PoolChangeIn, slug: str = Slug) -> Any:
    """Change settings. They take effect with the next event."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    changes = given_of(change, SETTINGS)
    return _now(
        services.pool_configure(actor=principal, pool=pool, reason=change.reason, **changes)
    )


@router.delete("/{slug}", response={204: None}, summary="Delete a pool", tags=POOLS)
def delete_pool(request: HttpRequest, slug: str = Slug, reason: str = Why) -> Any:
    """Delete a pool and its numbers. Its history is kept, and its slug can't be used again.

    A pool with calls in progress can't be deleted.
    """
    principal = principal_of_request(request)
    services.pool_delete(actor=principal, pool=pool_of(principal, slug, OPERATE), reason=reason)
    return Status(204, None)


@router.post(
    "/{slug}/pause",
    response={200: PoolOut},
    summary="Pause a pool",
    tags=POOLS,
)
def pause_pool(request: HttpRequest, given: RequiredReasonIn, slug: str = Slug) -> Any:
    """Refuse new calls until the pool is resumed. Calls in progress continue."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    return _now(services.pool_pause(actor=principal, pool=pool, reason=given.reason))


@router.post(
    "/{slug}/resume",
    response={200: PoolOut},
    summary="Resume a pool",
    tags=POOLS,
)
def resume_pool(request: HttpRequest, given: OptionalReasonIn, slug: str = Slug) -> Any:
    """Accept calls again."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    return _now(services.pool_resume(actor=principal, pool=pool, reason=given.reason))


@router.post(
    "/{slug}/open",
    response={200: PoolOut},
    summary="Open a recovering pool early",
    tags=POOLS,
)
def open_pool(request: HttpRequest, given: RequiredReasonIn, slug: str = Slug) -> Any:
    """Open a recovering pool before all of its switches have reported their calls.

    A number whose call was not reported can then be used for a second call.
    """
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    return _now(services.pool_open_early(actor=principal, pool=pool, reason=given.reason))


@router.post(
    "/{slug}/reconcile",
    response={200: ReconciledOut},
    summary="Compare Redis with SQL",
    tags=POOLS,
)
def reconcile_pool(request: HttpRequest, given: OptionalReasonIn, slug: str = Slug) -> Any:
    """Compare the pool's data in Redis with SQL, and repair the differences."""
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    found = services.pool_reconcile(
        pool=pool, check=False, actor=principal, reason=given.reason or "by API"
    )
    if found.status in ("lost", "recovering"):
        raise ProblemError("recovering", "the pool's data is being rebuilt")
    return {"status": found.status, "numbers": found.numbers, "differences": dict(found.drift)}


def _now(pool: Pool) -> PoolOut:
    return pool_out(selectors.pool_now(Pool.objects.select_related("account").get(pk=pool.pk)))
