"""The URLs of the line's pages."""

from django.urls import path

from queueing.line.views import (
    agent,
    desks,
    files,
    forecast,
    history,
    messages,
    replay,
    reports,
    routing,
    settings,
    visit,
    visitors,
    widget,
)

app_name = "line"
urlpatterns = [
    # visitors and agents
    path("q/<slug:slug>/", visit.visit_page, name="visit"),
    path("widget/<slug:slug>.js", widget.script, name="widget_script"),
    path("agent/", agent.agent_page, name="agent"),
    path("line/files/<str:signed>/", files.attachment_file, name="file"),
    path("agent/history/", history.history_page, name="history"),
    path("agent/history/<slug:visit>/", history.history_visit, name="history_visit"),
    path("agent/history/<slug:visit>/act/", history.history_act, name="history_act"),
    # supervisors and operators
    path("desks/", desks.LIST.view, name="desks"),
    path("desks/new/", desks.LIST.make, name="desk_create"),
    path("desks/<slug:slug>/", desks.wallboard_page, name="wallboard"),
    path("desks/<slug:slug>/floor/", desks.floor, name="floor"),
    path("desks/<slug:slug>/act/", desks.desk_act, name="act"),
    path("desks/<slug:slug>/reports/", reports.report_page, name="reports"),
    path("desks/<slug:slug>/reports/csv/", reports.report_csv, name="report_csv"),
    path("desks/<slug:slug>/forecast/", forecast.forecast_page, name="forecast"),
    path("desks/<slug:slug>/forecast/csv/", forecast.forecast_csv, name="forecast_csv"),
    path("desks/<slug:slug>/replay/", replay.replay_page, name="replay"),
    path("desks/<slug:slug>/replay/board/", replay.replay_board, name="replay_board"),
    path("desks/<slug:slug>/messages/", messages.message_list, name="messages"),
    path("desks/<slug:slug>/messages/csv/", messages.message_csv, name="message_csv"),
    path("desks/<slug:slug>/messages/<int:message_id>/", messages.message_act, name="message_act"),
    path("desks/<slug:slug>/visits/<slug:visit>/", visitors.visit_story, name="story"),
    path("desks/<slug:slug>/visitors/", visitors.visitor_page, name="visitors"),
    path("desks/<slug:slug>/visitors/act/", visitors.visitor_act, name="visitor_act"),
    # setting up a desk
    path("desks/<slug:slug>/settings/", settings.desk_settings, name="settings"),
    path("desks/<slug:slug>/settings/act/", settings.settings_act, name="settings_act"),
    path("desks/<slug:slug>/routing/", routing.routing_page, name="routing"),
    path("desks/<slug:slug>/routing/act/", routing.routing_act, name="routing_act"),
    path("desks/<slug:slug>/queues/<slug:queue>/topics/", routing.topics_page, name="topics"),
    path("desks/<slug:slug>/widget/", widget.widget_page, name="widget"),
    path("desks/<slug:slug>/queues/new/", settings.queue_create, name="queue_create"),
    path("desks/<slug:slug>/queues/<slug:queue>/", settings.queue_settings, name="queue"),
    path("desks/<slug:slug>/agents/new/", settings.agent_create, name="agent_create"),
    path("desks/<slug:slug>/agents/<int:user_id>/", settings.agent_settings, name="agent_settings"),
]
