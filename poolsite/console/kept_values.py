"""Reads the values of a change in the audit log as fields of the object's model.

This is the default of every undo: values are read from the log's JSON, related objects by their
slugs, and compared with the current row.
"""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError

from poolsite.access.auditing import as_kept

Values = Mapping[str, Any]


def of_fields(thing: Any, kept: Values) -> Values | None:
    """Return the values of the model's fields, or None if one can't be set any more."""
    values: dict[str, Any] = {}
    for name, value in kept.items():
        try:
            field = thing._meta.get_field(name)
            if field.is_relation:
                values[name] = _related(field, value)
            else:
                values[name] = field.to_python(value)
        except (FieldDoesNotExist, ValidationError):
            return None
    return values


def stand_in_fields(thing: Any, values: Values) -> bool:
    """Return whether the object has exactly these values now."""
    return all(_now(thing, name) == value for name, value in values.items())


def _now(thing: Any, name: str) -> Any:
    """Return the current value of a field, as exactly as the log would store it."""
    field = thing._meta.get_field(name)
    if field.many_to_many:
        return list(getattr(thing, name).order_by("slug"))
    if field.is_relation:
        return getattr(thing, name)
    return field.to_python(as_kept({name: getattr(thing, name)})[name])


def _related(field: Any, kept: Any) -> Any:
    """Return the rows of these slugs, by slug. Raise ValidationError if one no longer exists."""
    if kept is None and not field.many_to_many:
        return None
    slugs = kept if field.many_to_many else [kept]
    if not isinstance(slugs, list) or not all(isinstance(slug, str) for slug in slugs):
        raise ValidationError("not kept by slugs")
    found = list(field.related_model._default_manager.filter(slug__in=slugs).order_by("slug"))
    if len(found) != len(set(slugs)):
        raise ValidationError("one is gone")
    return found if field.many_to_many else found[0]
