"""What invoices are made of: the tax that prices include, the digest, and the document."""
