"""What the migration makes of invitations and the audit log.

An upgrade restarts no time window and loses none.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from poolsite.access.models import AccessLink
from tests.support.migrating import migrate_forward, models_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def before() -> Iterator[Any]:
    """The models before the migration."""
    with models_at("access", "0003_audit_facets") as models:
        yield models


def test_the_migration_links_who_invited_granted_reactivated_or_reset_whom(before: Any) -> None:
    users = before.get_model("access", "User").objects
    ann, ben, cho = (users.create(username=name, email=f"{name}@x.org") for name in "abc")
    now = timezone.now()
    invitations = before.get_model("access", "Invitation").objects

    def invited(inviter: Any, guest: Any, days: int | None) -> None:
        invitations.create(
            email="x@example.org",
            token_hash=str(invitations.count()),
            invited_by=inviter,
            accepted_by=guest,
            accepted_at=None if days is None else now - timedelta(days=days),
            expires_at=now,
        )

    def done(action: str, actor: Any, user: Any, **after: Any) -> None:
        before.get_model("access", "AuditEntry").objects.create(
            actor_kind="user" if actor else "system",
            actor_id=str(actor.pk) if actor else "",
            actor_name="x",
            action=action,
            thing_kind="user",
            thing_id=str(user.pk),
            after=after or None,
        )

    invited(ann, ben, 3)
    invited(ann, cho, 500)
    invited(ann, None, None)
    invited(None, cho, 1)
    done("access.grant_give", ben, cho, grant="finance", thing="*")
    done("access.grant_give", ben, ann, grant="supervise", thing="*")
    done("access.grant_give", ben, ann, grant="operate", thing="pool:east")
    done("access.user_activate", cho, ann)
    done("access.factor_remove", ann, ann)
    done("access.factor_remove", ben, ann)
    done("access.user_activate", None, ann)
    before.get_model("access", "AuditEntry").objects.create(
        actor_kind="user",
        actor_id=str(ann.pk),
        action="access.user_activate",
        thing_kind="user",
        thing_id="99999",
    )
    migrate_forward("access")
    found = AccessLink.objects.order_by("pk").values_list("giver_id", "receiver_id", "how")
    assert sorted(found) == sorted(
        [
            (ann.pk, ben.pk, "invited"),
            (ben.pk, cho.pk, "granted"),
            (cho.pk, ann.pk, "reactivated"),
            (ben.pk, ann.pk, "factor"),
        ]
    )
    assert AccessLink.objects.get(how="invited").at == now - timedelta(days=3)
