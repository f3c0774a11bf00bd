"""A user's own profile in the API. Login settings can only be changed in the console."""

from typing import Any

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel, Field

from poolsite.access import principal_of_request, services
from poolsite.access.models import User
from poolsite.api.callers import person_of
from poolsite.api.reading import STRICT
from poolsite.people.api.schemas import Locale, PersonName, Zone

router = Router(tags=["profile"])


class ProfileOut(BaseModel):
    """Your own profile."""

    id: int
    username: str
    email: str
    first_name: str
    last_name: str
    zone: str = Field(description="Time zone. Empty: the platform's.")
    locale: str = Field(description="Language. Empty: the browser's.")


class ProfileChangeIn(BaseModel):
    """Changes to your profile. Fields that you omit stay as they are."""

    model_config = STRICT

    first_name: PersonName | None = None
    last_name: PersonName | None = None
    zone: Zone | None = Field(
        None, description="Time zone, such as `Asia/Shanghai`. Empty: the platform's."
    )
    locale: Locale | None = Field(
        None, description="Language: `en` or `zh-hans`. Empty: the browser's."
    )


@router.get("", response={200: ProfileOut}, summary="Get your profile")
def get_profile(request: HttpRequest) -> Any:
    """Your name, time zone and language."""
    return _out(person_of(request))


@router.patch("", response={200: ProfileOut}, summary="Change your profile")
def change_profile(request: HttpRequest, given: ProfileChangeIn) -> Any:
    """Change your name, time zone or language.

    The password, two-factor authentication and sessions are changed in the console.
    """
    changed = services.profile_change(
        user=person_of(request),
        actor=principal_of_request(request),
        **given.model_dump(exclude_none=True),
    )
    return _out(changed)


def _out(user: User) -> ProfileOut:
    names = ("username", "email", "first_name", "last_name", "zone", "locale")
    return ProfileOut(id=user.pk, **{name: getattr(user, name) for name in names})
