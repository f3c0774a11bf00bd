"""The URLs of the pools' pages."""

from django.urls import path, register_converter

from numbers.views import (
    health,
    health_rules,
    imports,
    number_list,
    number_verbs,
    numbers,
    pool,
    pools,
    switches,
    twins,
    who_had,
)


class NumberConverter:
    """A number in a URL: an optional + and digits, so that other words stay free."""

    regex = r"\+?[0-9]{1,32}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(NumberConverter, "number")

app_name = "numbers"
urlpatterns = [
    path("pools/", pools.pool_list, name="pools"),
    path("pools/new/", pools.pool_create, name="pool_create"),
    path("pools/<slug:slug>/", pool.pool_page, name="pool"),
    path("pools/<slug:slug>/tiles/", pool.pool_tiles, name="pool_tiles"),
    path("pools/<slug:slug>/samples/", pool.pool_samples, name="pool_samples"),
    path("pools/<slug:slug>/sizing/", pool.pool_sizing, name="pool_sizing"),
    path("pools/<slug:slug>/settings/", pool.pool_settings, name="pool_settings"),
    path("pools/<slug:slug>/switches/", switches.pool_switches, name="pool_switches"),
    path(
        "pools/<slug:slug>/switches/<int:switch_id>/kind/", switches.switch_kind, name="switch_kind"
    ),
    path("pools/<slug:slug>/pause/", pool.pool_pause, name="pool_pause"),
    path("pools/<slug:slug>/resume/", pool.pool_resume, name="pool_resume"),
    path("pools/<slug:slug>/reconcile/", pool.pool_reconcile, name="pool_reconcile"),
    path("pools/<slug:slug>/health/", health.health_page, name="pool_health"),
    path(
        "pools/<slug:slug>/health/undo/<int:action_id>/",
        health.health_undo_action,
        name="health_undo",
    ),
    path("pools/<slug:slug>/health/labels/", health.spam_labels_page, name="spam_labels"),
    path("pools/<slug:slug>/health/rules/", health_rules.rule_list, name="health_rules"),
    path("pools/<slug:slug>/health/rules/new/", health_rules.rule_create, name="health_rule_new"),
    path(
        "pools/<slug:slug>/health/rules/<int:rule_id>/",
        health_rules.rule_change,
        name="health_rule",
    ),
    path(
        "pools/<slug:slug>/health/rules/<int:rule_id>/switch/",
        health_rules.rule_switch,
        name="health_rule_switch",
    ),
    path(
        "pools/<slug:slug>/health/rules/<int:rule_id>/delete/",
        health_rules.rule_delete,
        name="health_rule_delete",
    ),
    path("who-had/", who_had.who_had, name="who_had"),
    path("numbers/", number_list.number_list_page, name="numbers"),
    path("numbers/states/", number_list.number_states, name="states"),
    path("numbers/export/", number_list.number_export, name="export"),
    path("numbers/add/", number_verbs.add_number, name="add"),
    path("numbers/add-range/", number_verbs.add_range, name="add_range"),
    path("numbers/bulk/", number_verbs.bulk, name="bulk"),
    path("numbers/twins/", twins.twin_list, name="twins"),
    path("numbers/twins/merge/", twins.twins_merge_all, name="twins_merge_all"),
    path("numbers/twins/<number:value>/merge/", twins.twin_merge, name="twin_merge"),
    path("numbers/twins/<number:value>/remove/", twins.twin_remove, name="twin_remove"),
    path("numbers/<number:value>/change/", number_verbs.change_number, name="change"),
    path("imports/", imports.import_list, name="imports"),
    path("imports/upload/", imports.import_upload, name="import_upload"),
    path("imports/<int:import_id>/confirm/", imports.import_confirm, name="import_confirm"),
    path("imports/<int:import_id>/undo/", imports.import_undo, name="import_undo"),
    path("imports/<int:import_id>/discard/", imports.import_discard, name="import_discard"),
    path("imports/<int:import_id>/refused/", imports.import_refused, name="import_refused"),
    path("numbers/<number:value>/", numbers.number_page, name="number"),
    path("numbers/<number:value>/story/", numbers.number_story, name="number_story"),
    path("numbers/<number:value>/quarantine/", numbers.number_quarantine, name="number_quarantine"),
    path("numbers/<number:value>/release/", numbers.number_release, name="number_release"),
    path("numbers/<number:value>/hangup/", numbers.number_hangup, name="number_hangup"),
]
