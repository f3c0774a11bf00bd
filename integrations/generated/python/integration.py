"""A customer's integration, from the first token to the month's invoice, by the generated client.

../README.md says how to run it, and what it reads from the environment.
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
