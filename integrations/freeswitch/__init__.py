"""Connects a FreeSWITCH to a number pool: registrations, hang-ups and live lists.

Imports relatively, so that it installs by itself under a name of its own
(`pip install ./integrations/freeswitch` gives `poolsite_freeswitch`).
"""

from .daemon import Daemon
from .settings import Settings, SettingsError, load_settings

__all__ = ["Daemon", "Settings", "SettingsError", "load_settings"]
