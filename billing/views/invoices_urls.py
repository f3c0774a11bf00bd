"""URLs of invoices, credit notes, tax profiles, the seller and tax rates."""

from django.urls import path

from billing.views import invoices, invoices_operators

OF_WALLET = "accounts/<slug:slug>/"
ONE = f"{OF_WALLET}invoices/<int:pk>/"
urlpatterns = [
    path(f"{OF_WALLET}invoices/", invoices.invoices, name="invoices"),
    path(ONE, invoices.invoice, name="invoice"),
    path(f"{ONE}pdf/", invoices.invoice_pdf, name="invoice_pdf"),
    path(f"{ONE}csv/", invoices.invoice_csv, name="invoice_csv"),
    path(f"{ONE}credit-note/pdf/", invoices.credit_pdf, name="credit_pdf"),
    path(f"{ONE}credit/", invoices_operators.invoice_credit, name="invoice_credit"),
    path(f"{OF_WALLET}invoices/issue/", invoices_operators.invoice_issue, name="invoice_issue"),
    path(f"{OF_WALLET}tax-profile/", invoices.tax_profile, name="tax_profile"),
    path("billing/invoices/", invoices_operators.invoice_list, name="invoice_list"),
    path("billing/seller/", invoices_operators.seller, name="seller"),
    path("billing/tax-rates/<int:pk>/end/", invoices_operators.rate_end, name="rate_end"),
    path(
        "billing/credit-notes/<int:pk>/approve/",
        invoices_operators.credit_approve,
        name="credit_approve",
    ),
    path(
        "billing/credit-notes/<int:pk>/reject/",
        invoices_operators.credit_reject,
        name="credit_reject",
    ),
]
