"""Example values of the OpenAPI document: invoices, tax profiles, the seller and tax rates."""

from collections.abc import Mapping
from typing import Any, Final

INVOICE_CSV: Final = (
    "invoice,line,mode,chatbot,quantity,net,tax name,tax rate,tax,amount,currency\n"
    "PS-2026-000017,1,native_text,shop-news,2395,203.3962,Sales tax,6,12.2038,215.6000,CNY\n"
)
_SUMS: Final = {"net": "203.3962", "tax": "12.2038"}
INVOICE: Final = {
    **_SUMS,
    "id": 17,
    "number": "PS-2026-000017",
    "month": "2026-03",
    "credit_note": "",
    "currency": "CNY",
    "total": "215.6000",
    "paid": "215.6000",
    "due": "0.0000",
    "issued_on": "2026-04-01",
}
_PARTY: Final = {
    "name": "Acme Ltd",
    "address": "1 Lake Road\nShanghai",
    "country": "CN",
    "tax_id": "91310000MA1FL0000X",
}
PROFILE: Final = {
    "legal_name": "Acme Ltd",
    "address": "1 Lake Road\nShanghai",
    "country": "CN",
    "tax_id": "91310000MA1FL0000X",
    "treatment": "standard",
    "email": "accounts@example.com",
}
SELLER: Final = {
    "name": "Poolsite Ltd",
    "address": "8 Harbour Street\nShanghai",
    "country": "CN",
    "tax_id": "91310000MA1FL1111Y",
    "prefix": "PS",
    "zone": "Asia/Shanghai",
    "first_month": "2026-01-01",
}
RATE: Final = {
    "country": "CN",
    "kind": "messages",
    "name": "Sales tax",
    "rate": "6",
    "valid_from": "2026-01-01",
    "valid_until": None,
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "InvoiceRow": INVOICE,
    "InvoiceOut": {**INVOICE, "zone": "Asia/Shanghai"},
    "InvoiceIssueIn": {"month": "2026-03"},
    "PartyOut": _PARTY,
    "InvoiceLineOut": {
        **_SUMS,
        "position": 1,
        "mode": "native_text",
        "chatbot": "shop-news",
        "quantity": 2_395,
        "tax_name": "Sales tax",
        "tax_rate": "6",
        "amount": "215.6000",
    },
    "TaxLineOut": {**_SUMS, "name": "Sales tax", "rate": "6", "amount": "215.6000"},
    "CreditNoteOut": {
        "id": 3,
        "number": "PS-CN-2026-000003",
        "state": "issued",
        "reason": "Wrong address",
        "requested_by": "mei",
        "decided_by": "omar",
        "decision_reason": "",
        "issued_on": "2026-04-02",
    },
    "TaxProfileIn": PROFILE,
    "TaxProfileOut": {"entered": True, **PROFILE},
    "SellerIn": SELLER,
    "SellerOut": SELLER,
    "TaxRateIn": {name: value for name, value in RATE.items() if value is not None},
    "TaxRateOut": {"id": 1, **RATE},
    "TaxRateEndIn": {"valid_until": "2026-07-01"},
    "invoicing": {"rate": 1},
}
