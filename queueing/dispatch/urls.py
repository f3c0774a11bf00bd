"""URLs of the groups' pages."""

from django.urls import path

from queueing.dispatch.views import events, group, groups, sessions, settings, upgrades

app_name = "dispatch"
urlpatterns = [
    path("groups/", groups.LIST.view, name="groups"),
    path("groups/new/", groups.LIST.make, name="group_create"),
    path("groups/<slug:slug>/", group.group_page, name="group"),
    path("groups/<slug:slug>/samples/", group.group_samples, name="samples"),
    path("groups/<slug:slug>/act/", group.group_act, name="act"),
    path("groups/<slug:slug>/settings/", settings.group_settings, name="settings"),
    path("groups/<slug:slug>/delete/", settings.group_delete, name="delete"),
    path("groups/<slug:slug>/sessions/", sessions.session_page, name="sessions"),
    path("groups/<slug:slug>/events/", events.event_list, name="events"),
    path("groups/<slug:slug>/events.csv", events.event_csv, name="events_csv"),
    path("groups/<slug:slug>/upgrades/<int:upgrade_id>/", upgrades.upgrade_page, name="upgrade"),
    path(
        "groups/<slug:slug>/upgrades/<int:upgrade_id>/act/",
        upgrades.upgrade_act,
        name="upgrade_act",
    ),
]
