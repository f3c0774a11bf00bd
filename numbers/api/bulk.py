"""One action for many numbers of a pool: named numbers immediately, those of a filter by a job."""

from typing import Any

from django.http import HttpRequest
from ninja import Status

from numbers.api.common import OPERATE, Slug, pool_of, router
from numbers.api.number_schemas import NumbersChangedOut, NumbersChangeIn, NumbersFilterIn
from numbers.models import Number, Pool
from numbers.selectors import NumberFilter, about_count
from numbers.selectors.lists import meant_prefix
from numbers.selectors.spellings import numbers_of_pool
from numbers.services.bulk import bulk_apply, bulk_start
from poolsite.access import Principal, principal_of_request
from poolsite.api.root import ProblemError

NOT_HERE = "The number is not in this pool."


@router.post(
    "/{slug}/number-changes",
    response={200: NumbersChangedOut, 202: NumbersChangedOut},
    summary="Change many numbers",
)
def post_number_change(request: HttpRequest, given: NumbersChangeIn, slug: str = Slug) -> Any:
    """Quarantine, release, move, free or delete many numbers.

    Up to 1,000 numbers in `numbers` are changed immediately. With `filter`, a job changes all
    numbers that match, and the answer is 202 with its ID.
    """
    principal = principal_of_request(request)
    pool = pool_of(principal, slug, OPERATE)
    if (given.numbers is None) == (given.filter is None):
        raise ProblemError("malformed", "give either numbers or filter")
    if (given.action == "move") == (given.target is None):
        raise ProblemError("malformed", "target: required for move, and only there")
    target = pool_of(principal, given.target, OPERATE) if given.target is not None else None
    if given.filter is not None:
        job = _start(principal, pool, given, given.filter, target)
        return Status(202, NumbersChangedOut(changed=0, unchanged={}, job=job))
    rows, missing = numbers_of_pool(pool, given.numbers or [])
    done = bulk_apply(
        actor=principal, verb=given.action, numbers=rows, reason=given.reason, target=target
    )
    unchanged = {**dict.fromkeys(missing, NOT_HERE), **done.stayed}
    return Status(200, NumbersChangedOut(changed=done.changed, unchanged=unchanged, job=None))


def _start(
    principal: Principal,
    pool: Pool,
    given: NumbersChangeIn,
    asked: NumbersFilterIn,
    target: Pool | None,
) -> str:
    own = Number.objects.filter(pool=pool)
    wanted = NumberFilter(
        pool_slug=pool.slug,
        region=asked.region,
        tag=asked.tag,
        prefix=meant_prefix(own, asked.q) if asked.q else "",
        state=asked.state,
        import_id=asked.import_id,
    )
    job = bulk_start(
        principal=principal,
        verb=given.action,
        wanted={name: getattr(wanted, name) for name in NumberFilter.__slots__},
        reason=given.reason,
        target=target,
        total=about_count(principal, wanted).count,
    )
    return job.public_id
