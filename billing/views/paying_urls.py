"""URLs of top-ups, statements, adjustments, prices and chatbots."""

from django.urls import path

from billing.views import (
    adjustments,
    adjustments_asking,
    adjustments_list,
    call_rates,
    chatbots,
    limits,
    promotions,
    receipt,
    recharges,
    recharges_list,
    statements,
    tariffs,
    tariffs_edit,
    top_up,
)

OF_WALLET = "accounts/<slug:slug>/"
OF_OPERATOR = "billing/accounts/<slug:slug>/"
urlpatterns = [
    path(f"{OF_WALLET}top-up/", top_up.top_up, name="top_up"),
    path(f"{OF_WALLET}top-ups/", recharges_list.recharges, name="recharges"),
    path(f"{OF_WALLET}top-ups/<int:pk>/", receipt.recharge_page, name="recharge"),
    path(f"{OF_WALLET}top-ups/<int:pk>/pay/", recharges.recharge_pay, name="recharge_pay"),
    path(f"{OF_WALLET}top-ups/<int:pk>/state/", receipt.recharge_state, name="recharge_state"),
    path(f"{OF_WALLET}top-ups/<int:pk>/cancel/", receipt.recharge_cancel, name="recharge_cancel"),
    path(f"{OF_WALLET}top-ups/<int:pk>/pdf/", receipt.receipt_pdf, name="receipt_pdf"),
    path(f"{OF_WALLET}limits/", limits.limits, name="limits"),
    path(f"{OF_WALLET}card/remove/", limits.card_remove, name="method_remove"),
    path(f"{OF_WALLET}statements/", statements.statements, name="statements"),
    path(f"{OF_WALLET}statements/<str:month>/", statements.statement_page, name="statement"),
    path(f"{OF_WALLET}statements/<str:month>/csv/", statements.statement_csv, name="statement_csv"),
    path(f"{OF_WALLET}statements/<str:month>/pdf/", statements.statement_pdf, name="statement_pdf"),
    path(f"{OF_WALLET}statements/year/<int:year>/csv/", statements.year_csv, name="year_csv"),
    path(f"{OF_WALLET}refund/", adjustments.refund_ask, name="refund_ask"),
    path("billing/refunds/<int:pk>/", adjustments.refund, name="refund"),
    path("refunds/<int:pk>/withdraw/", adjustments.refund_withdraw, name="refund_withdraw"),
    path(f"{OF_OPERATOR}adjust/", adjustments_asking.adjust, name="adjust"),
    path("billing/adjustments/", adjustments_list.adjustments, name="adjustments"),
    path("billing/adjustments/<int:pk>/", adjustments.adjustment, name="adjustment"),
    path(
        "billing/adjustments/<int:pk>/approve/",
        adjustments.adjustment_approve,
        name="adjustment_approve",
    ),
    path(
        "billing/adjustments/<int:pk>/reject/",
        adjustments.adjustment_reject,
        name="adjustment_reject",
    ),
    path(
        "billing/adjustments/<int:pk>/give-up/",
        adjustments.adjustment_give_up,
        name="adjustment_give_up",
    ),
    path(f"{OF_OPERATOR}credit-limit/", limits.credit_limit, name="credit_limit"),
    path(f"{OF_OPERATOR}promotions/", promotions.promotions, name="promotions"),
    path("billing/promotions/<int:pk>/revoke/", promotions.revoke, name="promotion_revoke"),
    path(f"{OF_OPERATOR}close/", adjustments.wallet_close, name="account_close"),
    path("billing/open/", adjustments.wallet_open, name="wallet_open"),
    path(f"{OF_WALLET}tariffs/", tariffs.tariffs, name="tariffs"),
    path(f"{OF_WALLET}tariffs/new/", tariffs_edit.tariff_new, name="tariff_new"),
    path(f"{OF_WALLET}tariffs/<int:pk>/", tariffs_edit.tariff_change, name="tariff_change"),
    path(f"{OF_WALLET}tariffs/<int:pk>/end/", tariffs.tariff_end, name="tariff_end"),
    path(f"{OF_WALLET}tariffs/<int:pk>/delete/", tariffs.tariff_delete, name="tariff_delete"),
    path(f"{OF_WALLET}tariffs/<int:pk>/call-rates/", call_rates.call_rates, name="call_rates"),
    path(
        f"{OF_WALLET}tariffs/<int:pk>/call-rates/import/",
        call_rates.call_rates_import,
        name="call_rates_import",
    ),
    path(f"{OF_WALLET}chatbots/", chatbots.chatbots, name="chatbots"),
    path(f"{OF_WALLET}chatbots/new/", chatbots.chatbot_new, name="chatbot_new"),
    path(f"{OF_WALLET}chatbots/<slug:chatbot>/", chatbots.chatbot, name="chatbot"),
    path(
        f"{OF_WALLET}chatbots/<slug:chatbot>/token/", chatbots.chatbot_token, name="chatbot_token"
    ),
    path(
        f"{OF_WALLET}chatbots/<slug:chatbot>/archive/",
        chatbots.chatbot_archive,
        name="chatbot_archive",
    ),
    path("payments/events/<slug:variant>/", recharges.provider_event, name="provider_event"),
]
