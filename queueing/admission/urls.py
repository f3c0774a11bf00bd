"""The pages' addresses."""

from django.urls import URLPattern

app_name = "admission"
urlpatterns: list[URLPattern] = []
