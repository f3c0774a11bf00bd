"""The admin's lists of pools and numbers. Every change goes through the services and is audited."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.views import ChangeList

from numbers import services
from numbers.admin_filters import HeldFilter, ReasonActionForm, RegionFilter, TagFilter
from numbers.errors import NumbersError
from numbers.models import CallRecord, Direction, Number, NumberImport, Pool, PoolEvent, Switch
from numbers.pool import state_letter
from numbers.presentation import end_of, picked_word, story_items, word_of
from numbers.reason_words import sentence_of
from numbers.selectors import prefix_condition
from numbers.selectors.spellings import typed_prefix, with_country
from numbers.services.bulk import AT_ONCE, bulk_apply
from numbers.services.pools import SETTINGS
from numbers.views.number_rows import rows_of
from poolsite.access import principal_of_request
from poolsite.access.services.actor import Actor
from poolsite.api.problems import RefusedError
from poolsite.console.admin_columns import Words
from poolsite.console.admin_lists import ChangedAggregate, OfAggregate


class OfPool(OfAggregate):
    """The base of lists whose rows belong to a pool."""

    view_action = "numbers.view"
    kind = "pool"
    path = "pool"


@admin.register(Pool)
class PoolAdmin(ChangedAggregate):
    """The list of pools. A pool is deleted on its own page, which requires a reason."""

    view_action = "numbers.view"
    change_action = "numbers.operate"
    create_action = "numbers.create"
    kind = "pool"
    list_display = ("slug", "name", "account", "daily_cap", "paused_at")
    search_fields = ("slug__startswith", "name__istartswith")
    fields = ("slug", "account", *SETTINGS)

    def create(self, actor: Actor, **given: Any) -> Pool:
        return services.pool_create(actor=actor, **given)

    def configure(self, actor: Actor, stored: Pool, **changes: Any) -> None:
        services.pool_configure(actor=actor, pool=stored, **changes)


class LiveList(ChangeList):
    """The list of numbers. It reads the states of a page in one round trip."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page's numbers and set `live_letter` on each."""
        super().get_results(request)
        numbers = list(self.result_list)
        letters = {row.number.pk: row.letter for row in rows_of(numbers, last_calls=False)}
        for number in numbers:
            number.live_letter = letters.get(number.pk, "-")
        self.result_list = numbers


