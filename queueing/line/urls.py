"""The pages' addresses."""

from django.urls import path

from queueing.line.views import agent, desks, visit

app_name = "line"
urlpatterns = [
    # visitors and agents
    path("q/<slug:slug>/", visit.visit_page, name="visit"),
    path("agent/", agent.agent_page, name="agent"),
    # supervisors and operators
    path("desks/", desks.desk_list, name="desks"),
    path("desks/<slug:slug>/", desks.wallboard_page, name="wallboard"),
    path("desks/<slug:slug>/floor/", desks.floor, name="floor"),
    path("desks/<slug:slug>/act/", desks.act, name="act"),
]
