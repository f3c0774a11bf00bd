"""Texts that describe what an API token may do: for the form, the token's page and the list."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite import dates
from poolsite.access.models import ApiToken
from poolsite.access.principal import EVERYTHING
from poolsite.access.token_areas import Example, areas, areas_of, rights
from poolsite.console.sentences.values import listed

BLANK = re.compile(r"\b[A-Z]{4,}\b")  # a word to fill in: QUEUE
SHOWN_IN_LIST = 3  # permissions and resources in a row of the list


@dataclass(frozen=True)
class Plan:
    """A token as these texts need it, created or still being filled in.

    `names`: of resources. owner: the account's name; the platform's if `of_account` is False.
    """

    name: str
    owner: str
    resources: Sequence[str]
    actions: Sequence[str]
    networks: Sequence[str]
    ends_at: datetime | None
    names: Mapping[str, str] = field(default_factory=dict)
    of_account: bool = True


def sentence(plan: Plan) -> SafeString:
    """Return what the token can do, where and until when, in one sentence, or ""."""
    if not plan.actions or plan.ends_at is None:
        return SafeString("")
    if plan.resources:
        said = _("%(name)s may %(rights)s for %(things)s, from %(networks)s, until %(date)s.")
    else:
        said = _("%(name)s may %(rights)s, from %(networks)s, until %(date)s.")
    return _bold(
        said,
        name=plan.name or _("This token"),
        rights=_and(map(_small, may(plan.actions))),
        things=_of_owner(plan),
        networks=from_where(plan.networks),
        date=dates.weekday(plan.ends_at),
    )


def may(actions: Iterable[str]) -> list[str]:
    """Return what these actions let a token do; the technical name of one that no app describes."""
    if EVERYTHING in actions:
        return [_("Do everything that tokens can")]
    known = rights()
    given = set(actions)
    words = [str(right.label) for action, right in known.items() if action in given]
    return words + sorted(given - set(known))


def cannot(actions: Sequence[str]) -> list[str]:
    """Return what the token can't do: a line for each area that it uses, and one for the rest."""
    if EVERYTHING in actions:
        return [_always_refused()]
    given, touched = set(actions), areas_of(actions)
    lines = []
    for area in touched:
        left = [_small(right.label) for right in area.rights if right.action not in given]
        if left:
            lines.append(_("Can't %(rights)s") % {"rights": _or(left)})
    others = [_small(area.title) for area in areas() if area not in touched]
    if others:
        lines.append(_("No access to %(areas)s") % {"areas": _or(others)})
    return [*lines, _always_refused()]


def reach(plan: Plan) -> list[str]:
    """Return the names of the plan's resources: "all pools", else those of the objects."""
    if EVERYTHING in plan.resources:
        return [_("everything")]
    everything = {f"{area.kind}:*": _small(area.all_things) for area in areas()}
    single = {area.kind: str(area.single) for area in areas() if plan.of_account}
    return [
        everything.get(ref) or single.get(_kind(ref)) or plan.names.get(ref) or _slug(ref)
        for ref in plan.resources
    ]


def from_where(networks: Sequence[str]) -> str:
    """Return the allowed networks: one by its name, several by their number."""
    if not networks:
        return _("anywhere")
    if len(networks) == 1:
        return networks[0]
    return ngettext("%(n)d network", "%(n)d networks", len(networks)) % {"n": len(networks)}


def row(token: ApiToken) -> dict[str, Any]:
    """Return the list's texts of a token: the first few permissions and resources."""
    permitted = may(token.actions)
    nouns = {area.kind: str(area.noun) for area in areas()}
    kinds = dict.fromkeys(map(_kind, token.resources))
    reached = [
        _("%(noun)s: %(names)s") % {"noun": nouns[kind], "names": _few(_slugs(token, kind))}
        if kind in nouns
        else _few(_slugs(token, kind))
        for kind in kinds
    ]
    return {
        "may": _few([*permitted[:1], *map(_small, permitted[1:])]),
        "reach": " · ".join(reached),
    }


def example_of(plan: Plan, base: str) -> dict[str, Any]:
    """Return a request that this token may really send, for a shell.

    A request that only reads is preferred. `blanks`: whether it has words to fill in.
    """
    known = rights()
    offered = [known[action] for action in known if _covers(plan.actions, action)]
    if not offered:
        return {}
    right = min(offered, key=lambda each: ("GET", "POST", "WS").index(each.example.method))
    kind = next(area.kind for area in areas() if right in area.rights)
    path = right.example.path.replace("{slug}", _first(plan.resources, kind))
    return {
        "text": _shell(right.example, base, path),
        "label": right.label,
        "blanks": bool(BLANK.search(path + right.example.body)),
        "writes": right.example.method == "POST",
    }


def _shell(example: Example, base: str, path: str) -> str:
    bearer = '"Authorization: Bearer $POOLSITE_TOKEN"'
    if example.method == "WS":
        return f"websocat -H {bearer} \\\n  {base.replace('http', 'ws', 1)}{path}"
    lines = [f"curl {base}{path}", f"-H {bearer}"]
    if example.body:
        lines += ['-H "Content-Type: application/json"', f"-d '{example.body}'"]
    return " \\\n  ".join(lines)


def _covers(actions: Sequence[str], action: str) -> bool:
    return EVERYTHING in actions or action in actions


def _first(resources: Sequence[str], kind: str) -> str:
    """Return the slug of the first resource of a kind, or a word to fill in if all are meant."""
    own = [_slug(ref) for ref in resources if ref.startswith(f"{kind}:")]
    return next((slug for slug in own if slug != EVERYTHING), kind.upper())


def _slugs(token: ApiToken, kind: str) -> list[str]:
    slugs = [_slug(ref) for ref in token.resources if _kind(ref) == kind]
    return [_("all") if slug == EVERYTHING else slug for slug in slugs]


def _kind(ref: str) -> str:
    return ref.partition(":")[0]


def _slug(ref: str) -> str:
    return ref.partition(":")[2] or ref


def _of_owner(plan: Plan) -> str:
    said = _("%(things)s of %(owner)s")
    return said % {"things": _and(reach(plan)), "owner": plan.owner}


def _always_refused() -> str:
    return _("Can't top up, change settings, manage people or create tokens")


def _small(label: Any) -> str:
    text = str(label)
    return text[:1].lower() + text[1:]


def _and(words: Iterable[str]) -> str:
    return _joined(list(words), _("%(first)s and %(last)s"))


def _or(words: Iterable[str]) -> str:
    return _joined(list(words), _("%(first)s or %(last)s"))


def _joined(words: Sequence[str], two: str) -> str:
    if len(words) < 2:
        return "".join(words)
    return two % {"first": listed(words[:-1]), "last": words[-1]}


def _few(words: Sequence[str]) -> str:
    more = len(words) - SHOWN_IN_LIST
    if more <= 0:
        return listed(words)
    shown = listed(words[:SHOWN_IN_LIST])
    return _("%(words)s and %(n)s more") % {"words": shown, "n": more}


def _bold(said: str, **values: str) -> SafeString:
    """Return a sentence with its values in bold. The values are escaped."""
    bold = {name: format_html("<strong>{}</strong>", value) for name, value in values.items()}
    return format_html(said.replace("%(", "{").replace(")s", "}"), **bold)
