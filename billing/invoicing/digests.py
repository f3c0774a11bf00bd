"""The digest of an invoice. It covers all its content, so that a change by hand is detected."""

import json
from collections.abc import Sequence
from hashlib import blake2b

from billing.models import Invoice, InvoiceLine, InvoiceTax


def digest_of(invoice: Invoice, lines: Sequence[InvoiceLine], taxes: Sequence[InvoiceTax]) -> str:
    """Return 32 hexadecimal digits. Lines and taxes must be sorted by position."""
    told = [
        invoice.content(),
        [line.content() for line in lines],
        [tax.content() for tax in taxes],
    ]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
