"""Saved views: the filters, sorting and search of a list that a user saved under a name."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access.models import User
from poolsite.operations.models import SavedView

PER_PAGE = 30
# The place in the list, what is open next to it, and the format are not part of a view.
PASSING = frozenset({"after", "before", "page", "panel", "tab", "all", "format"})


def views_of(user: User, path: str) -> Sequence[SavedView]:
    """Return the user's own views of a page, by name."""
    return list(SavedView.objects.filter(user=user, path=path))


def kept_query(query: str) -> str:
    """Return the part of a URL's query that belongs to a view, without empty values."""
    pairs = [(key, value) for key, value in parse_qsl(query) if key not in PASSING]
    return urlencode(sorted(pairs))


def save_view(*, user: User, path: str, name: str, query: str) -> SavedView:
    """Save a view. It replaces the user's view with the same page and name.

    Raise ValidationError if the page is not on this site, the name is empty or longer than 60
    characters, the filters are longer than 2,000, or it is the 31st view of a page.
    """
    found = SavedView(user=user, path=path, name=" ".join(name.split()), query=kept_query(query))
    try:
        resolve(path)
    except Resolver404:
        raise ValidationError(_("Page not found.")) from None
    found.clean_fields()
    with transaction.atomic():
        mine = User.objects.select_for_update().get(pk=user.pk).saved_views.filter(path=path)
        if mine.exclude(name=found.name).count() >= PER_PAGE:
            raise ValidationError(
                _("A page can have up to %s saved views. Remove one first.") % PER_PAGE
            )
        before = mine.filter(name=found.name).first()
        if before is not None:
            found.pk, found.created_at = before.pk, before.created_at
        found.save()
        access.audit(
            actor=user,
            action="operations.view_save",
            thing=found,
            before={"query": before.query} if before else None,
            after={"path": path, "name": found.name, "query": found.query},
        )
    return found


def delete_view(view: SavedView) -> None:
    """Delete a view of its owner."""
    with transaction.atomic():
        access.audit(
            actor=view.user,
            action="operations.view_delete",
            thing=view,
            before={"path": view.path, "name": view.name, "query": view.query},
        )
        view.delete()
