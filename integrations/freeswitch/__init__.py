"""Connects a FreeSWITCH to a number pool: registrations, hang-ups and live lists.

The package uses relative imports, so that it can be installed on its own under another name
(`pip install ./integrations/freeswitch` installs `poolsite_freeswitch`).
"""

from .daemon import Daemon
from .settings import Settings, SettingsError, load_settings

__all__ = ["Daemon", "Settings", "SettingsError", "load_settings"]
