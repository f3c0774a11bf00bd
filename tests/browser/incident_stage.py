"""Open two incidents of one cause, and one of another. `worse` adds an object to the first,
and `over` closes the other.

A program for a migrated database, run in the environment of the site.
"""

import json
import sys

import django

CAUSE = "test.full"


def main(names: tuple[str, ...]) -> None:
    from poolsite.operations import incidents

    for name in names:
        incidents.open(
            type=CAUSE,
            object=name,
            severity="warning",
            title=f"Pool {name} is nearly full",
            remedy="Add numbers before calls are blocked.",
            url="/pools/",
        )
    incidents.open(type="test.late", object="gate", severity="warning", title="Late results")
    if "over" in sys.argv:
        incidents.close(type="test.late", object="gate")
    print(json.dumps({}))


if __name__ == "__main__":
    django.setup()
    main(("stage-c",) if "worse" in sys.argv else ("stage-a", "stage-b"))
