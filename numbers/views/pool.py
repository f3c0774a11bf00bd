"""One pool, live: its page, the data for its modules, and the actions of an operator."""

from copy import copy
from datetime import timedelta
from functools import partial

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from redis.exceptions import RedisError

from numbers import erlang, selectors, services
from numbers import pool as commands
from numbers.forms import PoolSettingsForm
from numbers.models import Number, Pool, Window
from numbers.selectors.charts import last_hour, pool_series
from numbers.selectors.health import pool_health
from numbers.selectors.sizing import TARGET_BLOCKING, Sizing
from numbers.selectors.switches import media_not_chosen
from numbers.selectors.tiles import tile_page
from numbers.topics.figures import figures_of
from numbers.topics.states import letter_of_state
from numbers.views.common import answers_json, reason_of
from poolsite import access, hotpath
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of
from poolsite.moments import us_of

RANGES = (3_600, 7_200, 86_400, 604_800)
SIZING_WINDOW = timedelta(hours=24)
PAGES_LIMIT = 1_000
PLACE = "NUMBER"  # the placeholder in URLs that a module replaces with a number


@require_GET
def pool_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one pool, live."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug)
    figures = _figures(pool)
    may_operate = access.decide(principal, "numbers.operate", pool).allowed
    numbers = figures.numbers if figures else Number.objects.filter(pool=pool).count()
    context = {
        "pool": pool,
        "may_operate": may_operate,
        "add_url": _add_url(pool) if may_operate else "",
        "is_recovering": figures.status == "recovering" if figures else pool.recovering_since,
        "not_chosen": media_not_chosen(pool) if may_operate else [],
        "pool_numbers": numbers,
        "health": pool_health(pool, Window.DAY, timezone.now()).figures,
        "no_numbers_title": _("No numbers yet"),
        "no_numbers_text": _("Add a range, or import a CSV or XLSX file."),
        "no_numbers_label": _("Add numbers"),
        "page": {
            "slug": pool.slug,
            "name": pool.name,
            "may_operate": may_operate,
            "blocking_alarm_percent": pool.blocking_alarm_percent,
            "status": figures.status if figures else "missing",
            "live": figures_of(figures) if figures else None,
            "tiles_url": reverse("numbers:pool_tiles", args=[pool.slug]),
            "samples_url": reverse("numbers:pool_samples", args=[pool.slug]),
            "story_url": reverse("numbers:number_story", args=["0"]).replace("/0/", f"/{PLACE}/"),
            "number_url": reverse("numbers:number", args=["0"]).replace("/0/", f"/{PLACE}/"),
        },
    }
    return render(request, "numbers/pool.html", context)


def _figures(pool: Pool) -> commands.PoolFigures | None:
    """The current figures, or None while Redis is unavailable. The page fills when it is back."""
    try:
        return hotpath.run(commands.show(pool.slug))
    except hotpath.HotPathError:
        return None


def _add_url(pool: Pool) -> str:
    try:
        return f"{reverse('numbers:imports')}?pool={pool.slug}"
    except NoReverseMatch:
        return ""


# -- data for the page's modules ------------------------------------------------------------------


@require_GET
@answers_json
def pool_tiles(request: HttpRequest, slug: str) -> HttpResponse:
    """The numbers on the tiles of a page, with their current states."""
    pool = selectors.pool_get(principal_of(request), slug)
    given = request.GET.get("page", "0")
    page = int(given) if given.isascii() and given.isdecimal() and len(given) < 5 else 0
    tiles = tile_page(pool, min(page, PAGES_LIMIT - 1))
    return JsonResponse({**tiles.as_json(), "states": _letters(pool, tiles.numbers)})


def _letters(pool: Pool, numbers: list[str]) -> str:
    """A letter for each number, or "" while Redis is unavailable: the live topic sends them."""
    if not numbers:
        return ""
    now_us = us_of(timezone.now())
    try:
        found = hotpath.client().hmget(commands.PoolKeys(pool.slug).numstate, numbers)
    except (RedisError, hotpath.HotPathError):
        return ""
    return "".join(letter_of_state(text, now_us)[0] for text in found)


@require_GET
@answers_json
def pool_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """The charts' points over one of the ranges, and the figures of the last hour."""
    pool = selectors.pool_get(principal_of(request), slug)
    given = request.GET.get("seconds", "")
    seconds = int(given) if given.isascii() and given.isdecimal() and len(given) < 8 else 0
    if seconds not in RANGES:
        raise ValidationError(_("Time range not found."))
    now = timezone.now()
    series = pool_series(pool, seconds, now=now)
    hour = last_hour(pool, now=now)
    return JsonResponse(
        {
            "at": [int(at.timestamp() * 1000) for at in series.at],
            "step_seconds": series.step_seconds,
            "values": series.values,
            "now": {
                "offered": hour.offered_per_minute,
                "blocked_share": hour.blocked_share,
                "mean_call_seconds": hour.mean_call_seconds,
            },
        }
    )


