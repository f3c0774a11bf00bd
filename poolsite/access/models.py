"""Who there is: accounts (tenants), users, their roles and grants."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class Account(models.Model):
    """A tenant. Objects without an account belong to the platform."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=120)
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    currency = models.CharField(max_length=3, default="CNY")
    locale = models.CharField(max_length=16, default="en")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):
    """A person who logs in."""

    zone = models.CharField(max_length=64, blank=True)
    locale = models.CharField(max_length=16, blank=True)
