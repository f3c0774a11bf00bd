"""Where data is: Redis, SQL, the cache, Celery's broker and queues."""

from poolsite.runtime import stores
from poolsite.runtime.paths import redis_socket
from poolsite.settings.site import DATA_DIR, env

# -- Redis: one URL for each use (docs/operations/settings.md) -----------------------------------
EMBEDDED_REDIS_SOCKET = redis_socket(DATA_DIR / "redis")
REDIS_URL = env.str("REDIS_URL", default=f"unix://{EMBEDDED_REDIS_SOCKET}")
_ONE_SERVER = stores.one_server_of(REDIS_URL)
CACHE_URL = env.str("CACHE_URL", default=_ONE_SERVER)
BROKER_ADDRESS = env.str("CELERY_BROKER_URL", default=_ONE_SERVER)  # not in Celery's form yet
CELERY_BROKER_URL, _BROKER_OPTIONS = stores.broker(BROKER_ADDRESS)

# -- SQL ----------------------------------------------------------------------------------
SQL_POOLER = env.bool("POOLSITE_SQL_POOLER", default=False)
DATABASES = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'poolsite.sqlite3'}")
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
        ),
    }
    # A file, as in production: threads lock an in-memory database differently.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["OPTIONS"] = {"pool": {"min_size": 1, "max_size": 8, "timeout": 10}}
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True  # when taken from the pool
    # A cursor belongs to one session of PostgreSQL; a pooler gives each transaction another one.
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = SQL_POOLER
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- cache, Celery ----------------------------------------------------------------------
CACHES = {"default": stores.cache(CACHE_URL)}
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "celery:",
    "visibility_timeout": 3600,
    **_BROKER_OPTIONS,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # forever: no one is there to restart it
CELERY_WORKER_CONSUMER = "poolsite.jobs.lasting:LastingConsumer"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "jobs"
# poolsite/jobs/registry.py assigns each sweep and job. A worker without -Q takes all queues.
CELERY_TASK_QUEUES: dict[str, dict[str, str]] = {"jobs": {}, "books": {}, "history": {}}
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_DB_REUSE_MAX = 1_000  # tasks; broken or old ones close earlier (poolsite/celery.py)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "poolsite.jobs.beat:SweepScheduler"
