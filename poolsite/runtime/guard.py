"""Run a Python module as `python -m` would, and end it when its parent process ends.

python -m poolsite.runtime.guard <pid of the parent> <module> [argument …]
"""

import runpy
import sys

from poolsite.runtime.parent import follow


def main() -> None:
    """Follow the parent, then run the module in this process."""
    parent_pid, module, *arguments = sys.argv[1:]
    follow(int(parent_pid))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
