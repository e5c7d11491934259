"""The entry point of the command line, which says what to install when the extra ``cli`` is missing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer its exit code; *arguments* are those of the process by default."""
    if any(find_spec(package) is None for package in ("cyclopts", "rich")):
        print("effectloop: the commands need an extra: pip install 'effectloop[cli]'", file=sys.stderr)
        return 2
    from effectloop.cli.app import serve  # only now: without the extra it cannot be imported

    return serve(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    sys.exit(main())
