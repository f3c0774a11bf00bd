"""A customer's integration with the generated client, from the first token to the monthly invoice.

../README.md explains how to run it, and which environment variables it reads.
"""

import os

from connection import login_client
from hooks import drive_webhooks
from money import drive_billing
from systems import drive_dispatcher, drive_gate, drive_line, drive_pool


def main() -> None:
    operator = login_client(os.environ["POOLSITE_OPERATOR_COOKIE"])
    owner = login_client(os.environ["POOLSITE_COOKIE"])
    drive_pool(operator)
    drive_line(operator)
    drive_gate(operator)
    drive_dispatcher(operator)
    drive_billing(operator, owner)
    drive_webhooks(owner)


if __name__ == "__main__":
    main()