@require_GET
@answers_json
def pool_sizing(request: HttpRequest, slug: str) -> HttpResponse:
    """The sizing advice: measured load, the curve around the current size, the cheapest remedy."""
    pool = selectors.pool_get(principal_of(request), slug)
    figures = hotpath.run(commands.show(pool.slug))
    now = timezone.now()
    found = selectors.pool_sizing(pool, figures, start=now - SIZING_WINDOW, end=now)
    if figures is None or found is None or not found.mean_call_seconds:
        return JsonResponse({"measured": False})
    return JsonResponse(
        {
            "measured": True,
            "from": found.window_start.isoformat(),
            "offered_erlangs": round(found.offered_erlangs, 1),
            "usable": found.pickable,
            "needed": found.needed,
            "target": TARGET_BLOCKING,
            "blocking": found.blocking_expected,
            "blocking_measured": found.blocking_measured,
            "needed_blocking": erlang.blocking(found.offered_erlangs, found.needed),
            "curve": _curve(found),
            "advice": _advice(pool, found, figures),
        }
    )


def _curve(found: Sizing) -> list[tuple[int, float]]:
    """The relevant part of the curve: around the current and the needed size."""
    low, high = sorted((found.pickable, found.needed))
    reach = max(4, high // 12)
    first, last = max(0, low - reach), high + reach
    step = max(1, (last - first) // 60)
    lines = sorted({*range(first, last + 1, step), found.pickable, found.needed})
    return erlang.curve(found.offered_erlangs, lines)


def _advice(pool: Pool, found: Sizing, figures: commands.PoolFigures) -> dict[str, str]:
    target = f"{TARGET_BLOCKING:.0%}"
    missing = found.missing
    if missing <= 0:
        text = ngettext(
            "you can remove %(n)s number and keep blocking under %(target)s.",
            "you can remove %(n)s numbers and keep blocking under %(target)s.",
            -missing,
        ) % {"n": -missing, "target": target}
        return {"lead": _("Enough numbers:"), "text": text if missing else _("none to spare.")}
    offline = figures.idle_down
    if offline >= missing:
        total = found.pickable + offline
        share = erlang.blocking(found.offered_erlangs, total)
        text = ngettext(
            "bring the %(n)s offline number back for %(total)s usable numbers and %(share)s "
            "blocking.",
            "bring the %(n)s offline numbers back for %(total)s usable numbers and %(share)s "
            "blocking.",
            offline,
        ) % {"n": offline, "total": total, "share": f"{share:.1%}"}
        button = ngettext("Show %(n)s offline", "Show %(n)s offline", offline) % {"n": offline}
        return {"lead": _("Cheapest fix:"), "text": text, "show": "O", "button": button}
    text = ngettext(
        "add %(n)s number to keep blocking under %(target)s.",
        "add %(n)s numbers to keep blocking under %(target)s.",
        missing,
    ) % {"n": missing, "target": target}
    return {
        "lead": _("Too few numbers:"),
        "text": text,
        "url": _add_url(pool),
        "button": _("Add numbers"),
    }


# -- actions of an operator -----------------------------------------------------------------------


@require_POST
@answers_json
def pool_pause(request: HttpRequest, slug: str) -> HttpResponse:
    """Refuse new calls, with a reason."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug, "numbers.operate")
    services.pool_pause(actor=principal, pool=pool, reason=reason_of(request, required=True))
    return JsonResponse({"status": "paused"})


@require_POST
@answers_json
def pool_resume(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept calls again."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug, "numbers.operate")
    services.pool_resume(actor=principal, pool=pool, reason=reason_of(request, required=False))
    return JsonResponse({"status": "open"})


@require_POST
@answers_json
def pool_reconcile(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare Redis with SQL and repair the differences."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug, "numbers.operate")
    found = services.pool_reconcile(
        pool=pool, check=False, actor=principal, reason=_("manually, on the pool's page")
    )
    if found.status in ("lost", "recovering"):
        raise ValidationError(_("Redis is being rebuilt. Try again when it is ready."))
    if found.clean:
        detail = _("Redis and SQL agree on all %(n)s numbers.") % {"n": f"{found.numbers:,}"}
        return JsonResponse({"title": _("No differences"), "detail": detail})
    title = ngettext("%(n)s difference repaired", "%(n)s differences repaired", len(found))
    kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(found.drift.items()))
    return JsonResponse({"title": title % {"n": len(found)}, "detail": kinds})


@require_http_methods(["GET", "HEAD", "POST"])
def pool_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit all settings of a pool."""
    principal = principal_of(request)
    pool = selectors.pool_get(principal, slug, "numbers.operate")
    form = PoolSettingsForm(request.POST or None, instance=copy(pool))
    save = partial(services.pool_configure, actor=principal, pool=pool)
    done = redirect_with(request, _("Settings saved."), "numbers:pool", slug=slug)
    if answer := saved(form, save, done, given=form.given):
        return answer
    context = {"pool": pool, "form": form, "groups": form.groups()}
    return form_page(request, "numbers/pool_settings.html", context)
