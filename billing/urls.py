"""The addresses of the pages."""

from django.urls import path

from billing.views import (
    accounts,
    books,
    campaigns_urls,
    entries,
    explain,
    flagged,
    holds,
    invoices_urls,
    messages,
    messages_list,
    money_audit,
    paying_urls,
    portal,
    rules,
    terminals,
    usage,
)

app_name = "billing"
urlpatterns = [
    # a customer's own pages: they redirect to the user's account
    path("balance/", portal.own_portal, name="balance"),
    path("usage/", portal.own_page, {"page": "usage"}, name="own_usage"),
    path("messages/", portal.own_page, {"page": "messages"}, name="own_messages"),
    path("top-ups/", portal.own_page, {"page": "recharges"}, name="own_top_ups"),
    path("statements/", portal.own_page, {"page": "statements"}, name="own_statements"),
    path("invoices/", portal.own_page, {"page": "invoices"}, name="own_invoices"),
    path("prices/", portal.own_page, {"page": "tariffs"}, name="own_prices"),
    path("chatbots/", portal.own_page, {"page": "chatbots"}, name="own_chatbots"),
    path("alerts/", portal.own_page, {"page": "limits"}, name="own_alerts"),
    # one account
    path("accounts/<slug:slug>/", portal.portal, name="portal"),
    path("accounts/<slug:slug>/pace/", portal.pace, name="pace"),
    path("accounts/<slug:slug>/usage/", usage.usage_page, name="usage"),
    path("accounts/<slug:slug>/usage/data/", usage.usage_data, name="usage_data"),
    path("accounts/<slug:slug>/entries/", entries.entries_page, name="entries"),
    path("accounts/<slug:slug>/explain/<slug:leg>/", explain.explain_page, name="explain"),
    path("accounts/<slug:slug>/messages/", messages_list.message_list, name="messages"),
    path("accounts/<slug:slug>/message/", messages.message_page, name="message"),
    # operators
    path("billing/rules/", rules.rules_page, name="rules"),
    path("billing/accounts/", accounts.account_list, name="accounts"),
    path("billing/accounts/<slug:slug>/", accounts.account_page, name="account"),
    path("billing/accounts/<slug:slug>/freeze/", accounts.account_freeze, name="account_freeze"),
    path(
        "billing/accounts/<slug:slug>/unfreeze/",
        accounts.account_unfreeze,
        name="account_unfreeze",
    ),
    path("billing/accounts/<slug:slug>/rebuild/", accounts.account_rebuild, name="account_rebuild"),
    path("billing/holds/", holds.holds_page, name="holds"),
    path("billing/flagged/", flagged.flagged_page, name="flagged"),
    path(
        "billing/flagged/<int:report_id>/accept/",
        flagged.flagged_accept_loss,
        name="flagged_accept",
    ),
    path(
        "billing/flagged/<int:report_id>/charge/",
        flagged.flagged_charge_by_hand,
        name="flagged_charge",
    ),
    path("billing/terminals/", terminals.terminals_page, name="terminals"),
    path("billing/terminals/upload/", terminals.terminals_upload, name="terminals_upload"),
    path("billing/books/", books.books_page, name="books"),
    path("billing/audit/", money_audit.audit_page, name="audit"),
    path("billing/audit/run/", money_audit.audit_run, name="audit_run"),
    # campaigns, templates, opt-outs
    *campaigns_urls.urlpatterns,
    *invoices_urls.urlpatterns,
    # top-ups, statements, adjustments, tariffs
    *paying_urls.urlpatterns,
]
