"""URLs of jobs."""

from django.urls import path

from poolsite.operations.jobs import views

app_name = "jobs"
urlpatterns = [
    path("jobs/<int:job_id>/", views.job, name="job"),
    path("jobs/<int:job_id>/cancel/", views.cancel, name="cancel"),
]