@admin.register(Number)
class NumberAdmin(OfPool):
    """The list of numbers with their live states. It remains usable with a million rows."""

    change_action = "numbers.operate"
    list_display = ("value", "live_state", "pool", "label", "region", "carrier")
    list_filter = (("pool", admin.RelatedFieldListFilter), RegionFilter, TagFilter, HeldFilter)
    list_filter_submit = True
    search_fields = ("value",)
    search_help_text = gettext_lazy("Number starts with")
    ordering = ("value",)
    sortable_by = ("value",)
    fields = ("pool", "value", "label", "region", "notes")
    actions = ("quarantine", "release", "force_hangup")
    action_form = ReasonActionForm

    def get_readonly_fields(self, request: HttpRequest, obj: Number | None = None) -> list[str]:
        """Make pool and value of a stored number read-only. The number list can move numbers."""
        return ["pool", "value"] if obj is not None else []

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Number], search_term: str
    ) -> tuple[QuerySet[Number], bool]:
        """Search by the first digits, as people type them: a range of the index, not a scan."""
        prefix = typed_prefix(search_term.strip())
        if not prefix:
            return queryset, False
        found = prefix_condition(prefix)
        return queryset.filter(found | prefix_condition(with_country(prefix))), False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        """Return the list that reads a page's states in one round trip."""
        return LiveList

    @admin.display(description=gettext_lazy("state"))
    def live_state(self, number: Number) -> SafeString:
        """The state that Redis has now, with its tile."""
        letter = getattr(number, "live_letter", "-")
        return format_html(
            '<span class="state-cell"><span class="tile tile--small" data-state="{}"'
            ' aria-hidden="true"></span>{}</span>',
            letter,
            word_of(letter),
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the services, which write the audit log and update Redis."""
        actor, data = principal_of_request(request), form.cleaned_data
        more = {name: data.get(name) or "" for name in ("label", "region", "notes")}
        if change:
            number = Number.objects.select_related("pool").get(pk=obj.pk)
            services.number_change(actor=actor, number=number, **more)
            return
        made = services.number_add(actor=actor, pool=data["pool"], number=data["value"], **more)
        obj.pk, obj.value = made.pk, made.value

    def sentence_of(self, error: RefusedError) -> str:
        """The error in the wording of the pool's pages."""
        return sentence_of(error.detail)

    def delete_model(self, request: HttpRequest, obj: Number) -> None:
        """Delete through the services. A call in progress continues until its hang-up."""
        services.number_delete(actor=principal_of_request(request), number=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Number]) -> None:
        """Delete the numbers as one bulk action, with an audit entry per pool."""
        reason = request.POST.get("reason", "") or _("Deleted in the admin")
        self._apply(request, queryset, "delete", reason)

    def get_deleted_objects(
        self, objs: Sequence[Any] | QuerySet[Any], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """List the numbers to delete. Their tags are deleted too; their history stays."""
        shown = [str(number) for number in objs[:100]]
        return shown, {str(Number._meta.verbose_name_plural): len(objs)}, set(), []

    @admin.action(permissions=["change"], description=gettext_lazy("Quarantine"))
    def quarantine(self, request: HttpRequest, queryset: QuerySet[Number]) -> None:
        """Quarantine the selected numbers, so that no call picks them."""
        self._ask(request, queryset, "quarantine")

    @admin.action(permissions=["change"], description=gettext_lazy("Release from quarantine"))
    def release(self, request: HttpRequest, queryset: QuerySet[Number]) -> None:
        """Release the selected numbers, so that calls can pick them again."""
        self._ask(request, queryset, "release")

    @admin.action(permissions=["change"], description=gettext_lazy("Force hang-up"))
    def force_hangup(self, request: HttpRequest, queryset: QuerySet[Number]) -> None:
        """End the calls of the selected numbers."""
        self._ask(request, queryset, "hangup")

    def _ask(self, request: HttpRequest, queryset: QuerySet[Number], verb: str) -> None:
        reason = " ".join(request.POST.get("reason", "").split())
        if not reason:
            messages.error(request, _("Enter a short reason. Nothing was changed."))
            return
        self._apply(request, queryset, verb, reason)

    def _apply(
        self, request: HttpRequest, queryset: QuerySet[Number], verb: str, reason: str
    ) -> None:
        rows = list(queryset.select_related("pool__account")[: AT_ONCE + 1])
        if len(rows) > AT_ONCE:
            messages.error(
                request,
                _(
                    "You can change up to 1,000 numbers here. For more, use the number list. "
                    "Nothing was changed."
                ),
            )
            return
        actor = principal_of_request(request)
        try:
            done = bulk_apply(actor=actor, verb=verb, numbers=rows, reason=reason)
        except NumbersError as error:
            messages.error(request, sentence_of(error.detail))
            return
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return
        words = ngettext("%(n)s number changed.", "%(n)s numbers changed.", done.changed)
        messages.success(request, words % {"n": done.changed})


@admin.register(Switch)
class SwitchAdmin(OfPool):
    """The list of switches, with their kinds and the times at which they last reported."""

    change_action = "numbers.operate"
    list_display = ("name", "pool", "kind", "kind_chosen", "incarnation", "last_heard")
    list_filter = ("kind",)
    search_fields = ("name__startswith",)
    fields = ("pool", "name", "kind", "incarnation", "last_heard")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Allow changes of the kind only. The other fields are reported by the switch itself."""
        return [name for name in self.fields if name != "kind"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No. A switch is added on the pool's page, which shows its token once."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No. Calls refer to a switch by its name."""
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save through the service, which writes the audit log and updates Redis."""
        stored = Switch.objects.select_related("pool").get(pk=obj.pk)
        services.switch_configure(
            actor=principal_of_request(request), switch=stored, kind=form.cleaned_data["kind"]
        )


@admin.register(CallRecord)
class CallRecordAdmin(OfPool):
    """The list of calls, latest first."""

    words = {"ended_how": end_of}
    list_display = ("number", "pool", "direction", "agent", "started_at", "ended_at", "ended_how")
    search_fields = ("number__startswith", "call_id__exact", "agent__exact")
    ordering = ("-pk",)
    sortable_by = ()


def _state_of(code: str) -> str:
    return word_of(state_letter(code))


@admin.register(PoolEvent)
class PoolEventAdmin(OfPool):
    """The list of all events, latest first."""

    path = "aggregate"
    words = {
        "state_before": _state_of,
        "state_after": _state_of,
        "direction": Words(dict(Direction.choices)),
        "picked": picked_word,
        "answered": Words({"1": gettext_lazy("yes"), "0": gettext_lazy("no")}),
    }
    labels = {
        "picked": gettext_lazy("picked by"),
        "since_us": gettext_lazy("since"),
        "ready_us": gettext_lazy("available from"),
        "incarnation": gettext_lazy("incarnation"),
        "contact": gettext_lazy("contact"),
        "answered": gettext_lazy("answered"),
        "talk_seconds": gettext_lazy("talk time, seconds"),
        "cause": gettext_lazy("release cause"),
    }
    list_display = ("at_us", "aggregate", "what", "number", "state_before", "state_after")
    search_fields = ("number__exact",)
    ordering = ("-pk",)
    sortable_by = ()
    hidden = ("event",)

    def _shown(self) -> list[str]:
        return ["what", *super()._shown()]

    @admin.display(description=gettext_lazy("event"))
    def what(self, event: PoolEvent) -> str:
        """The event's title, as on the number's page."""
        return story_items([event])[0].title


@admin.register(NumberImport)
class NumberImportAdmin(OfPool):
    """The list of imports. They are confirmed and undone on their own page."""

    list_display = ("public_id", "pool", "file_name", "state_word", "imported", "created_at")
    hidden = ("pending", "next_row")
