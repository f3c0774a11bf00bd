"""Tags and notes that people add to a managed object. They work the same for each kind.

Numbers have their own tags (`numbers.models`): a million of them are filtered by tag and imported.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Principal
from poolsite.access.auditing import describe_actor
from poolsite.console import Found, ManagedKind
from poolsite.console.managed import KINDS, kind_of, may_see
from poolsite.operations.models import Note, Tag

TAG_LONGEST = 40
MOST_TAGS = 20
NOTE_LONGEST = 2_000
MOST_NOTES = 100
M = TypeVar("M", bound=Model)


# -- reading ----------------------------------------------------------------------------------


def tags_of(thing: Any) -> list[str]:
    """Return the tags of an object, in order."""
    return list(_tags(kind_of(thing).name, [thing.slug]).values_list("tag", flat=True))


def notes_of(thing: Any) -> list[Note]:
    """Return the notes of an object, newest first."""
    return list(Note.objects.filter(kind=kind_of(thing).name, thing=thing.slug))


def show_tags(things: Iterable[Any]) -> None:
    """Set each row's tags as `.tag_words`, with one query. The rows must be of the same kind."""
    rows = list(things)
    words: dict[str, list[str]] = {}
    if rows:
        for slug, tag in _tags(kind_of(rows[0]).name, [row.slug for row in rows]).values_list(
            "thing", "tag"
        ):
            words.setdefault(slug, []).append(tag)
    for row in rows:
        row.tag_words = words.get(row.slug, [])


def with_tag(rows: QuerySet[M], tag: str, *, slug_field: str = "slug", kind: str) -> QuerySet[M]:
    """Return the rows that have exactly this tag, or all rows if `tag` is empty."""
    if not tag:
        return rows
    slugs = Tag.objects.filter(kind=kind, tag=tag[:TAG_LONGEST]).values("thing")
    return rows.filter(**{f"{slug_field}__in": slugs})


def find_by_tag(principal: Principal, text: str, limit: int) -> list[Found]:
    """Return objects of any kind that the user may see and whose tag begins with `text`."""
    tags = Tag.objects.filter(tag__istartswith=text).order_by("tag", "kind", "thing")
    if not principal.is_operator:
        tags = tags.filter(account_id__in=principal.account_ids)
    found: list[Found] = []
    for tag in tags[: 4 * limit]:
        kind = KINDS.get(tag.kind)
        thing = kind.things().filter(slug=tag.thing).first() if kind else None
        if kind is not None and thing is not None and may_see(principal, kind, thing):
            found.append(_found(kind, thing, tag.tag, exact=tag.tag.lower() == text.lower()))
    return found[:limit]


def _found(kind: ManagedKind, thing: Any, tag: str, *, exact: bool) -> Found:
    detail = _("tag %(tag)s") % {"tag": tag}
    return Found(
        str(kind.word),
        str(thing),
        detail,
        kind.url(thing),
        exact=exact,
        group=f"{kind.name}s",
        icon="sell",
        key=f"{kind.name}:{thing.slug}",
    )


def _tags(kind: str, slugs: Sequence[str]) -> QuerySet[Tag]:
    return Tag.objects.filter(kind=kind, thing__in=slugs).order_by("tag")


# -- writing ----------------------------------------------------------------------------------


def set_tags(thing: Any, words: Iterable[str], *, actor: Principal) -> list[str]:
    """Replace the tags of an object. Return them in order.

    Raise ValidationError if a tag is longer than 40 characters or if there are more than 20. Tags
    that differ only in case are the same tag: the first spelling is kept.
    """
    kind = kind_of(thing)
    access.require(actor, kind.change, thing)
    wanted = _clean_tags(words)
    with transaction.atomic():
        _lock(kind, thing)
        held = {row.tag: row for row in _tags(kind.name, [thing.slug])}
        if sorted(held) == wanted:
            return wanted
        for tag, row in held.items():
            if tag not in wanted:
                row.delete()
        for tag in wanted:
            if tag not in held:
                Tag.objects.create(
                    kind=kind.name, thing=thing.slug, account_id=thing.account_id, tag=tag
                )
        access.audit(
            actor=actor,
            action="operations.tags_set",
            thing=thing,
            before={"tags": sorted(held)},
            after={"tags": wanted},
        )
    return wanted


def add_note(thing: Any, text: str, *, actor: Principal) -> Note:
    """Add a note to an object. Raise ValidationError if it is empty, too long or the 101st.

    A note can have up to 2,000 characters.
    """
    kind = kind_of(thing)
    access.require(actor, kind.change, thing)
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > NOTE_LONGEST:
        raise ValidationError(_("Enter a note of 1 to %s characters.") % NOTE_LONGEST)
    with transaction.atomic():
        _lock(kind, thing)
        if Note.objects.filter(kind=kind.name, thing=thing.slug).count() >= MOST_NOTES:
            words = _("There are already %s notes. Remove one that is out of date.")
            raise ValidationError(words % MOST_NOTES)
        note = Note.objects.create(
            kind=kind.name,
            thing=thing.slug,
            account_id=thing.account_id,
            text=text,
            author=describe_actor(actor)[2][:150],
        )
        access.audit(actor=actor, action="operations.note_add", thing=thing, after={"note": text})
    return note


def remove_note(note: Note, thing: Any, *, actor: Principal) -> None:
    """Remove a note. Its text stays in the history."""
    kind = kind_of(thing)
    access.require(actor, kind.change, thing)
    with transaction.atomic():
        before = {"note": note.text, "author": note.author}
        note.delete()
        access.audit(actor=actor, action="operations.note_remove", thing=thing, before=before)


def _lock(kind: ManagedKind, thing: Any) -> None:
    """Lock the object's row, so that concurrent changes see each other's tags and notes."""
    kind.things().select_for_update(of=("self",)).get(pk=thing.pk)


def _clean_tags(words: Iterable[str]) -> list[str]:
    cleaned: dict[str, str] = {}
    for word in words:
        tag = " ".join(word.split())
        if len(tag) > TAG_LONGEST:
            raise ValidationError(_("A tag can have up to %s characters.") % TAG_LONGEST)
        if tag:
            cleaned.setdefault(tag.lower(), tag)
    if len(cleaned) > MOST_TAGS:
        raise ValidationError(_("An object can have up to %s tags.") % MOST_TAGS)
    return sorted(cleaned.values())
