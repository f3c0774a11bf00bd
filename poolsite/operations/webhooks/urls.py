"""URLs of webhooks, in the namespace of operations."""

from django.urls import path

from poolsite.operations.webhooks import verbs, views

ONE = "webhooks/<slug:slug>/"
urlpatterns = [
    path("webhooks/", views.endpoints, name="webhooks"),
    path("webhooks/new/", views.endpoint_add, name="webhook_add"),
    path(ONE, views.endpoint, name="webhook"),
    path(f"{ONE}edit/", views.endpoint_edit, name="webhook_edit"),
    path(f"{ONE}deliveries/<int:delivery_id>/", views.delivery, name="webhook_delivery"),
    path(f"{ONE}deliveries/<int:delivery_id>/resend/", verbs.resend, name="webhook_resend"),
    *[
        path(f"{ONE}{address}/", verb, name=f"webhook_{verb.__name__}")
        for address, verb in (
            ("disable", verbs.disable),
            ("enable", verbs.enable),
            ("rotate", verbs.rotate),
            ("test", verbs.test),
            ("resend", verbs.resend_failed),
            ("delete", verbs.delete),
        )
    ],
]
