"""The pages' addresses."""

from django.urls import path

from queueing.line.views import (
    agent,
    desks,
    history,
    messages,
    replay,
    reports,
    settings,
    visit,
    visitors,
)

app_name = "line"
urlpatterns = [
    # visitors and agents
    path("q/<slug:slug>/", visit.visit_page, name="visit"),
    path("agent/", agent.agent_page, name="agent"),
    path("agent/history/", history.history_page, name="history"),
    path("agent/history/<slug:visit>/", history.history_visit, name="history_visit"),
    path("agent/history/<slug:visit>/act/", history.history_act, name="history_act"),
    # supervisors and operators
    path("desks/", desks.desk_list, name="desks"),
    path("desks/new/", desks.desk_create, name="desk_create"),
    path("desks/<slug:slug>/", desks.wallboard_page, name="wallboard"),
    path("desks/<slug:slug>/floor/", desks.floor, name="floor"),
    path("desks/<slug:slug>/act/", desks.act, name="act"),
    path("desks/<slug:slug>/reports/", reports.report_page, name="reports"),
    path("desks/<slug:slug>/reports/csv/", reports.report_csv, name="report_csv"),
    path("desks/<slug:slug>/replay/", replay.replay_page, name="replay"),
    path("desks/<slug:slug>/replay/board/", replay.replay_board, name="replay_board"),
    path("desks/<slug:slug>/messages/", messages.message_list, name="messages"),
    path("desks/<slug:slug>/messages/csv/", messages.message_csv, name="message_csv"),
    path("desks/<slug:slug>/messages/<int:message_id>/", messages.message_act, name="message_act"),
    path("desks/<slug:slug>/visits/<slug:visit>/", visitors.visit_story, name="story"),
    path("desks/<slug:slug>/visitors/", visitors.visitor_page, name="visitors"),
    path("desks/<slug:slug>/visitors/act/", visitors.visitor_act, name="visitor_act"),
    # who sets a desk up
    path("desks/<slug:slug>/settings/", settings.desk_settings, name="settings"),
    path("desks/<slug:slug>/settings/act/", settings.settings_act, name="settings_act"),
    path("desks/<slug:slug>/queues/new/", settings.queue_create, name="queue_create"),
    path("desks/<slug:slug>/queues/<slug:queue>/", settings.queue_settings, name="queue"),
    path("desks/<slug:slug>/agents/new/", settings.agent_create, name="agent_create"),
    path("desks/<slug:slug>/agents/<int:user_id>/", settings.agent_settings, name="agent_settings"),
]
