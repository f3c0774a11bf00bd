"""URLs of the gates' pages."""

from django.urls import path

from queueing.admission.views import batches, gate, gates, holders, settings

app_name = "admission"
urlpatterns = [
    path("gates/", gates.LIST.view, name="gates"),
    path("gates/new/", gates.LIST.make, name="gate_create"),
    path("gates/<slug:slug>/", gate.gate_page, name="gate"),
    path("gates/<slug:slug>/samples/", gate.gate_samples, name="samples"),
    path("gates/<slug:slug>/holders/", holders.holder_list, name="holders"),
    path("gates/<slug:slug>/device/", holders.device_page, name="device"),
    path("gates/<slug:slug>/settings/", settings.gate_settings, name="gate_settings"),
    path("gates/<slug:slug>/delete/", settings.gate_delete, name="gate_delete"),
    path("gates/<slug:slug>/key/", settings.gate_key, name="gate_key"),
    path("gates/<slug:slug>/act/", gate.gate_act, name="act"),
    path("gates/<slug:slug>/batches/", batches.batch_list, name="batches"),
    path("batches/<int:batch_id>/", batches.batch_page, name="batch"),
    path("batches/<int:batch_id>/act/", batches.batch_act, name="batch_act"),
    path("batches/<int:batch_id>/failed/", batches.batch_failed, name="failed"),
]
