"""The command `tengen`, also as `python -m tengen`."""

from __future__ import annotations

import signal
import sys

from ._tengen import main as _main


def main() -> int:
    """Runs the command line and returns the exit code."""
    # Python would note Ctrl-C and wait for the command to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _main(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
