"""The site: its folder, its addresses, its name."""

import gc
from pathlib import Path

from poolsite.runtime.environment import SettingsReader

# Importing the apps creates many objects that stay. With Python's own threshold of 700, garbage
# collection would take a sixth of the time that a process needs to start.
gc.set_threshold(20_000, 20, 20)

env = SettingsReader()
BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = Path(env.str("POOLSITE_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DEBUG = env.bool("POOLSITE_DEBUG", default=False)
DEMO = env.bool("POOLSITE_DEMO", default=False)
DEFAULT_SECRET_KEY = "insecure-default-secret-refused-outside-debug"  # noqa: S105
SECRET_KEY = env.str("POOLSITE_SECRET_KEY", default=DEFAULT_SECRET_KEY)
SECRET_KEY_FALLBACKS = env.list("POOLSITE_OLD_SECRET_KEYS", default=[])
ALLOWED_HOSTS = env.list("POOLSITE_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("POOLSITE_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = env.bool("POOLSITE_BEHIND_TLS", default=False)
DRAIN_SECONDS = env.float("POOLSITE_DRAIN_SECONDS", default=30.0)  # for websockets, at the end
PUBLIC_HOST = env.str("POOLSITE_PUBLIC_HOST", default="")
SITE_HOST = PUBLIC_HOST or "127.0.0.1:8000"  # if no request names one
PLATFORM_NAME = env.str("POOLSITE_PLATFORM_NAME", default="Poolsite")
PLATFORM_ZONE = env.str("POOLSITE_PLATFORM_ZONE", default="Asia/Shanghai")
PLATFORM_CURRENCY = env.str("POOLSITE_PLATFORM_CURRENCY", default="CNY")
PLATFORM_REGION = env.str("POOLSITE_PLATFORM_REGION", default="CN")  # of numbers without a +
