"""Payment providers: the requests to them, and their reports. They decide nothing themselves.

Every report reaches the books through `reports`. `variants` lists the providers that are
configured. `stripe_provider` and `demo_provider` are classes of django-payments.
"""
