"""A fast password hasher, for tests: the product's is slow on purpose."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class QuickArgon2(Argon2PasswordHasher):
    """The product's algorithm and format, without the work."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
