"""What each model of the admin is for, in one line. A test asks for one of every model."""

from typing import Any

from django.utils.translation import gettext_lazy as _

ABOUT: dict[str, Any] = {
    "access.account": _("Customers of the platform: name, zone and language"),
    "access.apitoken": _("Tokens of switches and programs, without their secrets"),
    "access.auditentry": _("Who changed what and when; entries never change"),
    "access.user": _("People who log in, by name or email address"),
    "admission.gate": _("Limits on how many devices use a system at once"),
    "admission.gateevent": _("Every event of a gate"),
    "admission.task": _("Tasks of batches, by device"),
    "admission.taskbatch": _("Uploaded batches and their windows"),
    "billing.adjustment": _("Corrections that operators requested"),
    "billing.batch": _("Closed batches of journal entries"),
    "billing.campaign": _("Campaigns and how far they are"),
    "billing.chatbot": _("Senders of messages"),
    "billing.flaggedreport": _("Status reports that need a decision"),
    "billing.journalentry": _("Every movement of money, newest first"),
    "billing.message": _("Messages and what they cost"),
    "billing.moneyorder": _("Payments on their way to a balance"),
    "billing.optout": _("Numbers that no campaign may contact"),
    "billing.paymentmethod": _("Saved cards, as the provider names them"),
    "billing.providerevent": _("Notifications from payment providers"),
    "billing.receivable": _("Amounts owed and how much of them is paid"),
    "billing.recharge": _("Top-ups"),
    "billing.refundrequest": _("Refunds that customers requested"),
    "billing.tariff": _("Versions of the price lists"),
    "billing.template": _("Message templates"),
    "billing.wallet": _("Balances as the books have them"),
    "dispatch.dispatchevent": _("Every event of a group"),
    "dispatch.frontend": _("Front-ends that have connected"),
    "dispatch.group": _("Front-ends and the instances that serve them"),
    "dispatch.instance": _("Instances of a group and their state"),
    "dispatch.upgrade": _("Rolling upgrades and their steps"),
    "history.gaprecord": _("Events that never reached SQL, with the reason"),
    "jobs.job": _("Long-running jobs, newest first"),
    "line.agent": _("Agents of a desk"),
    "line.agentshift": _("When agents were logged in"),
    "line.cannedreply": _("Texts that agents insert"),
    "line.desk": _("Service teams with their queues and agents"),
    "line.leftmessage": _("Messages that visitors left"),
    "line.lineevent": _("Every event of a desk"),
    "line.messagecall": _("Callbacks for left messages"),
    "line.queue": _("Queues with all their settings"),
    "line.skill": _("Skills of agents and visitors"),
    "line.visit": _("Visits, from joining to rating"),
    "numbers.callrecord": _("Calls, newest first"),
    "numbers.number": _("Numbers with their live state"),
    "numbers.numberimport": _("Imported files and their results"),
    "numbers.pool": _("Outbound numbers that calls share"),
    "numbers.poolevent": _("Every event of a number"),
    "numbers.switch": _("Switches and when they last reported"),
    "operations.incident": _("Open and closed incidents"),
    "operations.noticetarget": _("Recipients of incident alerts, by email or webhook"),
    "operations.outgoingcall": _("Requests that the platform sent to other systems"),
}

# Names of the console for models that have another in code.
NAMES: dict[str, Any] = {
    "billing.moneyorder": _("Payments"),
    "billing.receivable": _("Amounts owed"),
    "billing.recharge": _("Top-ups"),
    "billing.wallet": _("Balances"),
}

# Unfold's own texts, which has no Chinese for them.
OF_THE_THEME = (_("Search apps and models..."), _("Filter navigation items"))
