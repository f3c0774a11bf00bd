"""Payment providers: what they are told, and what they report. They decide nothing themselves.

`reports` is the one way from a provider to the books, `variants` says which providers stand open,
`stripe_provider` and `demo_provider` are classes of django-payments.
"""
