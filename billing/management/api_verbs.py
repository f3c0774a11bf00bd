"""The API's operations as verbs of `manage.py wallet`, with the same names, rules and rights.

A verb runs the operation as the user given with `--as`. What that user may not do in the API is
refused here, too. Shell access to the server counts as the second factor.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import quote, urlencode

import orjson
from django.core.management.base import CommandError
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.urls import resolve
from pydantic import BaseModel, TypeAdapter, ValidationError

from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import User

Answer = HttpResponse | StreamingHttpResponse

ROOT = "/api/v1/accounts"
# Approvals need two people who log in. A shell can't prove that a second person acts.
LOG_IN_ONLY = frozenset({"approve_adjustment", "approve_credit_note"})
_ATTACHMENT = re.compile(r'attachment; filename="([\w.-]+)"')
_PART = re.compile(r"\{(?:\w+:)?(\w+)\}")


@dataclass(frozen=True, slots=True)
class Verb:
    """An operation. `body`: the model of its body, if it has one."""

    name: str
    summary: str
    told: str
    method: str
    path: str
    body: type[BaseModel] | None

    @property
    def parts(self) -> list[str]:
        """The parameters in its path, in order."""
        return _PART.findall(self.path)


def verbs() -> Iterator[Verb]:
    """Yield the operations behind Django, except approvals, which need a login."""
    from billing.api.routes import PARTS

    for part in PARTS:
        for path, view in part.router.path_operations.items():
            for operation in view.operations:
                function = operation.view_func
                if function.__name__ not in LOG_IN_ONLY:
                    yield Verb(
                        function.__name__.replace("_", "-"),
                        str(operation.summary),
                        str(operation.description),
                        operation.methods[0],
                        path,
                        get_type_hints(function).get("given"),
                    )


def call(verb: Verb, places: Mapping[str, str], fields: Sequence[str], who: str) -> str:
    """Run an operation and return its response as indented JSON. Raise CommandError if refused.

    A file is saved in the current directory under its own name.
    """
    given = dict(map(_field, fields))
    address = ROOT + _PART.sub(lambda found: quote(places[found[1]], safe=""), verb.path)
    request = _request(verb, address, given, _principal(who))
    answer = _answer(request)
    if name := _file_name(answer):
        return _saved(name, answer)
    if isinstance(answer, StreamingHttpResponse) or not answer.content:
        return "Done."
    told = orjson.loads(answer.content)
    if answer.status_code >= 400:
        raise CommandError(f"{told['type']}: {told.get('detail') or told['title']}")
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()


def _request(
    verb: Verb, address: str, given: Mapping[str, str], principal: Principal
) -> HttpRequest:
    request = HttpRequest()
    request.method, request.path, request.path_info = verb.method, address, address
    request.META = {"CONTENT_TYPE": "application/json", "REMOTE_ADDR": ""}
    request.__dict__["_principal"] = principal
    request.__dict__["_dont_enforce_csrf_checks"] = True  # the request does not come from a browser
    if verb.method == "GET":
        request.GET = QueryDict(urlencode(given))
    else:
        body = {name: _value(verb.body, name, value) for name, value in given.items()}
        request.__dict__["_body"] = orjson.dumps(body)
    return request


def _answer(request: HttpRequest) -> Answer:
    found = resolve(request.path)
    request.resolver_match = found
    answer: Answer = found.func(request, *found.args, **found.kwargs)
    return answer


def _file_name(answer: Answer) -> str:
    """Return the name of the response's file, or "" if the response is no file."""
    found = _ATTACHMENT.fullmatch(answer.get("Content-Disposition", ""))
    return found[1] if found else ""


def _saved(name: str, answer: Answer) -> str:
    """Write the file in parts. Raise CommandError if it already exists or can't be written."""
    parts = answer if isinstance(answer, StreamingHttpResponse) else [answer.content]
    try:
        with Path(name).open("xb") as file:
            file.writelines(parts)
    except OSError as error:
        raise CommandError(f"Cannot write {name}: {error.strerror}.") from error
    return f"Saved {name}."


def _principal(name: str) -> Principal:
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(f"User {name!r} not found, or deactivated.")
    found = access.principal_of_user(user)
    shown = f"{found.name} (manage.py wallet)"
    return replace(found, name=shown, factor_at=time.time(), has_factor=True)


def _field(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise CommandError(f"{text!r} is not field=value.")
    if value.startswith("@"):
        value = Path(value[1:]).read_text()
    return name, value


def _value(body: type[BaseModel] | None, name: str, value: str) -> Any:
    """Return the text if the field accepts it as it is, else the value parsed as JSON."""
    field = body.model_fields.get(name) if body else None
    if field is None:
        return value
    annotation: Any = Annotated[field.annotation, field]
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError:
        with suppress(ValueError):
            return json.loads(value)
    return value
