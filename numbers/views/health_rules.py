"""The health rules of a pool: list, create, change, switch and delete them."""

from collections.abc import Callable
from copy import copy
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from numbers.health_forms import HealthRuleForm
from numbers.models import HealthRule, Pool
from numbers.selectors import pool_get
from numbers.selectors.health import health_rules
from numbers.services.health_rules import (
    health_rule_change,
    health_rule_create,
    health_rule_delete,
)
from poolsite import access
from poolsite.console.form_pages import form_page, redirect_with, saved
from poolsite.console.pages import principal_of


@require_GET
def rule_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the pool's rules, each as one sentence."""
    principal = principal_of(request)
    pool = pool_get(principal, slug)
    context = {
        "pool": pool,
        "rules": health_rules(pool),
        "may_operate": access.decide(principal, "numbers.operate", pool).allowed,
    }
    return render(request, "numbers/health_rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def rule_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a rule."""
    return _edit(request, slug, None)


@require_http_methods(["GET", "HEAD", "POST"])
def rule_change(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Change a rule."""
    return _edit(request, slug, rule_id)


def _edit(request: HttpRequest, slug: str, rule_id: int | None) -> HttpResponse:
    principal = principal_of(request)
    pool = pool_get(principal, slug, "numbers.operate")
    rule = None if rule_id is None else _rule(pool, rule_id)
    # The form writes also refused values into its instance, so it gets a separate one.
    instance = HealthRule(pool=pool) if rule is None else copy(rule)
    form = HealthRuleForm(request.POST or None, instance=instance)
    save: Callable[..., HealthRule] = (
        partial(health_rule_create, actor=principal, pool=pool)
        if rule is None
        else partial(health_rule_change, actor=principal, rule=rule)
    )
    words = _("Rule saved. It is evaluated every 30 seconds.")
    if answer := saved(
        form, save, redirect_with(request, words, "numbers:health_rules", slug=slug)
    ):
        return answer
    context = {"pool": pool, "form": form, "rule": rule, "groups": form.groups()}
    return form_page(request, "numbers/health_rule.html", context)


@require_POST
def rule_switch(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Switch a rule on or off."""
    principal = principal_of(request)
    pool = pool_get(principal, slug, "numbers.operate")
    rule = _rule(pool, rule_id)
    health_rule_change(actor=principal, rule=rule, enabled=request.POST.get("enabled") == "1")
    return redirect("numbers:health_rules", slug=pool.slug)


@require_POST
def rule_delete(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Delete a rule."""
    principal = principal_of(request)
    pool = pool_get(principal, slug, "numbers.operate")
    rule = _rule(pool, rule_id)
    health_rule_delete(actor=principal, rule=rule, reason=request.POST.get("reason", ""))
    messages.success(request, _("Rule %(name)s deleted.") % {"name": rule.name})
    return redirect("numbers:health_rules", slug=pool.slug)


def _rule(pool: Pool, rule_id: int) -> HealthRule:
    rule = HealthRule.objects.select_related("pool__account").filter(pool=pool, pk=rule_id).first()
    if rule is None:
        raise Http404
    return rule
