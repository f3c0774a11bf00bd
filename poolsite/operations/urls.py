"""URLs of operations."""

from django.urls import path

from poolsite.console import goal_views
from poolsite.operations import incident_verbs, incident_views, managed_views, views
from poolsite.operations.webhooks import urls as webhook_urls

app_name = "operations"
urlpatterns = [
    path("overview/", views.overview, name="overview"),
    path("start/<slug:goal>/", goal_views.start, name="start"),
    path("incidents/", incident_views.incidents_page, name="incidents"),
    path("incidents/<int:incident_id>/", incident_views.incident_page, name="incident"),
    *[
        path(f"incidents/<int:incident_id>/{address}/", verb, name=name)
        for address, verb, name in (
            ("acknowledge", incident_verbs.acknowledge, "acknowledge"),
            ("assign", incident_verbs.assign, "assign"),
            ("snooze", incident_verbs.snooze, "snooze"),
            ("snooze/end", incident_verbs.end_snooze, "end_snooze"),
            ("notes", incident_verbs.add_note, "incident_note"),
            ("resolve", incident_verbs.resolve, "resolve"),
        )
    ],
    *webhook_urls.urlpatterns,
    path("system/", views.system, name="system"),
    path("system/confirm-clock/", views.confirm_clock, name="confirm_clock"),
    path("views/", views.save_view, name="save_view"),
    path("views/<int:view_id>/delete/", views.delete_view, name="delete_view"),
    path("search/", views.search, name="search"),
    path("things/<slug:kind>/<slug:slug>/tags/", managed_views.set_tags, name="set_tags"),
    path("things/<slug:kind>/<slug:slug>/notes/", managed_views.add_note, name="add_note"),
    path(
        "things/<slug:kind>/<slug:slug>/notes/<int:note_id>/remove/",
        managed_views.remove_note,
        name="remove_note",
    ),
    path("history/<int:entry_id>/undo/", managed_views.undo, name="undo"),
]
