"""Command lines for the server's shell. `{% load server_lines %}`."""

from itertools import count

from django import template

from poolsite.access.models import GrantName, User
from poolsite.runtime.shell_line import manage_line

register = template.Library()

NAME = "approver"  # the user's name; a number is added if it is taken


@register.simple_tag
def approver_line() -> str:
    """Return the command that creates another finance operator."""
    taken = set(User.objects.filter(username__istartswith=NAME).values_list("username", flat=True))
    taken = {name.lower() for name in taken}
    names = (NAME if n == 1 else f"{NAME}{n}" for n in count(1))
    name = next(name for name in names if name not in taken)
    return manage_line("user", "create", name, "--operator", "--grant", GrantName.FINANCE.value)
