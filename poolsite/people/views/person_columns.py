"""The columns that lists of people have in common."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from poolsite.access.models import User
from poolsite.console.tables import SqlColumn
from poolsite.moments import iso


def person_columns(
    name: str, label: str, rights: Callable[[User], list[str]]
) -> list[SqlColumn[User]]:
    """Return the columns: the person, their rights, second factor and last login.

    rights: returns the texts of a user's rights. The users are those of `selectors.members` and
    `selectors.operators`.
    """
    return [
        SqlColumn("name", _("Name"), lambda user: user.display_name, order=("shown_name",)),
        SqlColumn("username", "", lambda user: user.get_username()),
        SqlColumn("email", _("Email"), lambda user: user.email, order=("email",)),
        SqlColumn(name, label, lambda user: " ".join(rights(user))),
        SqlColumn(
            "factor",
            _("Two-factor"),
            # Annotated by the selectors.
            lambda user: "on" if user.has_second_factor else "off",  # type: ignore[attr-defined]
            order=("has_second_factor",),
        ),
        SqlColumn(
            "last_login",
            _("Last login"),
            lambda user: iso(user.last_login),
            order=("last_login",),
            nullable=True,
        ),
        SqlColumn("active", "", lambda user: "yes" if user.is_active else "no"),
    ]
