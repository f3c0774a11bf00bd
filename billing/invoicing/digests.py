"""The digest of an invoice: over everything that it says, so that a change by hand is found."""

import json
from collections.abc import Sequence
from hashlib import blake2b

from billing.models import Invoice, InvoiceLine, InvoiceTax


def digest_of(invoice: Invoice, lines: Sequence[InvoiceLine], taxes: Sequence[InvoiceTax]) -> str:
    """32 hexadecimal digits; lines and taxes in the order of their positions."""
    told = [
        invoice.content(),
        [line.content() for line in lines],
        [tax.content() for tax in taxes],
    ]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()
