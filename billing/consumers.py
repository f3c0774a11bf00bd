"""Websockets of billing."""

from django.urls import URLPattern

websocket_urlpatterns: list[URLPattern] = []
