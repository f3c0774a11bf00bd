"""A password hasher that is fast, where the product's is slow on purpose."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class QuickArgon2(Argon2PasswordHasher):
    """The same algorithm and form, without the work."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
