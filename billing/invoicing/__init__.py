"""The parts of invoices: the tax that prices include, the digest, and the document."""
