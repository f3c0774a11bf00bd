"""Websockets of visitors, agents and external ACDs."""

from django.urls import URLPattern

websocket_urlpatterns: list[URLPattern] = []
