"""The guide to the first call: a pool, its numbers, a test call, then the switch."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from numbers.forms import PoolCreateForm
from numbers.models import CallRecord, Number, Pool
from numbers.presentation import word_of
from numbers.reason_words import rejection_of
from numbers.selectors import visible_pools
from numbers.services import numbers_add, pool_create
from numbers.services.trial_calls import trial_call, trial_calls
from poolsite import console, number_format
from poolsite.access import Principal
from poolsite.access.models import AuditEntry
from poolsite.aggregates.guides import create_step
from poolsite.console.goal_forms import PressForm
from poolsite.console.goals import Guide, guide_url
from poolsite.console.templatetags.console import phone

LINES_LIMIT = 1_000
LETTERS = {"idle+up": "R", "busy+up": "C", "busy+down": "L", "idle+down": "O"}
EXAMPLE = "+86 138 0000 0000\n+86 138 0000 0001"


class NumbersForm(forms.Form):
    """Numbers as people paste them, one per line."""

    numbers = forms.CharField(
        label=gettext_lazy("Numbers"),
        help_text=gettext_lazy("One per line, with the country code."),
        widget=forms.Textarea(
            attrs={"rows": 4, "spellcheck": "false", "placeholder": EXAMPLE, "inputmode": "tel"}
        ),
    )

    def clean_numbers(self) -> list[str]:
        """Parse all lines. If any is not a number, report the first five such lines."""
        lines = [line.strip() for line in self.cleaned_data["numbers"].splitlines()]
        wanted = [(place, line) for place, line in enumerate(lines, start=1) if line]
        if len(wanted) > LINES_LIMIT:
            text = _("Paste up to %(n)s numbers. Import a file for more.")
            raise ValidationError(text % {"n": f"{LINES_LIMIT:,}"})
        values, faults = [], []
        for place, line in wanted:
            try:
                values.append(number_format.parse(line))
            except number_format.NotANumberError as error:
                why = {"line": place, "why": rejection_of(error)}
                faults.append(_("Line %(line)s: %(why)s") % why)
        if faults:
            raise ValidationError(faults[:5])
        return values


def register() -> None:
    """Register the goal. Called once, before goals are first read."""
    console.register_goal(
        console.Goal(
            "call",
            gettext_lazy("First call"),
            gettext_lazy("A pool lends one of its numbers to a call and takes it back."),
            "call",
            3,
            (_pool_step(), _numbers_step(), _call_step()),
            visible_pools,
            ending="numbers/guide_ending.html",
            ending_context=_commands,
            order=10,
        )
    )


def _pool_step() -> console.GoalStep:
    return create_step(
        Pool,
        gettext_lazy("Create a pool"),
        gettext_lazy("A set of outbound numbers that calls share."),
        "numbers.create",
        page="numbers:pool",
        form=PoolCreateForm,
        button=gettext_lazy("Create pool"),
        create=lambda guide, form: pool_create(actor=guide.principal, **form.cleaned_data),
        said=gettext_lazy("Pool %(name)s created."),
    )


def _numbers_step() -> console.GoalStep:
    return console.GoalStep(
        "numbers",
        gettext_lazy("Add numbers"),
        gettext_lazy("Phone numbers that calls may show. Two are enough to try it."),
        "numbers.operate",
        lambda guide: _any_of(guide.things["pool"]) or None,
        lambda guide, _any: _count_words(guide.things["pool"]),
        thing="pool",
        link=lambda guide, _any: f"{reverse('numbers:numbers')}?pool={guide.things['pool'].slug}",
        form=lambda _guide, data: NumbersForm(data),
        button=gettext_lazy("Add numbers"),
        save=_add,
        template="numbers/guide_numbers.html",
    )


def _call_step() -> console.GoalStep:
    return console.GoalStep(
        "call",
        gettext_lazy("Make a test call"),
        gettext_lazy(
            "Poolsite does what your switch will do: request a number, renew its lease and "
            "hang up. No phone rings, and no number stays busy."
        ),
        "numbers.operate",
        lambda guide: _called(guide.things["pool"]) if "numbers" in guide.things else None,
        _told,
        thing="pool",
        form=lambda _guide, data: PressForm(data),
        button=gettext_lazy("Make a test call"),
        again=gettext_lazy("Make another test call"),
        save=_try,
        template="numbers/guide_call.html",
        context=_answers,
    )


def _any_of(pool: Pool) -> bool:
    return Number.objects.filter(pool=pool).exists()


def _count_words(pool: Pool) -> str:
    count = Number.objects.filter(pool=pool).count()
    return ngettext("%(n)s number", "%(n)s numbers", count) % {"n": f"{count:,}"}


def _called(pool: Pool) -> AuditEntry | CallRecord | None:
    """Return the latest test call, or else a call of a switch."""
    calls = CallRecord.objects.filter(pool=pool).order_by("generation", "seq")
    return trial_calls(pool).first() or calls.first()


def _told(_guide: Guide, made: AuditEntry | CallRecord) -> str:
    number = made.number if isinstance(made, CallRecord) else (made.after or {}).get("number", "")
    return _("%(number)s was lent and returned") % {"number": phone(number)}


def _add(guide: Guide, form: Any) -> str:
    values = form.cleaned_data["numbers"]
    done = numbers_add(actor=guide.principal, pool=guide.things["pool"], values=values)
    if not done.added:
        raise ValidationError(_("These numbers are already in a pool. Enter others."))
    count = len(done.added)
    said = ngettext("%(n)s number added.", "%(n)s numbers added.", count) % {"n": f"{count:,}"}
    left = len(done.elsewhere) + len(done.in_call)
    if not left:
        return said
    more = ngettext(
        "%(n)s is in another pool and was left there.",
        "%(n)s are in another pool and were left there.",
        left,
    )
    return f"{said} {more % {'n': f'{left:,}'}}"


def _try(guide: Guide, form: Any) -> str:
    token = form.cleaned_data["token"]
    made = trial_call(actor=guide.principal, pool=guide.things["pool"], token=token)
    number = phone((made.after or {}).get("number", ""))
    return _("Test call made. %(number)s was lent and returned.") % {"number": number}


def _answers(guide: Guide) -> dict[str, Any]:
    """The pool's answer to each event of the latest test call."""
    made = guide.things.get("call")
    after = (made.after or {}) if isinstance(made, AuditEntry) else {}
    words = {"call": _("Request a number"), "renew": _("Renew the lease"), "hangup": _("Hang up")}
    rows = [
        {
            **row,
            "words": words.get(row["event"], ""),
            "letter": LETTERS.get(row["state"], "-"),
            "state_word": word_of(LETTERS.get(row["state"], "-")),
        }
        for row in after.get("steps", [])
    ]
    return {"answers": rows, "call_id": after.get("call_id", ""), "after": after}


def _commands(guide: Guide, site: str) -> dict[str, Any]:
    """The three requests that a switch sends for a call."""
    pool: Pool = guide.things["pool"]
    number = Number.objects.filter(pool=pool).values_list("value", flat=True).first() or ""
    post = f"curl {site}/api/v1/pools/{pool.slug}/events"
    head = '-H "Authorization: Bearer $POOLSITE_TOKEN"'
    lines = (
        f'{{"event": "reg", "number": "{number}", "expires": 3600}}',
        '{"event": "call", "call_id": "first-call"}',
        '{"event": "hangup", "call_id": "first-call"}',
    )
    command = "\n".join(f"{post} \\\n  {head} \\\n  -d '{line}'" for line in lines)
    return {"command": command}


def numbers_url(principal: Principal, pools: list[Pool]) -> str:
    """Return the guide's URL for an empty number list, or "" if the user may not add numbers."""
    empty = next((pool.slug for pool in pools if not _any_of(pool)), "")
    return guide_url(principal, "call", empty)
