"""The admin's first page: models by area, their purpose, and links to the console."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from poolsite.console.admin_texts import ABOUT
from poolsite.console.templatetags.console import figure

# Tables with few rows: counting them costs nothing compared with the page.
COUNTED = frozenset(
    {
        "access.account",
        "admission.gate",
        "billing.chatbot",
        "billing.wallet",
        "dispatch.group",
        "line.agent",
        "line.desk",
        "line.queue",
        "numbers.pool",
        "numbers.switch",
        "operations.noticetarget",
    }
)


@dataclass(frozen=True)
class Area:
    """A card of the page: apps, and the console's page for them, in the order of the page."""

    title: Any
    icon: str
    apps: tuple[str, ...]
    console: str
    console_label: Any


@dataclass
class Card:
    """An area for one reader."""

    area: Area
    rows: list[dict[str, Any]]

    @property
    def url(self) -> str:
        """The URL of the same area in the console, or "" for an area without a page."""
        return reverse(self.area.console) if self.area.console else ""


AREAS = (
    Area(_("Numbers"), "dialpad", ("numbers",), "numbers:pools", _("Pools")),
    Area(_("Queueing"), "groups", ("line",), "line:desks", _("Desks")),
    Area(_("Gates"), "traffic", ("admission",), "admission:gates", _("Gates")),
    Area(_("Dispatcher"), "hub", ("dispatch",), "dispatch:groups", _("Dispatcher")),
    Area(_("Billing"), "payments", ("billing",), "billing:accounts", _("Balances")),
    Area(_("People and access"), "shield_person", ("access",), "access:accounts", _("Accounts")),
    Area(_("System"), "dns", ("operations", "jobs", "history"), "operations:system", _("System")),
)


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the areas that the reader may see, for templates/admin/index.html. Unfold calls this."""
    context["areas"] = cards(request, context.get("app_list", ()))
    context["attention"] = attention(request)
    return context


def attention(request: HttpRequest) -> list[tuple[str, str]]:
    """Return text and URL of the work that needs a person, from rows that the reader may see."""
    lately = timezone.now() - timedelta(days=1)
    jobs = f"{reverse('admin:jobs_job_changelist')}?state__exact=failed"
    return [
        (words(n) % {"figure": figure(n)}, url)
        for label, narrowed, url, words in (
            ("operations.incident", {"until": None}, reverse("operations:incidents"), _incidents),
            ("billing.flaggedreport", {"closed_at": None}, reverse("billing:flagged"), _flagged),
            ("jobs.job", {"state": "failed", "finished_at__gte": lately}, jobs, _jobs),
        )
        if (n := _count(request, label, narrowed))
    ]


def _count(request: HttpRequest, label: str, narrowed: dict[str, Any]) -> int:
    rows = admin.site.get_model_admin(apps.get_model(label)).get_queryset(request)
    return int(rows.filter(**narrowed).count())


def _incidents(n: int) -> str:
    return ngettext("%(figure)s open incident", "%(figure)s open incidents", n)


def _flagged(n: int) -> str:
    return ngettext("%(figure)s open flagged report", "%(figure)s open flagged reports", n)


def _jobs(n: int) -> str:
    return ngettext(
        "%(figure)s job failed in the last 24 hours",
        "%(figure)s jobs failed in the last 24 hours",
        n,
    )


def cards(request: HttpRequest, apps: Sequence[dict[str, Any]]) -> list[Card]:
    """Return Django's list of apps as cards. Apps without an area come last."""
    found = {app["app_label"]: app for app in apps}
    named = {label for area in AREAS for label in area.apps}
    others = [Area(found[each]["name"], "apps", (each,), "", "") for each in found.keys() - named]
    made = []
    for area in (*AREAS, *others):
        models = [
            model for label in area.apps if label in found for model in found[label]["models"]
        ]
        if models:
            made.append(Card(area, [_row(request, model) for model in models]))
    return made


def _row(request: HttpRequest, model: dict[str, Any]) -> dict[str, Any]:
    label = model["model"]._meta.label_lower
    rows = admin.site.get_model_admin(model["model"]).get_queryset(request)
    return {
        "name": model["name"],
        "url": model["admin_url"],
        "add_url": model["add_url"],
        "about": ABOUT.get(label, ""),
        "count": rows.count() if label in COUNTED else None,
    }
