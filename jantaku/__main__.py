"""`jantaku` and `python -m jantaku`, which is also how the supervisor starts its children.

Loading everything takes a moment. Ctrl-C in it ends the command as it would later: without a traceback.
"""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Entry point of the script and of `python -m jantaku`."""
    try:
        from jantaku.command import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
