"""Users who had an authenticator app before allauth served the pages still have it afterwards."""

from collections.abc import Iterator
from typing import Any

import pyotp
import pytest
from django.utils import timezone

from poolsite.access import services
from poolsite.access.factor_state import has_factor
from poolsite.access.models import CodeGuard, User
from poolsite.access.services.factors import seal
from tests.support.migrating import migrate_forward, models_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def before() -> Iterator[Any]:
    """The models before the migration."""
    with models_at("access", "0004_four_eyes") as models:
        yield models


def test_apps_in_use_are_handed_over_and_begun_ones_end(before: Any) -> None:
    users = before.get_model("access", "User").objects
    ann, ben = (users.create(username=name, email=f"{name}@x.org") for name in "ab")
    secret = pyotp.random_base32()
    kept = before.get_model("access", "Totp").objects
    used = {"last_step": 7, "failures": 3, "confirmed_at": timezone.now()}
    kept.create(user=ann, secret_sealed=seal(secret), **used)
    kept.create(user=ben, secret_sealed=seal(pyotp.random_base32()))
    migrate_forward("access")
    guard = CodeGuard.objects.get()
    assert (guard.user_id, guard.last_step, guard.failures) == (ann.pk, 7, 3)
    ann, ben = User.objects.get(pk=ann.pk), User.objects.get(pk=ben.pk)
    assert services.code_use(user=ann, code=pyotp.TOTP(secret).now())
    assert not has_factor(ben)
