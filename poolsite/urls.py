"""The addresses of all pages. Each app provides its own list.

Modules that only pages and the API need are imported here, not when Django starts. So a worker or a
command that opens no page does without them (a third of the start's CPU time).
"""

from django.contrib import admin
from django.urls import include, path

from billing.api import routes as billing_routes
from numbers.api import routes as numbers_routes
from poolsite.api.root import api
from poolsite.operations.api import routes as operations_routes
from poolsite.operations.jobs import api as jobs_routes
from poolsite.people.api import routes as access_routes
from poolsite.people.views import admin_log_in
from poolsite.reference import views as reference_views
from queueing.admission.api import routes as admission_routes
from queueing.dispatch.api import routes as dispatch_routes
from queueing.line.api import routes as line_routes

handler403 = "poolsite.console.error_pages.not_allowed"
handler404 = "poolsite.console.error_pages.nothing_there"
handler500 = "poolsite.api.faults.something_failed"

admin.autodiscover()
for routes in (
    dispatch_routes,
    numbers_routes,
    billing_routes,
    line_routes,
    admission_routes,
    access_routes,
    operations_routes,
    jobs_routes,
):
    routes.register()

urlpatterns = [
    *reference_views.urlpatterns,
    path("api/v1/", api.urls),
    *admin_log_in.urlpatterns,
    path("admin/", admin.site.urls),
    path("", include("poolsite.people.urls")),
    path("", include("poolsite.people.log_in_urls")),
    path("", include("poolsite.operations.urls")),
    path("", include("poolsite.operations.jobs.urls")),
    path("", include("numbers.urls")),
    path("", include("billing.urls")),
    path("payments/", include("payments.urls")),
    path("", include("queueing.admission.urls")),
    path("", include("queueing.line.urls")),
    path("", include("queueing.dispatch.urls")),
]
