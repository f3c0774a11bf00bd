"""Every page's address; each app brings its own list."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("poolsite.operations.urls")),
    path("", include("poolsite.jobs.urls")),
]
