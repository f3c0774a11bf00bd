#!/usr/bin/env python
"""Django's command line for Poolsite."""

import os
import sys

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def main() -> None:
    """Run the management command that the command line names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")
    from django.core.management import execute_from_command_line

    from poolsite.runtime import commands

    commands.prepare(sys.argv[1:])
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
