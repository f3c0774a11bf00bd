"""The search results of pools: the pools, their switches, numbers, calls and imports."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from numbers import selectors
from numbers.models import Number, Pool, Switch
from numbers.selectors.imports import visible_imports
from poolsite import access, console, dates, number_format
from poolsite.access import Principal
from poolsite.console import Found
from poolsite.console.matching import BEGINS, PART, named, rank
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow

LONGEST_CALL = 128
COUNTED = 10_000  # counts stop here while a user types


def register() -> None:
    """Register the search and its offers. Called once, in AppConfig.ready()."""
    console.register_search("numbers", find)
    for name, label, url, icon, action in (
        ("new_pool", gettext_lazy("New pool…"), "numbers:pool_create", "add", "numbers.create"),
        ("import", gettext_lazy("Import numbers…"), _import, "upload_file", "numbers.operate"),
        ("call", gettext_lazy("Look up a call…"), "numbers:who_had", "person_search", ""),
    ):
        register_offer(Offer(f"numbers.{name}", label, url, icon, action or "numbers.view"))


def _import(_principal: Principal) -> str:
    return f"{reverse('numbers:numbers')}?panel=new"


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Find pools, switches and imports by name, numbers by first digits, calls by exact ID."""
    if not access.decide(principal, "numbers.view"):
        return []
    pools = named(
        selectors.visible_pools(principal).select_related("account").order_by("slug"),
        text,
        ("name", "slug", "account__name"),
        limit,
    )
    found = [_pool(principal, _own_rank(text, row), row) for _place, row in pools]
    best = [row for _place, row in pools if _own_rank(text, row) <= BEGINS]
    found += _all_of(best[0]) if best else []
    found += _numbers(principal, text, limit) + _calls(principal, text, limit)
    return found + _switches(principal, text, limit) + _imports(principal, text, limit)


def _own_rank(text: str, row: Pool) -> int:
    """How well the pool's own names match. A match of its account's name ranks lower."""
    own = rank(text, (row.name, row.slug))
    return PART if own is None else own


def _pool(principal: Principal, place: int, row: Pool) -> Found:
    def page(name: str) -> str:
        return reverse(f"numbers:{name}", args=[row.slug])

    follow = [Follow("pages", _("Health"), page("pool_health"), "monitor_heart")]
    if access.decide(principal, "numbers.operate", row):
        add = _("Import numbers into %(pool)s…") % {"pool": row.name}
        address = f"{reverse('numbers:numbers')}?{urlencode({'pool': row.slug, 'panel': 'new'})}"
        follow += [
            Follow("pages", _("Settings"), page("pool_settings"), "settings"),
            Follow("actions", add, address, "playlist_add"),
        ]
    owner = row.account.name if row.account is not None else ""
    return Found(
        _("Pool"),
        row.name,
        " · ".join(part for part in (row.slug, owner) if part),
        page("pool"),
        exact=place == 0,
        group="pools",
        icon="apps",
        key=f"pool:{row.slug}",
        rank=place,
        chip=_("Paused") if row.paused_at else "",
        look="warn",
        follow=follow,
    )


def _all_of(pool: Pool) -> list[Found]:
    """The link to all numbers of a pool, with their count."""
    rows = Number.objects.filter(pool=pool).order_by()
    count = rows.values("pk")[: COUNTED + 1].count()
    if not count:
        return []
    words = ngettext("%(n)s number of %(pool)s", "All %(n)s numbers of %(pool)s", count)
    shown = localize(min(count, COUNTED)) + ("+" if count > COUNTED else "")
    address = f"{reverse('numbers:numbers')}?{urlencode({'pool': pool.slug})}"
    return [_more(words % {"n": shown, "pool": pool.name}, address)]


def _more(name: str, url: str) -> Found:
    return Found("", name, "", url, group="numbers", icon="manage_search", more=True)


def _numbers(principal: Principal, text: str, limit: int) -> list[Found]:
    typed = number_format.beginning(text)
    if not typed:
        return []
    visible = selectors.visible_numbers(principal)
    prefixes = [selectors.stored_value(visible, typed)]
    if prefixes == [typed] and not typed.startswith("+"):
        prefixes.append("+" + typed)
    found: list[Found] = []
    for prefix in prefixes:
        rows = visible.filter(selectors.prefix_condition(prefix))
        found += [
            Found(
                _("Number"),
                row.value,
                " · ".join(part for part in (row.pool.name, row.region, row.label) if part),
                reverse("numbers:number", args=[row.value]),
                exact=row.value == prefix,
                group="numbers",
                icon="dialpad",
                key=f"number:{row.pool.slug}:{row.value}",
                chip=_("Quarantined") if row.quarantined_at else "",
            )
            for row in rows.select_related("pool").order_by("value")[:limit]
        ]
    if len(found) >= limit:
        words = _("All numbers that begin with %(text)s") % {"text": text}
        found.append(_more(words, f"{reverse('numbers:numbers')}?{urlencode({'q': text})}"))
    return found


def _calls(principal: Principal, text: str, limit: int) -> list[Found]:
    if len(text) > LONGEST_CALL:
        return []
    rows = selectors.visible_calls(principal).filter(call_id=text)
    rows = rows.exclude(call_id="").order_by("-started_at")  # the index has only rows with an ID
    return [
        Found(
            _("Call"),
            row.call_id,
            f"{row.number} · {dates.moment_exact(row.started_at)}",
            reverse("numbers:number", args=[row.number]),
            exact=True,
            group="calls",
            icon="call",
        )
        for row in rows[:limit]
    ]


def _switches(principal: Principal, text: str, limit: int) -> list[Found]:
    pools = selectors.visible_pools(principal)
    rows = Switch.objects.filter(pool__in=pools).select_related("pool").order_by("name")
    return [
        Found(
            _("Switch"),
            row.name,
            _("Switch of %(pool)s") % {"pool": row.pool.name},
            reverse("numbers:pool_switches", args=[row.pool.slug]),
            exact=place == 0,
            group="pools",
            icon="settings_phone",
            rank=place,
        )
        for place, row in named(rows, text, ("name",), limit)
        if access.decide(principal, "numbers.operate", row.pool)
    ]


def _imports(principal: Principal, text: str, limit: int) -> list[Found]:
    return [
        Found(
            _("Import"),
            row.file_name,
            f"{row.pool.name} · {dates.moment(row.created_at)}",
            f"{reverse('numbers:numbers')}?{urlencode({'panel': row.pk})}",
            exact=place == 0,
            group="imports",
            icon="upload_file",
            key=f"import:{row.pk}",
            rank=place,
            chip=row.get_state_display(),
        )
        for place, row in named(visible_imports(principal), text, ("file_name",), limit)
    ]
