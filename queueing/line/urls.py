"""The pages' addresses."""

from django.urls import path

from queueing.line.views import desks

app_name = "line"
urlpatterns = [
    # supervisors and operators
    path("desks/", desks.desk_list, name="desks"),
    path("desks/<slug:slug>/", desks.wallboard_page, name="wallboard"),
    path("desks/<slug:slug>/floor/", desks.floor, name="floor"),
    path("desks/<slug:slug>/act/", desks.act, name="act"),
]
