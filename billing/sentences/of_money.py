"""The audit log's sentences about balances, top-ups, adjustments, refunds and tariffs."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from billing.forms_limits import LimitsForm
from billing.models import Adjustment, FlaggedReport, RefundRequest, Tariff, Wallet
from billing.recharging.reports import ReportResult
from billing.sentences.kinds import money, prices
from billing.views.tariffs_forms import TariffForm
from poolsite.access.models import AuditEntry
from poolsite.console.sentences import Sentence, SettingsFields, choice, count, moment

BALANCES, TOP_UPS, ADJUSTMENTS = _("Balances"), _("Top-ups"), _("Adjustments")
TARIFFS = _("Tariffs")


def sentences() -> list[Sentence]:
    """Return all of them."""
    return [*_of_wallets(), *_of_top_ups(), *_of_adjustments(), *_of_tariffs()]


def _of_wallets() -> list[Sentence]:
    return [
        Sentence(
            "billing.wallet_open",
            BALANCES,
            _("%(actor)s opened the balance of %(thing)s with %(opening)s"),
            {"opening": money},
        ),
        Sentence("billing.wallet_configure", BALANCES, settings=SettingsFields(Wallet, LimitsForm)),
        Sentence(
            "billing.wallet_status",
            BALANCES,
            _("%(actor)s set the balance of %(thing)s from %(before_status)s to %(status)s"),
            dict.fromkeys(("status", "before_status"), choice(Wallet.Status.choices)),
            variant=_status_of_wallet,
        ),
        Sentence(
            "billing.credit_limit",
            BALANCES,
            _("%(actor)s changed the credit limit of %(thing)s to %(credit_limit)s"),
            {"credit_limit": money},
        ),
        Sentence(
            "billing.wallet_move",
            BALANCES,
            _("%(actor)s moved the balance of %(thing)s to another Redis server"),
        ),
        Sentence(
            "billing.wallet_rebuild",
            BALANCES,
            _("%(actor)s rebuilt the balance of %(thing)s from the database"),
        ),
    ]


def _of_top_ups() -> list[Sentence]:
    return [
        Sentence(
            "billing.recharge_start",
            TOP_UPS,
            _("%(actor)s started a top-up of %(amount)s for %(thing)s"),
            {"amount": money},
        ),
        Sentence(
            "billing.recharge_report",
            TOP_UPS,
            _("The payment provider reported on a top-up of %(amount)s for %(thing)s"),
            {"amount": money},
            variant=lambda entry: _REPORTS.get((entry.after or {}).get("answer", ""), ""),
        ),
        Sentence(
            "billing.method_keep",
            TOP_UPS,
            _("The payment provider saved %(method)s for automatic top-ups of %(thing)s"),
        ),
        Sentence(
            "billing.method_remove",
            TOP_UPS,
            _("%(actor)s removed the payment method %(method)s of %(thing)s"),
        ),
    ]


_REPORTS = {
    ReportResult.CREDITED: _("A top-up of %(amount)s was credited to %(thing)s"),
    ReportResult.NOT_CREDITED: _("A top-up of %(thing)s failed and was not credited"),
    ReportResult.TAKEN_BACK: _("The payment provider took %(amount)s back from %(thing)s"),
    ReportResult.REINSTATED: _("The payment provider returned %(amount)s to %(thing)s"),
}


def _of_adjustments() -> list[Sentence]:
    values = {"amount": money, "kind": choice(Adjustment.kinds())}
    refund = {"amount": money, "status": choice(RefundRequest.Status.choices)}
    return [
        Sentence(
            "billing.adjustment_ask",
            ADJUSTMENTS,
            _("%(actor)s submitted an adjustment for %(thing)s for approval: %(kind)s %(amount)s"),
            values,
            variant=_asked,
        ),
        Sentence(
            "billing.adjustment_approve",
            ADJUSTMENTS,
            _("%(actor)s approved an adjustment for %(thing)s: %(kind)s %(amount)s"),
            values,
        ),
        Sentence(
            "billing.adjustment_reject",
            ADJUSTMENTS,
            _("%(actor)s rejected an adjustment for %(thing)s: %(kind)s %(amount)s"),
            values,
        ),
        Sentence(
            "billing.adjustment_give_up",
            ADJUSTMENTS,
            _("%(actor)s cancelled an adjustment for %(thing)s: %(kind)s %(amount)s"),
            values,
        ),
        Sentence(
            "billing.promotion_revoke",
            ADJUSTMENTS,
            _("%(actor)s revoked promotional credit of %(amount)s from %(thing)s"),
            {"amount": money},
        ),
        Sentence(
            "billing.refund_ask",
            ADJUSTMENTS,
            _("%(actor)s requested a refund of %(amount)s from %(thing)s"),
            refund,
        ),
        Sentence(
            "billing.refund_answer",
            ADJUSTMENTS,
            _("%(actor)s closed the refund request of %(thing)s over %(amount)s: %(status)s"),
            refund,
        ),
        Sentence(
            "billing.flagged_accept",
            ADJUSTMENTS,
            _("%(actor)s accepted a loss of %(loss)s on a flagged report of %(thing)s: %(flag)s"),
            {"loss": money, "flag": choice(FlaggedReport.Flag.choices)},
        ),
    ]


def _of_tariffs() -> list[Sentence]:
    return [
        Sentence(
            "billing.tariff_create",
            TARIFFS,
            _("%(actor)s created the tariff %(thing)s, valid from %(valid_from)s"),
            {"valid_from": moment},
        ),
        Sentence(
            "billing.tariff_change",
            TARIFFS,
            settings=SettingsFields(Tariff, TariffForm, {"prices": prices}),
        ),
        Sentence(
            "billing.tariff_end",
            TARIFFS,
            _("%(actor)s ended the tariff %(thing)s on %(valid_until)s"),
            {"valid_until": moment},
        ),
        Sentence("billing.tariff_delete", TARIFFS, _("%(actor)s deleted the tariff %(thing)s")),
        Sentence(
            "billing.terminals_upload",
            TARIFFS,
            _("%(actor)s uploaded the terminal table %(file)s"),
        ),
        Sentence(
            "billing.abilities_import",
            TARIFFS,
            _("%(actor)s imported %(taken)s of the terminal table %(file)s"),
            {"taken": count(lambda n: ngettext("%(n)s row", "%(n)s rows", n))},
        ),
    ]


def _asked(entry: AuditEntry) -> Any:
    after = entry.after or {}
    if after.get("status") == Adjustment.Status.APPLIED:
        return _("%(actor)s adjusted the balance of %(thing)s: %(kind)s %(amount)s")
    return ""


def _status_of_wallet(entry: AuditEntry) -> Any:
    return {
        "frozen": _("%(actor)s froze the balance of %(thing)s"),
        "closed": _("%(actor)s closed the balance of %(thing)s"),
        "open": _("%(actor)s unfroze the balance of %(thing)s"),
    }.get((entry.after or {}).get("status", ""), "")
