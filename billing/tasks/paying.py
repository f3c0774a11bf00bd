"""The sweeps of top-ups, alerts and lookups."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite import jobs


@jobs.sweep(
    "billing.alerts",
    every_seconds=10,
    queue=jobs.BOOKS,
    told=jobs.Told(
        _("Low-balance alerts"),
        _("Warns when a balance falls below its alert limit."),
        {
            "opened": ngettext_lazy("%(n)s alert opened", "%(n)s alerts opened", "n"),
            "closed": ngettext_lazy("%(n)s alert closed", "%(n)s alerts closed", "n"),
        },
    ),
)
def alerts(shard: int, shards: int) -> dict[str, int]:
    """Tells of balances that fell below their mark, once until they recover."""
    from billing.services.alerts import check_low_balances

    return check_low_balances()


@jobs.sweep(
    "billing.top_up",
    every_seconds=15,
    shards=2,
    pausable=True,
    queue=jobs.BOOKS,
    told=jobs.Told(
        _("Automatic top-ups"),
        _("Charges saved cards of accounts with a low balance."),
        {
            "begun": ngettext_lazy("%(n)s top-up started", "%(n)s top-ups started", "n"),
            "finished": ngettext_lazy("%(n)s top-up completed", "%(n)s top-ups completed", "n"),
        },
    ),
)
def top_up(shard: int, shards: int) -> dict[str, int]:
    """Charges kept cards of accounts below their mark."""
    from billing.services.auto_top_up import top_up_due

    return top_up_due(shard, shards)


@jobs.sweep(
    "billing.unfinished",
    every_seconds=3_600,
    queue=jobs.JOBS,
    told=jobs.Told(
        _("Unpaid top-ups"),
        _("Closes top-ups that no one paid."),
        {"closed": ngettext_lazy("%(n)s top-up closed", "%(n)s top-ups closed", "n")},
    ),
)
def unfinished(shard: int, shards: int) -> dict[str, int]:
    """Closes top-ups that nobody paid."""
    from billing.services.recharges_asking import close_unfinished

    return close_unfinished()


@jobs.sweep(
    "billing.ask_providers",
    every_seconds=60,
    queue=jobs.JOBS,
    told=jobs.Told(
        _("Payment status"),
        _("Asks payment providers about payments without a result."),
        {
            "asked": ngettext_lazy("%(n)s payment asked about", "%(n)s payments asked about", "n"),
            "heard": ngettext_lazy("%(n)s result received", "%(n)s results received", "n"),
        },
    ),
)
def ask_providers(shard: int, shards: int) -> dict[str, int]:
    """Asks providers for payments that they have said nothing of."""
    from billing.services.recharges_asking import ask_providers

    return ask_providers()


@jobs.sweep(
    "billing.abilities",
    every_seconds=600,
    queue=jobs.JOBS,
    told=jobs.Told(
        _("Terminal lookups"),
        _("Deletes terminal lookups older than 30 days."),
        {"forgotten": ngettext_lazy("%(n)s lookup deleted", "%(n)s lookups deleted", "n")},
    ),
)
def abilities(shard: int, shards: int) -> dict[str, int]:
    """Forgets what was looked up of terminals 30 days ago."""
    from billing.services.abilities import abilities_forget_old

    return {"forgotten": abilities_forget_old()}


@jobs.sweep(
    "billing.invoices",
    every_seconds=300,
    queue=jobs.BOOKS,
    told=jobs.Told(
        _("Invoices"),
        _("Issues the invoices of complete months."),
        {
            "issued": ngettext_lazy("%(n)s invoice issued", "%(n)s invoices issued", "n"),
            "waiting": ngettext_lazy("%(n)s account waiting", "%(n)s accounts waiting", "n"),
        },
    ),
)
def invoices(shard: int, shards: int) -> dict[str, int]:
    """Issues the invoices of months that the books have all of."""
    from billing.services.invoices_due import issue_due

    return issue_due()


@jobs.sweep(
    "billing.invoice_mails",
    every_seconds=10,
    queue=jobs.JOBS,
    told=jobs.Told(
        _("Invoice emails"),
        _("Sends invoices and credit notes to billing contacts."),
        {
            "sent": ngettext_lazy("%(n)s email sent", "%(n)s emails sent", "n"),
            "failed": ngettext_lazy("%(n)s email failed", "%(n)s emails failed", "n"),
        },
    ),
)
def invoice_mails(shard: int, shards: int) -> dict[str, int]:
    """Sends invoices to billing contacts, and tries again what failed."""
    from billing.services.invoices_mail import send_due

    return send_due()
