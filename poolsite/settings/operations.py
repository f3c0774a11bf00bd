"""What runs beside the pages: history, sweeps, logs, requests to other sites."""

from poolsite.operations.logs import logging_config
from poolsite.settings.site import DEBUG, DEMO, env

HISTORY_BATCH = env.int("POOLSITE_HISTORY_BATCH", default=2_000)  # entries per SQL transaction
HISTORY_TAIL = env.int("POOLSITE_HISTORY_TAIL", default=2_000)  # committed entries kept in Redis
HISTORY_DRAIN_SECONDS = env.int("POOLSITE_HISTORY_DRAIN_SECONDS", default=4 if DEMO else 2)
HISTORY_SHARDS = env.int("POOLSITE_HISTORY_SHARDS", default=4)  # written in parallel
HISTORY_KEEP_DAYS = env.int("POOLSITE_HISTORY_KEEP_DAYS", default=396)  # 13 months
CALLS_KEEP_DAYS = env.float(
    "POOLSITE_CALLS_KEEP_DAYS", default=1 / 24 if DEMO else HISTORY_KEEP_DAYS
)  # calls and events of pools
METRICS_TOKEN = env.str("POOLSITE_METRICS_TOKEN", default="")
SWEEP_SHARDS = env.int("POOLSITE_SWEEP_SHARDS", default=1 if DEMO else 0)  # 0: unlimited
LOG_FORMAT = env.str("POOLSITE_LOG_FORMAT", default="console" if DEBUG or DEMO else "json")
LOG_LEVEL = env.str("POOLSITE_LOG_LEVEL", default="INFO")
LOGGING = logging_config(LOG_FORMAT, LOG_LEVEL)
OUTGOING_PRIVATE_ADDRESSES = env.bool("POOLSITE_OUTGOING_PRIVATE_ADDRESSES", default=False)
OUTGOING_PORTS = env.list("POOLSITE_OUTGOING_PORTS", cast=int, default=[80, 443, 8080, 8443])
