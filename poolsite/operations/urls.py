"""Addresses of operations."""

from django.urls import path

from poolsite.operations import views

app_name = "operations"
urlpatterns = [
    path("overview/", views.overview, name="overview"),
    path("incidents/", views.incidents_page, name="incidents"),
    path("incidents/<int:incident_id>/acknowledge/", views.acknowledge, name="acknowledge"),
    path("system/", views.system, name="system"),
    path("system/confirm-clock/", views.confirm_clock, name="confirm_clock"),
    path("search/", views.search, name="search"),
]
