"""Every page's address; each app brings its own list."""

from django.contrib import admin
from django.urls import include, path

from poolsite.access.views import admin_doors
from poolsite.api.root import api

handler404 = "poolsite.api.root.nothing_there"

urlpatterns = [
    path("api/v1/", api.urls),
    *admin_doors.urlpatterns,
    path("admin/", admin.site.urls),
    path("", include("poolsite.access.urls")),
    path("", include("poolsite.operations.urls")),
    path("", include("poolsite.jobs.urls")),
    path("", include("numbers.urls")),
    path("", include("billing.urls")),
    path("payments/", include("payments.urls")),
    path("", include("queueing.admission.urls")),
    path("", include("queueing.line.urls")),
    path("", include("queueing.dispatch.urls")),
]
