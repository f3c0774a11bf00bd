"""The sweeps of the books, of balances and of messages."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from billing.services import books, safe_mode
from billing.services.auditing import audit_some
from billing.services.outbox import relay
from billing.services.usage import sum_all
from billing.services.wallets import send_waiting
from poolsite import jobs

PERSIST_SECONDS = max(1, round(settings.BILLING_PERSIST_SECONDS))
AUDIT_TURN_SECONDS = 2.0


jobs.sweep(
    "billing.persist",
    books.persist,
    every_seconds=PERSIST_SECONDS,
    shards=settings.BILLING_SHARDS,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Books"),
        _("Writes balance changes from Redis to the books."),
        {
            "looked_at": ngettext_lazy("%(n)s balance checked", "%(n)s balances checked", "n"),
            "accounts": ngettext_lazy("%(n)s account written", "%(n)s accounts written", "n"),
            "entries": ngettext_lazy("%(n)s entry written", "%(n)s entries written", "n"),
            "repeats": ngettext_lazy("%(n)s repeat skipped", "%(n)s repeats skipped", "n"),
            "refused": ngettext_lazy("%(n)s entry refused", "%(n)s entries refused", "n"),
            "faults": ngettext_lazy("%(n)s fault", "%(n)s faults", "n"),
            "left": ngettext_lazy("%(n)s entry waiting", "%(n)s entries waiting", "n"),
            "lag_seconds": ngettext_lazy("%(n)s second behind", "%(n)s seconds behind", "n"),
            "lost": ngettext_lazy("%(n)s balance lost", "%(n)s balances lost", "n"),
        },
    ),
)

jobs.sweep(
    "billing.watch",
    lambda *_shard: safe_mode.watch(),
    every_seconds=2,
    queue=jobs.BOOKS,
    light=True,
    description=jobs.SweepDescription(
        _("Balance repair"),
        _("Detects a Redis that lost data and rebuilds its balances."),
        {
            "servers": ngettext_lazy("%(n)s server checked", "%(n)s servers checked", "n"),
            "compared": ngettext_lazy("%(n)s balance compared", "%(n)s balances compared", "n"),
        },
    ),
)

jobs.sweep(
    "billing.outbox",
    lambda *_shard: relay(),
    every_seconds=3,
    queue=jobs.BOOKS,
    light=True,
    description=jobs.SweepDescription(
        _("Pending money orders"),
        _("Applies top-ups and adjustments that Redis has not received."),
        {
            "waiting": ngettext_lazy("%(n)s order waiting", "%(n)s orders waiting", "n"),
            "applied": ngettext_lazy("%(n)s order applied", "%(n)s orders applied", "n"),
        },
    ),
)

jobs.sweep(
    "billing.purge",
    books.purge,
    every_seconds=60,
    shards=2,
    pausable=True,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Finished messages"),
        _("Removes messages from Redis 7 days after they end."),
        {"purged": ngettext_lazy("%(n)s message removed", "%(n)s messages removed", "n")},
    ),
)

jobs.sweep(
    "billing.audit",
    lambda *_shard: audit_some(AUDIT_TURN_SECONDS, settings.BILLING_AUDIT_SECONDS),
    every_seconds=5,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Money audit"),
        _("Proves the books, account by account."),
        {
            "wallets": ngettext_lazy("%(n)s account verified", "%(n)s accounts verified", "n"),
            "different": ngettext_lazy("%(n)s account differs", "%(n)s accounts differ", "n"),
        },
    ),
)

jobs.sweep(
    "billing.checkpoints",
    books.close_checkpoints,
    every_seconds=60,
    shards=2,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Journal checkpoints"),
        _("Closes finished sections of long journals."),
        {"closed": ngettext_lazy("%(n)s section closed", "%(n)s sections closed", "n")},
    ),
)

jobs.sweep(
    "billing.usage",
    sum_all,
    every_seconds=30,
    shards=2,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Usage by hour"),
        _("Adds up the journal for charts and forecasts."),
        {"entries": ngettext_lazy("%(n)s entry added up", "%(n)s entries added up", "n")},
    ),
)

jobs.sweep(
    "billing.settings",
    lambda *_shard: books.apply_all_settings(),
    every_seconds=600,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Balance settings"),
        _("Sends limits and daily reset times to Redis."),
        {"wallets": ngettext_lazy("%(n)s balance updated", "%(n)s balances updated", "n")},
    ),
)

jobs.sweep(
    "billing.retention",
    lambda *_shard: books.delete_expired(),
    every_seconds=3_600,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Old messages"),
        _("Deletes ended messages past their retention period."),
        {
            "messages": ngettext_lazy("%(n)s message deleted", "%(n)s messages deleted", "n"),
            "intents": ngettext_lazy(
                "%(n)s hold record deleted", "%(n)s hold records deleted", "n"
            ),
            "runs": ngettext_lazy("%(n)s audit run deleted", "%(n)s audit runs deleted", "n"),
        },
    ),
)

jobs.sweep(
    "billing.unsent",
    lambda *_shard: send_waiting(),
    every_seconds=3,
    queue=jobs.BOOKS,
    light=True,
    description=jobs.SweepDescription(
        _("Pending balance settings"),
        _("Sends settings that Redis has not received."),
        {"waiting": ngettext_lazy("%(n)s change waiting", "%(n)s changes waiting", "n")},
    ),
)
