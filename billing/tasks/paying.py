"""The sweeps of top-ups, alerts and lookups."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from billing.services.abilities import abilities_forget_old
from billing.services.alerts import check_low_balances
from billing.services.auto_top_up import top_up_due
from billing.services.invoices_due import issue_due
from billing.services.invoices_mail import send_due
from billing.services.recharges_asking import ask_providers, close_unfinished
from poolsite import jobs

jobs.sweep(
    "billing.alerts",
    lambda *_shard: check_low_balances(),
    every_seconds=10,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Low-balance alerts"),
        _("Warns when a balance falls below its alert limit."),
        {
            "opened": ngettext_lazy("%(n)s alert opened", "%(n)s alerts opened", "n"),
            "closed": ngettext_lazy("%(n)s alert closed", "%(n)s alerts closed", "n"),
        },
    ),
)

jobs.sweep(
    "billing.top_up",
    top_up_due,
    every_seconds=15,
    shards=2,
    pausable=True,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Automatic top-ups"),
        _("Charges saved cards of accounts with a low balance."),
        {
            "begun": ngettext_lazy("%(n)s top-up started", "%(n)s top-ups started", "n"),
            "finished": ngettext_lazy("%(n)s top-up completed", "%(n)s top-ups completed", "n"),
        },
    ),
)

jobs.sweep(
    "billing.unfinished",
    lambda *_shard: close_unfinished(),
    every_seconds=3_600,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Unpaid top-ups"),
        _("Closes top-ups that no one paid."),
        {"closed": ngettext_lazy("%(n)s top-up closed", "%(n)s top-ups closed", "n")},
    ),
)

jobs.sweep(
    "billing.ask_providers",
    lambda *_shard: ask_providers(),
    every_seconds=60,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Payment status"),
        _("Asks payment providers about payments without a result."),
        {
            "asked": ngettext_lazy("%(n)s payment asked about", "%(n)s payments asked about", "n"),
            "heard": ngettext_lazy("%(n)s result received", "%(n)s results received", "n"),
        },
    ),
)

jobs.sweep(
    "billing.abilities",
    lambda *_shard: {"forgotten": abilities_forget_old()},
    every_seconds=600,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Terminal lookups"),
        _("Deletes terminal lookups older than 30 days."),
        {"forgotten": ngettext_lazy("%(n)s lookup deleted", "%(n)s lookups deleted", "n")},
    ),
)

jobs.sweep(
    "billing.invoices",
    lambda *_shard: issue_due(),
    every_seconds=300,
    queue=jobs.BOOKS,
    description=jobs.SweepDescription(
        _("Invoices"),
        _("Issues the invoices of complete months."),
        {
            "issued": ngettext_lazy("%(n)s invoice issued", "%(n)s invoices issued", "n"),
            "waiting": ngettext_lazy("%(n)s account waiting", "%(n)s accounts waiting", "n"),
        },
    ),
)

jobs.sweep(
    "billing.invoice_mails",
    lambda *_shard: send_due(),
    every_seconds=10,
    queue=jobs.JOBS,
    description=jobs.SweepDescription(
        _("Invoice emails"),
        _("Sends invoices and credit notes to billing contacts."),
        {
            "sent": ngettext_lazy("%(n)s email sent", "%(n)s emails sent", "n"),
            "failed": ngettext_lazy("%(n)s email failed", "%(n)s emails failed", "n"),
        },
    ),
)
